/** What is stored and shown of the subscriptions, as lines that compare with the expected ones. */
import type { Period } from "../../packages/core/src/time/index.ts";
import type { createPool } from "../../packages/server/src/platform/postgres/pool.ts";
import type { Call } from "../served-api.ts";
import { billLine, dueLine, invoiceLine, periodLine, type Rows, shownLine } from "./expected.ts";
import type { World } from "./world.ts";

/** Connections of the harness, apart from those of the service. */
export type Records = ReturnType<typeof createPool>;

type Lines = { -readonly [Kind in keyof Rows]: string[] };

/** By the external id of the subscription. */
export type Stored = Map<string, Lines>;

type Instant = Temporal.Instant;
type PeriodRow = Period & { kind: string; created_at: Instant };
type BillRow = {
  reason: string;
  occurred_at: Instant;
  ready_at: Instant;
  of: string;
  fee_from: Instant | null;
  fee_to: Instant;
  charges_from: Instant | null;
  charges_to: Instant;
};
type InvoiceRow = {
  reason: string;
  occurred_at: Instant;
  status: string;
  issuing_date: Temporal.PlainDate;
  fee_from: Instant | null;
  fee_to: Instant;
  cents: bigint;
  calls: bigint;
};

/** Of every bill what its invoice says of it. */
const BILLED = `(
  select bill.organization_id, bill.subscription_id, bill.reason, invoice.occurred_at, invoice.status, invoice.issuing_date,
    min(fee.from_at) filter (where fee.fee_type = 'subscription') as fee_from,
    min(fee.to_at) filter (where fee.fee_type = 'subscription') as fee_to,
    coalesce(sum(fee.amount_cents) filter (where fee.fee_type = 'subscription'), 0)::bigint as cents,
    coalesce(sum(fee.units) filter (where fee.fee_type = 'charge'), 0)::bigint as calls
  from bills bill
  join invoice_bills link on link.organization_id = bill.organization_id and link.bill_id = bill.id
  join invoices invoice on invoice.organization_id = link.organization_id and invoice.id = link.invoice_id
  left join fees fee on fee.organization_id = bill.organization_id and fee.bill_id = bill.id and fee.invoice_id = invoice.id
  where bill.organization_id = $1 and bill.customer_id = (
    select id from customers where organization_id = $1 and external_id = $2
  )
  group by bill.organization_id, bill.id, invoice.id, invoice.organization_id, bill.subscription_id, bill.reason,
    invoice.occurred_at, invoice.status, invoice.issuing_date
)`;

type DueRow = { kind: string; due_at: Instant; is_done: boolean };

/** Everything of the subscriptions of one customer. */
export async function readStored(records: Records, { organizationId }: World, customer: string): Promise<Stored> {
  const stored: Stored = new Map();
  const read = async <Row>(table: string, subject: string, columns: string): Promise<(Row & { owner: string })[]> => {
    const statement = `
      select s.external_id as owner, ${columns} from subscriptions s
      join customers c on c.organization_id = s.organization_id and c.id = s.customer_id
      join ${table} t on t.organization_id = s.organization_id and t.${subject} = s.id
      where s.organization_id = $1 and c.external_id = $2`;
    return (await records.query(statement, [organizationId, customer])).rows;
  };
  for (const { owner } of await read("subscriptions", "id", "t.status")) linesOf(stored, owner);
  for (const { owner, kind, created_at, ...period } of await read<PeriodRow>(
    "subscription_periods",
    "subscription_id",
    `t.kind, t.starts_at as "from", t.ends_at as "to", t.first_day as "firstDay", t.last_day as "lastDay", t.created_at`,
  ))
    linesOf(stored, owner).periods.push(periodLine(kind, period, created_at));
  for (const { owner, ...bill } of await read<BillRow>(
    "bills",
    "subscription_id",
    `t.*, case t.invoice_key when t.customer_id then 'customer' when t.subscription_id then 'subscription' end as "of"`,
  ))
    linesOf(stored, owner).bills.push(lineOfBill(bill));
  for (const { owner, ...billed } of await read<InvoiceRow>(BILLED, "subscription_id", "t.*"))
    linesOf(stored, owner).invoices.push(lineOfInvoice(billed));
  for (const { owner, kind, due_at, is_done } of await read<DueRow>(
    "due_instants",
    "subject_id",
    "t.kind, t.due_at, t.done_at is not null as is_done",
  ))
    linesOf(stored, owner).dueRows.push(dueLine(kind, due_at, is_done));
  for (const { owner, webhook_type } of await read<{ webhook_type: string }>("outbox", "object_id", "t.webhook_type"))
    linesOf(stored, owner).messages.push(webhook_type);
  return stored;
}

const lineOfBill = ({ fee_from, fee_to, charges_from, charges_to, ...bill }: BillRow): string =>
  billLine(
    { reason: bill.reason, at: bill.occurred_at, readyAt: bill.ready_at, of: bill.of },
    fee_from && { from: fee_from, to: fee_to },
    charges_from && { from: charges_from, to: charges_to },
  );

const lineOfInvoice = ({ fee_from, fee_to, ...billed }: InvoiceRow): string =>
  invoiceLine({
    ...billed,
    at: billed.occurred_at,
    issuedOn: billed.issuing_date,
    fee: fee_from && { from: fee_from, to: fee_to },
  });

type Shown = {
  external_id: string;
  external_customer_id: string;
  status: string;
  started_at: string | null;
  current_billing_period_started_at: string | null;
  current_billing_period_ending_at: string | null;
};
type Page = { subscriptions: Shown[]; meta: { next_page: number | null } };

/** By customer and external id. */
export type ShownLines = ReadonlyMap<string, readonly { owner: string; line: string }[]>;

/** What the list of the API shows, of all customers. */
export async function readShown(call: Call): Promise<ShownLines> {
  const shown = new Map<string, { owner: string; line: string }[]>();
  let page: number | null = 1;
  while (page !== null) {
    const path: string = `/subscriptions?status[]=active&status[]=pending&per_page=1000&page=${page}`;
    const { subscriptions, meta }: Page = await call<Page>("GET", path);
    for (const one of subscriptions) {
      const line = shownLine(one.status, {
        startedAt: one.started_at,
        from: one.current_billing_period_started_at,
        lastSecond: one.current_billing_period_ending_at,
      });
      const lines = shown.get(one.external_customer_id) ?? [];
      shown.set(one.external_customer_id, [...lines, { owner: one.external_id, line }]);
    }
    page = meta.next_page;
  }
  return shown;
}

export function linesOf(stored: Stored, owner: string): Lines {
  const lines = stored.get(owner) ?? { periods: [], bills: [], invoices: [], dueRows: [], messages: [], shown: [] };
  stored.set(owner, lines);
  return lines;
}
