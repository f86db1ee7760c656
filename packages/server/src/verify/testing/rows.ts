/** Rows of the tables that promises are about, with defaults for all other columns. */
import { A, ADVANCING, ARREARS, IDLE, id, PATIENT, PERSONAL, SPENDER, TRAVELLER } from "./names.ts";

export type Row = { readonly table: string; readonly values: Readonly<Record<string, unknown>> };

let made = 1000;
const nextId = (): string => id(made++);
export const row = (table: string, values: Row["values"], organization = A): Row => ({
  table,
  values: { organization_id: organization, ...values },
});

export const day = (text: string): string => `${text}T00:00:00Z`;
export const CREATED = { created_at: day("2024-01-01") };
export const CHANGED = { ...CREATED, updated_at: day("2024-01-01") };

export function organization(organizationId: string, isSandbox: boolean): Row {
  const settings = { name: PERSONAL, is_sandbox: isSandbox, default_currency: "EUR", timezone: "UTC" };
  return {
    table: "organizations",
    values: { id: organizationId, ...settings, document_number_prefix: "P", ...CHANGED },
  };
}

export function customer(customerId: string, number: number, more: Row["values"] = {}): Row {
  const values = { id: customerId, external_id: `${PERSONAL}-${number}`, sequential_id: number, slug: PERSONAL };
  return row("customers", {
    ...values,
    name: PERSONAL,
    email: PERSONAL,
    currency: "EUR",
    timezone: "UTC",
    ...CHANGED,
    ...more,
  });
}

export function plan(planId: string, versions: readonly object[], organization = A): Row[] {
  const terms = {
    interval: "monthly",
    amount_currency: "EUR",
    pay_in_advance: false,
    bill_charges_monthly: null,
    charges: [],
  };
  return [
    row("plans", { id: planId, code: PERSONAL + planId, version: versions.length, ...CHANGED }, organization),
    ...versions.map((version, index) =>
      row(
        "plan_versions",
        { plan_id: planId, version: index + 1, terms: { ...terms, minimum_commitment: null, ...version }, ...CREATED },
        organization,
      ),
    ),
  ];
}

type Life = {
  of?: string;
  organization?: string;
  externalId: string;
  plan?: string;
  startedAt?: string;
} & Record<string, unknown>;

export function subscription(
  subscriptionId: string,
  { of = PATIENT, organization, externalId, startedAt, ...more }: Life,
): Row[] {
  const { plan: planId = ARREARS, ...columns } = more;
  const begun = startedAt === undefined ? {} : beginning(startedAt);
  const values = {
    id: subscriptionId,
    customer_id: of,
    external_id: `${PERSONAL}-${externalId}`,
    plan_id: planId,
    name: PERSONAL,
    status: "active",
    origin: "new",
    billing_time: "calendar",
    time_zone: "UTC",
    subscription_at: startedAt ?? day("2024-06-01"),
    ...begun,
    ...CHANGED,
    ...columns,
  };
  const tell = (type: string) => message(subscriptionId, type, organization);
  const isOver = values.status === "terminated" || values.status === "canceled";
  return [
    row("subscriptions", values, organization),
    ...(startedAt === undefined ? [] : tell("subscription.started")),
    ...(isOver ? tell("subscription.terminated") : []),
  ];
}

function beginning(startedAt: string) {
  const startDay = startedAt.slice(0, 10);
  return { started_at: startedAt, start_day: startDay, anchor: startDay, first_started_at: startedAt };
}

export function message(objectId: string, type: string, organization = A, payload: object = {}): Row[] {
  const at = { created_at: day("2024-04-01"), ready_at: day("2024-04-01"), dispatched_at: "2024-04-01T00:00:01Z" };
  const values = {
    id: nextId(),
    webhook_type: type,
    object_type: "subscription",
    object_id: objectId,
    change_key: "once",
  };
  return [row("outbox", { ...values, payload, ...at }, organization)];
}

