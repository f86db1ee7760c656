/** A small service for tests: it stores the subscriptions under one external id, runs what is due in order, and keeps every bill. */
import type { Faults, Plan } from "../../catalog/index.ts";
import { currency, decimal, minor } from "../../money/index.ts";
import { dayOf } from "../../time/index.ts";
import {
  type Accepted,
  type Active,
  activate,
  type Bill,
  type BilledFee,
  type Chain,
  changePlan,
  closePeriod,
  type Downgrade,
  type Due,
  decideSubscribe,
  dueInstants,
  endTrial,
  type Past,
  type PlanChange,
  periodicBill,
  type Started,
  type SubscribeRequest,
  type SubscriptionFee,
  startingBill,
  subscriptionFee,
  type Terminated,
  takeDowngrade,
  terminate,
  terminatingBill,
  trialEndBill,
  type UnusedCredit,
  type Upcoming,
  unusedCredit,
} from "../index.ts";

export const at = (text: string): Temporal.Instant => Temporal.Instant.from(text);
export const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);

/** By default a monthly plan in arrears without charges or trial. */
export const plan = (amount: number, terms: Partial<Plan> = {}): Plan => ({
  code: "plan",
  interval: "monthly",
  amountMinor: minor(BigInt(amount)),
  currency: currency("EUR"),
  isPaidInAdvance: false,
  trialDays: decimal("0"),
  areChargesMonthly: false,
  charges: [],
  minimumCommitmentMinor: null,
  ...terms,
});

export const request = (expected: Plan, terms: Partial<SubscribeRequest> = {}): SubscribeRequest => ({
  plan: expected,
  isOverridden: false,
  billingTime: "calendar",
  subscriptionAt: null,
  endingAt: undefined,
  atEnd: { creditNote: undefined, invoice: undefined },
  ...terms,
});

/** The part of an invoice that belongs to one subscription. */
export type Line = { readonly of: Started; readonly bill: Bill; readonly fee: SubscriptionFee | null };

export type Invoice = {
  readonly at: Temporal.Instant;
  readonly lines: readonly Line[];
  readonly credit: UnusedCredit | null;
};

/** Plans of tests have their charges with them. */
const chargesOf = ({ plan }: Started): Plan["charges"] => ("charges" in plan ? (plan as Plan).charges : []);

type Billing = readonly [Started, Bill | null];

export class Life {
  readonly timeZone: string;
  readonly invoices: Invoice[] = [];
  readonly taken: Due[] = [];
  now: Temporal.Instant;
  current: Upcoming | Active | null = null;
  next: Downgrade | null = null;
  /** The order of events at the exact instant of the next upgrade. */
  accepted: Accepted | null = null;
  private past: Past | null = null;
  private lastFee: BilledFee | null = null;

  constructor(now: string | Temporal.Instant, timeZone = "UTC") {
    this.now = typeof now === "string" ? at(now) : now;
    this.timeZone = timeZone;
  }

  /** Subscribes now; returns the decision, or the faults. */
  subscribe(requested: Plan, terms: Partial<SubscribeRequest> = {}): string | Faults {
    const { now, timeZone, past } = this;
    const decided = decideSubscribe(request(requested, terms), { now, timeZone, chain: this.chain(), past });
    if (!decided.ok) return decided.error;
    const decision = decided.value;
    switch (decision.type) {
      case "unchanged":
        break;
      case "created":
        if (decision.subscription.status === "active") this.begin(decision.subscription);
        else this.current = decision.subscription;
        break;
      case "plan_switched":
        this.current = decision.subscription;
        break;
      case "upgraded":
        this.replace(decision.old, decision.successor, this.accepted);
        break;
      case "downgrade_awaited":
        this.next = decision.next;
        break;
    }
    return decision.type;
  }

  terminate(): void {
    this.end(terminate(this.active(), this.next, this.now).ended, null);
  }

