/** The list of invoices, and its summary under the same filters. */
import type { Decimal } from "@tallystick/core/money";
import { sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { FilterRequest, ListRequest } from "../../../../http/list-query.ts";
import { allOf, byDate, byInstant, type ListColumns, pageOf } from "../../../../http/page-of.ts";
import { preferIndexes, type Tx } from "../../../../platform/postgres/database.ts";
import { eitherOf, patternOf, type Search, searchFor } from "../../../../platform/postgres/find-by-term.ts";
import { idsByExternalId, searchByCustomer } from "../../../customers/index.ts";
import { type InvoiceRow, visible } from "../store.ts";

const COLUMNS: ListColumns = {
  sorts: { issuing_date: [byDate("issuing_date"), byInstant("created_at")], created_at: [byInstant("created_at")] },
  filters: { status: "status", payment_status: "payment_status", invoice_type: "invoice_type", currency: "currency" },
};

/**
 * Indexes: invoices_listed for the default order, and invoices_of_customers, which both have every column of filters, searches and counts;
 * invoices_created; invoices_states for the states. A search that finds much reads one of them to its end.
 */
export async function pageOfInvoices(tx: Tx, organizationId: string, list: ListRequest) {
  await preferIndexes(tx);
  return pageOf(matching(tx, organizationId, list), list, {
    ...(await columnsFor(tx, organizationId, list)),
    ...(isSummed(list) ? { count: () => countSummed(tx, organizationId, list) } : {}),
  });
}

function matching(tx: Tx, organizationId: string, { filters }: FilterRequest) {
  const [externalId, from, to] = [filters.external_customer_id, filters.issuing_date_from, filters.issuing_date_to];
  let query = visible(tx, organizationId);
  if (externalId)
    query = query.where(
      "customer_id",
      "in",
      idsByExternalId(organizationId, externalId[0] ?? "", { deleted: "included" }),
    );
  if (from) query = query.where("issuing_date", ">=", Temporal.PlainDate.from(from[0] ?? ""));
  if (to) query = query.where("issuing_date", "<=", Temporal.PlainDate.from(to[0] ?? ""));
  if (filters.payment_overdue) query = query.where("payment_overdue", "=", isTrue(filters.payment_overdue));
  if (filters.payment_dispute_lost)
    query = query.where("payment_dispute_lost_at", isTrue(filters.payment_dispute_lost) ? "is not" : "is", null);
  return query;
}

const isTrue = ([value]: readonly string[]): boolean => value === "true" || value === "1";

const columnsFor = async (tx: Tx, organizationId: string, { searchTerm }: FilterRequest): Promise<ListColumns> =>
  searchTerm === undefined ? COLUMNS : { ...COLUMNS, search: await searchInvoices(tx, organizationId, searchTerm) };

/** By number, id, or the customer's names, external id and email. Numbers are in upper case, and `like` is ten times as fast as `ilike`. */
async function searchInvoices(tx: Tx, organizationId: string, term: string): Promise<Search> {
  const upper = term.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return eitherOf([
    await searchFor(tx, organizationId, {
      ...{ kind: "invoices", term: upper },
      otherwise: sql`number like ${patternOf(upper)}`,
    }),
    ...(isUuid(term) ? [{ condition: sql<boolean>`id = ${term}::uuid`, isBroad: false }] : []),
    await searchByCustomer(tx, organizationId, term),
  ]);
}

/** Invoices in the same state and currency. */
export type StateSum = Pick<InvoiceRow, "status" | "payment_status" | "payment_overdue" | "currency"> & {
  is_dispute_lost: boolean;
  invoices: bigint;
  total: Decimal;
  due: Decimal;
};

/** Index: invoices_listed and invoices_of_customers have the columns, so that the invoices themselves are not read. */
export async function sumInvoices(tx: Tx, organizationId: string, filters: FilterRequest): Promise<StateSum[]> {
  if (isSummed(filters)) return readSums(tx, organizationId, filters);
  await preferIndexes(tx);
  const isDisputeLost = sql<boolean>`payment_dispute_lost_at is not null`;
  const due = sql`due_cents(status, payment_status, has_receivable, total_amount_cents, paid_amount_cents, written_off_amount_cents)`;
  const columns = await columnsFor(tx, organizationId, filters);
  return allOf(matching(tx, organizationId, filters), filters, columns)
    .clearSelect()
    .select(["status", "payment_status", "payment_overdue", "currency", isDisputeLost.as("is_dispute_lost")])
    .select((of) => of.fn.countAll<bigint>().as("invoices"))
    .select([sql<Decimal>`sum(total_amount_cents)`.as("total"), sql<Decimal>`sum(${due})`.as("due")])
    .groupBy(["status", "payment_status", "payment_overdue", "currency", isDisputeLost])
    .execute();
}

const SUMMED = ["status", "payment_status", "invoice_type", "currency", "payment_overdue", "payment_dispute_lost"];

/** Whether the filters choose among the states that invoice_sums counts. */
const isSummed = ({ filters, created, searchTerm }: FilterRequest): boolean =>
  searchTerm === undefined &&
  !created.from &&
  !created.before &&
  Object.keys(filters).every((name) => SUMMED.includes(name));

function summed(tx: Tx, organizationId: string, request: FilterRequest) {
  const { payment_overdue: overdue, payment_dispute_lost: lost } = request.filters;
  let query = tx.selectFrom("invoice_sums").where("organization_id", "=", organizationId);
  if (overdue) query = query.where("payment_overdue", "=", isTrue(overdue));
  if (lost) query = query.where("is_dispute_lost", "=", isTrue(lost));
  return allOf(query, request, COLUMNS);
}

const readSums = (tx: Tx, organizationId: string, request: FilterRequest): Promise<StateSum[]> =>
  summed(tx, organizationId, request)
    .select(["status", "payment_status", "payment_overdue", "currency", "is_dispute_lost"])
    .select([
      sql<bigint>`sum(invoices)::bigint`.as("invoices"),
      sql<Decimal>`sum(total_amount_cents)`.as("total"),
      sql<Decimal>`sum(due_amount_cents)`.as("due"),
    ])
    .groupBy(["status", "payment_status", "payment_overdue", "currency", "is_dispute_lost"])
    .having(sql`sum(invoices)`, "<>", 0)
    .$castTo<StateSum>()
    .execute();

async function countSummed(tx: Tx, organizationId: string, request: FilterRequest): Promise<number> {
  const { total } = await summed(tx, organizationId, request)
    .select(sql<bigint>`coalesce(sum(invoices), 0)::bigint`.as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}
