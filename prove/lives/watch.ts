/** Documents and rows that are wrong on purpose, in a life that was right: the harness must notice. */

import { checkAccount } from "./account.ts";
import { checkDocuments } from "./checks.ts";
import { Broken } from "./demand.ts";
import type { Previewed } from "./documents.ts";
import { withPlanted } from "./planting.ts";
import { compareRows } from "./prediction.ts";
import { PREVIEW_TAMPERINGS, TAMPERINGS } from "./tampering.ts";
import type { World } from "./world.ts";

/** The last documents of a life, each time changed in one way that still adds up where one looks at it alone. */
export async function tamperWith(world: World): Promise<void> {
  const { watch } = world.session.stage;
  for (const what of watch?.tamperings ?? []) {
    const documents = TAMPERINGS[what]?.(world.shown) ?? world.shown;
    const changed: World = { ...world, documents };
    if (!(await isNoticed(() => checkAll(changed)))) continue;
    watch?.tamperings.delete(what);
    watch?.onFound(what);
  }
  for (const what of watch?.plantings ?? []) {
    if (!(await withPlanted(world.session, what, (rows) => isNoticed(() => compareRows(world, rows))))) continue;
    watch?.plantings.delete(what);
    watch?.onFound(what);
  }
}

async function checkAll(world: World): Promise<void> {
  checkDocuments(world, world.documents);
  await checkAccount(world);
}

/** A preview and current usage that were right, each time changed in one way. */
export async function tamperWithPreview(world: World, check: (previewed: Previewed) => void): Promise<void> {
  const { session, previewed } = world;
  const { watch } = session.stage;
  if (!previewed) return;
  for (const [what, change] of Object.entries(PREVIEW_TAMPERINGS)) {
    if (!watch?.tamperings.has(what) || !(await isNoticed(async () => check(change(previewed))))) continue;
    watch.tamperings.delete(what);
    watch.onFound(what);
  }
}

async function isNoticed(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await check();
    return false;
  } catch (error) {
    if (error instanceof Broken) return true;
    throw error;
  }
}
