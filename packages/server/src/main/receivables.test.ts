import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTallystick } from "../testing/start-tallystick.ts";
import { subscribeCustomer } from "../testing/subscribed-customer.ts";
import { verify } from "../verify/index.ts";
import { receivableOpening } from "./open-receivables.ts";

const { call, platform, drain } = await startTallystick();
const url = platform.config.DATABASE_URL;
const login = new pg.Client({ connectionString: url });
beforeAll(() => login.connect());
afterAll(() => login.end());

await call("POST", "/add_ons", {
  add_on: { name: "Setup", code: "setup", amount_cents: 1000, amount_currency: "EUR" },
});

const ask = async (method: "GET" | "POST" | "PUT", path: string, body?: object) => {
  const answer = await call(method, path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

let customers = 0;
async function bill(): Promise<string> {
  customers += 1;
  const external_customer_id = `debtor ${customers}`;
  await ask("POST", "/customers", { customer: { external_id: external_customer_id, currency: "EUR" } });
  const invoice = { external_customer_id, currency: "EUR", fees: [{ add_on_code: "setup", units: "1" }] };
  return (await ask("POST", "/invoices", { invoice })).invoice.svc_id;
}

const pay = (id: string, payment_status: string) => ask("PUT", `/invoices/${id}`, { invoice: { payment_status } });
const writeOff = (id: string, amount_cents?: number) =>
  ask("POST", `/invoices/${id}/write_off`, { amount_cents, reason: "insolvent" });

async function newStatus(id: string) {
  const { invoice } = await ask("GET", `/invoices/${id}`);
  return [invoice.payment_status, invoice.total_paid_amount_cents, invoice.total_due_amount_cents];
}

async function accounts(id: string): Promise<Record<string, number>> {
  const { rows } = await login.query(
    `select account_kind, sum(amount_cents)::int as amount from ledger_entries where account_id = $1
     group by account_kind having sum(amount_cents) <> 0 order by account_kind`,
    [id],
  );
  return Object.fromEntries(rows.map(({ account_kind, amount }) => [account_kind, amount]));
}

const entriesOf = async (id: string): Promise<number> =>
  (await login.query("select from ledger_entries where account_id = $1", [id])).rowCount ?? 0;

const broken = async () => (await verify(url)).filter((finding) => finding.broken > 0);

describe("an invoice", () => {
  test("is owed from the moment it is finalized, and paid by its payments", async () => {
    const id = await bill();
    expect(await newStatus(id)).toEqual(["pending", 0, 1000]);
    expect(await accounts(id)).toEqual({ billed: -1000, receivable: 1000 });
    await pay(id, "succeeded");
    expect(await newStatus(id)).toEqual(["succeeded", 1000, 0]);
    expect(await accounts(id)).toEqual({ billed: -1000, paid: 1000 });
  });

  test("is due again when its payment bounces, and every payment stays in the ledger", async () => {
    const id = await bill();
    for (const status of ["succeeded", "failed", "succeeded", "pending"]) await pay(id, status);
    expect(await newStatus(id)).toEqual(["pending", 0, 1000]);
    expect(await accounts(id)).toEqual({ billed: -1000, receivable: 1000 });
    expect(await entriesOf(id)).toBe(10);
  });

  test("keeps the last status set by hand while it has no payment", async () => {
    const id = await bill();
    await pay(id, "failed");
    expect(await newStatus(id)).toEqual(["failed", 0, 1000]);
    await pay(id, "pending");
    expect(await newStatus(id)).toEqual(["pending", 0, 1000]);
    expect(await entriesOf(id)).toBe(2);
  });

  test("is owed as much after a credit note as before", async () => {
    const id = await bill();
    const { invoice } = await ask("GET", `/invoices/${id}`);
    const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 400 }];
    const note = { invoice_id: id, reason: "other", credit_amount_cents: 400, refund_amount_cents: 0, items };
    await ask("POST", "/credit_notes", { credit_note: note });
    expect(await newStatus(id)).toEqual(["pending", 0, 1000]);
  });

  test("that is voided is not owed", async () => {
    const id = await bill();
    await ask("POST", `/invoices/${id}/void`);
    expect(await newStatus(id)).toEqual(["pending", 0, 0]);
    expect(await accounts(id)).toEqual({ billed: -1000, voided: 1000 });
  });

  test("that is written off in part is paid by the rest", async () => {
    const id = await bill();
    await writeOff(id, 400);
    expect(await newStatus(id)).toEqual(["pending", 0, 600]);
    await pay(id, "succeeded");
    expect(await newStatus(id)).toEqual(["succeeded", 600, 0]);
    expect(await accounts(id)).toEqual({ billed: -1000, paid: 600, written_off: 400 });
  });

  test("that is written off and paid after all is paid as a whole, and due as a whole if that bounces", async () => {
    const id = await bill();
    await writeOff(id);
    expect(await newStatus(id)).toEqual(["pending", 0, 0]);
    const { invoice } = await pay(id, "succeeded");
    expect(invoice.total_written_off_amount_cents).toBe(0);
    expect(await accounts(id)).toEqual({ billed: -1000, paid: 1000 });
    await pay(id, "failed");
    expect(await newStatus(id)).toEqual(["failed", 0, 1000]);
    await writeOff(id, 1000);
    expect(await accounts(id)).toEqual({ billed: -1000, written_off: 1000 });
  });

  test("whose dispute is lost is due, as disputed", async () => {
    const id = await bill();
    await ask("POST", `/invoices/${id}/lose_dispute`);
    expect(await newStatus(id)).toEqual(["pending", 0, 1000]);
    expect(await accounts(id)).toEqual({ billed: -1000, disputed: 1000 });
    await pay(id, "succeeded");
    expect(await accounts(id)).toEqual({ billed: -1000, paid: 1000 });
    await pay(id, "failed");
    expect(await accounts(id)).toEqual({ billed: -1000, disputed: 1000 });
  });
});

