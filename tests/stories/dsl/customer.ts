/** A customer of a story and its actions. */
import { readCents } from "./amounts.ts";
import { noonsBetween, readDays, readMoment, toSeconds } from "./moments.ts";
import { type Metric, metricOf, type World } from "./world.ts";

export type CustomerTerms = {
  timeZone?: string;
  /** Codes. */
  taxes?: readonly string[];
  /** "3 days" */
  grace?: string;
  /** "30 days" */
  paymentTerm?: string;
};

/** What an end makes of unused days that were paid in advance, and whether it makes a last invoice. */
export type EndTerms = { unused?: "credit" | "refund" | "skip"; lastInvoice?: "generate" | "skip" };

export type SubscriptionTerms = EndTerms & {
  /** The external id; default: that of the customer. */
  as?: string;
  /** Periods count from the day of the start, not by the calendar. */
  anniversary?: true;
  starts?: string;
  ends?: string;
  /** Overrides the plan's amount. */
  amount?: string;
};

/** The time of the events (a day means its noon), their other properties, and their subscription. */
type UseTerms = ({ on: string } | { from: string; to: string }) & {
  with?: Readonly<Record<string, unknown>>;
  of?: string;
};

export type Customer = {
  name: string;
  exists: () => Promise<Customer>;
  subscribesTo: (plan: string, terms?: SubscriptionTerms) => Promise<Customer>;
  /** A plan with the same or a higher yearly price takes effect at once, a cheaper one with the next period. */
  changesTo: (plan: string, of?: string) => Promise<void>;
  leaves: (of?: string, terms?: EndTerms) => Promise<void>;
  /** Applies a coupon with its own terms or with another amount. */
  gets: (coupon: string, terms?: { amount: string }) => Promise<void>;
  /** For a count: the number of events. Otherwise the value of one event; for a range of days, split into one event per day. */
  uses: (metric: string, amount: number | string, when: UseTerms) => Promise<void>;
  adds: (metric: string, value: string, when: UseTerms) => Promise<void>;
  removes: (metric: string, value: string, when: UseTerms) => Promise<void>;
  /** Repeats the same events, as after a lost answer. */
  repeatsLastUse: () => Promise<void>;
};

export function makeCustomer(world: World, name: string, terms: CustomerTerms): Customer {
  const { api } = world;
  let made: Promise<unknown> | null = null;
  let lastSent: readonly object[] = [];
  const exists = async () => {
    made ??= createCustomer(world, name, terms);
    await made;
    return customer;
  };
  const send = async (metric: string, properties: readonly object[], when: UseTerms) => {
    lastSent = eventsOf(world, { metric, of: when.of ?? name, properties, instants: instantsOf(world, when) });
    await sendEvents(world, lastSent);
  };
  const mark = (metric: string, properties: object, when: UseTerms) =>
    send(metric, [{ ...when.with, ...properties }], when);
  const customer: Customer = {
    name,
    exists,
    subscribesTo: async (plan, request = {}) => {
      await exists();
      await api.ask("POST", "/subscriptions", { subscription: subscriptionOf(world, { name, plan }, request) });
      return customer;
    },
    changesTo: async (plan, of = name) => {
      await api.ask("POST", "/subscriptions", { subscription: subscriptionOf(world, { name, plan }, { as: of }) });
    },
    leaves: async (of = name, request = {}) => {
      const query = new URLSearchParams(endOf(request));
      await api.ask("DELETE", `/subscriptions/${encodeURIComponent(of)}?${query}`);
    },
    gets: async (coupon_code, input) => {
      await exists();
      const own = input === undefined ? {} : { amount_cents: readCents(input.amount, world.currency) };
      const applied_coupon = { external_customer_id: name, coupon_code, ...own };
      await api.ask("POST", "/applied_coupons", { applied_coupon });
    },
    uses: async (code, amount, when) => {
      const parts = splitUse(metricOf(world, code), amount, "from" in when ? instantsOf(world, when).length : 1);
      await send(
        code,
        parts.map((part) => ({ ...when.with, ...part })),
        when,
      );
    },
    adds: (code, value, when) => mark(code, { [metricOf(world, code).field]: value }, when),
    removes: (code, value, when) =>
      mark(code, { [metricOf(world, code).field]: value, operation_type: "remove" }, when),
    repeatsLastUse: () => sendEvents(world, lastSent),
  };
  return customer;
}

