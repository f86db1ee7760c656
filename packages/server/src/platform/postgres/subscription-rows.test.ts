/** Subscription rows that must never exist: each is inserted directly, and the table itself refuses it. */
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { newId } from "../new-id.ts";

const { platform, call, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";
/** A login without policies: what is refused here is refused for any role. */
const login = new pg.Client({ connectionString: platform.config.DATABASE_URL });

type Row = Record<string, unknown>;

let anna = "";
let bert = "";
let planId = "";

beforeAll(async () => {
  await login.connect();
  anna = await makeCustomer("anna");
  bert = await makeCustomer("bert");
  const terms = { name: "Plan", code: "plan", interval: "monthly", amount_cents: 1, amount_currency: "EUR" };
  const { body } = await call("POST", "/plans", { plan: { ...terms, pay_in_advance: false } });
  planId = body.plan.svc_id;
});
afterAll(() => login.end());
beforeEach(async () => {
  await login.query("truncate subscriptions, subscription_periods, bills, due_instants cascade");
});

async function makeCustomer(externalId: string): Promise<string> {
  const { body } = await call("POST", "/customers", { customer: { external_id: externalId } });
  return body.customer.svc_id;
}

/** Resolves with the name of the constraint that refuses the row, or "stored". */
async function insert(table: string, row: Row): Promise<string> {
  const names = Object.keys(row);
  const places = names.map((_, index) => `$${index + 1}`);
  return tried(`insert into ${table} (${names.join(", ")}) values (${places.join(", ")})`, Object.values(row));
}

async function tried(statement: string, values: unknown[] = []): Promise<string> {
  try {
    await login.query(statement, values);
    return "stored";
  } catch (error) {
    const { constraint, message } = error as pg.DatabaseError;
    return constraint ?? message;
  }
}

const START = "2024-01-31T00:00:00Z";
const MARCH = "2024-03-01T00:00:00Z";

const ACTIVE: Row = {
  status: "active",
  started_at: START,
  start_day: "2024-01-31",
  anchor: "2024-01-31",
  first_started_at: START,
};
const TERMINATED: Row = { ...ACTIVE, status: "terminated", terminated_at: MARCH, end_cause: "ended" };
const CANCELED: Row = { status: "canceled", canceled_at: MARCH };

/** Pending by default. */
const subscription = (added: Row = {}): Row => ({
  organization_id: organizationId,
  id: newId(),
  customer_id: anna,
  external_id: "sub",
  plan_id: planId,
  name: "",
  status: "pending",
  origin: "new",
  billing_time: "calendar",
  time_zone: "UTC",
  subscription_at: START,
  created_at: START,
  updated_at: START,
  ...added,
});

async function givenSubscription(added: Row = ACTIVE): Promise<string> {
  const row = subscription(added);
  expect(await insert("subscriptions", row)).toBe("stored");
  return String(row.id);
}

const period = (subscriptionId: string, added: Row = {}): Row => ({
  organization_id: organizationId,
  subscription_id: subscriptionId,
  kind: "fee",
  starts_at: START,
  ends_at: MARCH,
  first_day: "2024-01-31",
  last_day: "2024-02-29",
  created_at: START,
  ...added,
});

const bill = (subscriptionId: string, added: Row = {}): Row => ({
  organization_id: organizationId,
  id: newId(),
  customer_id: anna,
  subscription_id: subscriptionId,
  reason: "periodic",
  occurred_at: MARCH,
  ready_at: MARCH,
  invoice_key: anna,
  windows: "{}",
  created_at: MARCH,
  ...added,
});

describe("subscriptions with the same external id", () => {
  test("can be one active and one pending, of one customer, and any number of ended ones", async () => {
    for (const added of [ACTIVE, {}, TERMINATED, TERMINATED, CANCELED, CANCELED])
      expect(await insert("subscriptions", subscription(added))).toBe("stored");
    const other = { ...ACTIVE, external_id: "other", customer_id: bert };
    expect(await insert("subscriptions", subscription(other))).toBe("stored");
  });

  it.each([
    ["a second active one", ACTIVE, "subscriptions_active__external_id"],
    ["a second pending one", {}, "subscriptions_pending__external_id"],
  ])("never include %s", async (_, added, constraint) => {
    await givenSubscription(added);
    expect(await insert("subscriptions", subscription(added))).toBe(constraint);
  });

  it.each([
    ["a pending one next to an active one", ACTIVE, {}],
    ["an active one next to a pending one", {}, ACTIVE],
  ])("never have two customers: %s", async (_, first, second) => {
    await givenSubscription(first);
    const row = subscription({ ...second, customer_id: bert });
    expect(await insert("subscriptions", row)).toBe("subscriptions_owner__external_id");
  });

  it.each([
    ["terminated", TERMINATED],
    ["canceled", CANCELED],
  ])("a %s one does not reserve the external id", async (_, added) => {
    await givenSubscription(added);
    expect(await insert("subscriptions", subscription({ ...ACTIVE, customer_id: bert }))).toBe("stored");
  });

  test("are independent in another organization", async () => {
    await givenSubscription();
    const { key, id } = organizations[1] ?? { key: "", id: "" };
    const theirs = await call("POST", "/customers", { customer: { external_id: "anna" } }, { key });
    const terms = { name: "P", code: "p", interval: "weekly", amount_cents: 1, amount_currency: "EUR" };
    const plan = await call("POST", "/plans", { plan: { ...terms, pay_in_advance: false } }, { key });
    const row = { organization_id: id, customer_id: theirs.body.customer.svc_id, plan_id: plan.body.plan.svc_id };
    expect(await insert("subscriptions", subscription({ ...ACTIVE, ...row }))).toBe("stored");
  });
});

describe("an inconsistent status is refused", () => {
  it.each([
    ["active without a start", { status: "active" }],
    ["waiting with a start", { ...ACTIVE, status: "pending" }],
    ["a start without its day", { ...ACTIVE, start_day: null }],
    ["a start without an anchor", { ...ACTIVE, anchor: null }],
    ["a start without the first one", { ...ACTIVE, first_started_at: null }],
    ["a first start after the start", { ...ACTIVE, first_started_at: MARCH }],
    ["terminated without an end", { ...TERMINATED, terminated_at: null }],
    ["terminated without a cause", { ...TERMINATED, end_cause: null }],
    ["active with an end", { ...ACTIVE, terminated_at: MARCH }],
    ["an end before the start", { ...TERMINATED, terminated_at: "2024-01-30T00:00:00Z" }],
    ["canceled without an instant", { status: "canceled" }],
    ["a downgrade that waits for nothing", { origin: "downgrade" }],
    ["a new one that waits for a period's end", { takes_over_at: MARCH, takes_over_on: "2024-03-01" }],
    ["an upgrade of nothing", { ...ACTIVE, origin: "upgrade" }],
    ["an upgrade that waits", { origin: "upgrade" }],
    ["a trial that ended at another instant", { ...ACTIVE, trial_ends_at: MARCH, trial_ended_at: START }],
  ])("%s", async (_, added) => {
    expect(await insert("subscriptions", subscription(added))).toMatch(/^subscriptions_.*check/);
  });
});

describe("a subscription goes forward only", () => {
  const PEND = "status = 'pending', started_at = null, start_day = null, anchor = null, first_started_at = null";
  it.each([
    ["an active one becomes pending again", ACTIVE, PEND, /does not wait again/],
    [
      "a terminated one lives again",
      TERMINATED,
      "status = 'active', terminated_at = null, end_cause = null",
      /is terminated for/,
    ],
    [
      "a canceled one lives again",
      CANCELED,
      "status = 'active', canceled_at = null, started_at = now(), start_day = now(), anchor = now(), first_started_at = now()",
      /is canceled for/,
    ],
    ["a start moves", ACTIVE, "started_at = started_at + interval '1 second'", /never changes/],
    ["an anchor moves", ACTIVE, "anchor = anchor + 1", /never changes/],
    ["it gets another external id", ACTIVE, "external_id = 'other'", /never changes/],
  ])("never %s", async (_, added, change, words) => {
    const id = await givenSubscription(added);
    expect(await tried(`update subscriptions set ${change} where id = $1`, [id])).toMatch(words);
  });

  test("nor another customer", async () => {
    const id = await givenSubscription();
    const change = "update subscriptions set customer_id = $2 where id = $1";
    expect(await tried(change, [id, bert])).toMatch(/never changes/);
  });
});

describe("periods", () => {
  test("of one kind follow each other; of two kinds they may overlap", async () => {
    const id = await givenSubscription();
    const next = { starts_at: MARCH, ends_at: "2024-03-31T00:00:00Z" };
    for (const row of [period(id), period(id, next), period(id, { kind: "charges" })])
      expect(await insert("subscription_periods", row)).toBe("stored");
  });

  it.each([
    ["the same twice", {}, "subscription_periods_pkey"],
    ["one that begins before the other ends", { starts_at: "2024-02-29T23:59:59Z", ends_at: "2024-04-01T00:00:00Z" }],
    ["one that ends after the other's start", { starts_at: "2024-01-01T00:00:00Z", ends_at: "2024-01-31T00:00:01Z" }],
    ["one inside the other", { starts_at: "2024-02-10T00:00:00Z", ends_at: "2024-02-11T00:00:00Z" }],
    ["one around the other", { starts_at: "2024-01-01T00:00:00Z", ends_at: "2024-12-31T00:00:00Z" }],
  ])("never overlap: %s", async (_, added, constraint = "subscription_periods_never_overlap") => {
    const id = await givenSubscription();
    expect(await insert("subscription_periods", period(id))).toBe("stored");
    expect(await insert("subscription_periods", period(id, added))).toBe(constraint);
  });

  it.each([
    ["without an instant", { ends_at: START }],
    ["with its days the wrong way round", { last_day: "2024-01-30" }],
  ])("are never %s", async (_, added) => {
    const id = await givenSubscription();
    expect(await insert("subscription_periods", period(id, added))).toMatch(/^subscription_periods_.*check/);
  });
});

describe("bills", () => {
  const USAGE = { charges_from: START, charges_to: MARCH };
  const FEE = { fee_from: START, fee_to: MARCH };
  const LATER = "2024-04-01T00:00:00Z";

  test("of one subscription follow each other, and those of another are its own", async () => {
    const [id, other] = [await givenSubscription(), await givenSubscription({ ...ACTIVE, external_id: "other" })];
    const next = { occurred_at: LATER, ready_at: LATER, charges_from: MARCH, charges_to: LATER, fee_from: MARCH };
    for (const row of [
      bill(id, { ...USAGE, ...FEE }),
      bill(id, { ...next, fee_to: LATER }),
      bill(other, { ...USAGE, ...FEE }),
    ])
      expect(await insert("bills", row)).toBe("stored");
  });

  it.each([
    ["usage", USAGE, { charges_from: "2024-02-29T23:59:59Z", charges_to: LATER }, "bills_usage_once"],
    ["the day of a fee", FEE, { fee_from: "2024-02-29T23:59:59Z", fee_to: LATER }, "bills_fee_once"],
  ])("never take %s twice", async (_, first, second, constraint) => {
    const id = await givenSubscription();
    expect(await insert("bills", bill(id, first))).toBe("stored");
    expect(await insert("bills", bill(id, { occurred_at: LATER, ready_at: LATER, ...second }))).toBe(constraint);
  });

  test("are not made twice for one occasion", async () => {
    const id = await givenSubscription();
    expect(await insert("bills", bill(id))).toBe("stored");
    expect(await insert("bills", bill(id))).toMatch(/^bills_organization_id_subscription_id_reason_occurred_at_key/);
  });

  it.each(["starting", "trial_end", "terminating"])("of reason %s are made once in a life", async (reason) => {
    const id = await givenSubscription();
    expect(await insert("bills", bill(id, { reason }))).toBe("stored");
    expect(await insert("bills", bill(id, { reason, occurred_at: LATER, ready_at: LATER }))).toBe("bills_once");
  });

  it.each([
    ["ready before its occasion", { ready_at: START }],
    ["with half a usage window", { charges_from: START }],
    ["with an empty usage window", { charges_from: START, charges_to: START }],
    ["with half a fee window", { fee_to: START }],
    ["with a fee window that ends before it begins", { fee_from: "2099-01-01T00:00:00Z", fee_to: START }],
    ["without its windows", { windows: "[]" }],
  ])("are never %s", async (_, added) => {
    const id = await givenSubscription();
    expect(await insert("bills", bill(id, added))).toMatch(/^bills_.*check/);
  });

  it.each(["update bills set ready_at = ready_at", "update bills set windows = '{}'", "delete from bills"])(
    "never change: %s",
    async (statement) => {
      await insert("bills", bill(await givenSubscription()));
      expect(await tried(statement)).toMatch(/^bill \S+ never changes$/);
    },
  );
});

describe("due instants", () => {
  const due = (added: Row = {}): Row => ({
    organization_id: organizationId,
    id: newId(),
    kind: "period_end",
    subject_id: planId,
    customer_id: anna,
    due_at: MARCH,
    rank: 50,
    ready_at: MARCH,
    ...added,
  });

  it.each([
    ["waits", null],
    ["is done", MARCH],
  ])("the same instant of the same subject is never scheduled again while it %s", async (_, done_at) => {
    expect(await insert("due_instants", due({ done_at }))).toBe("stored");
    expect(await insert("due_instants", due())).toBe("due_instants_organization_id_kind_subject_id_due_at_key");
    expect(await insert("due_instants", due({ kind: "ending" }))).toBe("stored");
  });
});