test("money is refunded once when a refund succeeds", async () => {
  const id = await bill();
  await pay(id, "succeeded");
  const { invoice } = await ask("GET", `/invoices/${id}`);
  const items = [{ fee_id: invoice.fees[0].svc_id, amount_cents: 400 }];
  const expected = { invoice_id: id, reason: "other", credit_amount_cents: 0, refund_amount_cents: 400, items };
  const note = (await ask("POST", "/credit_notes", { credit_note: expected })).credit_note.svc_id;
  const refund = (refund_status: string) => ask("PUT", `/credit_notes/${note}`, { credit_note: { refund_status } });
  expect(await accounts(note)).toEqual({});
  await refund("succeeded");
  await refund("succeeded");
  expect(await accounts(note)).toEqual({ issued: -400, refunded: 400 });
  await refund("failed");
  expect(await accounts(note)).toEqual({});
  await refund("succeeded");
  expect(await accounts(note)).toEqual({ issued: -400, refunded: 400 });
  expect(await newStatus(id)).toEqual(["succeeded", 1000, 0]);
});

describe("standalone fees", async () => {
  const { subscription, send, advanceTo } = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: { jobs: { aggregation_type: "count_agg" } },
    charges: [
      {
        metric: "jobs",
        pay_in_advance: true,
        invoiceable: false,
        regroup_paid_fees: "invoice",
        properties: { amount: "5" },
      },
    ],
    plan: { amount_cents: 0 },
  });
  await send("jobs", {}, {}, {}, {});
  await drain();
  const path = `/fees?external_subscription_id=${encodeURIComponent(subscription)}&fee_type=charge`;
  const fees: { svc_id: string }[] = (await call("GET", path)).body.fees;
  const [first, second, third, fourth] = fees.map(({ svc_id }) => svc_id) as [string, string, string, string];
  const set = (id: string, payment_status: string) => ask("PUT", `/fees/${id}`, { fee: { payment_status } });

  test("are owed, paid, refunded and deleted by themselves", async () => {
    expect(await accounts(first)).toEqual({ billed: -500, receivable: 500 });
    await set(first, "refunded");
    expect(await accounts(first)).toEqual({ billed: -500, issued: -500, paid: 500, refunded: 500 });
    await set(first, "failed");
    expect(await accounts(first)).toEqual({ billed: -500, receivable: 500 });
    await call("DELETE", `/fees/${first}`);
    expect(await accounts(first)).toEqual({ billed: -500, voided: 500 });
  });

  test("move what was paid of them to the invoice that takes them", async () => {
    await set(second, "succeeded");
    await set(third, "succeeded");
    await advanceTo("2024-02-01T00:00:00Z");
    const { fee } = await ask("GET", `/fees/${second}`);
    expect(await accounts(second)).toEqual({ billed: -500, regrouped: 500 });
    expect(await accounts(fee.svc_invoice_id)).toEqual({ billed: -1000, paid: 1000 });
    expect(await newStatus(fee.svc_invoice_id)).toEqual(["succeeded", 1000, 0]);
    await pay(fee.svc_invoice_id, "failed");
    expect(await newStatus(fee.svc_invoice_id)).toEqual(["failed", 0, 1000]);
    expect(await accounts(fourth)).toEqual({ billed: -500, receivable: 500 });
  });
});

