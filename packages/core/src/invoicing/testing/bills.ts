/** Bills with their usage, for tests: charges, events by metric, and the fees of every bill of a subscription. */
import type { Aggregation, Charge, Plan, Pricing } from "../../catalog/index.ts";
import { decimal, minor } from "../../money/index.ts";
import type { Accepted, Bill } from "../../subscription/index.ts";
import type { Life, Line } from "../../subscription/testing/life.ts";
import { paidUnits, settleAt, splitUsage, type UsageEvent } from "../../usage/index.ts";
import { type BillFee, type BillInput, feesOfBill, type UsageQuery, usageOfBill } from "../index.ts";

export const cents = (amount: number) => minor(BigInt(amount));
export const standard = (amount: string): Pricing => ({ model: "standard", amount: decimal(amount) });
export const tax = (rate: string) => ({ code: `vat_${rate}`, name: "VAT", rate: decimal(rate) });

/** Named by the code of its metric. By default in arrears at 1.00. */
export const charge = (code: string, aggregation: Aggregation, terms: Partial<Charge> = {}): Charge => ({
  id: code,
  metric: { code, aggregation, filters: [{ key: "region", values: ["eu", "us"] }] },
  price: { pricing: standard("1"), groupedBy: [] },
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
  ...terms,
});

export const atLeast = (minAmount: number) => ({ type: "arrears", minAmountMinor: cents(minAmount) }) as const;
export const inAdvance = { type: "in_advance", invoicing: "invoice_each" } as const;

/** By the code of their metric. */
export type Sent = Readonly<Record<string, readonly UsageEvent[]>>;

/** All of one shard. */
const isUpTo =
  (accepted: Accepted | undefined) =>
  ({ position }: UsageEvent): boolean =>
    accepted !== undefined && position <= BigInt(accepted[0] ?? "0");

/** A bill with the usage that it needs, read from events. */
export function billInput(bill: Bill, plan: Plan, sent: Sent, more: Partial<BillInput> = {}): BillInput {
  const read = (expected: readonly UsageQuery[]) =>
    expected.map(({ charge, window, upTo, paid }) => {
      const events = sent[charge.metric.code] ?? [];
      const buckets = splitUsage(charge, events, window, isUpTo(upTo));
      const published = paid
        ? settleAt(settleAt(events, paid.from, isUpTo(paid.after)), paid.to, isUpTo(paid.upTo))
        : [];
      return { charge, buckets, paid: paid ? paidUnits(charge, published, paid) : undefined };
    });
  const { inArrears, renewed } = usageOfBill(bill, plan, more.successor ?? null);
  return {
    bill,
    plan,
    successor: null,
    usage: read(inArrears),
    renewed: read(renewed),
    usedBeforeMinor: minor(0n),
    taxes: { plan: [], commitment: [], charges: new Map() },
    names: { plan: "Plan", commitment: "Minimum commitment", charges: new Map(), filters: new Map() },
    ...more,
  };
}

/** The inputs of each invoice of a subscription, whose plans are named by their codes. */
export function inputsOf({ invoices }: Life, plans: readonly Plan[], sent: Sent = {}): BillInput[][] {
  const planOf = ({ of }: Line): Plan => {
    const found = plans.find(({ code }) => code === of.plan.code);
    if (!found) throw new Error(`No plan ${of.plan.code}.`);
    return found;
  };
  const all = invoices.flatMap(({ lines }) => lines);
  // The new plan of an upgrade may have its first line on a later invoice.
  const successorOf = (line: Line): Plan | null => {
    const next = all[all.indexOf(line) + 1];
    return line.of.status === "terminated" && line.of.cause === "upgraded" && next ? planOf(next) : null;
  };
  return invoices.map(({ lines }) =>
    lines.map((line) => billInput(line.bill, planOf(line), sent, { successor: successorOf(line) })),
  );
}

export const shownFees = (fees: readonly BillFee[]): string[] =>
  fees.map(({ key, amountMinor }) => `${key} ${amountMinor}`);

/** Each invoice of a subscription as its fees: "subscription 4516". */
export const shownLife = (life: Life, plans: readonly Plan[], sent: Sent = {}): string[][] =>
  inputsOf(life, plans, sent).map((inputs) => inputs.flatMap((input) => shownFees(feesOfBill(input))));
