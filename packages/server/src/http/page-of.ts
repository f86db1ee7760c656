/** One page of a query, with the total number of its rows. */
import type { SelectQueryBuilder } from "kysely";
import type { DB } from "../platform/postgres/schema.ts";
import type { Page, PageOf } from "./pagination.ts";

/** Listed tables have these columns, and an index on (organization_id, created_at desc, id desc). */
type Listed = { organization_id: string; id: string; created_at: Temporal.Instant };

/** Newest first. The ids of the page come from the index alone, so a page at the end costs little more than the first. */
export async function pageOf<Table extends keyof DB, Row extends Listed>(
  query: SelectQueryBuilder<DB, Table, Row>,
  page: Page,
): Promise<PageOf<Row>> {
  // Any table would do here; naming one lets TypeScript check the columns.
  const listed = query as unknown as SelectQueryBuilder<DB, "customers", Row>;
  const newestFirst = <O>(some: SelectQueryBuilder<DB, "customers", O>) =>
    some.orderBy("created_at", "desc").orderBy("id", "desc");
  const ids = newestFirst(listed.clearSelect().select("id")).limit(page.size).offset(page.offset);
  const rows = await newestFirst(listed.where("id", "in", ids)).execute();
  return { rows: rows as Row[], total: await countOf(listed) };
}

/** In the order of the query. */
export async function pageInOrder<Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  page: Page,
): Promise<PageOf<Row>> {
  const rows = await query.limit(page.size).offset(page.offset).execute();
  return { rows: rows as Row[], total: await countOf(query) };
}

async function countOf<Table extends keyof DB, Row>(query: SelectQueryBuilder<DB, Table, Row>): Promise<number> {
  const { total } = await query
    .clearSelect()
    .clearOrderBy()
    .select((count) => count.fn.countAll<bigint>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}
