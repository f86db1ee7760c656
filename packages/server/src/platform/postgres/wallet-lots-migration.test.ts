/** What migration 0026 does to wallets that existed before lots. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../testing/start-tallystick.ts";
import { checkInvariants } from "../../verify/check-invariants.ts";
import { readInvariants } from "../../verify/read-invariants.ts";

const MIGRATION = "0026-wallet-lots";
const folder = join(import.meta.dirname, "migrations");
const readUp = (name: string) => readFile(join(folder, name, "up.sql"), "utf8");
const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const day = (text: string) => `2024-${text}T00:00:00Z`;

const [ORGANIZATION, CUSTOMER, LIVING, ENDED, BOUNCED] = [id(1), id(2), id(3), id(4), id(5)];
const login = new pg.Client({ connectionString: await createTestDatabase() });

async function insert(table: string, values: object): Promise<void> {
  const row = { organization_id: ORGANIZATION, ...values };
  const columns = Object.keys(row);
  const statement = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`;
  await login.query(statement, [JSON.stringify(row)]);
}

const invoice = (number: number, payment_status: string, status = "finalized") =>
  insert("invoices", {
    id: id(number),
    customer_id: CUSTOMER,
    invoice_type: "credit",
    status,
    occurred_at: day("01-01"),
    currency: "EUR",
    number: String(number),
    sequential_id: number,
    issuing_date: "2024-01-01",
    payment_due_date: "2024-01-01",
    net_payment_term: 0,
    time_zone: "UTC",
    finalized_at: day("01-01"),
    voided_at: status === "voided" ? day("02-02") : null,
    payment_status,
    payment_overdue: false,
    ...FIGURES,
    made_from: {},
    derivation: {},
    created_at: day("01-01"),
    updated_at: day("01-01"),
  });
const FIGURES = {
  fees_amount_cents: 5000,
  coupons_amount_cents: 0,
  taxes_amount_cents: 0,
  credit_notes_amount_cents: 0,
  prepaid_credit_amount_cents: 0,
  total_amount_cents: 5000,
  taxes_rate: 0,
};

const wallet = (walletId: string, balance: number, more: object = {}) =>
  insert("wallets", {
    id: walletId,
    customer_id: CUSTOMER,
    status: "active",
    currency: "EUR",
    rate_amount: 1,
    priority: 50,
    balance_cents: balance,
    consumed_amount_cents: 0,
    consumed_credits: 0,
    ongoing_usage_cents: 0,
    is_depleted: false,
    initial_paid_credits: 0,
    initial_granted_credits: 0,
    created_at: day("01-01"),
    updated_at: day("01-01"),
    ...more,
  });

type Old = { wallet?: string; kind: string; cents: number; at: string; status?: string; invoice?: number; of?: number };

async function moves(number: number, { wallet: walletId = LIVING, kind, cents, at, ...more }: Old): Promise<void> {
  const status = more.status ?? "settled";
  const isInbound = kind === "granted" || kind === "purchased";
  await insert("wallet_transactions", {
    id: id(number),
    wallet_id: walletId,
    customer_id: CUSTOMER,
    transaction_type: isInbound ? "inbound" : "outbound",
    transaction_status: kind,
    status,
    source: "manual",
    amount_cents: cents,
    credit_amount: cents / 100,
    invoice_id: more.invoice === undefined ? null : id(more.invoice),
    voided_invoice_id: more.of === undefined ? null : id(more.of),
    created_at: day(at),
    settled_at: status === "settled" ? day(at) : null,
  });
  if (status !== "settled") return;
  for (const [accountKind, sign] of [["wallet", isInbound ? 1 : -1] as const, [kind, isInbound ? -1 : 1] as const])
    await login.query(
      `insert into ledger_entries values ($1, gen_random_uuid(), $2, $3, $4, $5, 'EUR', $6, 'wallet_transaction', $2, $7, $7)`,
      [ORGANIZATION, id(number), accountKind, walletId, CUSTOMER, sign * cents, day(at)],
    );
}

beforeAll(async () => {
  await login.connect();
  await login.query(await readFile(join(import.meta.dirname, "bootstrap.sql"), "utf8"));
  await login.query("set role tallystick_owner");
  const names = (await readdir(folder)).sort();
  for (const name of names.slice(0, names.indexOf(MIGRATION))) await login.query(await readUp(name));
  await login.query("reset role; set session_replication_role = replica");
  await login.query(
    `insert into organizations (id, name, is_sandbox, default_currency, timezone, document_number_prefix, created_at, updated_at)
     values ($1, 'o', false, 'EUR', 'UTC', 'O', now(), now())`,
    [ORGANIZATION],
  );
  const named = { external_id: "c", sequential_id: 1, slug: "c", created_at: day("01-01"), updated_at: day("01-01") };
  await insert("customers", { id: CUSTOMER, ...named });
  for (const number of [21, 22, 23, 24]) await invoice(number, number === 23 ? "failed" : "succeeded");
  await invoice(25, "pending");
  await invoice(26, "pending", "voided");
  await wallet(LIVING, 1300);
  await moves(31, { kind: "granted", cents: 1000, at: "01-01" });
  await moves(32, { kind: "purchased", cents: 2000, at: "01-02", invoice: 21 });
  await moves(33, { kind: "invoiced", cents: 1500, at: "02-01", invoice: 22 });
  await moves(34, { kind: "invoiced", cents: 300, at: "02-02", invoice: 26 });
  await moves(35, { kind: "granted", cents: 300, at: "02-03", of: 26 });
  await moves(36, { kind: "voided", cents: 200, at: "02-04" });
  await moves(37, { kind: "purchased", cents: 500, at: "02-05", invoice: 25, status: "pending" });
  await wallet(ENDED, 400, { status: "terminated", terminated_at: day("02-01") });
  await moves(41, { wallet: ENDED, kind: "purchased", cents: 400, at: "03-01", invoice: 24 });
  await wallet(BOUNCED, 700);
  await moves(51, { wallet: BOUNCED, kind: "purchased", cents: 700, at: "01-01", invoice: 23 });
  await login.query("set session_replication_role = default; set role tallystick_owner");
  await login.query(`begin; ${await readUp(MIGRATION)}; commit`);
  await login.query("reset role");
});
afterAll(() => login.end());

const lots = async () => {
  const { rows } = await login.query<{ id: string; text: string }>(
    `select id, concat_ws(' ', remaining_amount_cents, withheld_amount_cents, predates_lots) as text
     from wallet_transactions where transaction_type = 'inbound' order by id`,
  );
  return Object.fromEntries(rows.map((row) => [Number(row.id.slice(-12)), row.text]));
};

test("debits are taken from granted lots first, then from the oldest; balances stay, except for ended wallets", async () => {
  expect(await lots()).toEqual({
    // Of 10.00 and 20.00, 15.00 and 2.00 are spent; 3.00 were returned.
    31: "0 0 f",
    32: "1300 0 f",
    35: "0 0 f",
    37: "0 500 f",
    41: "0 0 f",
    51: "700 0 t",
  });
  const { rows } = await login.query("select balance_cents::int as cents from wallets order by id");
  expect(rows.map(({ cents }) => cents)).toEqual([1300, 0, 700]);
});

test("the amount of each transaction per lot is stored, so that a void can return it", async () => {
  const { rows } = await login.query<{ moved: string }>(
    `select concat_ws(' ', right(transaction_id::text, 2), right(lot_id::text, 2), amount_cents) as moved
     from wallet_lot_movements order by transaction_id, lot_id`,
  );
  expect(rows.map(({ moved }) => moved)).toEqual([
    "33 31 -1000",
    "33 32 -500",
    "34 31 -300",
    "35 31 300",
    "36 32 -200",
  ]);
});

test("the promises about lots, purchases and the ledger are kept", async () => {
  const names = [
    "ledger-balances-are-not-negative",
    "ledger-transfers-balance",
    "purchases-follow-payment",
    "wallet-lots-add-up",
    "write-offs-are-due",
  ];
  const invariants = (await readInvariants()).filter(({ name }) => names.includes(name));
  expect(invariants).toHaveLength(names.length);
  await login.query("set role tallystick_verifier");
  const findings = await checkInvariants(login, invariants, { rowsMax: 5, now: Temporal.Instant.from(day("04-01")) });
  await login.query("reset role");
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
