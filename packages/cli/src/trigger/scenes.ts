/**
 * Scenes that provoke every message through the API of a sandbox organization. Each says which messages come of it, and which scenes it needs
 * before. The tests of messages and the reference of webhooks are made from them too.
 */

// biome-ignore lint/suspicious/noExplicitAny: the body of any answer of the API, which its schema describes
type Body = any;
/** Throws what is refused. */
export type Must = (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) => Promise<Body>;

export type Stage = {
  must: Must;
  /** Lets workers do what waits: in a test all of it, elsewhere for a moment. */
  settle: () => Promise<void>;
  /** A name that no other run has. */
  name: (base: string) => string;
};

type Play = (stage: Stage) => Promise<void>;
export type SceneName = keyof typeof SCENES;

/** In the order in which all of them are played. */
export const SCENES = {
  catalog: { needs: [], play: makeCatalog },
  months: { needs: ["catalog"], play: liveThroughMonths },
  payments: { needs: ["catalog", "months"], play: payAndDispute },
  sale: { needs: ["catalog", "months"], play: sellOnce },
  credits: { needs: ["catalog"], play: spendCredits },
  changes: { needs: ["catalog", "credits"], play: changeCatalog },
  unknown: { needs: [], play: sendUnknownUsage },
  faults: { needs: ["catalog"], play: failToBill },
} as const satisfies Record<string, { needs: readonly string[]; play: Play }>;

/** Plays scenes, each once, and before them those that they need, unless they were played before. */
export async function playScenes(
  stage: Stage,
  wanted: readonly SceneName[],
  { isContinued = false }: { isContinued?: boolean } = {},
): Promise<void> {
  const needed = new Set<string>(wanted.flatMap((name) => (isContinued ? [name] : [...SCENES[name].needs, name])));
  for (const [name, { play }] of Object.entries(SCENES)) if (needed.has(name)) await play(stage);
}

type Provoked = { scene: SceneName; later?: string } | { scene: null; why: string };

const of = (scene: SceneName, ...types: readonly string[]): [string, Provoked][] =>
  types.map((type) => [type, { scene }]);

/** What each type of message comes of. */
export const PROVOKED: Readonly<Record<string, Provoked>> = Object.fromEntries([
  ...of("catalog", "billable_metric.created", "plan.created"),
  ...of("months", "customer.created", "customer.updated", "fee.created"),
  ...of("months", "invoice.created", "invoice.drafted", "invoice.payment_overdue", "subscription.started"),
  ...of("months", "subscription.terminated", "subscription.termination_alert", "subscription.trial_ended"),
  ...of("payments", "credit_note.created", "credit_note.generated", "invoice.generated"),
  ...of("payments", "invoice.payment_dispute_lost", "invoice.payment_status_updated"),
  ...of("sale", "invoice.one_off_created", "invoice.voided"),
  ...of("credits", "invoice.paid_credit_added", "wallet.created", "wallet.depleted_ongoing_balance"),
  ...of("credits", "wallet.terminated", "wallet.updated", "wallet_transaction.created", "wallet_transaction.updated"),
  ...of("changes", "billable_metric.deleted", "billable_metric.updated", "plan.deleted", "plan.updated"),
  ...of("changes", "subscription.canceled", "subscription.updated"),
  ...of("faults", "billing.parked"),
  ["events.errors", { scene: "unknown", later: "It is published five minutes past the next hour." }],
  [
    "invoice.held",
    { scene: null, why: "Two computations of an invoice would have to differ, which no request can cause." },
  ],
  [
    "webhook_endpoint.disabled",
    { scene: null, why: "An endpoint would have to answer 410. Add one that does, and trigger any other message." },
  ],
] as [string, Provoked][]);

