/** The status of an accepted event: exactly one, with a reason if it is not billed. */
import { isRecurring, type Metric } from "../catalog/index.ts";

/** Why an event is currently on no bill. A trial makes fees free but never usage, so `trial_free` does not occur today. */
export const NOT_BILLED_REASONS = [
  "late",
  "before_start",
  "after_end",
  "before_billing_began",
  "trial_free",
  "no_charge",
  "charge_removed",
  "unknown_code",
  "no_subscription",
  "invalid_property",
  "invoice_voided",
  "skipped_by_operator",
  "skipped_at_end",
] as const;
export type NotBilledReason = (typeof NOT_BILLED_REASONS)[number];

/** Billed: with its fees, or none if they came to nothing. Open: it may still be billed. */
export type EventStatus =
  | { readonly status: "billed"; readonly feeIds: readonly string[] }
  | { readonly status: "open" }
  | { readonly status: "not_billed"; readonly reason: NotBilledReason };

/** The problem that is reported to the sender of an event. */
export type EventFault = "invalid_code" | "missing_aggregation_property" | "missing_group_key";

/** stands: neither deleted nor on a voided invoice. */
export type EventFee = { readonly id: string; readonly stands: boolean };

type Span = { readonly from: Temporal.Instant; readonly to: Temporal.Instant };

/** A subscription with the external id of the event. */
export type Life = {
  readonly beginsAt: Temporal.Instant;
  /** null: it continues, or has not started. */
  readonly endsAt: Temporal.Instant | null;
  /** Its recurring metrics see events from this instant on. */
  readonly historyFrom: Temporal.Instant;
  /** The starts of the first billed period and of the open period; null: it has not started. */
  readonly periods: { readonly firstFrom: Temporal.Instant; readonly openFrom: Temporal.Instant } | null;
  /** Past usage whose invoice is not finalized. */
  readonly unfinished: readonly Span[];
  /** Past usage that an operator decided never to invoice. */
  readonly skipped: readonly Span[];
  /** Its last usage, if it was agreed that its end makes no invoice. */
  readonly skippedAtEnd: Span | null;
  /** The charges of its plan on the metric of the event. `wasRemoved`: it had more of them at the time. */
  readonly charges: { readonly inArrears: boolean; readonly inAdvance: boolean; readonly wasRemoved: boolean };
};

export type EventFacts = {
  readonly at: Temporal.Instant;
  /** null: no metric has its code. */
  readonly aggregation: Metric["aggregation"] | null;
  /** Whether it has the field that the metric counts. */
  readonly isCounted: boolean;
  /** A fee in advance for this event alone. */
  readonly advanceFees: readonly EventFee[];
  /** Whether the consumer of fees in advance has processed it. */
  readonly wasLookedAt: boolean;
  /** Its fees in advance could not be created: whether an operator will retry, has retried, or skipped them. null: they could. */
  readonly parked: "parked" | "retried" | "skipped" | null;
  /** The first window that contains it and was read up to a snapshot after it, with its fees. */
  readonly heldBy: {
    readonly invoice: "draft" | "finalized" | "voided";
    readonly isCounted: boolean;
    readonly fees: readonly EventFee[];
  } | null;
  /** A window of a finalized invoice contains it, but was read before it arrived. */
  readonly wasMissed: boolean;
  readonly lives: readonly Life[];
};

export function statusOfEvent(facts: EventFacts): EventStatus {
  const { advanceFees, heldBy, isCounted } = facts;
  // The fees of a draft are recomputed, and an event that is not counted is part of none.
  const billedBy = heldBy?.isCounted && heldBy.invoice !== "draft" ? heldBy.fees : [];
  const feeIds = [...advanceFees, ...billedBy].filter(({ stands }) => stands).map(({ id }) => id);
  if (feeIds.length > 0) return { status: "billed", feeIds };
  if (facts.parked === "parked" && isCounted) return { status: "open" };
  if (facts.parked === "skipped" && !mayYetBeBilled(facts)) return notBilled("skipped_by_operator");
  if (heldBy) return statusByHolder(heldBy);
  if (advanceFees.length > 0) return notBilled("invoice_voided");
  if (mayYetBeBilled(facts)) return isCounted ? { status: "open" } : notBilled("invalid_property");
  return notBilled(reasonOf(facts));
}

/** `lacksDimension`: a filter key of its metric is missing, or has a value that the metric does not define. */
type JudgedFacts = Pick<EventFacts, "aggregation" | "isCounted"> & { readonly lacksDimension: boolean };

/**
 * Follows the same decision as the status. The first two problems are reported only for events that are not billed, and always if they are
 * the reason. An event without a dimension is still billed, by the charge itself instead of a filter.
 */
