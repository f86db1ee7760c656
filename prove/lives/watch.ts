/**
 * The harness put to the test beside the lives it watches: documents that are wrong on purpose, and models that misread a rule. Each must be
 * told apart from what is right in some life; which were is kept.
 */
import { checkAccount } from "./account.ts";
import { checkDocuments } from "./checks.ts";
import { MISREADINGS, type Misreading } from "./model/misreadings.ts";
import { Broken } from "./session.ts";
import { TAMPERINGS } from "./tampering.ts";
import type { World } from "./world.ts";

export type Watch = {
  readonly misreadings: Set<Misreading>;
  /** By name. */
  readonly tamperings: Set<string>;
  readonly onFound: (what: string) => void;
};

export const newWatch = (onFound: Watch["onFound"]): Watch => ({
  misreadings: new Set(Object.keys(MISREADINGS) as Misreading[]),
  tamperings: new Set(Object.keys(TAMPERINGS)),
  onFound,
});

export const isOver = ({ misreadings, tamperings }: Watch): boolean => misreadings.size + tamperings.size === 0;

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