test("concurrent payments, write-offs and a void leave an invoice in a consistent state", async () => {
  const [first, second] = [await bill(), await bill()];
  const status = (id: string, payment_status: string) =>
    call("PUT", `/invoices/${id}`, { invoice: { payment_status } });
  const give = (id: string) => call("POST", `/invoices/${id}/write_off`, { amount_cents: 600, reason: "insolvent" });
  const answers = await Promise.all([
    ...["succeeded", "failed", "succeeded", "pending"].map((requested) => status(first, requested)),
    ...[give(second), status(second, "succeeded"), give(second), call("POST", `/invoices/${second}/void`)],
  ]);
  expect(answers.filter((answer) => answer.status !== 200 && answer.status !== 405)).toEqual([]);
  for (const id of [first, second]) {
    const held = await accounts(id);
    expect(Object.values(held).reduce((sum, amount) => sum + amount, 0)).toBe(0);
    expect(held.billed).toBe(-1000);
  }
});

test("the ledger and the documents agree", async () => {
  expect(await broken()).toEqual([]);
});

describe("a database of an earlier release", () => {
  /** The state before receivables existed. */
  async function takeReceivablesAway(): Promise<void> {
    await login.query(`
      begin;
      set local session_replication_role = replica;
      delete from ledger_entries where account_kind in (
        'billed', 'receivable', 'disputed', 'prepaid', 'paid', 'overpaid', 'written_off', 'regrouped')
        or transfer_id in (select transfer_id from ledger_entries where account_id in (select id from fees));
      delete from ledger_entries where account_id in (select id from invoices) or account_id in (select id from fees);
      update invoices set has_receivable = false, paid_amount_cents = 0;
      update fees set has_receivable = false;
      delete from invoice_write_offs;
      insert into invoice_write_offs
        select organization_id, id, id, written_off_amount_cents, 'old', updated_at, updated_at from invoices
        where written_off_amount_cents > 0;
      insert into receivable_openings (organization_id, created_at) select id, now() from organizations;
      commit`);
  }

  test("shows the same, is verified before and after its receivables are opened, and goes on from there", async () => {
    const [paid, owed, forgiven, disputed] = [await bill(), await bill(), await bill(), await bill()];
    await pay(paid, "succeeded");
    await writeOff(forgiven, 300);
    await ask("POST", `/invoices/${disputed}/lose_dispute`);
    const all = [paid, owed, forgiven, disputed];
    const shown = () => Promise.all(all.map(async (id) => [await newStatus(id), await accounts(id)]));
    const before = await shown();
    const total = `select account_kind, sum(amount_cents) as amount from ledger_entries where account_kind <> 'issued'
      group by 1 having sum(amount_cents) <> 0 order by 1`;
    const { rows: balances } = await login.query(total);
    await takeReceivablesAway();
    expect(await Promise.all(all.map(newStatus))).toEqual(before.map(([members]) => members));
    expect(await broken()).toEqual([]);
    // A change that comes before the job opens the receivable first.
    await pay(owed, "succeeded");
    await pay(owed, "pending");
    await receivableOpening(platform)();
    expect(await shown()).toEqual(before);
    // Deleted or invoiced fees no longer need a receivable of their own.
    const over = ["billed", "regrouped", "voided"];
    const without = (rows: { account_kind: string }[]) => rows.filter(({ account_kind: kind }) => !over.includes(kind));
    expect(without((await login.query(total)).rows)).toEqual(without(balances));
    expect(await broken()).toEqual([]);
    await pay(paid, "failed");
    expect(await newStatus(paid)).toEqual(["failed", 0, 1000]);
  });

  test("is done once nothing is left and no process of that release can still run", async () => {
    await receivableOpening(platform)();
    const finished = async () =>
      (await login.query("select from receivable_openings where finished_at is null")).rowCount;
    expect(await finished()).toBe(2);
    await login.query("update receivable_openings set created_at = created_at - interval '2 hours'");
    await receivableOpening(platform)();
    expect(await finished()).toBe(0);
    expect(await broken()).toEqual([]);
  });
});
