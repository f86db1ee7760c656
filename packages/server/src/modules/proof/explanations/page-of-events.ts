/** The events of a fee with what each contributed, a page at a time. */
import {
  type AllContributions,
  type Contribution,
  contributionsOf,
  createWalker,
  needsAllEvents,
} from "@tallystick/core/explanation";
import { type Fraction, fraction, NOTHING, readExact } from "@tallystick/core/money";
import type { AcceptedEvent, EventStore } from "../../usage/index.ts";
import type { Place } from "./cursor.ts";
import { explanationErrors } from "./errors.ts";
import type { LoadedFee, MeasuredFee } from "./load-fee.ts";
import { findValuesInUse } from "./values-in-use.ts";

/** Where all events have to be at hand, no more than these are read at once. */
const EVENTS_AT_ONCE_MAX = 200_000n;

type ShownEvent = Pick<AcceptedEvent, "id" | "transactionId" | "at">;

export type EventsPage = {
  readonly events: readonly { readonly event: ShownEvent; readonly contribution: Contribution }[];
  /** What was carried over and all events up to the end of the page come to, in major units. */
  readonly runningAmount: Fraction;
  /** null: there are no more. */
  readonly next: Place | null;
};

type Requested = { readonly place: Place | null; readonly size: number };

/** The statements of a page, and the rows that they read, do not depend on how many pages lie before it. */
export async function pageOfContributions(
  events: EventStore,
  organizationId: string,
  fee: LoadedFee,
  requested: Requested,
): Promise<EventsPage> {
  const { measured } = fee;
  if (measured === null) return pageOfOne(fee);
  if (!needsAllEvents(measured.explained)) return walkOn(events, organizationId, measured, requested);
  return sliceOf(await readContributions(events, organizationId, measured), requested);
}

/** Fees in advance have one event, the others that were not measured none. */
function pageOfOne({ row, derivation, event }: LoadedFee): EventsPage {
  if (derivation.type !== "in_advance" || !event) return { events: [], runningAmount: NOTHING, next: null };
  const amount = readExact(derivation.fee.exact);
  const shown = { id: event.id, transactionId: event.transaction_id, at: event.timestamp };
  const contribution = { isCounted: true, units: fraction(row.units), amount };
  return { events: [{ event: shown, contribution }], runningAmount: amount, next: null };
}

async function walkOn(
  events: EventStore,
  organizationId: string,
  measured: MeasuredFee,
  { place, size }: Requested,
): Promise<EventsPage> {
  const { explained, scope } = measured;
  const { start, next } = createWalker(explained);
  const from = place && "walk" in place ? place : null;
  const after = from && { at: Temporal.Instant.from(from.after.at), position: BigInt(from.after.position) };
  // What lies before the window is in the state that the walk starts with. One more event says whether there is a next page.
  const inWindow = { ...scope, historyFrom: scope.window.from };
  const read = await events.pageOfEvents(organizationId, inWindow, { after, size: size + 1 });
  const page = read.slice(0, size);
  const known = { start: from && after && { after, values: from.values }, page };
  const inUse = await findValuesInUse(events, organizationId, measured, known);
  let walk = from?.walk ?? start;
  const contributed = page.map((event) => {
    const step = next(walk, event, inUse.pass(event));
    walk = step.walk;
    return { event, contribution: step.contribution };
  });
  const last = page.at(-1);
  const end = last && { after: { at: String(last.at), position: String(last.position) }, walk, values: inUse.carry() };
  return {
    events: contributed,
    runningAmount: readExact(walk.amount),
    next: end && read.length > size ? end : null,
  };
}

/** Whether all events would have to be at hand, and are too many for that. */
export function isTooLarge({ explained }: MeasuredFee): boolean {
  const { eventsCounted, eventsIgnored } = explained.derivation.quantity;
  return needsAllEvents(explained) && BigInt(eventsCounted) + BigInt(eventsIgnored) > EVENTS_AT_ONCE_MAX;
}

/** Of fees whose events can only be explained together. */
export async function readContributions(
  events: EventStore,
  organizationId: string,
  measured: MeasuredFee,
): Promise<AllContributions<AcceptedEvent>> {
  if (isTooLarge(measured)) throw explanationErrors.problem("too_many_events_to_explain");
  const { explained, scope } = measured;
  return contributionsOf(explained, await events.readEvents(organizationId, scope));
}

function sliceOf({ carried, events }: AllContributions<AcceptedEvent>, { place, size }: Requested): EventsPage {
  const passed = place && "passed" in place ? place.passed : 0;
  const end = passed + size;
  return {
    events: events.slice(passed, end),
    runningAmount: events.slice(0, end).reduce((sum, { contribution }) => sum.plus(contribution.amount), carried),
    next: end < events.length ? { passed: end } : null,
  };
}
