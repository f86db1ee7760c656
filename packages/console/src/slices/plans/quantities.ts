/** How much of each price is used: numbers of one's own, or what customers used. */
import type { BillableMetric, ChargeUsage, CustomerUsage } from "@tallystick/client";
import { valuesText } from "./difference.ts";
import type { DraftCharge, DraftFilter, DraftPlan } from "./draft.ts";
import { roundUp } from "./round-up.ts";
import type { Used, UsedOf } from "./simulate.ts";
import { hasTiers } from "./words.ts";

/** `most`: how far its slider goes. */
export type Entered = Used & { readonly most?: number };
/** By the key of a charge or a filter; several for usage that is billed in groups. */
export type Quantities = ReadonlyMap<string, readonly Entered[]>;

const NOTHING: readonly Used[] = [{ units: "0", events: "0" }];
const SOME: readonly Used[] = [{ units: "100", events: "10" }];

export const usedAt = (quantities: Quantities, key: string): readonly Entered[] => quantities.get(key) ?? SOME;

export const unitsOf = (used: readonly Used[]): number =>
  used.reduce((sum, { units }) => sum + (Number(units) || 0), 0);

/** Of each price of a draft, by the positions that core knows. */
export const usedOf =
  (draft: DraftPlan, quantities: Quantities): UsedOf =>
  (charge, filter) => {
    const own = draft.charges[charge];
    const key = filter === null ? own?.key : own?.filters[filter]?.key;
    return usedAt(quantities, key ?? "");
  };

/** So much of a price without tiers is shown at first, in major units. */
const SHOWN_AMOUNT = 40;

/** Where there is no usage to start with: inside the last but one tier, or for some money. */
export function firstQuantities(draft: DraftPlan): Quantities {
  const ofPrice = (charge: DraftCharge, { price }: Pick<DraftCharge | DraftFilter, "price">): readonly Used[] => {
    const end = hasTiers(charge.model) ? Number(price.tiers.at(-2)?.to ?? 0) : 0;
    const each = hasTiers(charge.model) ? price.tiers.find((tier) => Number(tier.each) > 0)?.each : price.amount;
    if (charge.model === "package") return amount(Number(price.packageSize) * 12.5);
    if (charge.model === "percentage") return [{ units: "20000", events: "100" }];
    return end > 0 ? amount(end * 0.8) : Number(each) > 0 ? amount(roundUp(SHOWN_AMOUNT / Number(each))) : SOME;
  };
  return new Map(
    draft.charges.flatMap((charge) => [
      [charge.key, ofPrice(charge, charge)] as const,
      ...charge.filters.map((filter) => [filter.key, ofPrice(charge, filter)] as const),
    ]),
  );
}

const amount = (units: number): readonly Used[] => [{ units: String(Math.round(units) || 100), events: "10" }];

/** What a customer used in a period. Prices that it did not use have none. */
export function quantitiesOf(draft: DraftPlan, { charges_usage }: CustomerUsage): Quantities {
  return new Map(
    draft.charges.flatMap((charge) => {
      const usage = usageOfCharge(charge, charges_usage);
      return [
        [charge.key, usage ? usedWith(usage, null) : NOTHING] as const,
        ...charge.filters.map(
          ({ key, values }) => [key, usage ? usedWith(usage, valuesText(values)) : NOTHING] as const,
        ),
      ];
    }),
  );
}

/** A subscription with prices of its own has charges of its own, on the same metrics. */
const usageOfCharge = ({ key, metricId }: DraftCharge, usages: readonly ChargeUsage[]): ChargeUsage | undefined =>
  usages.find(({ charge }) => charge.svc_id === key) ??
  usages.find(({ billable_metric }) => billable_metric.svc_id === metricId);

type Amounts = { units: string; events_count: number };

function usedWith(usage: ChargeUsage, values: string | null): readonly Used[] {
  const groups = usage.grouped_usage.length > 0 ? usage.grouped_usage : [usage];
  return groups.map((group): Used => {
    const own: Amounts | undefined =
      group.filters.length === 0 && values === null
        ? group
        : group.filters.find((filter) => (filter.values === null ? null : valuesText(filter.values)) === values);
    return own ? { units: shortest(own.units), events: String(own.events_count) } : { units: "0", events: "0" };
  });
}

/** "128.0" is 128. */
const shortest = (units: string): string => (units.includes(".") ? units.replace(/\.?0+$/, "") : units);

/** The middle one of several customers, price by price. */
export function median(all: readonly Quantities[]): Quantities {
  const keys = new Set(all.flatMap((one) => [...one.keys()]));
  return new Map(
    [...keys].map((key) => {
      const sorted = all.map((one) => total(one.get(key) ?? NOTHING)).sort((a, b) => Number(a.units) - Number(b.units));
      return [key, [sorted[Math.floor(sorted.length / 2)] ?? { units: "0", events: "0" }]] as const;
    }),
  );
}

const total = (used: readonly Used[]): Used => {
  const [first] = used;
  if (first && used.length === 1) return first;
  const events = used.reduce((sum, one) => sum + Number(one.events), 0);
  return { units: String(unitsOf(used)), events: String(events) };
};

export const namesOf =
  (metrics: readonly BillableMetric[]) =>
  (metricId: string): string =>
    metrics.find(({ svc_id }) => svc_id === metricId)?.name ?? "";
