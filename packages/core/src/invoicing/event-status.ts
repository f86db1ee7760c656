/** What became of an accepted event: exactly one status, and a reason where it is not billed. */
import { isRecurring, type Metric } from "../catalog/index.ts";

/** Why an event is on no bill, as things stand. Trials make fees free and never usage: nothing gives `trial_free` today. */
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
] as const;
export type NotBilledReason = (typeof NOT_BILLED_REASONS)[number];

/** Billed: with the fees it is part of; none where they came to nothing. Open: it may yet be billed. */
export type EventStatus =
  | { readonly status: "billed"; readonly feeIds: readonly string[] }
  | { readonly status: "open" }
  | { readonly status: "not_billed"; readonly reason: NotBilledReason };

/** What the sender of an event is told is wrong with it. */
export type EventFault = "invalid_code" | "missing_aggregation_property" | "missing_group_key";

/** stands: neither deleted nor on a voided invoice. */
export type EventFee = { readonly id: string; readonly stands: boolean };

type Span = { readonly from: Temporal.Instant; readonly to: Temporal.Instant };

/** A subscription with the external id of the event. */
export type Life = {
  readonly beginsAt: Temporal.Instant;
  /** null: it goes on, or waits to begin. */
  readonly endsAt: Temporal.Instant | null;
  /** Its recurring metrics see what came from then on. */
  readonly historyFrom: Temporal.Instant;
  /** The start of the first period that is billed and of the one that is open; null: it waits to begin. */
  readonly periods: { readonly firstFrom: Temporal.Instant; readonly openFrom: Temporal.Instant } | null;
  /** Usage that is over and of which the invoice is not final. */
  readonly unfinished: readonly Span[];
  /** Usage that is over and of which an operator decided that it is never invoiced. */
  readonly skipped: readonly Span[];
  /** What its plan has on the metric of the event; `wasRemoved`: it had more when that mattered. */
  readonly charges: { readonly inArrears: boolean; readonly inAdvance: boolean; readonly wasRemoved: boolean };
};

export type EventFacts = {
  readonly at: Temporal.Instant;
  /** null: no metric has its code. */
  readonly aggregation: Metric["aggregation"] | null;
  /** Whether it has what the metric counts. */
  readonly isCounted: boolean;
  /** Made for it alone, in advance. */
  readonly advanceFees: readonly EventFee[];
  /** By what makes fees in advance. */
  readonly wasLookedAt: boolean;
  /** Its fees in advance could not be made: whether an operator tries again, did, or decided that they never are. null: they could. */
  readonly parked: "parked" | "retried" | "skipped" | null;
  /** The first window that holds it and was read up to a cut behind it, with the fees that it is part of. */
  readonly heldBy: {
    readonly invoice: "draft" | "finalized" | "voided";
    readonly isCounted: boolean;
    readonly fees: readonly EventFee[];
  } | null;
  /** A window of a final invoice holds it, and was read before it came. */
  readonly wasMissed: boolean;
  readonly lives: readonly Life[];
};

export function statusOfEvent(facts: EventFacts): EventStatus {
  const { advanceFees, heldBy, isCounted } = facts;
  // The fees of a draft are made again, and what is not counted is part of none.
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
 * By the same decision as its status: the first two are told only of what is not billed, and always where they are the reason. What lacks a
 * dimension is billed all the same, by the charge itself instead of one of its filters.
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

/** Its window is not final, a fee in advance is still to be made, or a later window of a recurring metric will hold it. */
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
  // It was looked at when nothing of this was to be billed in advance.
  if (life.charges.inAdvance) return isCounted ? "before_billing_began" : "invalid_property";
  return life.charges.wasRemoved ? "charge_removed" : "no_charge";
}

const reasonOutside = (lives: readonly Life[], at: Temporal.Instant): NotBilledReason =>
  lives.every(({ beginsAt }) => isAfter(beginsAt, at)) ? "before_start" : "after_end";

/** The one that began last, of those that had begun and not ended. */
export const livingAt = <Living extends Life>(lives: readonly Living[], at: Temporal.Instant): Living | undefined =>
  lives
    .filter(({ periods, beginsAt, endsAt }) => periods !== null && !isAfter(beginsAt, at) && isBefore(at, endsAt))
    .toSorted((one, other) => Temporal.Instant.compare(other.beginsAt, one.beginsAt))[0];

const isBefore = (at: Temporal.Instant, end: Temporal.Instant | null): boolean => end === null || isAfter(end, at);

/** Before the first period that is billed: those that were over when it was made never are. */
const isBeforeBilling = ({ periods }: Life, at: Temporal.Instant): boolean =>
  periods !== null && isAfter(periods.firstFrom, at);

/** Whether usage of then is on no final invoice, in a life that holds it. */
const isUnfinished = ({ periods, endsAt, unfinished }: Life, at: Temporal.Instant): boolean =>
  (endsAt === null && periods !== null && !isAfter(periods.openFrom, at)) || isWithin(unfinished, at);

const isWithin = (spans: readonly Span[], at: Temporal.Instant): boolean =>
  spans.some(({ from, to }) => !isAfter(from, at) && isAfter(to, at));

/** Of a recurring metric: each window to come holds all that was there before it. */
const willHold = ({ historyFrom, endsAt, unfinished }: Life, at: Temporal.Instant): boolean =>
  !isAfter(historyFrom, at) && (endsAt === null || unfinished.some(({ to }) => isAfter(to, at)));

const isAfter = (one: Temporal.Instant, other: Temporal.Instant): boolean => Temporal.Instant.compare(one, other) > 0;
