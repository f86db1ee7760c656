/** How charges on recurring metrics are billed around a change of plan, by local days. */

/** Local days, both included. */
export type Days = { readonly firstDay: Temporal.PlainDate; readonly lastDay: Temporal.PlainDate };

/**
 * What had been accepted when a plan changed: at index n, as a text, the last position of shard n. Events at the very instant of the
 * change that are up to it count as of the moment before.
 */
export type Accepted = readonly string[];

/** Fees in advance were made between these instants. */
export type Paid = {
  readonly paidFrom: Temporal.Instant;
  readonly paidTo: Temporal.Instant;
  /** Of events at `paidFrom` itself, these came before. Missing: none did. */
  readonly paidAfter?: Accepted;
  /** Of events at `paidTo` itself, these came before. */
  readonly paidUpTo?: Accepted;
};

/** How a charge is billed where a change of plan touches its period. A charge that is not mentioned is billed as always. */
export type ChargePart =
  /** Another charge bills these days. `paidFrom`: they were paid in advance, from then on. */
  | { readonly type: "left_out"; readonly paidFrom: Temporal.Instant | null; readonly paidAfter?: Accepted }
  | { readonly type: "whole" }
  /** Only these days: by the days of the period where the charge does not weigh days anyway. */
  | ({ readonly type: "days" } & Days)
  /** The period is paid for: only what is used beyond the units paid for between these instants. */
  | ({ readonly type: "beyond_paid" } & Paid);

/** By the id of the charge. */
export type ChargeParts = Readonly<Record<string, ChargePart>>;

/** Days of a metric that were paid in advance and come back. */
export type ReturnedDays = Days & { readonly chargeId: string; readonly metricCode: string };

/** Days of a metric that an earlier plan billed, and that the plans since then do not charge. */
export type BilledBefore = {
  readonly metricCode: string;
  readonly chargeId: string;
  readonly isProrated: boolean;
  readonly isInAdvance: boolean;
  /** The last day that is billed. */
  readonly lastDay: Temporal.PlainDate;
  /** The units that were billed are those of events between these instants. */
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
  /** As in `Paid`. */
  readonly paidAfter?: Accepted;
  readonly paidUpTo?: Accepted;
};

/** What a subscription that replaced another one bills in its first charges period. */
export type Takeover = {
  /** The last day of that period. */
  readonly lastDay: Temporal.PlainDate;
  /** Charges in advance: with the change. Charges on other recurring metrics are not billed until the period ends. */
  readonly atOnce: ChargeParts;
  /** Charges in arrears: when the period closes. */
  readonly atClose: ChargeParts;
  /** For a later plan that charges these metrics again. */
  readonly billedBefore: readonly BilledBefore[];
  /** Missing: of its metrics no event was at the instant of the change. */
  readonly acceptedBefore?: Accepted;
};

/** The same for charges with other ids: a plan that is overridden for a subscription gives each of its charges a new one. */
export function renameCharges(takeover: Takeover, idOf: ReadonlyMap<string, string>): Takeover {
  const renamed = (parts: ChargeParts): ChargeParts =>
    Object.fromEntries(Object.entries(parts).map(([id, part]) => [idOf.get(id) ?? id, part]));
  return { ...takeover, atOnce: renamed(takeover.atOnce), atClose: renamed(takeover.atClose) };
}
