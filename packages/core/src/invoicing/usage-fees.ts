/** The fees of a bill's charges: usage in arrears with its minimums, and recurring charges renewed for a period that begins. */
import type { Charge, ChargeFilter } from "../catalog/index.ts";
import { type Currency, minor, NOTHING, readExact, ZERO } from "../money/index.ts";
import {
  type BucketFee,
  chargedAtStart,
  feeForDays,
  feeSoFar,
  inAdvanceTerms,
  isBillable,
  type RatedPart,
  rateBuckets,
  rateCharge,
  type TrueUp,
} from "../rating/index.ts";
import type { ChargePart } from "../subscription/index.ts";
import { countDays } from "../time/index.ts";
import {
  type Bucket,
  filterFor,
  type Group,
  groupKey,
  groupOf,
  startInAdvance,
  type UsageEvent,
  type UsageWindow,
} from "../usage/index.ts";
import { type BillFee, oneUnit, type UsageFeeDerivation } from "./bill-fee.ts";
import type { BillInput, ChargedUsage } from "./bill-input.ts";
import { partOf, type UsageQuery, usageOfBill } from "./usage-of-bill.ts";

/** The usage of each charge in arrears in the closing window, followed by the true-up of its minimum. */
export function usageFees<Used extends Bucket>(input: BillInput<Used>): BillFee<Used>[] {
  const { bill, plan, successor, usage } = input;
  return usageOfBill(bill, plan, successor).inArrears.flatMap((requested) => {
    const { charge, window } = requested;
    const read = usageRead(charge, usage, (of) => of.from === String(window.from) && endsAt(of, window.to));
    const part = ratedPart(requested, partOf(bill, charge), read);
    const { fees, trueUp } = rateCharge(charge, read.buckets, { window, currency: plan.currency, part });
    const parent = trueUp && parentOf(fees);
    const stored = fees.filter((fee) => isBillable(fee) || fee === parent);
    return [
      ...feesFrom(stored, read.buckets, { input, charge, type: "usage", window }),
      ...(trueUp && parent ? [minimumFee(trueUp, keyOf("usage", charge, parent), { input, charge, window })] : []),
    ];
  });
}

/**
 * The prices so far of a charge in arrears, in a window that is still open: those of the bill that will close it. Units that another plan
 * bills are shown, and cost nothing here.
 */
export function pricesSoFar(
  requested: UsageQuery,
  { part, currency }: { readonly part: ChargePart | undefined; readonly currency: Currency },
  read: ChargedUsage,
): BucketFee[] {
  const { charge, window } = requested;
  const fees = rateBuckets(charge, read.buckets, { window, currency, part: ratedPart(requested, part, read) });
  return part?.type === "left_out" ? fees.map((fee) => ({ ...fee, ...NO_PRICE })) : fees;
}

const NO_PRICE = { amountMinor: minor(0n), preciseAmountMinor: NOTHING, preciseUnitAmount: ZERO };

function ratedPart(
  { charge, paid }: UsageQuery,
  part: ChargePart | undefined,
  read: ChargedUsage,
): RatedPart | undefined {
  if (part?.type === "days") return { type: "days" };
  if (paid === null) return undefined;
  if (!read.paid) throw new Error(`What was paid for charge ${charge.id}, which the bill prices, was not read.`);
  return { type: "beyond_paid", paid: read.paid };
}

/**
 * Recurring charges paid in advance: everything they hold when the period begins, for all of its days, or for the days that a plan change
 * leaves to them.
 */
export function renewalFees<Used extends Bucket>(input: BillInput<Used>): BillFee<Used>[] {
  const { bill, plan, successor, renewed } = input;
  const window = bill.renewal;
  if (window === null) return [];
  return usageOfBill(bill, plan, successor).renewed.flatMap(({ charge }) => {
    const { buckets } = usageRead(charge, renewed, (of) => endsAt(of, window.from));
    const part = bill.reason === "starting" ? partOf(bill, charge) : undefined;
    const days = part?.type === "days" ? countDays(part.firstDay, part.lastDay) : null;
    const fees = buckets.map(({ filter, group, quantity }): BucketFee => {
      const terms = inAdvanceTerms(charge, filter, { window, currency: plan.currency });
      const { units, eventsCount } = quantity;
      const tally = { usage: startInAdvance(units), soFar: chargedAtStart(terms.pricing, units) };
      // Days are weighed only for changes inside a period.
      const whole = feeSoFar({ ...terms, isProrated: false }, tally, eventsCount);
      const fee = days === null ? whole : feeForDays(terms, tally, { eventsCount, days });
      return { filterId: filter?.id ?? null, group, ...fee };
    });
    return feesFrom(fees.filter(isBillable), buckets, { input, charge, type: "renewal", window });
  });
}

