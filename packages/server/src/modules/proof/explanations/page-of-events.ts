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

/** The most events to load at once for a charge that needs all of them in memory. */
const EVENTS_AT_ONCE_MAX = 200_000n;

type ShownEvent = Pick<AcceptedEvent, "id" | "transactionId" | "at">;

export type EventsPage = {
  readonly events: readonly { readonly event: ShownEvent; readonly contribution: Contribution }[];
  /** Carried-over usage plus all events up to the end of the page, in major units. */
  readonly runningAmount: Fraction;
  /** null: this is the last page. */
  readonly next: Place | null;
};

type Requested = { readonly place: Place | null; readonly size: number };

/** The cost of a page does not depend on how many pages come before it. */
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

/** A fee in advance has one event. Other fees without measured usage have none. */
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
  // The initial state covers everything before the window. One extra event shows whether there is a next page.
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

/** Whether the charge needs all events in memory and there are too many. */
export function isTooLarge({ explained }: MeasuredFee): boolean {
  const { eventsCounted, eventsIgnored } = explained.derivation.quantity;
  return needsAllEvents(explained) && BigInt(eventsCounted) + BigInt(eventsIgnored) > EVENTS_AT_ONCE_MAX;
}

/** For fees whose events can only be explained together. */
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
