/** The fees of one bill of a subscription: its own fee, usage, renewals, and the true-up of its commitment. */
import { fraction, type Minor, readExact, sumMinor } from "../money/index.ts";
import { commitmentTrueUp } from "../rating/index.ts";
import { daysOf, type Span, subscriptionFee } from "../subscription/index.ts";
import type { Bucket } from "../usage/index.ts";
import { type BillFee, oneUnit } from "./bill-fee.ts";
import type { BillInput } from "./bill-input.ts";
import { renewalFees, usageFees } from "./usage-fees.ts";

/**
 * Every stored fee. A subscription fee is stored even if it is 0, a fee of a charge if any of its figures is not 0 or it has a true-up, and
 * a true-up only with an amount. A bill without fees is still a bill.
 */
export function feesOfBill<Used extends Bucket>(input: BillInput<Used>): readonly BillFee<Used>[] {
  const ofSubscription = subscriptionFees(input);
  const ofUsage = usageFees(input);
  // Fees paid in advance and renewals are for the next period, so they count when that one closes.
  const closing = input.plan.isPaidInAdvance ? ofUsage : [...ofSubscription, ...ofUsage];
  return [...ofSubscription, ...ofUsage, ...renewalFees(input), ...commitmentFees(input, closing)];
}

/** What fees of other bills count towards a commitment for its days. */
export const countedFor = (
  { from, to }: Pick<Span, "from" | "to">,
  fees: readonly Pick<BillFee, "kind" | "from" | "amountMinor">[],
): Minor =>
  sumMinor(
    fees
      .filter(({ kind }) => kind !== "commitment")
      .filter((fee) => Temporal.Instant.compare(fee.from, from) >= 0 && Temporal.Instant.compare(fee.from, to) < 0)
      .map(({ amountMinor }) => amountMinor),
  );

function subscriptionFees({ bill, plan, taxes, names }: Omit<BillInput, "usage" | "renewed">): BillFee<never>[] {
  if (bill.fee === null) return [];
  const { amountMinor, derivation } = subscriptionFee(plan.amountMinor, bill.fee);
  return [
    {
      ...oneUnit(amountMinor, plan.currency),
      key: "subscription",
      kind: "subscription",
      label: names.plan,
      item: { kind: "subscription", planCode: plan.code, planTaxes: taxes.plan },
      chargeId: null,
      eventsCount: null,
      preciseAmountMinor: readExact(derivation.exactMinor),
      from: bill.fee.from,
      to: bill.fee.to,
      trueUpParentKey: null,
      derivation,
    },
  ];
}

/** `closing`: the fees of this bill for the period over which the commitment is reconciled. */
function commitmentFees(
  { bill: { commitment }, plan, usedBeforeMinor, taxes, names }: Omit<BillInput, "usage" | "renewed">,
  closing: readonly Pick<BillFee, "amountMinor">[],
): BillFee<never>[] {
  if (commitment === null || plan.minimumCommitmentMinor === null) return [];
  const trueUp = commitmentTrueUp({
    minimumMinor: plan.minimumCommitmentMinor,
    days: daysOf(commitment),
    periodDays: commitment.periodDays,
    usedMinor: sumMinor([usedBeforeMinor, ...closing.map(({ amountMinor }) => amountMinor)]),
  });
  if (trueUp === null) return [];
  const { amountMinor, derivation } = trueUp;
  return [
    {
      ...oneUnit(amountMinor, plan.currency),
      key: "commitment",
      kind: "commitment",
      label: names.commitment,
      item: {
        kind: "commitment",
        planCode: plan.code,
        commitmentTaxes: taxes.commitment,
        planTaxes: taxes.plan,
      },
      chargeId: null,
      eventsCount: null,
      // The required amount is rounded to whole cents before usage is subtracted.
      preciseAmountMinor: fraction(amountMinor),
      from: commitment.from,
      to: commitment.to,
      trueUpParentKey: null,
      derivation,
    },
  ];
}
