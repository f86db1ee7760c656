/** All SQL on invoices, invoice_bills, invoice_taxes and invoice_metadata. */

import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { validate as isUuid } from "uuid";
import type { Page, PageOf } from "../../../http/pagination.ts";
import { newId } from "../../../platform/new-id.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { type Batch, batched, batchedRows, batchedWrite } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { takeLastOf, takeNumbers } from "../../accounts/index.ts";

export type InvoiceRow = Selectable<DB["invoices"]>;
export type InvoiceTaxRow = Selectable<DB["invoice_taxes"]>;
export type InvoiceMetadataRow = Selectable<DB["invoice_metadata"]>;

const any = (tx: Tx, organizationId: string) =>
  tx.selectFrom("invoices").selectAll("invoices").where("invoices.organization_id", "=", organizationId);

/** Invoices in creation are hidden. */
export const visible = (tx: Tx, organizationId: string) =>
  any(tx, organizationId).where("invoices.status", "!=", "generating");

export const findInvoice = async (tx: Tx, organizationId: string, id: string): Promise<InvoiceRow | undefined> =>
  isUuid(id) ? visible(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

/** Also an invoice in creation. */
export const findAnyInvoice = async (
  batch: Batch,
  organizationId: string,
  id: string,
): Promise<InvoiceRow | undefined> =>
  isUuid(id) ? (await findAnyInvoices(batch, organizationId, [id]))[0] : undefined;

const withIds = (tx: Tx, organizationId: string, ids: readonly string[]) =>
  any(tx, organizationId).where("id", "=", anyOf(ids)).orderBy("id");

const findAnyInvoices = batchedRows<InvoiceRow>(
  (tx, organizationId, ids) => withIds(tx, organizationId, ids).execute(),
  ({ id }) => id,
);

export const lockInvoice = async (batch: Batch, organizationId: string, id: string): Promise<InvoiceRow> =>
  lockInvoices(batch, organizationId, [id]).then(([row]) => {
    if (!row) throw new Error(`invoice ${id} is gone`);
    return row;
  });

const lockInvoices = batchedRows<InvoiceRow>(
  (tx, organizationId, ids) => withIds(tx, organizationId, ids).forNoKeyUpdate().execute(),
  ({ id }) => id,
);

type Occasion = {
  id: string;
  customerId: string;
  invoiceKey: string;
  occurredAt: Temporal.Instant;
  createdAt: Temporal.Instant;
};

type OpenedInvoice = Pick<InvoiceRow, "id" | "status">;

/** The invoice of an occasion: created by its first bill, with the customer's time zone at that moment. */
export const openInvoiceRow = batched<Occasion, OpenedInvoice>(async (tx, organizationId, all) => {
  const occasions = sql`unnest(${all.map(({ id }) => id)}::uuid[], ${all.map(({ customerId }) => customerId)}::uuid[],
    ${all.map(({ invoiceKey }) => invoiceKey)}::uuid[], ${all.map(({ occurredAt }) => occurredAt)}::timestamptz[],
    ${all.map(({ createdAt }) => createdAt)}::timestamptz[])
    with ordinality as occasion (id, customer_id, invoice_key, occurred_at, created_at, number)`;
  await sql`
    insert into invoices (organization_id, id, customer_id, invoice_type, status, invoice_key, occurred_at, time_zone,
      payment_status, created_at, updated_at)
    select ${organizationId}::uuid, occasion.id, occasion.customer_id, 'subscription', 'generating', occasion.invoice_key,
      occasion.occurred_at, coalesce(
        (select timezone from customers where organization_id = ${organizationId} and id = occasion.customer_id),
        (select timezone from organizations where id = ${organizationId})),
      'pending', occasion.created_at, occasion.created_at
    from ${occasions}
    on conflict (organization_id, customer_id, invoice_key, occurred_at) where invoice_key is not null do nothing
    `.execute(tx);
  const { rows } = await sql<OpenedInvoice>`
    select invoice.id, invoice.status from ${occasions} join invoices as invoice on invoice.organization_id = ${organizationId} and invoice.customer_id = occasion.customer_id
      and invoice.invoice_key = occasion.invoice_key and invoice.occurred_at = occasion.occurred_at
    order by occasion.number`.execute(tx);
  if (rows.length !== all.length) throw new Error("an occasion has one invoice");
  return rows;
});

/** Invoices of an earlier release without a receivable. Skips rows that another transaction is changing. */
export const lockUnopenedInvoices = (tx: Tx, organizationId: string, limit: number): Promise<InvoiceRow[]> =>
  any(tx, organizationId)
    .where(sql<boolean>`status in ('finalized', 'voided') and not has_receivable`)
    .orderBy("id")
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();

/** Invoices of a customer that are neither finalized nor skipped. */
export const findOpenInvoices = (tx: Tx, organizationId: string, customerId: string) =>
  any(tx, organizationId)
    .clearSelect()
    .select(["id", "status", "total_amount_cents"])
    .where("customer_id", "=", customerId)
    .where("status", "in", ["generating", "draft"])
    .where("skipped_at", "is", null)
    .execute();

/** The bills of a customer whose invoices are about to be made, in the order of their making. */
export async function findBillsToInvoice(
  tx: Tx,
  organizationId: string,
  customerId: string,
): Promise<{ invoice_id: string; bill_id: string }[]> {
  const { rows } = await sql<{ invoice_id: string; bill_id: string }>`
    select link.invoice_id, link.bill_id from invoices as invoice
    join invoice_bills as link on link.organization_id = invoice.organization_id and link.invoice_id = invoice.id
    where invoice.organization_id = ${organizationId} and invoice.customer_id = ${customerId} and invoice.status = 'generating'
    order by invoice.occurred_at, invoice.id`.execute(tx);
  return rows;
}

/** Invoices of a deleted plan, or of a plan derived from it, have no grace period. */
const isOfDeletedPlan = (organizationId: string) => sql<boolean>`exists (
  select from invoice_bills as link
  join subscriptions as subscription on subscription.organization_id = ${organizationId} and subscription.id = link.subscription_id
  join plans as own on own.organization_id = ${organizationId} and own.id = subscription.plan_id
  join plans as gone on gone.organization_id = ${organizationId} and gone.id in (own.id, own.parent_id) and gone.deleted_at is not null
  where link.organization_id = ${organizationId} and link.invoice_id = invoices.id)`;
type PlanDeletion = { isPlanDeleted: boolean };

export const findDraftsOfCustomer = (
  tx: Tx,
  organizationId: string,
  { customerId, isPlanDeleted }: PlanDeletion & { customerId: string },
): Promise<InvoiceRow[]> =>
  any(tx, organizationId)
    .where("customer_id", "=", customerId)
    .where("status", "=", "draft")
    .where(isOfDeletedPlan(organizationId), "=", isPlanDeleted)
    .orderBy("id")
    .execute();

type AfterId = { after: string; limit: number };

/** Customers with a draft, or with an invoice that may become one, in order of id. */
export async function findCustomersWithDrafts(
  tx: Tx,
  organizationId: string,
  { isPlanDeleted, after, limit }: PlanDeletion & AfterId,
): Promise<string[]> {
  const { rows } = await sql<{ customer_id: string }>`
    select distinct customer_id from invoices
    where organization_id = ${organizationId} and status in ('generating', 'draft') and customer_id > ${after}
      and ${isOfDeletedPlan(organizationId)} = ${isPlanDeleted}
    order by customer_id limit ${limit}`.execute(tx);
  return rows.map(({ customer_id }) => customer_id);
}

/** Drafts of a customer, with a tax, or of a plan; without a filter all drafts. */
export type DraftFilter = { customerId?: string; taxId?: string; planId?: string };

/** In order of id. */
export async function findDrafts(
  tx: Tx,
  organizationId: string,
  { customerId, taxId, planId }: DraftFilter,
  { after, limit }: AfterId,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from invoices as draft
    where organization_id = ${organizationId} and status = 'draft' and id > ${after}
      and (${customerId ?? null}::uuid is null or customer_id = ${customerId ?? null}::uuid)
      and (${taxId ?? null}::uuid is null or exists (
        select from invoice_taxes as tax where tax.organization_id = ${organizationId} and tax.invoice_id = draft.id
          and tax.tax_id = ${taxId ?? null}::uuid))
      and (${planId ?? null}::uuid is null or exists (
        select from invoice_bills as link
        join subscriptions as subscription on subscription.organization_id = ${organizationId}
          and subscription.id = link.subscription_id and coalesce(priced_plan_id, plan_id) = ${planId ?? null}::uuid
        where link.organization_id = ${organizationId} and link.invoice_id = draft.id))
    order by id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function keepCustomerTaxes(
  tx: Tx,
  organizationId: string,
  { customerId, taxIds }: { customerId: string; taxIds: readonly string[] },
): Promise<void> {
  await sql`update invoices set customer_tax_ids = ${taxIds}::uuid[] where organization_id = ${organizationId}
    and customer_id = ${customerId} and status in ('generating', 'draft')`.execute(tx);
}

type Link = Omit<Insertable<DB["invoice_bills"]>, "organization_id">;

export const linkBills = batchedWrite<Link>(async (tx, organizationId, links) => {
  const rows = links.map((link) => ({ ...link, organization_id: organizationId }));
  await tx.insertInto("invoice_bills").values(rows).execute();
});

export type LinkRow = Omit<Selectable<DB["invoice_bills"]>, "organization_id" | "repriced_at">;

export const findLinks = batchedRows<LinkRow>(
  (tx, organizationId, invoiceIds) =>
    tx
      .selectFrom("invoice_bills")
      .select(["invoice_id", "bill_id", "subscription_id", "priced_plan_id", "priced_version", "opening_version"])
      .where("organization_id", "=", organizationId)
      .where("invoice_id", "=", anyOf(invoiceIds))
      .orderBy("subscription_id")
      .execute(),
  ({ invoice_id }) => invoice_id,
);

type NewInvoice = Omit<Insertable<DB["invoices"]>, "organization_id" | "status" | "payment_status" | "updated_at">;

/** One that belongs to no bill, and is saved by the transaction that inserts it. */
export const insertInvoice = (tx: Tx, organizationId: string, row: NewInvoice): Promise<InvoiceRow> =>
  tx
    .insertInto("invoices")
    .values({
      ...row,
      organization_id: organizationId,
      status: "generating",
      payment_status: "pending",
      updated_at: row.created_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateInvoice = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Updateable<DB["invoices"]>,
): Promise<InvoiceRow> =>
  tx
    .updateTable("invoices")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

export const takeCustomerNumber = batched<string, bigint>((tx, organizationId, customerIds) => {
  const series = customerIds.map((id) => `invoices:${id}`);
  return takeNumbers(tx, organizationId, series);
});

/** The organization's series begins after all numbers that were used before it. */
export const takeOrganizationNumber = batched<undefined, bigint>(async (tx, organizationId, all) => {
  const count = BigInt(all.length);
  const countBefore = () => countNumbered(tx, organizationId);
  const last = await takeLastOf(tx, organizationId, { series: "invoices", count, countBefore });
  return all.map((_, index) => last - count + 1n + BigInt(index));
});

async function countNumbered(tx: Tx, organizationId: string): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from invoices where organization_id = ${organizationId} and sequential_id is not null`.execute(tx);
  return rows[0]?.count ?? 0n;
}

type NewInvoiceTax = Omit<Insertable<DB["invoice_taxes"]>, "organization_id" | "id">;

/** For a draft that is recomputed. */
export async function deleteInvoiceTaxes(tx: Tx, organizationId: string, invoiceId: string): Promise<void> {
  await sql`delete from invoice_taxes where organization_id = ${organizationId} and invoice_id = ${invoiceId}`.execute(
    tx,
  );
}

export const insertInvoiceTaxes = batchedWrite<NewInvoiceTax>(async (tx, organizationId, taxes) => {
  await tx
    .insertInto("invoice_taxes")
    .values(taxes.map((tax) => ({ ...tax, organization_id: organizationId, id: newId() })))
    .execute();
});

export const findInvoiceTaxes = batchedRows<InvoiceTaxRow>(
  (tx, organizationId, invoiceIds) =>
    tx
      .selectFrom("invoice_taxes")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("invoice_id", "=", anyOf(invoiceIds))
      .orderBy("id")
      .execute(),
  ({ invoice_id }) => invoice_id,
);

export const findInvoiceMetadata = batchedRows<InvoiceMetadataRow>(
  (tx, organizationId, invoiceIds) =>
    tx
      .selectFrom("invoice_metadata")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .where("invoice_id", "=", anyOf(invoiceIds))
      .orderBy("created_at")
      .orderBy("id")
      .execute(),
  ({ invoice_id }) => invoice_id,
);

/** Replaces the metadata: known ids are changed, new pairs inserted, the others deleted. */
export async function replaceInvoiceMetadata(
  tx: Tx,
  organizationId: string,
  invoiceId: string,
  pairs: readonly Omit<InvoiceMetadataRow, "organization_id" | "invoice_id">[],
): Promise<void> {
  await tx
    .deleteFrom("invoice_metadata")
    .where("organization_id", "=", organizationId)
    .where("invoice_id", "=", invoiceId)
    .where("id", "!=", sql<string>`all(${pairs.map((pair) => pair.id)}::uuid[])`)
    .execute();
  if (pairs.length === 0) return;
  await tx
    .insertInto("invoice_metadata")
    .values(pairs.map((pair) => ({ ...pair, organization_id: organizationId, invoice_id: invoiceId })))
    .onConflict((conflict) =>
      conflict
        .columns(["organization_id", "id"])
        .doUpdateSet((row) => ({ key: row.ref("excluded.key"), value: row.ref("excluded.value") })),
    )
    .execute();
}

/** The closed usage windows of a customer's subscriptions with an external id, newest first, each with its invoice. */
export async function pageOfUsagePeriods(
  tx: Tx,
  organizationId: string,
  { customerId, externalId }: { customerId: string; externalId: string },
  page: Page,
): Promise<PageOf<UsagePeriodRow>> {
  const periods = sql`
    from invoice_bills as link
    join bills as bill on bill.organization_id = link.organization_id and bill.id = link.bill_id
      and bill.charges_from is not null
    join invoices as invoice on invoice.organization_id = link.organization_id and invoice.id = link.invoice_id
      and invoice.status <> 'generating'
    where link.organization_id = ${organizationId} and link.subscription_id in (
      select id from subscriptions
      where organization_id = ${organizationId} and customer_id = ${customerId} and external_id = ${externalId}
    )`;
  const { rows } = await sql<UsagePeriodRow>`
    select link.bill_id, link.invoice_id, bill.charges_from, bill.charges_to, invoice.issuing_date, invoice.currency ${periods}
    order by bill.charges_from desc, link.bill_id limit ${page.size} offset ${page.offset}`.execute(tx);
  const { rows: counts } = await sql<{ total: bigint }>`select count(*) as total ${periods}`.execute(tx);
  return { rows, total: Number(counts[0]?.total ?? 0) };
}

export type UsagePeriodRow = {
  bill_id: string;
  invoice_id: string;
  charges_from: Temporal.Instant;
  charges_to: Temporal.Instant;
  issuing_date: Temporal.PlainDate;
  currency: string;
};
