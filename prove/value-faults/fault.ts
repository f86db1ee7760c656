/** What a fault of value is: the source without one of the fixes by which the sum over all documents is right. */
import type { Edit, NamedTest } from "../guards/guard.ts";

export type Fault = {
  readonly name: string;
  /** The ruling, or the decision record, that is not kept with it. */
  readonly ruling: string;
  /** What goes wrong, in a sentence. */
  readonly harm: string;
  /** One place, or several that only together leave code that runs. */
  readonly edits: readonly Edit[];
  /** The steps of a life that bring it about, in order. */
  readonly steps: readonly string[];
  /** What shows it where no life can: a test that fails with it. */
  readonly test?: NamedTest;
};

export const inCore = (path: string): string => `packages/core/src/${path}`;

export const inStory = (file: string, name: string): NamedTest => ({
  file: `tests/stories/${file}.story.test.ts`,
  name,
});
