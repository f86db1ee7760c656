/** The list of invoices, and its summary under the same filters. */
import type { Decimal } from "@tallystick/core/money";
import { sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { FilterRequest, ListRequest } from "../../../../http/list-query.ts";
import { allOf, byDate, byInstant, type ListColumns, pageOf, patternOf } from "../../../../http/page-of.ts";
import { preferIndexes, type Tx } from "../../../../platform/postgres/database.ts";
import { idsByExternalId, idsBySearch } from "../../../customers/index.ts";
import { type InvoiceRow, visible } from "../store.ts";

const COLUMNS: ListColumns = {
  sorts: { issuing_date: [byDate("issuing_date"), byInstant("created_at")], created_at: [byInstant("created_at")] },
  filters: { status: "status", payment_status: "payment_status", invoice_type: "invoice_type", currency: "currency" },
};

/**
 * Indexes: invoices_listed for the default order, which has every column of filters, searches and counts; invoices_customer;
 * invoices_created; invoices_states for the states. A search reads one of them to its end, and all customers.
 */
export async function pageOfInvoices(tx: Tx, organizationId: string, list: ListRequest) {
  await preferIndexes(tx);
  return pageOf(matching(tx, organizationId, list), list, COLUMNS);
}

function matching(tx: Tx, organizationId: string, { filters, searchTerm }: FilterRequest) {
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
  if (searchTerm !== undefined) query = query.where(matches(organizationId, searchTerm));
  return query;
}

const isTrue = ([value]: readonly string[]): boolean => value === "true" || value === "1";

/** By number, id, or the customer's names and email. Numbers are in upper case, and `like` is ten times as fast as `ilike`. */
function matches(organizationId: string, term: string) {
  const upper = term.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  const isId = isUuid(term) ? sql`id = ${term}::uuid` : sql`false`;
  return sql<boolean>`(
    number like ${patternOf(upper)} or ${isId} or customer_id in ${idsBySearch(organizationId, term)}
  )`;
}

/** Invoices in the same state and currency. */
export type StateSum = Pick<InvoiceRow, "status" | "payment_status" | "payment_overdue" | "currency"> & {
  is_dispute_lost: boolean;
  invoices: bigint;
  total: Decimal;
  due: Decimal;
};

/** One statement. Index: invoices_listed has its columns, so that the invoices themselves are not read. */
export async function sumInvoices(tx: Tx, organizationId: string, filters: FilterRequest): Promise<StateSum[]> {
  await preferIndexes(tx);
  const isDisputeLost = sql<boolean>`payment_dispute_lost_at is not null`;
  const due = sql`case when status <> 'finalized' or (not has_receivable and payment_status = 'succeeded') then 0
    else greatest(0, total_amount_cents - paid_amount_cents - written_off_amount_cents) end`;
  return allOf(matching(tx, organizationId, filters), filters, COLUMNS)
    .clearSelect()
    .select(["status", "payment_status", "payment_overdue", "currency", isDisputeLost.as("is_dispute_lost")])
    .select((of) => of.fn.countAll<bigint>().as("invoices"))
    .select([sql<Decimal>`sum(total_amount_cents)`.as("total"), sql<Decimal>`sum(${due})`.as("due")])
    .groupBy(["status", "payment_status", "payment_overdue", "currency", isDisputeLost])
    .execute();
}