async function createCustomer({ api, clockId, currency }: World, name: string, terms: CustomerTerms): Promise<void> {
  if (clockId === null) throw new Error("say first what time it is: clock.is(…)");
  const { timeZone, taxes, grace, paymentTerm } = terms;
  await api.ask("POST", "/customers", {
    customer: {
      external_id: name,
      name,
      currency,
      test_clock_id: clockId,
      ...(timeZone === undefined ? {} : { timezone: timeZone }),
      ...(taxes === undefined ? {} : { tax_codes: taxes }),
      ...(grace === undefined ? {} : { billing_configuration: { invoice_grace_period: readDays(grace) } }),
      ...(paymentTerm === undefined ? {} : { net_payment_term: readDays(paymentTerm) }),
    },
  });
}

const endOf = ({ unused, lastInvoice }: EndTerms): Record<string, string> => ({
  ...(unused === undefined ? {} : { on_termination_credit_note: unused }),
  ...(lastInvoice === undefined ? {} : { on_termination_invoice: lastInvoice }),
});

function subscriptionOf(
  { timeZone, currency }: World,
  { name, plan }: { name: string; plan: string },
  { as = name, anniversary, starts, ends, amount, ...end }: SubscriptionTerms,
): object {
  const instant = (moment: string) => readMoment(moment, { timeZone, time: "00:00" }).toString();
  return {
    external_customer_id: name,
    external_id: as,
    plan_code: plan,
    ...(anniversary ? { billing_time: "anniversary" } : {}),
    ...(starts === undefined ? {} : { subscription_at: instant(starts) }),
    ...(ends === undefined ? {} : { ending_at: instant(ends) }),
    ...endOf(end),
    ...(amount === undefined ? {} : { plan_overrides: { amount_cents: readCents(amount, currency) } }),
  };
}

const instantsOf = ({ timeZone }: World, when: UseTerms): Temporal.Instant[] =>
  "from" in when ? noonsBetween(when.from, when.to, timeZone) : [readMoment(when.on, { timeZone, time: "12:00" })];

/** The properties of the events that make up an amount. */
function splitUse({ kind, field }: Metric, amount: number | string, days: number): object[] {
  if (kind === "count") return Array.from({ length: Number(amount) }, () => ({}));
  if (kind === "unique") throw new Error("what is counted once is added and removed");
  if (days === 1) return [{ [field]: String(amount) }];
  const part = Math.floor(Number(amount) / days);
  const last = Number(amount) - part * (days - 1);
  if (!Number.isInteger(last) || part === 0) throw new Error(`${amount} cannot be split over ${days} days`);
  return Array.from({ length: days }, (_, index) => ({ [field]: String(index === days - 1 ? last : part) }));
}

type Request = { metric: string; of: string; properties: readonly object[]; instants: readonly Temporal.Instant[] };

const eventsOf = (world: World, { metric, of, properties, instants }: Request): object[] =>
  properties.map((one, index) => {
    // Evenly spread: the first of 10 on the first of 5 days, the last on the last.
    const instant = instants[Math.floor((index * instants.length) / properties.length)];
    if (!instant) throw new Error("an event needs a moment");
    return {
      transaction_id: `${world.name} ${++world.eventsSent}`,
      external_subscription_id: of,
      code: metric,
      timestamp: toSeconds(instant),
      properties: one,
    };
  });

const BATCH = 100;

async function sendEvents({ api }: World, events: readonly object[]): Promise<void> {
  for (let sent = 0; sent < events.length; sent += BATCH) {
    await api.ask("POST", "/events/batch", { events: events.slice(sent, sent + BATCH) });
  }
}
