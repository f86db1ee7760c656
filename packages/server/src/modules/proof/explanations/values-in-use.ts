/**
 * For a unique count, tracks which values are in use before each event of a page.
 * A cursor carries up to `CARRIED_MAX` values; beyond that, earlier events are read again.
 */
import { createHash } from "node:crypto";
import { type Aggregation, isRecurring } from "@tallystick/core/catalog";
import { byTime, propertyOf, turnOf, type UsageEvent } from "@tallystick/core/usage";
import type { AcceptedEvent, BucketScope, EventStore } from "../../usage/index.ts";
import type { MeasuredFee } from "./load-fee.ts";

/** More values would make the cursor too long for a URL. */
const CARRIED_MAX = 200;
const READ_AT_ONCE = 5000;
/** 72 bits make a collision between two values of one fee practically impossible. */
const DIGEST_BYTES = 9;

/** Digests of all values in use at the end of a page. null: there are too many for a cursor. */
export type CarriedValues = readonly string[] | null;

export type ValuesInUse = {
  /** Returns whether the event's value was in use before it, then applies the event. */
  readonly pass: (event: UsageEvent) => boolean;
  readonly carry: () => CarriedValues;
};

/** Where a page begins. */
export type Start = { readonly after: Pick<UsageEvent, "at" | "position">; readonly values: CarriedValues } | null;

/** Metrics other than unique counts have no values in use. */
const NONE: ValuesInUse = { pass: () => false, carry: () => null };

export async function findValuesInUse(
  events: EventStore,
  organizationId: string,
  { explained, scope }: MeasuredFee,
  { start, page }: { readonly start: Start; readonly page: readonly AcceptedEvent[] },
): Promise<ValuesInUse> {
  const { aggregation } = explained;
  if (aggregation.type !== "unique_count") return NONE;
  const { basis } = explained.derivation.quantity;
  const carried = basis.type === "unique_count" ? Number(basis.carried) : 0;
  const areAllKnown = start === null ? carried <= CARRIED_MAX : start.values !== null;
  const requested = areAllKnown ? null : new Set(page.flatMap((event) => digestOf(aggregation, event) ?? []));
  const inUse = new Set(start?.values);
  const pass = passOf(aggregation, inUse, requested);
  const before = start?.values ? null : scopeBefore(scope, aggregation, start);
  for await (const event of before ? eventsUntil(events, organizationId, before, start?.after ?? null) : [])
    pass(event);
  return { pass, carry: () => (areAllKnown && inUse.size <= CARRIED_MAX ? [...inUse] : null) };
}

function passOf(aggregation: Aggregation, inUse: Set<string>, target: ReadonlySet<string> | null) {
  return (event: UsageEvent): boolean => {
    const digest = digestOf(aggregation, event);
    if (digest === null || (target && !target.has(digest))) return false;
    const wasActive = inUse.has(digest);
    const turn = turnOf(event, wasActive);
    if (turn === 1) inUse.add(digest);
    if (turn === -1) inUse.delete(digest);
    return wasActive;
  };
}

function digestOf(aggregation: Aggregation, event: UsageEvent): string | null {
  const value = aggregation.type === "unique_count" ? propertyOf(event, aggregation.field) : undefined;
  if (value === undefined) return null;
  return createHash("sha256").update(value).digest().subarray(0, DIGEST_BYTES).toString("base64url");
}

/** Before the first page, a recurring metric has events from before the window. Before a later page, all earlier pages count too. */
function scopeBefore(scope: BucketScope, aggregation: Aggregation, start: Start): BucketScope | null {
  if (start !== null) return scope;
  return isRecurring(aggregation)
    ? { ...scope, window: { ...scope.window, to: scope.window.from }, atEnd: null }
    : null;
}

async function* eventsUntil(
  events: EventStore,
  organizationId: string,
  scope: BucketScope,
  last: Pick<UsageEvent, "at" | "position"> | null,
): AsyncGenerator<AcceptedEvent> {
  let after: AcceptedEvent | null = null;
  do {
    const read: AcceptedEvent[] = await events.pageOfEvents(organizationId, scope, { after, size: READ_AT_ONCE });
    for (const event of read) {
      if (last && byTime(event, { ...last, properties: {} }) > 0) return;
      yield event;
    }
    after = read.length < READ_AT_ONCE ? null : (read.at(-1) ?? null);
  } while (after !== null);
}
