/** Triggers every webhook message through the API. */
import { type Recomputation, type RecomputationInput, recomputeInvoice } from "@tallystick/second-opinion";
import type { Answer, Call } from "./call-api.ts";

export type Provoking = {
  call: Call;
  drain: () => Promise<void>;
  /** Advances real time by an hour and runs hourly jobs. */
  passHour: () => Promise<void>;
  recomputations: Recomputations;
};

export type Recomputations = ReturnType<typeof createRecomputations>;

/** Second opinions that agree until a test makes them differ. */
export function createRecomputations() {
  let isRight = true;
  const give = (one: RecomputationInput): Recomputation => {
    const recomputation = recomputeInvoice(one);
    return isRight ? recomputation : { ...recomputation, total: String(BigInt(recomputation.total ?? "0") - 1n) };
  };
  const differDuring = async (work: () => Promise<unknown>): Promise<void> => {
    isRight = false;
    await work();
    isRight = true;
  };
  return { give, differDuring };
}

type Must = (...request: Parameters<Call>) => Promise<Answer["body"]>;
type Scene = { must: Must; drain: () => Promise<void> };

export async function provokeMessages({ call, drain, passHour, recomputations }: Provoking): Promise<void> {
  const must: Must = async (...request) => {
    const { status, body, text } = await call(...request);
    // 202: a document is being created.
    if (status !== 200 && status !== 202) throw new Error(`${request[0]} ${request[1]} is refused: ${text}`);
    return body;
  };
  const scene = { must, drain };
  const clockId = await makeCatalog(scene);
  await liveThroughMonths(scene, clockId);
  await payAndDispute(scene);
  await sellOnce(scene);
  await spendCredits(scene);
  await changeCatalog(scene);
  await must("POST", "/events", {
    event: { transaction_id: "event of nothing", external_subscription_id: "acme-main", code: "no_such_metric" },
  });
  await passHour();
  await drain();
  await failToBill(scene, recomputations);
}

/** An event exceeds the amount limit, and two computations of an invoice differ. */
async function failToBill({ must, drain }: Scene, { differDuring }: Recomputations): Promise<void> {
  const clock = await must("POST", "/test_clocks", { test_clock: { name: "Faults", now: "2026-01-01T00:00:00Z" } });
  const { svc_id: clockId } = clock.test_clock;
  const { billable_metric: metric } = await must("GET", "/billable_metrics/calls");
  const charge = { billable_metric_id: metric.svc_id, charge_model: "standard", pay_in_advance: true };
  const terms = { interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false };
  await must("POST", "/plans", {
    plan: {
      ...terms,
      name: "Dear",
      code: "dear",
      charges: [{ ...charge, properties: { amount: "90071992547409.92" } }],
    },
  });
  await must("POST", "/customers", { customer: { external_id: "initech", name: "Initech", test_clock_id: clockId } });
  const subscription = { external_customer_id: "initech", external_id: "initech-main", plan_code: "dear" };
  await must("POST", "/subscriptions", { subscription });
  const event = { transaction_id: "too dear", external_subscription_id: "initech-main", code: "calls" };
  await must("POST", "/events", { event: { ...event, timestamp: 1768003200 } });
  await differDuring(() => advanceTo(must, clockId, "2026-02-01T00:00:00Z"));
  await drain();
}

async function makeCatalog({ must }: Scene): Promise<string> {
  await must("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20.0", applied_to_organization: true } });
  const metric = { name: "Storage", code: "storage", aggregation_type: "sum_agg", field_name: "gigabytes" };
  const { svc_id } = (await must("POST", "/billable_metrics", { billable_metric: metric })).billable_metric;
  const calls = { name: "Calls", code: "calls", aggregation_type: "count_agg" };
  const inAdvance = (await must("POST", "/billable_metrics", { billable_metric: calls })).billable_metric;
  const standard = { charge_model: "standard", properties: { amount: "0.5" } };
  await must("POST", "/plans", {
    plan: {
      name: "Startup",
      code: "startup",
      interval: "monthly",
      amount_cents: 4900,
      amount_currency: "EUR",
      pay_in_advance: false,
      trial_period: 5,
      charges: [
        { billable_metric_id: svc_id, ...standard },
        { billable_metric_id: inAdvance.svc_id, ...standard, pay_in_advance: true },
      ],
    },
  });
  await must("POST", "/add_ons", {
    add_on: { name: "Set-up", code: "set_up", amount_cents: 10000, amount_currency: "EUR" },
  });
  const clock = await must("POST", "/test_clocks", { test_clock: { name: "Example", now: "2026-01-01T00:00:00Z" } });
  return clock.test_clock.svc_id;
}