/** An event exceeds the amount limit, and an invoice is made at the end of the month. */
async function failToBill({ must, settle, name }: Stage): Promise<void> {
  const clock = await must("POST", "/test_clocks", { test_clock: { name: "Faults", now: "2026-01-01T00:00:00Z" } });
  const { svc_id: clockId } = clock.test_clock;
  const { billable_metric: metric } = await must("GET", `/billable_metrics/${name("calls")}`);
  const charge = { billable_metric_id: metric.svc_id, charge_model: "standard", pay_in_advance: true };
  const terms = { interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false };
  await must("POST", "/plans", {
    plan: {
      ...terms,
      name: "Dear",
      code: name("dear"),
      charges: [{ ...charge, properties: { amount: "90071992547409.92" } }],
    },
  });
  await must("POST", "/customers", {
    customer: { external_id: name("initech"), name: "Initech", test_clock_id: clockId },
  });
  const subscription = {
    external_customer_id: name("initech"),
    external_id: name("initech-main"),
    plan_code: name("dear"),
  };
  await must("POST", "/subscriptions", { subscription });
  const event = { transaction_id: "too dear", external_subscription_id: name("initech-main"), code: name("calls") };
  await must("POST", "/events", { event: { ...event, timestamp: 1768003200 } });
  await advanceTo({ must, settle }, clockId, "2026-02-01T00:00:00Z");
  await settle();
}

