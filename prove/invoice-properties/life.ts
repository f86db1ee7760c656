/** One life: a customer on a clock of its own, with events, changes of plan and a look at everything a second before each period ends. */
import type { Call, Members } from "../served-api.ts";
import { advanceTestClock } from "../test-clocks.ts";
import { makeTestClock } from "../weekly-customers.ts";
import type { LifeCase, PeriodCase, Sent } from "./cases.ts";
import { type Invoice, partsDiffer, previewDiffers, type Usage, usageDiffers } from "./compare.ts";
import { type SeenEvent, statusesDiffer } from "./statuses.ts";

type Broken = "usageDiffers" | "previewDiffers" | "partsDiffer" | "statusesDiffer";

export type Stage = {
  call: Call;
  /** `isPlain`: an event counts in one period, and always adds to the events of its fee. */
  metrics: readonly { id: string; code: string; isPlain: boolean }[];
  signal: AbortSignal;
  /** Something happens between the look and the invoice: the harness must notice. */
  isNaive: boolean;
  /** `about`: what was not as it must be, with all that led there. */
  onBroken: (what: Broken, about: readonly string[]) => void;
  note: (figure: string) => void;
};

type Subscription = {
  plan_code: string;
  status: string;
  downgrade_plan_date: string | null;
  current_billing_period_started_at: string;
  current_billing_period_ending_at: string;
};
type Charge = { svc_id: string; pay_in_advance: boolean };

/** `name`: of the customer, its subscription and its plans, as nobody else has it. */
export async function live(stage: Stage, name: string, given: LifeCase): Promise<void> {
  const life = new Life(stage, name, given);
  await life.begin();
  for (const period of given.periods) await life.pass(period);
  await life.end();
}

class Life {
  private readonly stage: Stage;
  private readonly name: string;
  private readonly given: LifeCase;
  private readonly transcript: string[] = [];
  private testClockId = "";
  private now: Temporal.Instant;
  private sent = 0;
  private plan = 0;

  constructor(stage: Stage, name: string, given: LifeCase) {
    this.stage = stage;
    this.name = name;
    this.given = given;
    this.now = Temporal.Instant.from(given.now);
  }

  async begin(): Promise<void> {
    const { plans, timezone, taxCodes, netPaymentTerm, billingTime, backdatedDays } = this.given;
    this.testClockId = await makeTestClock(this.stage.call, this.now);
    for (const [index, plan] of plans.entries())
      await this.call("POST", "/plans", { plan: { ...plan, code: this.code(index) } });
    const customer = {
      external_id: this.name,
      timezone,
      test_clock_id: this.testClockId,
      tax_codes: taxCodes,
      net_payment_term: netPaymentTerm,
    };
    await this.call("POST", "/customers", { customer });
    const subscriptionAt =
      backdatedDays === null ? {} : { subscription_at: this.now.subtract({ hours: 24 * backdatedDays }).toString() };
    await this.subscribe({ billing_time: billingTime, ...subscriptionAt });
  }

  /** To the end of the open period and over it. */
  async pass({ events, stop, change }: PeriodCase): Promise<void> {
    const before = await this.show();
    const ending = Temporal.Instant.from(before.current_billing_period_ending_at);
    const half = stop === null ? events.length : Math.ceil(events.length / 2);
    await this.send(events.slice(0, half), before);
    if (stop !== null) {
      await this.advance(between(this.now, ending, stop));
      await this.change(change);
      await this.send(events.slice(half), await this.show());
    }
    const last = await this.show();
    const end = Temporal.Instant.from(last.current_billing_period_ending_at);
    await this.advance(end);
    const open = await this.show();
    const usage = await this.usage();
    const { invoice: preview } = await this.call<{ invoice: Invoice }>("POST", "/invoices/preview", {
      invoice: { external_subscription_id: this.name },
    });
    if (this.stage.isNaive) await this.send([{ metric: 0, value: "5", properties: {}, at: 500 }], open);
    const known = new Set(await this.invoiceIds());
    const inAdvance = await this.chargesInAdvance(open.plan_code);
    await this.advance(end.add({ seconds: 1 }));
    const made = (await this.invoiceIds()).filter((id) => !known.has(id));
    await this.compare(made, { usage, preview, inAdvance, isDowngraded: open.downgrade_plan_date !== null });
  }

  /** Then every invoice that it ever had adds up, and every event has come to something. */
  async end(): Promise<void> {
    if (this.given.isTerminated) {
      await this.call("DELETE", `/subscriptions/${encodeURIComponent(this.name)}`);
      this.stage.note("terminated");
    }
    const invoices = await Promise.all((await this.invoiceIds()).map((id) => this.invoice(id)));
    for (const invoice of invoices) this.demand("partsDiffer", partsDiffer(invoice));
    const { events } = await this.call<{ events: SeenEvent[] }>(
      "GET",
      `/events?per_page=1000&external_subscription_id=${encodeURIComponent(this.name)}`,
    );
    for (const { status } of events) this.stage.note(`events ${status}`);
    const sent = Array.from({ length: this.sent }, (_, index) => this.transactionId(index + 1));
    const plain = this.stage.metrics.filter(({ isPlain }) => isPlain).map(({ code }) => code);
    const known = { sent, invoices, plainCodes: new Set(plain) };
    // The harness must notice an event of which nothing is said.
    this.demand("statusesDiffer", statusesDiffer(this.stage.isNaive ? events.slice(1) : events, known));
  }

