/** All SQL on fees and fee_taxes. */

import type { Decimal, Minor } from "@tallystick/core/money";
import { parseInstant } from "@tallystick/core/time";
import { type Insertable, type Selectable, sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, byInteger, pageOf } from "../../../http/page-of.ts";
import { newId } from "../../../platform/new-id.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batched, batchedRows, batchedWrite } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { idsByExternalId } from "../../customers/index.ts";

export type FeeRow = Selectable<DB["fees"]>;
export type FeeTaxRow = Selectable<DB["fee_taxes"]>;

type NewFeeTax = {
  taxId: string;
  code: string;
  name: string;
  description: string | null;
  rate: Decimal;
  amountMinor: Minor;
};
type JsonColumn = "item" | "grouped_by" | "derivation";
/** With its JSON columns as text. */
export type NewFee = Omit<Insertable<DB["fees"]>, "organization_id" | "created_at" | JsonColumn> &
  Record<JsonColumn, string> & { taxes: readonly NewFeeTax[] };

/** An invoice may have more fees than a statement has parameters. */
const ROWS_PER_STATEMENT = 500;

export const insertFees = batchedWrite<NewFee & { createdAt: Temporal.Instant }>(async (tx, organizationId, fees) => {
  const rowsOf = ({ taxes: _, createdAt, ...row }: (typeof fees)[number]) => ({
    ...row,
    created_at: createdAt,
    has_receivable: row.invoice_id === undefined || row.invoice_id === null,
  });
  for (const rows of chunks(fees.map(rowsOf)))
    await tx
      .insertInto("fees")
      .values(rows.map((row) => ({ ...row, organization_id: organizationId })))
      .execute();
  const taxes = fees.flatMap(({ id, createdAt, taxes }) => taxes.map((tax) => ({ feeId: id, createdAt, ...tax })));
  for (const rows of chunks(taxes))
    await tx
      .insertInto("fee_taxes")
      .values(
        rows.map(({ feeId, createdAt, taxId, code, name, description, rate, amountMinor }) => ({
          organization_id: organizationId,
          id: newId(),
          fee_id: feeId,
          tax_id: taxId,
          tax_code: code,
          tax_name: name,
          tax_description: description,
          tax_rate: rate,
          amount_cents: amountMinor,
          created_at: createdAt,
        })),
      )
      .execute();
});

function* chunks<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    yield rows.slice(start, start + ROWS_PER_STATEMENT);
}

/** For a draft that is recomputed. Standalone fees of its bills stay, because they may be paid by now. */
export async function deleteFeesOfInvoice(tx: Tx, organizationId: string, invoiceId: string): Promise<void> {
  const requested = sql`organization_id = ${organizationId} and invoice_id = ${invoiceId}`;
  await sql`
    delete from fee_taxes where organization_id = ${organizationId} and fee_id in (select id from fees where ${requested})`.execute(
    tx,
  );
  await sql`delete from fees where ${requested}`.execute(tx);
}

/** Standalone fees of an invoice's bills, including deleted ones and those on an invoice of paid fees by now. */
export async function findKeptFees(
  tx: Tx,
  organizationId: string,
  invoiceId: string,
): Promise<Pick<FeeRow, "id" | "bill_id" | "fee_key">[]> {
  const { rows } = await sql<Pick<FeeRow, "id" | "bill_id" | "fee_key">>`
    select id, bill_id, fee_key from fees
    where organization_id = ${organizationId} and not invoiceable and bill_id in (
      select bill_id from invoice_bills where organization_id = ${organizationId} and invoice_id = ${invoiceId})
    order by id`.execute(tx);
  return rows;
}

