import { expect, test } from "vitest";
import { lockCustomer } from "../../../jobs/due-store.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { somebodyWaits } from "../../../testing/somebody-waits.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { type SubscriptionRequest, subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import type { EventStore } from "../../usage/index.ts";

const { call, drain, platform, organizations } = await startTallystick();
const organizationId = organizations[0]?.id ?? "";

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

/** A draft of January on February 3, for a customer with these terms. */
async function givenDraft(customer: Record<string, unknown>) {
  const input: SubscriptionRequest = {
    now: "2024-01-01T00:00:00Z",
    metrics: { calls: { aggregation_type: "count_agg" } },
    charges: [{ metric: "calls", properties: { amount: "2" } }],
    plan: { amount_cents: 1000 },
    customer,
  };
  const made = await subscribeCustomer(call, input);
  await made.advanceTo("2024-02-03T00:00:00Z");
  const path = `/invoices?external_customer_id=${encodeURIComponent(made.customer)}`;
  return {
    ...made,
    change: (members: object) =>
      must(call("POST", "/customers", { customer: { external_id: made.customer, ...members } })),
    show: async () => {
      await drain();
      return (await must(call("GET", path))).invoices[0];
    },
  };
}

const grace = (invoice_grace_period: number | null) => ({ billing_configuration: { invoice_grace_period } });
const DRAFT = { status: "draft", issuing_date: "2024-02-06", payment_due_date: "2024-02-06" };

test("a longer grace period moves the dates of drafts; a payment term moves only the due date", async () => {
  const { change, show, advanceTo } = await givenDraft(grace(5));
  expect(await show()).toMatchObject(DRAFT);
  await change(grace(9));
  expect(await show()).toMatchObject({ ...DRAFT, issuing_date: "2024-02-10", payment_due_date: "2024-02-10" });
  await change({ net_payment_term: 30 });
  const moved = { issuing_date: "2024-02-10", payment_due_date: "2024-03-11", net_payment_term: 30 };
  expect(await show()).toMatchObject({ status: "draft", ...moved });
  await advanceTo("2024-02-09T23:59:59Z");
  expect(await show()).toMatchObject({ status: "draft" });
  await advanceTo("2024-02-10T00:00:00Z");
  expect(await show()).toMatchObject({ status: "finalized", ...moved });
});

test("if a shorter grace period is over, the draft is finalized on the day of the change", async () => {
  const { change, show } = await givenDraft(grace(5));
  await change(grace(1));
  const today = { issuing_date: "2024-02-03", payment_due_date: "2024-02-03" };
  expect(await show()).toMatchObject({ status: "finalized", ...today });
});

test("drafts of customers without their own terms follow the organization's terms", async () => {
  const organization = (terms: object) => must(call("PUT", "/organizations", { organization: terms }));
  await organization({ ...grace(5), net_payment_term: 0 });
  const own = await givenDraft({ ...grace(5), net_payment_term: 0 });
  const { show } = await givenDraft({});
  await organization({ ...grace(7), net_payment_term: 10 });
  expect(await show()).toMatchObject({ issuing_date: "2024-02-08", payment_due_date: "2024-02-18" });
  expect(await own.show()).toMatchObject(DRAFT);
  await organization({ ...grace(0), net_payment_term: 0 });
  expect(await show()).toMatchObject({ status: "finalized", issuing_date: "2024-02-03" });
});

test("a draft counts for its plan and the metrics of its charges until it is finalized", async () => {
  const { mark, metricCode, change, show } = await givenDraft(grace(5));
  const counts = async () => {
    const ofPlan = (await must(call("GET", `/plans/${encodeURIComponent(`plan ${mark}`)}`))).plan;
    const ofMetric = await must(call("GET", `/billable_metrics/${encodeURIComponent(metricCode("calls"))}`));
    return [ofPlan.draft_invoices_count, ofMetric.billable_metric.draft_invoices_count];
  };
  expect(await show()).toMatchObject(DRAFT);
  expect(await counts()).toEqual([1, 1]);
  await change(grace(1));
  expect(await show()).toMatchObject({ status: "finalized" });
  expect(await counts()).toEqual([0, 0]);
});

test("drafts are recomputed when their taxes change, or when a plan edit applies to drafts", async () => {
  await must(call("POST", "/taxes", { tax: { name: "VAT", code: "followed", rate: "20" } }));
  const { change, show, mark } = await givenDraft(grace(5));
  const sums = async () => {
    const { fees_amount_cents, taxes_amount_cents, status } = await show();
    return [status, fees_amount_cents, taxes_amount_cents];
  };
  expect(await sums()).toEqual(["draft", 1000, 0]);
  await change({ tax_codes: ["followed"] });
  expect(await sums()).toEqual(["draft", 1000, 200]);
  await must(call("PUT", "/taxes/followed", { tax: { rate: "10" } }));
  expect(await sums()).toEqual(["draft", 1000, 100]);
  const path = `/plans/${encodeURIComponent(`plan ${mark}`)}`;
  await must(call("PUT", path, { plan: { amount_cents: 3000, apply_to_drafts: null } }));
  expect(await sums()).toEqual(["draft", 1000, 100]);
  const refused = await call("PUT", path, { plan: { amount_cents: 3000, apply_to_drafts: "true" } });
  expect(refused).toMatchObject({ status: 422, body: { error_details: { apply_to_drafts: ["value_is_invalid"] } } });
  await must(call("PUT", path, { plan: { amount_cents: 2000, apply_to_drafts: true } }));
  expect(await sums()).toEqual(["draft", 2000, 200]);
  await must(call("DELETE", "/taxes/followed"));
  expect(await sums()).toEqual(["draft", 2000, 0]);
  await must(call("POST", "/taxes", { tax: { name: "All", code: "all", rate: "5", applied_to_organization: true } }));
  expect(await sums()).toEqual(["draft", 2000, 100]);
  await must(call("PUT", "/taxes/all", { tax: { applied_to_organization: false } }));
  expect(await sums()).toEqual(["draft", 2000, 0]);
});

/** Does something while a request waits for the customer, and returns the answer of the request. */
async function whileItWaits(customerId: string, requested: () => Promise<Answer>, work: () => Promise<unknown>) {
  const { answer } = await inOrganization(platform.db, organizationId, async (tx) => {
    await lockCustomer(tx, organizationId, customerId);
    const answer = requested();
    await somebodyWaits(platform.config.DATABASE_URL);
    await work();
    return { answer };
  });
  return must(answer);
}

test.each([
  ["applies to drafts, is included", true, 2000],
  ["does not apply to drafts, is not included", false, 1400],
])("an edit of a plan while a draft waits to be finalized, which %s", async (_, applies, amount) => {
  const { customer, mark, send, metricCode, show } = await givenDraft(grace(5));
  await send("calls", { timestamp: "2024-01-20T00:00:00Z" }, { timestamp: "2024-01-21T00:00:00Z" });
  const { svc_id: id } = await show();
  const owner = await must(call("GET", `/customers/${encodeURIComponent(customer)}`));
  const calls = await must(call("GET", `/billable_metrics/${encodeURIComponent(metricCode("calls"))}`));
  const charge = { billable_metric_id: calls.billable_metric.svc_id, charge_model: "standard" };
  const charges = [{ ...charge, properties: { amount: "5" } }];
  const { invoice } = await whileItWaits(
    owner.customer.svc_id,
    () => call("PUT", `/invoices/${id}/finalize`),
    () =>
      must(
        call("PUT", `/plans/${encodeURIComponent(`plan ${mark}`)}`, {
          plan: { charges, apply_to_drafts: applies },
        }),
      ),
  );
  expect(invoice).toMatchObject({ status: "finalized", fees_amount_cents: amount });
});

test.each(["refresh", "finalize"])(
  "a draft whose plan changes on each read cannot %s: 503, and the client may retry",
  async (action) => {
    const { mark, show } = await givenDraft(grace(5));
    const { svc_id: id } = await show();
    const path = `/plans/${encodeURIComponent(`plan ${mark}`)}`;
    let price = 1000;
    const events = platform.events as { -readonly [Name in keyof EventStore]: EventStore[Name] };
    const { takeCut } = events;
    // Between the read and the write.
    events.takeCut = async (of) => {
      await must(call("PUT", path, { plan: { amount_cents: ++price, apply_to_drafts: true } }));
      return takeCut(of);
    };
    const { status, body, headers } = await call("PUT", `/invoices/${id}/${action}`);
    events.takeCut = takeCut;
    expect(body).toMatchObject({ status: 503, error: "Service Unavailable" });
    expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    await must(call("PUT", `/invoices/${id}/${action}`));
    expect(await show()).toMatchObject({ fees_amount_cents: price });
  },
);
