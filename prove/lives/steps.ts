/** Everything that can happen in a life, by its name. */
import type { Dice } from "./dice.ts";
import type { StepKind } from "./step-kind.ts";
import { CATALOGUE_STEPS } from "./steps-catalogue.ts";
import { CREDIT_STEPS } from "./steps-credits.ts";
import { INVOICE_STEPS } from "./steps-invoices.ts";
import { SUBSCRIPTION_STEPS } from "./steps-subscriptions.ts";
import { USAGE_STEPS } from "./steps-usage.ts";

/** A kind and dice: what it does is decided by what it finds. */
export type Step = { readonly kind: string; readonly seed: number };

export const STEPS: ReadonlyMap<string, StepKind> = new Map(
  Object.entries({ ...SUBSCRIPTION_STEPS, ...USAGE_STEPS, ...INVOICE_STEPS, ...CREDIT_STEPS, ...CATALOGUE_STEPS }),
);

/** Each name as often as it weighs. */
const NAMES = [...STEPS].flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

export function drawSteps(dice: Dice): Step[] {
  const count = dice.oneOf([10, 20, 30, 60]);
  const seed = () => dice.below(2 ** 30);
  return [
    { kind: "subscribe", seed: seed() },
    ...Array.from({ length: count }, () => ({ kind: dice.oneOf(NAMES), seed: seed() })),
    { kind: "closePeriods", seed: seed() },
    { kind: "leave", seed: seed() },
    { kind: "closePeriods", seed: seed() },
  ];
}