export const findFee = async (tx: Tx, organizationId: string, id: string): Promise<FeeRow | undefined> =>
  isUuid(id) ? live(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

/** Locks a fee for a change. */
export const lockFee = async (tx: Tx, organizationId: string, id: string): Promise<FeeRow | undefined> =>
  isUuid(id) ? live(tx, organizationId).where("id", "=", id).forUpdate().executeTakeFirst() : undefined;

const live = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("fees")
    .selectAll("fees")
    .where("fees.organization_id", "=", organizationId)
    .where("fees.deleted_at", "is", null);

/** In the order of their invoices. */
export const findFeesOfInvoices = batchedRows<FeeRow>(
  (tx, organizationId, invoiceIds) =>
    live(tx, organizationId).where("invoice_id", "=", anyOf(invoiceIds)).orderBy("line").orderBy("id").execute(),
  ({ invoice_id }) => invoice_id ?? "",
);

/** The subscriptions that invoices bill in advance, in their order, without the other columns. */
export const findBilledInAdvance = batchedRows<Pick<FeeRow, "invoice_id" | "subscription_id">>(
  (tx, organizationId, invoiceIds) =>
    tx
      .selectFrom("fees")
      .select(["invoice_id", "subscription_id"])
      .where("organization_id", "=", organizationId)
      .where("invoice_id", "=", anyOf(invoiceIds))
      .where("fee_type", "=", "subscription")
      .where("pay_in_advance", "=", true)
      .orderBy("line")
      .orderBy("id")
      .execute(),
  ({ invoice_id }) => invoice_id ?? "",
);

export const findFees = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<FeeRow[]> =>
  live(tx, organizationId).where("id", "=", anyOf(ids)).orderBy("id").execute();

/** The last billed subscription fee, if the plan is paid in advance. */
export const findLastFeeInAdvance = (
  tx: Tx,
  organizationId: string,
  subscriptionId: string,
): Promise<FeeRow | undefined> =>
  live(tx, organizationId)
    .where("subscription_id", "=", subscriptionId)
    .where("fee_type", "=", "subscription")
    .where("pay_in_advance", "=", true)
    .orderBy("from_at", "desc")
    .limit(1)
    .executeTakeFirst();

type Regrouped = { subscriptionIds: readonly string[]; until: Temporal.Instant };

/** Standalone fees paid by an instant that wait for an invoice, with the end of their usage period. */
export const findPaidFees = batched<Regrouped, PaidFee[]>(async (tx, organizationId, all) => {
  const found = new Map<string, PaidFee[]>();
  for (const [instant, same] of Map.groupBy(all, ({ until }) => until.toString())) {
    const subscriptionIds = same.flatMap((regrouped) => regrouped.subscriptionIds);
    found.set(instant, await findPaidBy(tx, organizationId, { subscriptionIds, instant }));
  }
  return all.map(({ subscriptionIds, until }) => {
    const paid = found.get(until.toString()) ?? [];
    return paid.filter(({ subscription_id }) => subscriptionIds.includes(subscription_id ?? ""));
  });
});

type PaidFee = FeeRow & { ended_at: Temporal.Instant };

const findPaidBy = (
  tx: Tx,
  organizationId: string,
  { subscriptionIds, instant }: { subscriptionIds: readonly string[]; instant: string },
): Promise<PaidFee[]> =>
  live(tx, organizationId)
    .select(
      sql<Temporal.Instant>`least(fees.to_at, (
        select terminated_at from subscriptions where organization_id = fees.organization_id and id = fees.subscription_id
      ))`.as("ended_at"),
    )
    .where("subscription_id", "=", anyOf(subscriptionIds))
    .where("regroups", "=", true)
    .where("invoice_id", "is", null)
    .where("payment_status", "=", "succeeded")
    .where("succeeded_at", "<=", Temporal.Instant.from(instant))
    .orderBy("created_at")
    .orderBy("id")
    .forUpdate()
    .execute();

export async function putOnInvoice(
  tx: Tx,
  organizationId: string,
  { invoiceId, feeIds }: { invoiceId: string; feeIds: readonly string[] },
): Promise<void> {
  await tx
    .updateTable("fees")
    .set({ invoice_id: invoiceId })
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(feeIds))
    .execute();
}

/**
 * Indexes: fees_list, and fees_customer, fees_subscription, fees_invoice, fees_event for one customer, subscription, invoice or event. The
 * other filters read all fees of the organization, or of the one that is named.
 */