/** A trial ends, events create fees, a month is drafted, finalized and overdue, and the subscription ends. */
async function liveThroughMonths({ must, drain }: Scene, clockId: string): Promise<void> {
  const customer = { external_id: "acme", name: "Acme", currency: "EUR", test_clock_id: clockId };
  await must("POST", "/customers", { customer: { ...customer, billing_configuration: { invoice_grace_period: 3 } } });
  await must("POST", "/customers", { customer: { external_id: "acme", name: "Acme Inc." } });
  const subscription = { external_customer_id: "acme", plan_code: "startup" };
  await must("POST", "/subscriptions", { subscription: { ...subscription, external_id: "acme-main" } });
  await must("POST", "/subscriptions", {
    subscription: { ...subscription, external_id: "acme-trial", ending_at: "2026-02-20T00:00:00Z" },
  });
  const event = { external_subscription_id: "acme-main", timestamp: 1767600000 };
  await must("POST", "/events", { event: { ...event, transaction_id: "a call", code: "calls" } });
  await must("POST", "/events", {
    event: { ...event, transaction_id: "a file", code: "storage", properties: { gigabytes: "12.5" } },
  });
  await drain();
  await advanceTo(must, clockId, "2026-02-12T00:00:00Z");
  await must("DELETE", "/subscriptions/acme-main");
  await drain();
}

/** A metric and a plan are changed and deleted, and a subscription to it is changed and canceled before it begins. */
async function changeCatalog({ must, drain }: Scene): Promise<void> {
  const metric = { name: "Pages", code: "pages", aggregation_type: "count_agg" };
  await must("POST", "/billable_metrics", { billable_metric: metric });
  await must("PUT", "/billable_metrics/pages", { billable_metric: { name: "Printed pages" } });
  await must("DELETE", "/billable_metrics/pages");
  const plan = { name: "Trial", code: "trial", interval: "monthly", amount_cents: 100, amount_currency: "EUR" };
  await must("POST", "/plans", { plan: { ...plan, pay_in_advance: false } });
  await must("PUT", "/plans/trial", { plan: { name: "On trial" } });
  await must("POST", "/subscriptions", {
    subscription: {
      external_customer_id: "globex",
      plan_code: "trial",
      external_id: "globex-later",
      subscription_at: "2099-01-01T00:00:00Z",
    },
  });
  await must("PUT", "/subscriptions/globex-later?status=pending", { subscription: { name: "Later" } });
  await must("DELETE", "/subscriptions/globex-later?status=pending");
  await must("DELETE", "/plans/trial");
  await drain();
}

/** Advances a test clock until everything up to the instant is done. */
async function advanceTo(must: Must, clockId: string, now: string): Promise<void> {
  const { test_clock } = await must("POST", `/test_clocks/${clockId}/advance`, { test_clock: { now } });
  if (test_clock.status !== "ready") throw new Error(`the clock stands at ${test_clock.now}`);
}

/** Pays an invoice, credits a part, downloads both documents, and loses the dispute. */
async function payAndDispute({ must, drain }: Scene): Promise<void> {
  const path = "/invoices?external_customer_id=acme&status=finalized&invoice_type=subscription";
  const finalized = (await must("GET", path)).invoices.filter(
    ({ fees_amount_cents }: { fees_amount_cents: number }) => fees_amount_cents > 1000,
  );
  const { svc_id } = finalized[0];
  await must("PUT", `/invoices/${svc_id}`, { invoice: { payment_status: "succeeded" } });
  const { fees } = (await must("GET", `/invoices/${svc_id}`)).invoice;
  const note = { invoice_id: svc_id, reason: "duplicated_charge", credit_amount_cents: 120, refund_amount_cents: 0 };
  const { credit_note } = await must("POST", "/credit_notes", {
    credit_note: { ...note, items: [{ fee_id: fees[0].svc_id, amount_cents: 100 }] },
  });
  await must("POST", `/invoices/${svc_id}/download`);
  await must("POST", `/credit_notes/${credit_note.svc_id}/download`);
  await must("POST", `/invoices/${svc_id}/lose_dispute`);
  await drain();
}

async function sellOnce({ must, drain }: Scene): Promise<void> {
  const invoice = { external_customer_id: "acme", currency: "EUR", fees: [{ add_on_code: "set_up", units: 1 }] };
  const { svc_id } = (await must("POST", "/invoices", { invoice })).invoice;
  await must("POST", `/invoices/${svc_id}/void`);
  await drain();
}

async function spendCredits({ must, drain }: Scene): Promise<void> {
  await must("POST", "/customers", { customer: { external_id: "globex", name: "Globex", currency: "EUR" } });
  await must("POST", "/subscriptions", {
    subscription: { external_customer_id: "globex", plan_code: "startup", external_id: "globex-main" },
  });
  const wallet = { external_customer_id: "globex", name: "Prepaid", rate_amount: "1.0", currency: "EUR" };
  await must("POST", "/wallets", { wallet: { ...wallet, paid_credits: "10.0", granted_credits: "5.0" } });
  const [bought] = (await must("GET", "/invoices?external_customer_id=globex&invoice_type=credit")).invoices;
  await must("PUT", `/invoices/${bought.svc_id}`, { invoice: { payment_status: "succeeded" } });
  await drain();
  await must("POST", "/events", {
    event: {
      transaction_id: "much",
      external_subscription_id: "globex-main",
      code: "storage",
      properties: { gigabytes: "1000" },
    },
  });
  await drain();
  const { svc_id } = (await must("GET", "/wallets?external_customer_id=globex")).wallets[0];
  await must("PUT", `/wallets/${svc_id}`, { wallet: { name: "Credits" } });
  await must("DELETE", `/wallets/${svc_id}`);
  await drain();
}