export function faultsOfEvent(
  { aggregation, isCounted, lacksDimension }: JudgedFacts,
  status: EventStatus,
): EventFault[] {
  const reason = status.status === "not_billed" ? status.reason : null;
  const isUnknown = reason !== null && (reason === "unknown_code" || aggregation === null);
  const isInvalid = reason !== null && (reason === "invalid_property" || (aggregation !== null && !isCounted));
  return [
    ...(isUnknown ? (["invalid_code"] as const) : []),
    ...(isInvalid ? (["missing_aggregation_property"] as const) : []),
    ...(lacksDimension ? (["missing_group_key"] as const) : []),
  ];
}

const notBilled = (reason: NotBilledReason): EventStatus => ({ status: "not_billed", reason });

function statusByHolder({ invoice, isCounted, fees }: NonNullable<EventFacts["heldBy"]>): EventStatus {
  if (!isCounted) return notBilled("invalid_property");
  if (invoice === "draft") return { status: "open" };
  return invoice === "voided" || fees.length > 0 ? notBilled("invoice_voided") : { status: "billed", feeIds: [] };
}

/** Its window is not finalized, a fee in advance is not created yet, or a later window of a recurring metric will contain it. */
function mayYetBeBilled({ at, aggregation, wasLookedAt, lives }: EventFacts): boolean {
  if (aggregation === null) return false;
  const living = livingAt(lives, at);
  const waiting = lives.filter((life) => life.periods === null && !isAfter(life.beginsAt, at));
  const holders = isRecurring(aggregation) ? lives.filter((life) => willHold(life, at)) : living ? [] : waiting;
  if (holders.some(({ charges }) => charges.inArrears || charges.inAdvance)) return true;
  if (!living || isBeforeBilling(living, at)) return false;
  const { inArrears, inAdvance } = living.charges;
  return (inArrears && isUnfinished(living, at)) || (inAdvance && !wasLookedAt);
}

function reasonOf({ at, aggregation, isCounted, wasMissed, lives }: EventFacts): NotBilledReason {
  if (wasMissed) return aggregation === null || isCounted ? "late" : "invalid_property";
  if (aggregation === null) return "unknown_code";
  const life = livingAt(lives, at) ?? lives.find(({ periods, beginsAt }) => periods === null && !isAfter(beginsAt, at));
  if (!life) return lives.length === 0 ? "no_subscription" : reasonOutside(lives, at);
  if (isBeforeBilling(life, at)) return "before_billing_began";
  if (isWithin(life.skipped, at)) return isCounted ? "skipped_by_operator" : "invalid_property";
  if (life.skippedAtEnd && life.charges.inArrears && isWithin([life.skippedAtEnd], at))
    return isCounted ? "skipped_at_end" : "invalid_property";
  // It was processed when nothing of this was billed in advance.
  if (life.charges.inAdvance) return isCounted ? "before_billing_began" : "invalid_property";
  return life.charges.wasRemoved ? "charge_removed" : "no_charge";
}

const reasonOutside = (lives: readonly Life[], at: Temporal.Instant): NotBilledReason =>
  lives.every(({ beginsAt }) => isAfter(beginsAt, at)) ? "before_start" : "after_end";

/** The latest start among the subscriptions that had started and not ended. */
export const livingAt = <Living extends Life>(lives: readonly Living[], at: Temporal.Instant): Living | undefined =>
  lives
    .filter(({ periods, beginsAt, endsAt }) => periods !== null && !isAfter(beginsAt, at) && isBefore(at, endsAt))
    .toSorted((one, other) => Temporal.Instant.compare(other.beginsAt, one.beginsAt))[0];

const isBefore = (at: Temporal.Instant, end: Temporal.Instant | null): boolean => end === null || isAfter(end, at);

/** Before the first billed period: periods that were over when the subscription was created are never billed. */
const isBeforeBilling = ({ periods }: Life, at: Temporal.Instant): boolean =>
  periods !== null && isAfter(periods.firstFrom, at);

/** Whether usage of that time is on no finalized invoice of a subscription that covers it. */
const isUnfinished = ({ periods, endsAt, unfinished }: Life, at: Temporal.Instant): boolean =>
  (endsAt === null && periods !== null && !isAfter(periods.openFrom, at)) || isWithin(unfinished, at);

const isWithin = (spans: readonly Span[], at: Temporal.Instant): boolean =>
  spans.some(({ from, to }) => !isAfter(from, at) && isAfter(to, at));

/** For a recurring metric: each later window contains everything before it. */
const willHold = ({ historyFrom, endsAt, unfinished }: Life, at: Temporal.Instant): boolean =>
  !isAfter(historyFrom, at) && (endsAt === null || unfinished.some(({ to }) => isAfter(to, at)));

const isAfter = (one: Temporal.Instant, other: Temporal.Instant): boolean => Temporal.Instant.compare(one, other) > 0;
