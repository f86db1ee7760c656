/** Two months in the life of a few customers, step by step, on a clock that stands until it is moved. */
import type { GuardedService } from "./keep-alive.ts";
import { ACME, CLOCKED, GRACE } from "./world.ts";

/** More than a lease of a webhook, or the pause before its next attempt. */
const BETWEEN_STEPS = { minutes: 2 };

export type Play = GuardedService & {
  /** What the clock shows. */
  now: () => Temporal.Instant;
  /** Everything that is due or waits is done, also what waits for a lease. */
  settle: (at?: string) => Promise<void>;
};

/** All that it needs to know it asks for: it is played again and again, from what the steps before it left. */
export type Step = (play: Play) => Promise<unknown>;

export type Scenario = {
  /** With the copy of events in ClickHouse, which cannot be copied: it has one step. */
  hasClickhouse: boolean;
  steps: readonly Step[];
};

export function createPlay(service: GuardedService, begin: Temporal.Instant): Play {
  let now = begin;
  const moveTo = async (instant: Temporal.Instant): Promise<void> => {
    now = instant;
    await service.moveTo(instant);
  };
  return {
    ...service,
    now: () => now,
    settle: async (at) => {
      if (at !== undefined) await moveTo(Temporal.Instant.from(at));
      await service.drain();
      // Twice: what is attempted again may die then, and waits for the lease of that.
      for (const _ of [1, 2]) {
        await moveTo(now.add(BETWEEN_STEPS));
        await service.drain();
      }
    },
  };
}

const subscribe = (play: Play, name: string, plan: string) =>
  play.call("POST", "/subscriptions", {
    subscription: { external_customer_id: name, external_id: name, plan_code: plan },
  });

type Invoice = { svc_id: string; total_amount_cents: number; fees: { svc_id: string; amount_cents: number }[] };

const pay = (play: Play, id: string) =>
  play.call("PUT", `/invoices/${id}`, { invoice: { payment_status: "succeeded" } });

/** The newest of a customer first. */
const invoicesOf = async (play: Play, name: string): Promise<Invoice[]> => {
  const { invoices } = await play.call<{ invoices: Invoice[] }>("GET", `/invoices?external_customer_id=${name}`);
  return invoices;
};

const event = (name: string, code: string, id: string, more: { at: string; properties?: object }) => ({
  transaction_id: `${name} ${code} ${id}`,
  external_subscription_id: name,
  code,
  timestamp: Temporal.Instant.from(more.at).epochMilliseconds / 1000,
  properties: more.properties ?? {},
});

/** The seat is billed at once, and sent twice. */
const SEAT = event(ACME, "seats", "1", { at: "2026-03-10T11:30:00Z", properties: { user: "anna" } });

async function sendUsage(play: Play, mark: string, at: string): Promise<void> {
  const calls = ["a", "b", "c"].map((id) => event(ACME, "calls", `${mark} ${id}`, { at }));
  const storage = ["2.5", "9"].map((gigabytes) =>
    event(ACME, "storage", `${mark} ${gigabytes}`, { at, properties: { gigabytes } }),
  );
  await play.call("POST", "/events/batch", { events: [...calls, ...storage] });
}

/** With bought and granted credits; it fills itself. */
const openWallet: Step = (play) => {
  const rule = {
    trigger: "threshold",
    threshold_credits: "8",
    method: "fixed",
    paid_credits: "10",
    granted_credits: "2",
  };
  return play.call("POST", "/wallets", {
    wallet: {
      ...{ external_customer_id: ACME, currency: "EUR", rate_amount: "1", name: "Prepaid" },
      ...{ paid_credits: "20", granted_credits: "5", recurring_transaction_rules: [rule] },
    },
  });
};

const grantCredits: Step = async (play) => {
  const { wallets } = await play.call<{ wallets: { svc_id: string }[] }>(
    "GET",
    `/wallets?external_customer_id=${ACME}`,
  );
  await play.call("POST", "/wallet_transactions", {
    wallet_transaction: { wallet_id: wallets[0]?.svc_id, granted_credits: "1.5" },
  });
};

const payNewest: Step = async (play) => {
  const [newest] = await invoicesOf(play, ACME);
  if (newest) await pay(play, newest.svc_id);
};

const voidNewest: Step = async (play) => {
  const [newest] = await invoicesOf(play, ACME);
  if (newest) await play.call("POST", `/invoices/${newest.svc_id}/void`);
};

