/** How charges on recurring metrics are billed around a change of plan, by local days. */

/** Local days, both inclusive. */
export type Days = { readonly firstDay: Temporal.PlainDate; readonly lastDay: Temporal.PlainDate };

/**
 * What was accepted before a plan change: at index n, as text, the last position of shard n. Events at the exact instant of the change, up
 * to these positions, count as earlier.
 */
export type Accepted = readonly string[];

/** Fees in advance were made between these instants. */
export type Paid = {
  readonly paidFrom: Temporal.Instant;
  readonly paidTo: Temporal.Instant;
  /** Events at `paidFrom` itself up to these positions came before. Missing: none did. */
  readonly paidAfter?: Accepted;
  /** Events at `paidTo` itself up to these positions came before. */
  readonly paidUpTo?: Accepted;
};

/** How a charge is billed if a plan change affects its period. A charge that is not mentioned is billed normally. */
export type ChargePart =
  /** Another charge bills these days. `paidFrom`: they were paid in advance, from then on. */
  | { readonly type: "left_out"; readonly paidFrom: Temporal.Instant | null; readonly paidAfter?: Accepted }
  | { readonly type: "whole" }
  /** Only these days, as a share of the period if the charge does not weigh days itself. */
  | ({ readonly type: "days" } & Days)
  /** The period is paid: only units beyond those paid between these instants are billed. */
  | ({ readonly type: "beyond_paid" } & Paid);

/** By the id of the charge. */
export type ChargeParts = Readonly<Record<string, ChargePart>>;

/** Days of a metric that were paid in advance and are returned. */
export type ReturnedDays = Days & { readonly chargeId: string; readonly metricCode: string };

/** Days of a metric that an earlier plan billed, and that later plans do not charge. */
export type BilledBefore = {
  readonly metricCode: string;
  readonly chargeId: string;
  readonly isProrated: boolean;
  readonly isInAdvance: boolean;
  /** The last billed day. */
  readonly lastDay: Temporal.PlainDate;
  /** The billed units come from events between these instants. */
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
  /** See `Paid`. */
  readonly paidAfter?: Accepted;
  readonly paidUpTo?: Accepted;
};

/** What a subscription that replaced another one bills in its first charges period. */
export type Takeover = {
  /** The last day of that period. */
  readonly lastDay: Temporal.PlainDate;
  /** Charges in advance, billed with the change. Charges on other recurring metrics are not billed until the period ends. */
  readonly atOnce: ChargeParts;
  /** Charges in arrears, billed when the period closes. */
  readonly atClose: ChargeParts;
  /** For a later plan that charges these metrics again. */
  readonly billedBefore: readonly BilledBefore[];
  /** Missing: its metrics had no event at the instant of the change. */
  readonly acceptedBefore?: Accepted;
};

/** The same for charges with other ids: overriding a plan for a subscription gives each of its charges a new id. */
export function renameCharges(takeover: Takeover, idOf: ReadonlyMap<string, string>): Takeover {
  const renamed = (parts: ChargeParts): ChargeParts =>
    Object.fromEntries(Object.entries(parts).map(([id, part]) => [idOf.get(id) ?? id, part]));
  return { ...takeover, atOnce: renamed(takeover.atOnce), atClose: renamed(takeover.atClose) };
}
