import { type RecomputationInput, recomputeInvoice } from "@tallystick/second-opinion";
import { beforeEach, expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";
import { listHeld, releaseInvoice } from "./index.ts";
import { isSampled } from "./second-opinion.ts";

/** The second computation: right, wrong by a cent, or failing. */
let rater: "right" | "wrong" | "broken" = "right";
const requested: RecomputationInput[] = [];
const published: string[] = [];

const { call, platform, organizations, drain } = await startTallystick({
  recomputeInvoice: (one) => {
    requested.push(one);
    if (rater === "broken") throw new Error("no recomputation");
    const recomputation = recomputeInvoice(one);
    return rater === "right"
      ? recomputation
      : { ...recomputation, total: String(BigInt(recomputation.total ?? "0") - 1n) };
  },
  subscribers: [async (_tx, { payload }) => void published.push(payload)],
});
const url = platform.config.DATABASE_URL;
const organizationId = organizations[0]?.id ?? "";

beforeEach(() => {
  rater = "right";
  requested.length = 0;
});

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const invoicesOf = async (customer: string) =>
  (await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`))).invoices;

const subscribe = (customer: Record<string, unknown> = {}, plan: Record<string, unknown> = {}) =>
  subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: { calls: { aggregation_type: "count_agg" } },
    charges: [{ metric: "calls", properties: { amount: "2" } }],
    plan: { amount_cents: 3100, ...plan },
    customer,
  });

const heldOf = async (customer: string) =>
  (await listHeld(platform, organizationId, 100)).filter(({ external_customer_id: id }) => id === customer);

const missing = async () => (await platform.metrics.secondOpinionsMissing.get()).values[0]?.value ?? 0;

const broken = async () => (await verify(url)).filter(({ broken: count }) => count > 0).map(({ name }) => name);

test("an invoice is finalized if both computations agree", async () => {
  const { customer, send, advanceTo } = await subscribe();
  await send("calls", {}, {}, {});
  await advanceTo("2024-02-01T00:00:00Z");
  expect(await invoicesOf(customer)).toMatchObject([{ status: "finalized", total_amount_cents: 3700 }]);
  expect(requested.map(({ bills }) => bills[0]?.usage[0]?.events?.length)).toEqual([3]);
  expect(await heldOf(customer)).toEqual([]);
});

test("a held invoice is not visible, takes no number and is not retried, and other work goes on", async () => {
  const { customer, send, advanceTo } = await subscribe();
  await send("calls", {});
  rater = "wrong";
  await advanceTo("2024-02-01T00:00:00Z");
  expect(await invoicesOf(customer)).toEqual([]);
  expect(await heldOf(customer)).toMatchObject([
    { step: "issue", times: 1, differences: [{ figure: "total", first: "3300", second: "3299" }] },
  ]);
  expect((await platform.metrics.invoicesHeld.get()).values[0]?.value).toBe(1);
  const [{ first, second } = {}] = await runOn<{ first: { fees: object[] }; second: object }>(
    url,
    "select first, second from second_opinions",
  );
  expect(first?.fees).toHaveLength(2);
  expect(second).toMatchObject({ total: "3299" });
  const count = requested.length;
  await drain();
  await advanceTo("2024-02-20T00:00:00Z");
  expect(requested).toHaveLength(count);
  const [{ id } = { id: "" }] = await heldOf(customer);
  const types = published.filter((payload) => payload.includes(id)).map((payload) => JSON.parse(payload).webhook_type);
  expect(types).toEqual(["invoice.held"]);
  rater = "right";
  await advanceTo("2024-03-01T00:00:00Z");
  expect(await invoicesOf(customer)).toMatchObject([{ sequential_id: 1, issuing_date: "2024-03-01" }]);
  expect(await broken()).toEqual([]);
});

test("a released invoice is finalized with the first result, as of its own instant, with the next number", async () => {
  const { customer, send, advanceTo } = await subscribe();
  await send("calls", {});
  rater = "wrong";
  await advanceTo("2024-02-01T00:00:00Z");
  const [held] = await heldOf(customer);
  const id = held?.id ?? "";
  const released = await releaseInvoice(platform, { organizationId, id, reason: null });
  expect(released).toMatchObject({ status: "finalized", sequential_id: 1n, total_amount_cents: 3300n });
  expect(await invoicesOf(customer)).toMatchObject([{ issuing_date: "2024-02-01", status: "finalized" }]);
  expect(await heldOf(customer)).toEqual([]);
  await expect(releaseInvoice(platform, { organizationId, id, reason: null })).rejects.toThrow("held_invoice_released");
  expect(await broken()).toEqual([]);
});

test("a held draft stays a draft; another manual attempt is counted, and it is finalized once both agree", async () => {
  const { customer, advanceTo } = await subscribe({ billing_configuration: { invoice_grace_period: 3 } });
  await advanceTo("2024-02-01T12:00:00Z");
  rater = "wrong";
  await advanceTo("2024-02-05T00:00:00Z");
  const [draft] = await invoicesOf(customer);
  expect(draft).toMatchObject({ status: "draft", sequential_id: null });
  await must(call("PUT", `/invoices/${draft.svc_id}/finalize`));
  expect(await heldOf(customer)).toMatchObject([{ step: "finalize", times: 2 }]);
  rater = "right";
  const { invoice } = await must(call("PUT", `/invoices/${draft.svc_id}/finalize`));
  expect(invoice).toMatchObject({ status: "finalized", sequential_id: 1 });
  expect(await heldOf(customer)).toEqual([]);
  expect(await broken()).toEqual([]);
});

test("a failed second computation does not block an invoice, and is counted", async () => {
  const { customer, advanceTo } = await subscribe();
  const before = await missing();
  rater = "broken";
  await advanceTo("2024-02-01T00:00:00Z");
  expect(await invoicesOf(customer)).toMatchObject([{ status: "finalized", total_amount_cents: 3100 }]);
  expect(await heldOf(customer)).toEqual([]);
  expect((await missing()) - before).toBe(1);
});

test("of two concurrent releases, one succeeds", async () => {
  const { customer, advanceTo } = await subscribe();
  rater = "wrong";
  await advanceTo("2024-02-01T00:00:00Z");
  const [{ id } = { id: "" }] = await heldOf(customer);
  const release = () => releaseInvoice(platform, { organizationId, id, reason: null }).catch(() => undefined);
  const released = await Promise.all([1, 2, 3].map(release));
  expect(released.filter((row) => row !== undefined)).toMatchObject([{ id, status: "finalized", sequential_id: 1n }]);
  expect(await invoicesOf(customer)).toHaveLength(1);
  await drain();
  expect(published.filter((payload) => payload.includes(id) && payload.includes("invoice.created"))).toHaveLength(1);
  expect(await broken()).toEqual([]);
});

test("a commitment waits for an earlier held invoice of its subscription, because it counts that invoice's fees", async () => {
  rater = "wrong";
  const { customer, advanceTo } = await subscribe(
    {},
    { pay_in_advance: true, minimum_commitment: { amount_cents: 5000 } },
  );
  const [first] = await heldOf(customer);
  rater = "right";
  await advanceTo("2024-02-01T00:00:00Z");
  const [, second] = await heldOf(customer);
  expect(second?.differences).toEqual([
    { figure: `waits for invoice ${first?.id}, which is held`, first: null, second: null },
  ]);
  await expect(releaseInvoice(platform, { organizationId, id: second?.id ?? "", reason: null })).rejects.toThrow(
    "earlier_invoice_held",
  );
  expect(await heldOf(customer)).toHaveLength(2);
  await releaseInvoice(platform, { organizationId, id: first?.id ?? "", reason: null });
  await releaseInvoice(platform, { organizationId, id: second?.id ?? "", reason: null });
  await drain();
  // 31.00 in advance count toward 50.00: 19.00 are missing, plus 31.00 of the next period.
  expect((await invoicesOf(customer)).map((one: Answer["body"]) => one.total_amount_cents)).toEqual([5000, 3100]);
  expect(await broken()).toEqual([]);
});

test("a commitment does not wait for a held invoice of another period", async () => {
  rater = "wrong";
  const { customer, advanceTo } = await subscribe({}, { minimum_commitment: { amount_cents: 5000 } });
  await advanceTo("2024-02-01T00:00:00Z");
  rater = "right";
  await advanceTo("2024-03-01T00:00:00Z");
  expect(await heldOf(customer)).toHaveLength(1);
  expect(await invoicesOf(customer)).toMatchObject([{ issuing_date: "2024-03-01", total_amount_cents: 5000 }]);
});

test("both agree on coupons, taxes, credit notes, wallets and every kind of charge", async () => {
  const { tax } = await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat second", rate: "19.6" } }));
  const ranges = [
    { from_value: 0, to_value: 2, per_unit_amount: "1.005", flat_amount: "0.5" },
    { from_value: 3, to_value: null, per_unit_amount: "0.335", flat_amount: "1" },
  ];
  const sum = { aggregation_type: "sum_agg", field_name: "gb" };
  const { customer, send, advanceTo } = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: {
      data: { ...sum, filters: [{ key: "region", values: ["eu", "us"] }] },
      seats: { aggregation_type: "unique_count_agg", field_name: "seat", recurring: true },
      stock: { ...sum, recurring: true },
      peak: { aggregation_type: "max_agg", field_name: "gb" },
      last: { aggregation_type: "latest_agg", field_name: "gb" },
      held: { aggregation_type: "weighted_sum_agg", field_name: "gb", recurring: true, weighted_interval: "seconds" },
      paid: { ...sum },
    },
    charges: [
      {
        metric: "data",
        charge_model: "graduated",
        properties: { graduated_ranges: ranges, grouped_by: ["team"] },
        filters: [{ values: { region: ["eu"] }, properties: { graduated_ranges: ranges } }],
        min_amount_cents: 5000,
      },
      { metric: "seats", prorated: true, properties: { amount: "31" } },
      {
        metric: "stock",
        pay_in_advance: true,
        charge_model: "package",
        properties: { amount: "3", free_units: 1, package_size: 2 },
      },
      { metric: "peak", charge_model: "volume", properties: { volume_ranges: ranges } },
      { metric: "last", properties: { amount: "0.333" } },
      { metric: "held", properties: { amount: "1.7" } },
      {
        metric: "paid",
        charge_model: "percentage",
        properties: { rate: "1.35", fixed_amount: "0.2", free_units_per_events: 1, per_transaction_max_amount: "2" },
      },
    ],
    plan: { amount_cents: 3107, minimum_commitment: { amount_cents: 90_000 } },
    customer: { tax_codes: [tax.code] },
  });
  const coupon = {
    name: "Ten",
    code: "ten second",
    coupon_type: "percentage",
    percentage_rate: "12.5",
    frequency: "forever",
    expiration: "no_expiration",
  };
  await must(call("POST", "/coupons", { coupon }));
  await must(
    call("POST", "/applied_coupons", { applied_coupon: { external_customer_id: customer, coupon_code: "ten second" } }),
  );
  const wallet = { external_customer_id: customer, rate_amount: "0.7", currency: "EUR", granted_credits: "123.45" };
  await must(call("POST", "/wallets", { wallet }));
  await send(
    "data",
    { gb: "1.5", region: "eu" },
    { gb: 7, region: "us", team: "a" },
    { gb: "2.25", region: "us", team: "b" },
  );
  await send("seats", { seat: "a" }, { seat: "b", timestamp: "2024-01-10T00:00:00Z" });
  await send("seats", { seat: "a", operation_type: "remove", timestamp: "2024-01-20T00:00:00Z" });
  await send("stock", { gb: 4 });
  await send("peak", { gb: 3 }, { gb: "9.5" });
  await send("last", { gb: 3 }, { gb: "8.1", timestamp: "2024-01-03T00:00:00Z" });
  await send("held", { gb: 5 }, { gb: -2, timestamp: "2024-01-11T07:00:00Z" });
  await send("paid", { gb: 100 }, { gb: "33.33" }, { gb: 900 });
  await advanceTo("2024-03-01T00:00:00Z");
  const invoices = await invoicesOf(customer);
  expect(await heldOf(customer)).toEqual([]);
  expect(invoices.filter(({ status }: { status: string }) => status === "finalized").length).toBeGreaterThanOrEqual(2);
  expect(requested.length).toBeGreaterThanOrEqual(2);
  rater = "wrong";
  const count = requested.length;
  await advanceTo("2024-04-01T00:00:00Z");
  expect(await heldOf(customer)).toMatchObject([{ times: 1 }]);
  expect(requested).toHaveLength(count + 1);
});

test("the share of recomputed invoices is chosen by the end of their ids", () => {
  expect(isSampled("0190a000-0000-7000-8000-0000ffffffff", 1)).toBe(true);
  expect(isSampled("0190a000-0000-7000-8000-000000000000", 0)).toBe(false);
  expect(isSampled("0190a000-0000-7000-8000-00001fffffff", 0.125)).toBe(true);
  expect(isSampled("0190a000-0000-7000-8000-000020000000", 0.125)).toBe(false);
});
