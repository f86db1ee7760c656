/** Everything that can happen in a life, by its name. */
import type { Dice } from "./dice.ts";
import type { StepKind } from "./step-kind.ts";
import { CATALOG_STEPS } from "./steps-catalogue.ts";
import { CREDIT_STEPS } from "./steps-credits.ts";
import { EDGE_STEPS } from "./steps-edges.ts";
import { INVOICE_STEPS } from "./steps-invoices.ts";
import { SUBSCRIPTION_STEPS } from "./steps-subscriptions.ts";
import { USAGE_STEPS } from "./steps-usage.ts";

/** A kind and dice: what it does is decided by what it finds. */
export type Step = { readonly kind: string; readonly seed: number };

export const STEPS: ReadonlyMap<string, StepKind> = new Map(
  Object.entries({
    ...SUBSCRIPTION_STEPS,
    ...USAGE_STEPS,
    ...INVOICE_STEPS,
    ...CREDIT_STEPS,
    ...CATALOG_STEPS,
    ...EDGE_STEPS,
  }),
);

/** Each name as often as it weighs. */
const namesOf = (steps: Iterable<[string, StepKind]>): string[] =>
  [...steps].flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

const NAMES = namesOf([...STEPS].filter(([name]) => !(name in EDGE_STEPS)));
const EDGES = namesOf(Object.entries(EDGE_STEPS));
/** One edge for so many of the others. */
const STEPS_PER_EDGE = 5;

export function drawSteps(dice: Dice): Step[] {
  const count = dice.oneOf([10, 20, 30, 60]);
  const seed = () => dice.below(2 ** 30);
  const steps = [
    { kind: "subscribe", seed: seed() },
    ...Array.from({ length: count }, () => ({ kind: dice.oneOf(NAMES), seed: seed() })),
    { kind: "closePeriods", seed: seed() },
    { kind: "leave", seed: seed() },
    { kind: "closePeriods", seed: seed() },
  ];
  // Drawn after the others and put between them: which edges there are does not change the rest of a life.
  for (let edges = count / STEPS_PER_EDGE; edges > 0; edges--)
    steps.splice(dice.between(1, steps.length - 3), 0, { kind: dice.oneOf(EDGES), seed: seed() });
  return steps;
}
