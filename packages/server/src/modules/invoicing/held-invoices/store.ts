/** All SQL on second_opinions. */
import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { batchedWrite } from "../../../platform/postgres/batch.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

type InvoiceOf = { id: string; occurred_at: Temporal.Instant };

export type HeldStep = "issue" | "finalize";

export type Hold = {
  invoiceId: string;
  step: HeldStep;
  stepAt: Temporal.Instant;
  first: object;
  second: object;
  differences: readonly object[];
  heldAt: Temporal.Instant;
};

/** If the invoice is already held, keeps the latest comparison and counts the repetition. Returns how often it was held. */
export async function holdInvoiceRow(tx: Tx, organizationId: string, hold: Hold): Promise<number> {
  const { rows } = await sql<{ times: number }>`
    insert into second_opinions (organization_id, invoice_id, step, step_at, first, second, differences, held_at)
    values (${organizationId}::uuid, ${hold.invoiceId}::uuid, ${hold.step}, ${hold.stepAt}::timestamptz,
      ${JSON.stringify(hold.first)}::jsonb, ${JSON.stringify(hold.second)}::jsonb, ${JSON.stringify(hold.differences)}::jsonb,
      ${hold.heldAt}::timestamptz)
    on conflict (organization_id, invoice_id) do update set step = excluded.step, step_at = excluded.step_at,
      first = excluded.first, second = excluded.second, differences = excluded.differences, held_at = excluded.held_at,
      times = second_opinions.times + 1, released_at = null, release_reason = null
    returning times`.execute(tx);
  return rows[0]?.times ?? 1;
}

export type HeldRow = {
  /** Of the invoice. */
  id: string;
  step: HeldStep;
  differences: readonly { figure: string; first: string | null; second: string | null }[];
  held_at: Temporal.Instant;
  times: number;
  released_at: Temporal.Instant | null;
  release_reason: string | null;
  customer_id: string;
  external_customer_id: string;
};

/** Every invoice that is or was held. */
const rowsOf = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom(({ selectFrom }) =>
      selectFrom("second_opinions as held")
        .innerJoin("invoices as invoice", (on) =>
          on.on("invoice.organization_id", "=", organizationId).onRef("invoice.id", "=", "held.invoice_id"),
        )
        .innerJoin("customers as customer", (on) =>
          on.on("customer.organization_id", "=", organizationId).onRef("customer.id", "=", "invoice.customer_id"),
        )
        .select(["held.invoice_id as id", "held.step", "held.differences", "held.held_at", "held.times"])
        .select(["held.released_at", "held.release_reason"])
        .select(["customer.id as customer_id", "customer.external_id as external_customer_id"])
        .where("held.organization_id", "=", organizationId)
        .as("held"),
    )
    .selectAll("held")
    .$castTo<HeldRow>();

/** Longest held first. */
export const findHeld = (tx: Tx, organizationId: string, limit: number): Promise<HeldRow[]> =>
  rowsOf(tx, organizationId).where("released_at", "is", null).orderBy("held_at").orderBy("id").limit(limit).execute();

/** Index: second_opinions_held, or second_opinions_list. */
export function pageOfHeld(tx: Tx, organizationId: string, list: ListRequest) {
  const { status = ["held"] } = list.filters;
  const rows = rowsOf(tx, organizationId);
  const chosen =
    new Set(status).size > 1 ? rows : rows.where("released_at", status[0] === "held" ? "is" : "is not", null);
  // The page knows tables, and takes this query for one.
  return pageOf(chosen as unknown as SelectQueryBuilder<DB, "second_opinions", HeldRow>, list, {
    sorts: { held_at: [byInstant("held_at")] },
  });
}

/** Released ones as well. */
export const findHeldInvoice = async (tx: Tx, organizationId: string, id: string): Promise<HeldRow | undefined> =>
  isUuid(id) ? rowsOf(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

/** Both results of an invoice that is or was held. */
export async function findDerivations(
  tx: Tx,
  organizationId: string,
  invoiceId: string,
): Promise<{ first: object; second: object } | undefined> {
  const { rows } = await sql<{ first: object; second: object }>`
    select first, second from second_opinions
    where organization_id = ${organizationId} and invoice_id::text = ${invoiceId}`.execute(tx);
  return rows[0];
}

/** A period of a subscription, and whether something besides the plan fee is billed at its start. */
type HeldPeriod = { subscriptionId: string; from: Temporal.Instant; to: Temporal.Instant; isRenewed: boolean };

/** Earlier held invoices that would bill part of a period. The caller locks their customer. */
export async function findHeldBefore(
  tx: Tx,
  organizationId: string,
  { invoice, period: { subscriptionId, from, to, isRenewed } }: { invoice: InvoiceOf; period: HeldPeriod },
): Promise<string[]> {
  const isOfPeriod = (instant: RawBuilder<unknown>) =>
    sql`(${instant} >= ${from}::timestamptz and ${instant} < ${to}::timestamptz)`;
  const { rows } = await sql<{ id: string }>`
    select earlier.id from invoice_bills as link
    join second_opinions as held on held.organization_id = ${organizationId} and held.invoice_id = link.invoice_id
    join invoices as earlier on earlier.organization_id = ${organizationId} and earlier.id = link.invoice_id
    join bills as bill on bill.organization_id = ${organizationId} and bill.id = link.bill_id
    where link.organization_id = ${organizationId} and link.subscription_id = ${subscriptionId}::uuid
      and held.released_at is null and held.step = 'issue'
      and (earlier.occurred_at, earlier.id) < (${invoice.occurred_at}::timestamptz, ${invoice.id}::uuid)
      and (${isOfPeriod(sql`bill.fee_from`)} or ${isOfPeriod(sql`bill.charges_from`)}
        or ${isRenewed} and ${isOfPeriod(sql`(bill.windows -> 'renewal' ->> 'from')::timestamptz`)})
    order by earlier.occurred_at, earlier.id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** undefined: the invoice is not held. The caller locks its customer. */
export async function releaseRow(
  tx: Tx,
  organizationId: string,
  { invoiceId, reason, now }: { invoiceId: string; reason: string | null; now: Temporal.Instant },
): Promise<{ step: HeldStep; stepAt: Temporal.Instant } | undefined> {
  const { rows } = await sql<{ step: HeldStep; stepAt: Temporal.Instant }>`
    update second_opinions set released_at = ${now}::timestamptz, release_reason = ${reason}
    where organization_id = ${organizationId} and invoice_id = ${invoiceId}::uuid and released_at is null
    returning step, step_at as "stepAt"`.execute(tx);
  return rows[0];
}

/** For invoices whose two results agreed later. */
export const forgetHolds = batchedWrite<string>(async (tx, organizationId, invoiceIds) => {
  await sql`
    update second_opinions set released_at = held_at
    where organization_id = ${organizationId} and invoice_id = any(${invoiceIds}::uuid[]) and released_at is null`.execute(
    tx,
  );
});

/** Over all organizations, for the dispatcher: counts invoices that wait for an operator. */
export async function countHeld(dispatcherDb: Database): Promise<bigint> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) from second_opinions where released_at is null`.execute(dispatcherDb);
  return rows[0]?.count ?? 0n;
}