async function makeCatalog({ must, name }: Stage): Promise<void> {
  // First, because only a sandbox has test clocks: elsewhere nothing is made.
  await must("POST", "/test_clocks", { test_clock: { name: name("Example"), now: "2026-01-01T00:00:00Z" } });
  await must("POST", "/taxes", { tax: { name: "VAT", code: name("vat"), rate: "20.0" } });
  const metric = { name: "Storage", code: name("storage"), aggregation_type: "sum_agg", field_name: "gigabytes" };
  const { svc_id } = (await must("POST", "/billable_metrics", { billable_metric: metric })).billable_metric;
  const calls = { name: "Calls", code: name("calls"), aggregation_type: "count_agg" };
  const inAdvance = (await must("POST", "/billable_metrics", { billable_metric: calls })).billable_metric;
  const standard = { charge_model: "standard", properties: { amount: "0.5" } };
  await must("POST", "/plans", {
    plan: {
      name: "Startup",
      code: name("startup"),
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
    add_on: { name: "Set-up", code: name("set_up"), amount_cents: 10000, amount_currency: "EUR" },
  });
}

/** A trial ends, events create fees, a month is drafted, finalized and overdue, and the subscription ends. */
async function liveThroughMonths({ must, settle, name }: Stage): Promise<void> {
  const { test_clocks: clocks } = await must("GET", "/test_clocks");
  const { svc_id: clockId } = clocks.find((clock: { name: string }) => clock.name === name("Example"));
  const customer = {
    external_id: name("acme"),
    name: "Acme",
    currency: "EUR",
    test_clock_id: clockId,
    tax_codes: [name("vat")],
  };
  await must("POST", "/customers", { customer: { ...customer, billing_configuration: { invoice_grace_period: 3 } } });
  await must("POST", "/customers", { customer: { external_id: name("acme"), name: "Acme Inc." } });
  const subscription = { external_customer_id: name("acme"), plan_code: name("startup") };
  await must("POST", "/subscriptions", { subscription: { ...subscription, external_id: name("acme-main") } });
  await must("POST", "/subscriptions", {
    subscription: { ...subscription, external_id: name("acme-trial"), ending_at: "2026-02-20T00:00:00Z" },
  });
  const event = { external_subscription_id: name("acme-main"), timestamp: 1767600000 };
  await must("POST", "/events", { event: { ...event, transaction_id: "a call", code: name("calls") } });
  await must("POST", "/events", {
    event: { ...event, transaction_id: "a file", code: name("storage"), properties: { gigabytes: "12.5" } },
  });
  await settle();
  await advanceTo({ must, settle }, clockId, "2026-02-12T00:00:00Z");
  await must("DELETE", `/subscriptions/${name("acme-main")}`);
  await settle();
}

/** A metric and a plan are changed and deleted, and a subscription to it is changed and canceled before it begins. */
async function changeCatalog({ must, settle, name }: Stage): Promise<void> {
  const metric = { name: "Pages", code: name("pages"), aggregation_type: "count_agg" };
  await must("POST", "/billable_metrics", { billable_metric: metric });
  await must("PUT", `/billable_metrics/${name("pages")}`, { billable_metric: { name: "Printed pages" } });
  await must("DELETE", `/billable_metrics/${name("pages")}`);
  const plan = { name: "Trial", code: name("trial"), interval: "monthly", amount_cents: 100, amount_currency: "EUR" };
  await must("POST", "/plans", { plan: { ...plan, pay_in_advance: false } });
  await must("PUT", `/plans/${name("trial")}`, { plan: { name: "On trial" } });
  await must("POST", "/subscriptions", {
    subscription: {
      external_customer_id: name("globex"),
      plan_code: name("trial"),
      external_id: name("globex-later"),
      subscription_at: "2099-01-01T00:00:00Z",
    },
  });
  await must("PUT", `/subscriptions/${name("globex-later")}?status=pending`, { subscription: { name: "Later" } });
  await must("DELETE", `/subscriptions/${name("globex-later")}?status=pending`);
  await must("DELETE", `/plans/${name("trial")}`);
  await settle();
}

type Advancing = Pick<Stage, "must" | "settle">;

/** Advances a test clock until everything up to the instant is done. */
async function advanceTo({ must, settle }: Advancing, clockId: string, now: string): Promise<void> {
  const path = `/test_clocks/${clockId}`;
  let { test_clock } = await must("POST", `${path}/advance`, { test_clock: { now } });
  while (test_clock.status === "advancing") {
    await settle();
    ({ test_clock } = await must("GET", path));
  }
  if (test_clock.status !== "ready") throw new Error(`the clock stands at ${test_clock.now}`);
}

/** Pays an invoice, credits a part, downloads both documents, and loses the dispute. */
async function payAndDispute({ must, settle, name }: Stage): Promise<void> {
  const path = `/invoices?external_customer_id=${name("acme")}&status=finalized&invoice_type=subscription`;
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
  await settle();
}

async function sellOnce({ must, settle, name }: Stage): Promise<void> {
  const invoice = {
    external_customer_id: name("acme"),
    currency: "EUR",
    fees: [{ add_on_code: name("set_up"), units: 1 }],
  };
  const { svc_id } = (await must("POST", "/invoices", { invoice })).invoice;
  await must("POST", `/invoices/${svc_id}/void`);
  await settle();
}

async function spendCredits({ must, settle, name }: Stage): Promise<void> {
  await must("POST", "/customers", {
    customer: { external_id: name("globex"), name: "Globex", currency: "EUR", tax_codes: [name("vat")] },
  });
  await must("POST", "/subscriptions", {
    subscription: {
      external_customer_id: name("globex"),
      plan_code: name("startup"),
      external_id: name("globex-main"),
    },
  });
  const wallet = { external_customer_id: name("globex"), name: "Prepaid", rate_amount: "1.0", currency: "EUR" };
  await must("POST", "/wallets", { wallet: { ...wallet, paid_credits: "10.0", granted_credits: "5.0" } });
  const bought = await firstOf(
    { must, settle },
    `/invoices?external_customer_id=${name("globex")}&invoice_type=credit`,
  );
  await must("PUT", `/invoices/${bought.svc_id}`, { invoice: { payment_status: "succeeded" } });
  await settle();
  await must("POST", "/events", {
    event: {
      transaction_id: "much",
      external_subscription_id: name("globex-main"),
      code: name("storage"),
      properties: { gigabytes: "1000" },
    },
  });
  await settle();
  const { svc_id } = (await must("GET", `/wallets?external_customer_id=${name("globex")}`)).wallets[0];
  await must("PUT", `/wallets/${svc_id}`, { wallet: { name: "Credits" } });
  await must("DELETE", `/wallets/${svc_id}`);
  await settle();
}

const ATTEMPTS_MAX = 60;

/** The first of a list of invoices, as soon as there is one. */
async function firstOf({ must, settle }: Advancing, path: string): Promise<Body> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const [first] = (await must("GET", path)).invoices;
    if (first) return first;
    await settle();
  }
  throw new Error(`GET ${path} shows nothing. Does a worker run?`);
}

async function sendUnknownUsage({ must, name }: Stage): Promise<void> {
  const external_subscription_id = name("acme-main");
  await must("POST", "/events", {
    event: { transaction_id: name("event of nothing"), external_subscription_id, code: name("no_such_metric") },
  });
}
