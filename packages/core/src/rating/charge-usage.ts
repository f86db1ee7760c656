/** The cost of a charge, by filter and group. */
import type { Charge } from "../catalog/index.ts";
import { type Decimal, type Minor, sumDecimals, sumMinor } from "../money/index.ts";
import { type Group, inGroups } from "../usage/index.ts";
import { type BucketFee, isBillable } from "./rate-charge.ts";

/** The sum of fees, each of which was rounded on its own. */
export type UsageSum = { readonly units: Decimal; readonly eventsCount: bigint; readonly amountMinor: Minor };

/** null: events that no filter takes. */
export type FilterUsage = UsageSum & { readonly filterId: string | null };

export type GroupUsage = UsageSum & {
  readonly group: Group;
  /** Only those that the group has. */
  readonly filters: readonly FilterUsage[];
};

export type ChargeUsage = UsageSum & {
  /** In the order of the charge, the default bucket last; empty if the charge has no filters. */
  readonly filters: readonly FilterUsage[];
  /** In order of their values; empty if the charge is not grouped. */
  readonly groups: readonly GroupUsage[];
};

/** Sums the fees of a charge's buckets: two groups of 1.5 cents each are 2 + 2 = 4 cents. */
export function chargeUsage(charge: Pick<Charge, "filters">, fees: readonly BucketFee[]): ChargeUsage {
  return { ...sumOf(fees), filters: filtersOf(charge, fees), groups: groupsOf(charge, fees) };
}

function filtersOf({ filters }: Pick<Charge, "filters">, fees: readonly BucketFee[]): FilterUsage[] {
  if (filters.length === 0) return [];
  const byFilter = Map.groupBy(fees, ({ filterId }) => filterId);
  return [...filters.map(({ id }) => id), null].flatMap((filterId) => {
    const own = byFilter.get(filterId);
    return own ? [{ filterId, ...sumOf(own) }] : [];
  });
}

function groupsOf(charge: Pick<Charge, "filters">, fees: readonly BucketFee[]): GroupUsage[] {
  if (fees.every(({ group }) => Object.keys(group).length === 0)) return [];
  const all = inGroups(fees, ({ group }) => group);
  const used = all.filter(({ items }) => items.some((fee) => !isPlaceholder(fee)));
  return (used.length > 0 ? used : all).map(({ group, items }) => ({
    group,
    ...sumOf(items),
    filters: filtersOf(charge, items),
  }));
}

/** A filter without usage has one empty bucket, so that it is listed. As a group it is omitted. */
const isPlaceholder = (fee: BucketFee): boolean =>
  !isBillable(fee) && Object.values(fee.group).every((value) => value === null);

const sumOf = (fees: readonly BucketFee[]): UsageSum => ({
  units: sumDecimals(fees.map(({ units }) => units)),
  eventsCount: fees.reduce((sum, { eventsCount }) => sum + eventsCount, 0n),
  amountMinor: sumMinor(fees.map(({ amountMinor }) => amountMinor)),
});