/** Periods for the given months of 2024, of both kinds unless one is named. */
export function months(
  subscriptionId: string,
  numbers: readonly number[],
  more: { kind?: string; organization?: string } = {},
): Row[] {
  const first = (month: number): string => `2024-${String(month).padStart(2, "0")}-01`;
  const kinds = more.kind === undefined ? ["fee", "charges"] : [more.kind];
  return kinds.flatMap((kind) =>
    numbers.map((month) =>
      row(
        "subscription_periods",
        {
          subscription_id: subscriptionId,
          kind,
          starts_at: day(first(month)),
          ends_at: day(first(month + 1)),
          first_day: first(month),
          last_day: Temporal.PlainDate.from(first(month + 1))
            .subtract({ days: 1 })
            .toString(),
          created_at: day(first(month)),
        },
        more.organization,
      ),
    ),
  );
}

type Window = readonly [from: string, to: string];
type Occasion = { of?: string; organization?: string; key?: string; fee?: Window; usage?: Window };

/** Bills on the first of a month and at the end of a trial were made by work due at that time. */
export function bill(subscriptionId: string, reason: string, at: string, occasion: Occasion = {}): Row[] {
  const { of = PATIENT, organization, key = reason === "periodic" ? of : subscriptionId, fee, usage } = occasion;
  const window = (span: Window | undefined) => span && { from: span[0], to: span[1] };
  const values = {
    id: nextId(),
    customer_id: of,
    subscription_id: subscriptionId,
    reason,
    occurred_at: at,
    ready_at: at,
    invoice_key: key,
    fee_from: fee?.[0] ?? null,
    fee_to: fee?.[1] ?? null,
    charges_from: usage?.[0] ?? null,
    charges_to: usage?.[1] ?? null,
    windows: { fee: window(fee) ?? null, charges: window(usage) ?? null, renewal: null, commitment: null },
    created_at: at,
  };
  const kind = { periodic: "period_end", trial_end: "trial_end" }[reason];
  const work = kind === undefined ? [] : due(subscriptionId, kind, at, { of, organization, isDone: true });
  return [row("bills", values, organization), ...work];
}

const RANKS: Readonly<Record<string, number>> = {
  activation: 10,
  wallet_expiry: 22,
  ending: 30,
  downgrade: 40,
  period_end: 50,
  trial_end: 60,
  wallet_top_up: 70,
  invoice_finalization: 80,
  termination_alert: 100,
};

type Due = { of?: string; organization?: string | undefined; isDone?: boolean };

export function due(
  subjectId: string,
  kind: string,
  at: string,
  { of = PATIENT, organization, isDone = false }: Due = {},
): Row[] {
  const clocks: Record<string, string> = { [PATIENT]: IDLE, [TRAVELLER]: ADVANCING };
  const values = { id: nextId(), kind, subject_id: subjectId, customer_id: of, test_clock_id: clocks[of] ?? null };
  const times = { due_at: at, ready_at: at, done_at: isDone ? at : null };
  return [row("due_instants", { ...values, rank: RANKS[kind], ...times }, organization)];
}

type Usage = {
  id: string;
  received: string;
  shard: number;
  position: number;
  organization?: string;
  isDropped?: boolean;
};

/** The key of an event, and the event itself unless its month was dropped. */
export function event(transaction: string, usage: Usage): Row[] {
  const { id, received, shard, position, organization, isDropped } = usage;
  const identity = { id, external_subscription_id: `${PERSONAL}-plain`, transaction_id: `${PERSONAL} ${transaction}` };
  const times = { timestamp: day("2024-02-29"), received_at: received };
  const key = row("event_keys", { ...identity, ...times, body_digest: `\\x${"0".repeat(32)}` }, organization);
  const sent = { code: PERSONAL, properties: { gigabytes: 1 }, digest: 1 };
  return isDropped ? [key] : [key, row("events", { ...identity, ...times, ...sent, shard, position }, organization)];
}

type Moved = { from: string; to: string; amount: number; source: readonly [kind: string, id: string]; of: string };

/** Both entries of a transfer. Their ids are derived from the transfer's id. */
export function transfer(transferId: string, { from, to, amount, source, of }: Moved): Row[] {
  const entry = (entryId: string, account: string, amount_cents: number) =>
    row("ledger_entries", {
      id: entryId,
      transfer_id: transferId,
      account_kind: account,
      account_id: of,
      customer_id: SPENDER,
      currency: "EUR",
      amount_cents,
      source_kind: source[0],
      source_id: source[1],
      occurred_at: day("2024-04-01"),
      created_at: day("2024-04-01"),
    });
  const number = 10 * Number(transferId.slice(-3));
  return [entry(id(number), from, -amount), entry(id(number + 1), to, amount)];
}
