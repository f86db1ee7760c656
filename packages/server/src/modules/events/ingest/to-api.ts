/** An event in its API form, as text: its properties are shown exactly as stored. */
import type { EventStatus } from "@tallystick/core/invoicing";

export type EventOutcome = "created" | "duplicate";

export type ShownEvent = {
  id: string;
  transactionId: string;
  externalSubscriptionId: string;
  code: string;
  /** Microseconds since 1970. */
  timestamp: bigint;
  /** Microseconds since 1970. */
  receivedAt: bigint;
  /** JSON. */
  properties: string;
  /** The subscription, looked up at each read, because it may be created after the event. */
  subscription?: { id: string; customer_id: string } | undefined;
  /** The status, also looked up at each read. */
  status?: EventStatus | undefined;
  /** Only in the answer to a request that sent the event. */
  outcome?: EventOutcome;
};

const MICROSECONDS = 1_000_000n;

export function toApiEvent(event: ShownEvent): string {
  return (
    `{"svc_id":"${event.id}","transaction_id":${JSON.stringify(event.transactionId)},"svc_customer_id":${idOrNull(event.subscription?.customer_id)},` +
    `"code":${JSON.stringify(event.code)},"timestamp":"${toMilliseconds(event.timestamp)}","properties":${event.properties},` +
    `"svc_subscription_id":${idOrNull(event.subscription?.id)},"external_subscription_id":${JSON.stringify(event.externalSubscriptionId)},` +
    `"created_at":"${toSeconds(floorSeconds(event.receivedAt))}Z"${event.status ? toStatus(event.status) : ""}` +
    `${event.outcome ? `,"outcome":"${event.outcome}"` : ""}}`
  );
}

/** Of an answer to a request that sent the event: it is the last member. */
export const outcomeOf = (event: string): EventOutcome =>
  event.endsWith('"outcome":"created"}') ? "created" : "duplicate";

function toStatus(found: EventStatus): string {
  const reason = found.status === "not_billed" ? `"${found.reason}"` : "null";
  const feeIds = found.status === "billed" ? found.feeIds : [];
  return `,"status":"${found.status}","reason":${reason},"svc_fee_ids":${JSON.stringify(feeIds)}`;
}

const idOrNull = (id: string | undefined): string => (id === undefined ? "null" : `"${id}"`);

const toMilliseconds = (microseconds: bigint): string => {
  const seconds = floorSeconds(microseconds);
  const rest = Number(microseconds - BigInt(seconds) * MICROSECONDS);
  return `${toSeconds(seconds)}.${String(1000 + Math.floor(rest / 1000)).slice(1)}Z`;
};

/** Rounds down before 1970 too, where division alone would round up. */
function floorSeconds(microseconds: bigint): number {
  const seconds = Number(microseconds / MICROSECONDS);
  return microseconds < 0n && microseconds % MICROSECONDS !== 0n ? seconds - 1 : seconds;
}

const DAY_SECONDS = 86_400;
/** 00 to 59. */
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Caches dates: formatting a date takes longer than the rest, and events usually share few days. */
const daysShown = new Map<number, string>();
const DAYS_KEPT_MAX = 1000;

function toSeconds(seconds: number): string {
  const day = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - day * DAY_SECONDS;
  const hours = TWO_DIGITS[Math.floor(rest / 3600)];
  const minutes = TWO_DIGITS[Math.floor(rest / 60) % 60];
  return `${daysShown.get(day) ?? showDay(day)}T${hours}:${minutes}:${TWO_DIGITS[rest % 60]}`;
}

function showDay(day: number): string {
  const text = Temporal.PlainDate.from("1970-01-01").add({ days: day }).toString();
  if (daysShown.size >= DAYS_KEPT_MAX) daysShown.clear();
  daysShown.set(day, text);
  return text;
}
