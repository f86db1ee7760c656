/** Documents that are wrong on purpose, at the end of a life that was right: the harness must notice. */

import { checkAccount } from "./account.ts";
import { checkDocuments } from "./checks.ts";
import { Broken } from "./demand.ts";
import { TAMPERINGS } from "./tampering.ts";
import type { World } from "./world.ts";

/** The last documents of a life, each time changed in one way that still adds up where one looks at it alone. */
export async function tamperWith(world: World): Promise<void> {
  const { watch } = world.session.stage;
  for (const what of watch?.tamperings ?? []) {
    const documents = TAMPERINGS[what]?.(world.shown) ?? world.shown;
    const changed: World = { ...world, documents };
    if (!(await isNoticed(changed))) continue;
    watch?.tamperings.delete(what);
    watch?.onFound(what);
  }
}

async function isNoticed(world: World): Promise<boolean> {
  try {
    checkDocuments(world, world.documents);
    await checkAccount(world);
    return false;
  } catch (error) {
    if (error instanceof Broken) return true;
    throw error;
  }
}