  /** Runs everything that is due up to the instant. */
  advance(to: string | Temporal.Instant): this {
    const until = typeof to === "string" ? at(to) : to;
    for (let due = this.nextDue(); due && Temporal.Instant.compare(due.at, until) <= 0; due = this.nextDue()) {
      this.now = due.at;
      this.taken.push(due);
      this.take(due);
    }
    this.now = until;
    return this;
  }

  active(): Active {
    if (this.current?.status !== "active") throw new Error("Nothing is active.");
    return this.current;
  }

  private chain(): Chain | null {
    if (this.current === null) return null;
    return this.current.status === "active"
      ? { current: this.current, next: this.next }
      : { current: this.current, next: null };
  }

  private nextDue(): Due | undefined {
    if (this.current === null) return undefined;
    const isTaken = (due: Due) => this.taken.some(({ kind, at }) => kind === due.kind && at.equals(due.at));
    return dueInstants(this.current, this.next, this.now).find((due) => !isTaken(due));
  }

  private take({ kind }: Due): void {
    if (this.current?.status === "pending") this.begin(activate(this.current, this.past));
    else if (kind === "ending") this.terminate();
    else if (kind === "downgrade" && this.next) {
      const { old, successor } = takeDowngrade(this.active(), this.next);
      this.replace(old, successor);
    } else if (kind === "period_end") {
      this.record([this.active(), periodicBill(this.active())]);
      this.current = closePeriod(this.active());
    } else if (kind === "trial_end") {
      this.record([this.active(), trialEndBill(this.active())]);
      this.current = endTrial(this.active());
    }
  }

  private begin(subscription: Active): void {
    this.current = subscription;
    this.record([subscription, startingBill(subscription)]);
  }

  private replace(old: Terminated, begun: Active, accepted: Accepted | null = null): void {
    const change = changePlan(
      { subscription: old, charges: chargesOf(old) },
      { subscription: begun, charges: chargesOf(begun) },
      accepted,
    );
    const successor = { ...begun, takeover: change.takeover };
    this.end(old, change, [successor, startingBill(successor)]);
    this.current = successor;
  }

  private end(old: Terminated, change: PlanChange | null, ...others: Billing[]): void {
    const credit = this.lastFee && unusedCredit(this.lastFee, old);
    this.lastFee = null;
    const bill = terminatingBill(old, change);
    this.record([old, bill], ...others);
    const invoice = bill && this.invoices.pop();
    if (invoice) this.invoices.push({ ...invoice, credit });
    this.past = { firstStartedAt: old.firstStartedAt, billedUntil: old.terminatedAt };
    this.current = null;
    this.next = null;
  }

  private record(...billings: Billing[]): void {
    const lines = billings.flatMap(([of, bill]): Line[] => (bill === null ? [] : [this.price(of, bill)]));
    if (lines.length > 0) this.invoices.push({ at: this.now, lines, credit: null });
  }

  private price(of: Started, bill: Bill): Line {
    if (bill.fee === null) return { of, bill, fee: null };
    const planAmountMinor = of.plan.amountMinor;
    const fee = subscriptionFee(planAmountMinor, bill.fee);
    this.lastFee = {
      window: bill.fee,
      planAmountMinor,
      amountMinor: fee.amountMinor,
      creditedMinor: decimal("0"),
      isInvoiceVoided: false,
    };
    return { of, bill, fee };
  }
}

/** Each invoice as text: its date, the fees on it in order, and what was credited: "2024-01-15: 4516 + 0 − 6581.5". */
export function shownInvoices({ invoices, timeZone }: Life): string[] {
  return invoices.map(({ at: instant, lines, credit }) => {
    const fees = lines.map(({ fee }) => (fee === null ? "-" : String(fee.amountMinor))).join(" + ");
    return `${dayOf(instant, timeZone)}: ${fees}${credit ? ` credit ${credit.creditMinor.toFixed()}` : ""}`;
  });
}