  private async compare(
    made: readonly string[],
    seen: { usage: Usage; preview: Invoice; inAdvance: ReadonlySet<string>; isDowngraded: boolean },
  ): Promise<void> {
    const invoices = await Promise.all(made.map((id) => this.invoice(id)));
    const [invoice, ...others] = invoices.filter(({ invoice_type: type }) => type === "subscription");
    if (!invoice || others.length > 0) {
      this.demand("previewDiffers", [`${invoices.length} invoices were made at the end of a period`]);
      return;
    }
    this.stage.note("invoices");
    if (invoice.fees.some(({ item }) => item.type === "charge")) this.stage.note("invoicesWithUsage");
    this.demand("usageDiffers", usageDiffers(seen.usage, invoice, seen.inAdvance));
    // A downgrade ends this subscription there and begins another: that is not the invoice that its period would have had.
    if (seen.isDowngraded) this.stage.note("downgrades");
    else this.demand("previewDiffers", previewDiffers(seen.preview, invoice));
  }

  private async change(change: PeriodCase["change"]): Promise<void> {
    if (change === "none") return;
    if (change === "plan") {
      this.stage.note("changesOfPlan");
      this.plan = 1 - this.plan;
      await this.subscribe({});
      return;
    }
    const { plan_code: code, downgrade_plan_date: downgradesOn } = await this.show();
    // A downgrade that is none any more takes effect in a job, at a moment that is not ours.
    if (downgradesOn !== null) return;
    this.stage.note("changesOfAmount");
    const { plan } = await this.call<{ plan: { amount_cents: number } }>("GET", `/plans/${encodeURIComponent(code)}`);
    await this.call("PUT", `/plans/${encodeURIComponent(code)}`, { plan: { amount_cents: plan.amount_cents + 111 } });
  }

  private subscribe(members: Members): Promise<unknown> {
    const subscription = {
      external_customer_id: this.name,
      external_id: this.name,
      plan_code: this.code(this.plan),
      ...members,
    };
    return this.call("POST", "/subscriptions", { subscription });
  }

  /** Anywhere in the open period; three of four on metrics that the plan charges for. */
  private async send(events: readonly Sent[], open: Subscription): Promise<void> {
    if (events.length === 0) return;
    const start = Temporal.Instant.from(open.current_billing_period_started_at);
    const end = Temporal.Instant.from(open.current_billing_period_ending_at);
    const body = events.map(({ metric, value, properties, at }, index) => ({
      transaction_id: this.transactionId(++this.sent),
      external_subscription_id: this.name,
      code: this.metricCode(metric, { isCharged: index % 4 < 3 }),
      timestamp: Math.floor(between(start, end, at).epochMilliseconds / 1000),
      properties: { ...properties, value },
    }));
    await this.call("POST", "/events/batch", { events: body });
  }

  private metricCode(number: number, { isCharged }: { isCharged: boolean }): string | undefined {
    const { metrics } = this.stage;
    const charges = (this.given.plans[this.plan]?.charges ?? []) as { billable_metric_id: string }[];
    const charged = charges.map((charge) => metrics.find(({ id }) => id === charge.billable_metric_id));
    return (isCharged ? charged[number % charged.length] : undefined)?.code ?? metrics[number]?.code;
  }

  private async advance(to: Temporal.Instant): Promise<void> {
    if (Temporal.Instant.compare(to, this.now) <= 0) return;
    this.transcript.push(`advance to ${to}`);
    await advanceTestClock(this.stage.call, this.testClockId, { to: to.toString(), signal: this.stage.signal });
    this.now = to;
  }

  private async show(): Promise<Subscription> {
    return (await this.call<{ subscription: Subscription }>("GET", `/subscriptions/${encodeURIComponent(this.name)}`))
      .subscription;
  }

  private async usage(): Promise<Usage> {
    const name = encodeURIComponent(this.name);
    const path = `/customers/${name}/current_usage?external_subscription_id=${name}`;
    return (await this.call<{ customer_usage: Usage }>("GET", path)).customer_usage;
  }

  private async invoiceIds(): Promise<string[]> {
    const path = `/invoices?per_page=1000&external_customer_id=${encodeURIComponent(this.name)}`;
    return (await this.call<{ invoices: { svc_id: string }[] }>("GET", path)).invoices.map(({ svc_id: id }) => id);
  }

  private async invoice(id: string): Promise<Invoice> {
    return (await this.call<{ invoice: Invoice }>("GET", `/invoices/${id}`)).invoice;
  }

  private async chargesInAdvance(planCode: string): Promise<Set<string>> {
    const { plan } = await this.call<{ plan: { charges: Charge[] } }>("GET", `/plans/${encodeURIComponent(planCode)}`);
    return new Set(plan.charges.filter((charge) => charge.pay_in_advance).map(({ svc_id: id }) => id));
  }

  private demand(what: Broken, differences: readonly string[]): void {
    if (differences.length > 0) this.stage.onBroken(what, [...this.transcript, ...differences]);
  }

  private call<Body>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Body> {
    if (method !== "GET") this.transcript.push(`${method} ${path} ${JSON.stringify(body)}`);
    return this.stage.call<Body>(method, path, body);
  }

  private transactionId = (number: number): string => `${this.name} ${number}`;
  private code = (plan: number): string => `${this.name} ${plan}`;
}

function between(from: Temporal.Instant, to: Temporal.Instant, thousandths: number): Temporal.Instant {
  const seconds = Math.floor((from.until(to).total("seconds") * thousandths) / 1000);
  return from.add({ seconds: Math.max(0, seconds) });
}