/** An invoice by hand, paid, and credited in part. */
const billAndCredit: Step = async (play) => {
  const { invoice } = await play.call<{ invoice: Invoice }>("POST", "/invoices", {
    invoice: { external_customer_id: ACME, currency: "EUR", fees: [{ add_on_code: "setup", units: "1" }] },
  });
  await pay(play, invoice.svc_id);
  const [fee] = invoice.fees;
  await play.call("POST", "/credit_notes", {
    credit_note: {
      ...{ invoice_id: invoice.svc_id, reason: "other", credit_amount_cents: 600, refund_amount_cents: 600 },
      items: [{ fee_id: fee?.svc_id, amount_cents: 1000 }],
    },
  });
};

const voidNote: Step = async (play) => {
  const { credit_notes } = await play.call<{ credit_notes: { svc_id: string }[] }>(
    "GET",
    `/credit_notes?external_customer_id=${GRACE}`,
  );
  const [note] = credit_notes;
  if (note) await play.call("PUT", `/credit_notes/${note.svc_id}/void`);
};

/** The month of a test clock, which passes as fast as requested. */
const passTime: Step = async (play) => {
  await subscribe(play, CLOCKED, "arrears");
  const { test_clocks } = await play.call<{ test_clocks: { svc_id: string }[] }>("GET", "/test_clocks");
  await play.call("POST", `/test_clocks/${test_clocks[0]?.svc_id}/advance`, {
    test_clock: { now: "2026-04-02T00:00:00Z" },
  });
};

const untilItIs =
  (at: string): Step =>
  (play) =>
    play.settle(at);

const beginInArrears: Step = (play) => subscribe(play, ACME, "arrears");
/** Paid in advance, so that there is a draft at once. */
const beginWithDraft: Step = (play) => subscribe(play, GRACE, "advance");
const applyCoupon: Step = (play) =>
  play.call("POST", "/applied_coupons", { applied_coupon: { external_customer_id: ACME, coupon_code: "welcome" } });
const use: Step = (play) => sendUsage(play, "first", "2026-03-10T11:00:00Z");
const useInAdvance: Step = (play) => play.call("POST", "/events", { event: SEAT });
const useLate: Step = (play) =>
  play.call("POST", "/events", { event: event(GRACE, "calls", "late", { at: "2026-03-31T23:00:00Z" }) });
/** Drafts follow. */
const raiseTax: Step = (play) => play.call("PUT", "/taxes/vat", { tax: { rate: "21" } });
const changePlan: Step = (play) => subscribe(play, ACME, "large");
const endSubscription: Step = (play) => play.call("DELETE", `/subscriptions/${GRACE}`);

const useWithClickhouse: Step = async (play) => {
  await beginInArrears(play);
  await sendUsage(play, "first", "2026-03-10T12:00:00Z");
  await play.settle();
  await sendUsage(play, "second", "2026-03-20T12:00:00Z");
  await play.settle("2026-04-01T01:00:00Z");
};

const withClickhouse: Scenario = { hasClickhouse: true, steps: [useWithClickhouse] };

const TWO_MONTHS: readonly Step[] = [
  beginInArrears,
  beginWithDraft,
  applyCoupon,
  openWallet,
  payNewest,
  untilItIs("2026-03-10T12:00:00Z"),
  use,
  useInAdvance,
  useInAdvance,
  billAndCredit,
  grantCredits,
  // A period ends: an invoice that uses all credits, and a draft that takes late usage and a new tax until it is finalized.
  untilItIs("2026-04-01T01:00:00Z"),
  useLate,
  raiseTax,
  untilItIs("2026-04-04T01:00:00Z"),
  voidNewest,
  untilItIs("2026-04-10T00:00:00Z"),
  changePlan,
  endSubscription,
  voidNote,
  untilItIs("2026-05-01T01:00:00Z"),
  untilItIs("2026-05-04T01:00:00Z"),
  passTime,
];

export const SCENARIOS: readonly Scenario[] = [{ hasClickhouse: false, steps: TWO_MONTHS }, withClickhouse];

/** Something of every stage, for who has less time. */
export const SHORT_SCENARIOS: readonly Scenario[] = [
  { hasClickhouse: false, steps: [beginInArrears, beginWithDraft, raiseTax, openWallet, useInAdvance] },
  withClickhouse,
];

/** Enough to have something due. */
export const NAIVE_SCENARIOS: readonly Scenario[] = [
  { hasClickhouse: false, steps: [beginInArrears, beginWithDraft, openWallet] },
];