export function pageOfFees(tx: Tx, organizationId: string, list: ListRequest) {
  const { filters } = list;
  let query = live(tx, organizationId);
  const [externalId] = filters.external_customer_id ?? [];
  if (externalId !== undefined)
    query = query.where("customer_id", "in", idsByExternalId(organizationId, externalId, { deleted: "included" }));
  const [subscription] = filters.external_subscription_id ?? [];
  if (subscription !== undefined)
    query = query.where("subscription_id", "in", (from) =>
      from
        .selectFrom("subscriptions")
        .select("subscriptions.id")
        .where("subscriptions.organization_id", "=", organizationId)
        .where("subscriptions.external_id", "=", subscription),
    );
  const [invoiceId] = filters.invoice_id ?? [];
  if (invoiceId !== undefined)
    query = query.where(isUuid(invoiceId) ? sql<boolean>`invoice_id = ${invoiceId}` : sql<boolean>`false`);
  if (filters.billable_metric_code) query = query.where("fee_type", "=", "charge");
  for (const column of ["created_at", "succeeded_at", "failed_at", "refunded_at"] as const) {
    const [from, to] = [filters[`${column}_from`], filters[`${column}_to`]].map((texts) =>
      parseInstant(texts?.[0] ?? ""),
    );
    if (from) query = query.where(column, ">=", from);
    if (to) query = query.where(column, "<=", to);
  }
  return pageOf(query, list, {
    sorts: { created_at: [byInstant("created_at"), byInteger("line")] },
    filters: {
      fee_type: "fee_type",
      payment_status: "payment_status",
      currency: "currency",
      event_transaction_id: "event_transaction_id",
      billable_metric_code: "item_code",
    },
  });
}

export const findTaxesOfFees = (tx: Tx, organizationId: string, feeIds: readonly string[]): Promise<FeeTaxRow[]> =>
  tx
    .selectFrom("fee_taxes")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("fee_id", "=", anyOf(feeIds))
    .orderBy("id")
    .execute();

/** Related objects that the API shows with a fee. */
export type FeeNeighbors = {
  id: string;
  external_customer_id: string;
  external_subscription_id: string | null;
  true_up_fee_id: string | null;
};

export async function findFeeNeighbors(
  tx: Tx,
  organizationId: string,
  ids: readonly string[],
): Promise<FeeNeighbors[]> {
  const { rows } = await sql<FeeNeighbors>`
    select fee.id,
      (select external_id from customers where organization_id = fee.organization_id and id = fee.customer_id)
        as external_customer_id,
      (select external_id from subscriptions where organization_id = fee.organization_id and id = fee.subscription_id)
        as external_subscription_id,
      (select child.id from fees as child
        where child.organization_id = fee.organization_id and child.true_up_parent_fee_id = fee.id limit 1) as true_up_fee_id
    from fees as fee where fee.organization_id = ${organizationId} and fee.id = any(${ids}::uuid[])`.execute(tx);
  return rows;
}

/** Sets the instant of the current payment status and clears the others. */
const paymentColumns = (status: FeeRow["payment_status"], now: Temporal.Instant) => ({
  payment_status: status,
  succeeded_at: status === "succeeded" ? now : null,
  failed_at: status === "failed" ? now : null,
  refunded_at: status === "refunded" ? now : null,
});

export const updatePayment = (
  tx: Tx,
  organizationId: string,
  { id, status, now }: { id: string; status: FeeRow["payment_status"]; now: Temporal.Instant },
): Promise<FeeRow> =>
  tx
    .updateTable("fees")
    .set(paymentColumns(status, now))
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Sets the payment status of all fees of an invoice. */
export async function updatePayments(
  tx: Tx,
  organizationId: string,
  { invoiceId, status, now }: { invoiceId: string; status: FeeRow["payment_status"]; now: Temporal.Instant },
): Promise<void> {
  await tx
    .updateTable("fees")
    .set(paymentColumns(status, now))
    .where("organization_id", "=", organizationId)
    .where("invoice_id", "=", invoiceId)
    .execute();
}

/** False if it was paid or is on an invoice: then it stays. */
export async function hideFee(tx: Tx, organizationId: string, id: string, now: Temporal.Instant): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("fees")
    .set({ deleted_at: now })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("invoice_id", "is", null)
    .where("payment_status", "not in", ["succeeded", "refunded"])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Standalone fees of an earlier release without a receivable. Skips rows that another transaction is changing. */
export const lockUnopenedFees = (tx: Tx, organizationId: string, limit: number): Promise<FeeRow[]> =>
  live(tx, organizationId)
    .where(sql<boolean>`invoice_id is null and not has_receivable`)
    .orderBy("id")
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();

export async function markOpenedFees(tx: Tx, organizationId: string, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable("fees")
    .set({ has_receivable: true })
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .execute();
}
