/** What a fault of value is: the source without one of the fixes by which the sum over all documents is right. */
import type { Edit, NamedTest } from "../guards/guard.ts";
import type { ChargeTerms, Setting } from "../lives/catalogue.ts";

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
  /** What must be for sale: lives in which it is come first. */
  readonly sells?: (setting: Setting) => boolean;
  /** What shows it where no life can: a test that fails with it. */
  readonly test?: NamedTest;
};

/** Two plans of one interval that charge for seats, the one like this and the other like that. */
export const seatsIn =
  (one: (seats: ChargeTerms) => boolean, other: (seats: ChargeTerms) => boolean) =>
  ({ plans }: Setting): boolean =>
    plans.some((plan) =>
      plans.some(
        (next) =>
          next !== plan &&
          next.interval === plan.interval &&
          plan.charges.some((charge) => charge.metric === "seats" && one(charge)) &&
          next.charges.some((charge) => charge.metric === "seats" && other(charge)),
      ),
    );

export const inCore = (path: string): string => `packages/core/src/${path}`;

export const inStory = (file: string, name: string): NamedTest => ({
  file: `tests/stories/${file}.story.test.ts`,
  name,
});
