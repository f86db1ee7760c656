/** Events, windows and charges for the tests of this stage. */
import type { Aggregation, Charge, ChargeFilter, MetricFilter } from "../catalog/index.ts";
import { type Decimal, decimal, minor } from "../money/index.ts";
import { countDays, startOfDay } from "../time/index.ts";
import type { UsageEvent } from "./event.ts";
import type { UsageWindow } from "./window.ts";

export type Row = readonly [at: string, properties?: Readonly<Record<string, string>>];

/** Events in order of acceptance: [instant, properties]. */
export const events = (...rows: readonly Row[]): UsageEvent[] =>
  rows.map(([at, properties = {}], index) => ({
    at: Temporal.Instant.from(at),
    position: BigInt(index + 1),
    properties,
  }));

/** A window of whole local days; by default all of a full period. */
export function daysWindow(firstDay: string, lastDay: string, more: Partial<UsageWindow> = {}): UsageWindow {
  const [first, last] = [Temporal.PlainDate.from(firstDay), Temporal.PlainDate.from(lastDay)];
  const { timeZone = "UTC" } = more;
  return {
    from: startOfDay(first, timeZone),
    to: startOfDay(last.add({ days: 1 }), timeZone),
    timeZone,
    firstDay: first,
    lastDay: last,
    periodDays: countDays(first, last),
    ...more,
  };
}

/** A whole calendar month: "2024-03". */
export function month(text: string, more: Partial<UsageWindow> = {}): UsageWindow {
  const first = Temporal.PlainYearMonth.from(text).toPlainDate({ day: 1 });
  return daysWindow(first.toString(), first.add({ months: 1 }).subtract({ days: 1 }).toString(), more);
}

export const chargeFilter = (
  id: string,
  values: ChargeFilter["values"],
  groupedBy: readonly string[] = [],
): ChargeFilter => ({ id, values, price: { pricing: { model: "standard", amount: decimal("1") }, groupedBy } });

/** A charge in arrears. Its price is not used here. */
export const charge = (
  aggregation: Aggregation,
  more: {
    readonly metricFilters?: readonly MetricFilter[];
    readonly filters?: readonly ChargeFilter[];
    readonly groupedBy?: readonly string[];
  } = {},
): Charge => ({
  id: "charge",
  metric: { code: "metric", aggregation, filters: more.metricFilters ?? [] },
  price: { pricing: { model: "standard", amount: decimal("1") }, groupedBy: more.groupedBy ?? [] },
  filters: more.filters ?? [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
});

export const COUNT: Aggregation = { type: "count" };
export const SUM = { type: "sum", field: "v", isRecurring: false } as const;
export const RECURRING_SUM = { type: "sum", field: "v", isRecurring: true } as const;
export const MAX: Aggregation = { type: "max", field: "v" };
export const LATEST: Aggregation = { type: "latest", field: "v" };
export const UNIQUE = { type: "unique_count", field: "v", isRecurring: false } as const;
export const RECURRING_UNIQUE = { type: "unique_count", field: "v", isRecurring: true } as const;
export const WEIGHTED: Aggregation = { type: "weighted_sum", field: "v", isRecurring: false };
export const RECURRING_WEIGHTED: Aggregation = { type: "weighted_sum", field: "v", isRecurring: true };

export const texts = (values: readonly Decimal[]): string[] => values.map((value) => value.toFixed());
