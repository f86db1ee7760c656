/** A page of events. The total is counted up to 10,000: beyond that, a count would cost more than the page. */
import { type Page, toApiMeta } from "../../../http/pagination.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { countRequested, type EventFilter, type EventRow, findEvents } from "./store.ts";

const COUNTED_MAX = 10_000;

type Meta = Omit<ReturnType<typeof toApiMeta>, "total_pages" | "total_count"> & {
  total_pages: number | null;
  total_count: number | null;
};

export async function pageOfEvents(
  tx: Tx,
  organizationId: string,
  filter: EventFilter,
  page: Page,
): Promise<{ rows: EventRow[]; meta: Meta }> {
  const found = await findEvents(tx, organizationId, filter, page);
  const rows = found.slice(0, page.size);
  const total = await countRequested(tx, organizationId, filter, COUNTED_MAX + 1);
  if (total <= COUNTED_MAX) return { rows, meta: toApiMeta(page, total) };
  const next_page = found.length > page.size ? page.number + 1 : null;
  const prev_page = page.number > 1 ? page.number - 1 : null;
  return { rows, meta: { current_page: page.number, next_page, prev_page, total_pages: null, total_count: null } };
}