type Line = {
  readonly input: Pick<BillInput, "plan" | "taxes" | "names">;
  readonly charge: Charge;
  readonly window: UsageWindow;
};

type UsageLine = Line & { readonly type: UsageFeeDerivation["type"] };

/** Usage that was not read, or was read over another window, would be billed wrongly without an error. */
function usageRead<Used extends Bucket>(
  { id }: Charge,
  read: readonly ChargedUsage<Used>[],
  isOfWindow: (window: Bucket["derivation"]["window"]) => boolean,
): ChargedUsage<Used> {
  const found = read.find(({ charge }) => charge.id === id);
  if (!found) throw new Error(`The usage of charge ${id}, which the bill prices, was not read.`);
  if (!found.buckets.every(({ derivation }) => isOfWindow(derivation.window))) {
    throw new Error(`The usage of charge ${id} was read over another window than the bill's.`);
  }
  return found;
}

const endsAt = ({ to }: Bucket["derivation"]["window"], instant: Temporal.Instant): boolean => to === String(instant);

/** A true-up belongs to the fee of the default bucket; with several groups, to the first one that is billed. */
function parentOf(fees: readonly BucketFee[]): BucketFee {
  const unfiltered = fees.filter(({ filterId }) => filterId === null);
  const parent = unfiltered.find(isBillable) ?? unfiltered[0];
  if (!parent) throw new Error("A charge has a bucket of what no filter takes, be it empty.");
  return parent;
}

function feesFrom<Used extends Bucket>(
  fees: readonly BucketFee[],
  buckets: readonly Used[],
  line: UsageLine,
): BillFee<Used>[] {
  const { charge, type } = line;
  const byKey = new Map(fees.map((fee) => [keyOf(type, charge, fee), fee]));
  return buckets.flatMap((bucket) => {
    const fee = byKey.get(keyOf(type, charge, { filterId: bucket.filter?.id ?? null, group: bucket.group }));
    return fee ? [usageFee(fee, bucket, line)] : [];
  });
}

function usageFee<Used extends Bucket>(fee: BucketFee, bucket: Used, line: UsageLine): BillFee<Used> {
  const { input, charge, type, window } = line;
  const { timing } = charge;
  return {
    ...fee,
    key: keyOf(type, charge, fee),
    kind: type,
    label: [chargeName(line), filterName(input, bucket.filter), ...Object.values(fee.group)]
      .filter((part) => part !== null)
      .join(" · "),
    item: itemOf(line),
    chargeId: charge.id,
    bucket,
    from: window.from,
    to: window.to,
    isRenewal: type === "renewal",
    isInvoiced: timing.type === "arrears" || timing.invoicing === "invoice_each",
    trueUpParentKey: null,
    derivation: { type, quantity: bucket.derivation, fee: fee.derivation },
  };
}

function minimumFee({ amountMinor, derivation }: TrueUp, trueUpParentKey: string, line: Line): BillFee<never> {
  const { input, charge, window } = line;
  return {
    ...oneUnit(amountMinor, input.plan.currency),
    key: `true_up:${charge.id}`,
    kind: "true_up",
    label: `${chargeName(line)} · minimum`,
    item: itemOf(line),
    chargeId: charge.id,
    eventsCount: 0n,
    preciseAmountMinor: readExact(derivation.requiredMinor).minus(BigInt(derivation.usedMinor)),
    from: window.from,
    to: window.to,
    trueUpParentKey,
    derivation,
  };
}

const keyOf = (
  type: UsageFeeDerivation["type"],
  { id }: Charge,
  { filterId, group }: { readonly filterId: string | null; readonly group: Group },
): string => `${type === "usage" ? "charge" : "renewal"}:${id}:${filterId ?? "-"}:${groupKey(group)}`;

/** The key of the fee that an event is part of, on the bill of the window that contains it. */
export function feeKeyOf(charge: Charge, event: UsageEvent): string {
  const filter = filterFor(charge, event);
  const group = groupOf((filter?.price ?? charge.price).groupedBy, event);
  return keyOf(charge.timing.type === "arrears" ? "usage" : "renewal", charge, { filterId: filter?.id ?? null, group });
}

const itemOf = ({ input: { plan, taxes }, charge: { id, metric } }: Line): BillFee["item"] => ({
  kind: "charge",
  planCode: plan.code,
  metricCode: metric.code,
  chargeTaxes: taxes.charges.get(id) ?? [],
  planTaxes: taxes.plan,
});

const chargeName = ({ input: { names }, charge: { id, metric } }: Line): string => names.charges.get(id) ?? metric.code;

function filterName({ names }: Line["input"], filter: ChargeFilter | null): string | null {
  if (filter === null) return null;
  return names.filters.get(filter.id) ?? Object.values(filter.values).flat().join(", ");
}
