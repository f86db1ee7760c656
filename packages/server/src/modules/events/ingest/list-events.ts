/** A page of events. The total is counted up to 10,000: beyond that, a count would cost more than the page. */
import type { EventStatus } from "@tallystick/core/invoicing";
import { type ListRequest, writeCursor } from "../../../http/list-query.ts";
import { placeOf, UNCOUNTED } from "../../../http/page-of.ts";
import { type ListMeta, type Page, toApiMeta } from "../../../http/pagination.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { LoadStatuses } from "./describe-events.ts";
import { toStatusEvent } from "./status-event.ts";
import { countRequested, EVENT_ORDER, type EventList, type EventRow, findEvents } from "./store.ts";

const COUNTED_MAX = 10_000;
const WALKED_AT_ONCE = 1000;

type Requested = EventList & ListRequest<"status" | "reason">;
type EventPage = { rows: EventRow[]; meta: ListMeta };

export async function pageOfEvents(
  tx: Tx,
  organizationId: string,
  list: Requested,
  loadStatuses: LoadStatuses,
): Promise<EventPage> {
  if (list.filters.status || list.filters.reason) return pageByStatus(tx, organizationId, list, loadStatuses);
  const { page, after } = list;
  const place = { limit: page.size + 1, offset: after ? 0 : page.offset };
  const found = await findEvents(tx, organizationId, list, place);
  const rows = found.slice(0, page.size);
  const next_cursor = found.length > page.size ? cursorAt(list, rows.at(-1)) : null;
  if (after) return { rows, meta: { ...UNCOUNTED, next_cursor } };
  const total = await countRequested(tx, organizationId, list, COUNTED_MAX + 1);
  const meta = total <= COUNTED_MAX ? toApiMeta(page, total) : metaOfMany(page, next_cursor !== null);
  return { rows, meta: { ...meta, next_cursor } };
}

/**
 * No column has the status of an event, so events are walked in the order of the list until the page is full. One request walks up to
 * 10,000: a page may hold fewer records than requested, and its cursor goes on after the last event walked.
 */
async function pageByStatus(
  tx: Tx,
  organizationId: string,
  list: Requested,
  loadStatuses: LoadStatuses,
): Promise<EventPage> {
  const { page, after } = list;
  const first = after ? 0 : page.offset;
  const matching: EventRow[] = [];
  let last: EventRow | undefined;
  let isEnd = false;
  for (let walked = 0; !isEnd && walked < COUNTED_MAX; walked += WALKED_AT_ONCE) {
    // A numbered page also needs the total.
    if (after && matching.length > page.size) break;
    const rest = last ? { ...list, after: placeOf(EVENT_ORDER, last) } : list;
    const rows = await findEvents(tx, organizationId, rest, { limit: WALKED_AT_ONCE, offset: 0 });
    const statuses = await loadStatuses(tx, organizationId, rows.map(toStatusEvent));
    matching.push(...rows.filter((_, index) => matches(list, statuses[index])));
    last = rows.at(-1);
    isEnd = rows.length < WALKED_AT_ONCE;
  }
  const rows = matching.slice(first, first + page.size);
  const hasNext = matching.length > first + page.size;
  const next_cursor = hasNext ? cursorAt(list, rows.at(-1)) : isEnd ? null : cursorAt(list, last);
  if (after) return { rows, meta: { ...UNCOUNTED, next_cursor } };
  const meta = isEnd ? toApiMeta(page, matching.length) : metaOfMany(page, hasNext);
  return { rows, meta: { ...meta, next_cursor } };
}

function matches({ filters }: Requested, found: EventStatus | undefined): boolean {
  if (!found || filters.status?.includes(found.status) === false) return false;
  return !filters.reason || (found.status === "not_billed" && filters.reason.includes(found.reason));
}

const cursorAt = (list: Requested, row: EventRow | undefined): string | null =>
  row ? writeCursor(list, placeOf(EVENT_ORDER, row)) : null;

const metaOfMany = (page: Page, hasNext: boolean) => ({
  current_page: page.number,
  next_page: hasNext ? page.number + 1 : null,
  prev_page: page.number > 1 ? page.number - 1 : null,
  total_pages: null,
  total_count: null,
});
