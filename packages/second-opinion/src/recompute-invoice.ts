// Recomputes an invoice from the same inputs by other means, to compare with the first computation.

import { exactCents, type RecomputedFee, recomputeBill } from "./bill.ts";
import { type InvoiceCoupon, RULES, type TaxRate, taxOn } from "./credit-rules.ts";
import { oracleInvoice } from "./invoice.ts";
import { nearest, type Rational, sum } from "./rational.ts";
import type { CouponCase, RecomputationInput } from "./recomputation-input.ts";

/** Figures by name, as text. Zeros are omitted, so that neither side has to name them. */
export type Recomputation = Readonly<Record<string, string>>;

export function recomputeInvoice(requested: RecomputationInput): Recomputation {
  const bills = requested.bills.map((bill) => recomputeBill(bill, requested.digits));
  const fees = bills.flatMap((bill) => bill.fees);
  const figures = new Map<string, string>();
  const say = (name: string, value: bigint): void => {
    if (value !== 0n) figures.set(name, String(value));
  };
  for (const { name, cents } of fees) say(`fee ${name}`, cents);
  for (const { name, units } of bills.flatMap((bill) => bill.units))
    if (units.n !== 0n) figures.set(`units ${name}`, decimalText(units));
  for (const fee of fees.filter(({ isInvoiced }) => !isInvoiced)) {
    const taxes = taxesOf(requested, fee);
    say(`taxes of ${fee.name}`, nearest(sum(taxes.map((tax) => taxOn(exactCents(fee), tax)))));
  }
  sayInvoice(
    requested,
    fees.filter(({ isInvoiced }) => isInvoiced),
    say,
  );
  return Object.fromEntries([...figures].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function sayInvoice(
  queried: RecomputationInput,
  fees: readonly RecomputedFee[],
  say: (name: string, value: bigint) => void,
): void {
  const { currency, digits, at } = queried;
  const coupons = byAge(
    queried.coupons.filter(({ state: { value } }) => value.type === "percentage" || value.currency === currency),
    ({ appliedAt }) => appliedAt,
  );
  const notes = byAge(
    queried.creditNotes.filter((note) => note.currency === currency && note.invoiceId !== queried.invoiceId),
    ({ createdAt }) => createdAt,
  );
  const wallets = byAge(
    queried.wallets.filter((wallet) => wallet.currency === currency && !isOver(wallet.expiresAt, at)),
    ({ createdAt }) => createdAt,
  );
  const result = oracleInvoice({
    digits,
    fees: fees.map((fee) => ({
      cents: String(fee.cents),
      planCode: fee.planCode,
      metricCode: fee.metricCode,
      taxes: taxesOf(queried, fee),
    })),
    coupons: coupons.map(couponOf),
    creditNotes: notes.map(({ balanceMinor }, age) => ({ balance: balanceMinor, at: age })),
    wallets: wallets.map(({ balanceMinor, priority, rate }, age) => ({
      balance: balanceMinor,
      priority,
      at: age,
      rate,
    })),
  });
  fees.forEach((fee, index) => void say(`taxes of ${fee.name}`, result.feeTaxes[index] ?? 0n));
  for (const { code, rate, base, cents } of result.taxLines) {
    say(`base of tax ${code} ${rate}`, base);
    say(`tax ${code} ${rate}`, cents);
  }
  coupons.forEach(({ id }, index) => void say(`coupon ${id}`, result.couponUse[index] ?? 0n));
  notes.forEach(({ id }, index) => void say(`credit note ${id}`, result.creditNoteUse[index] ?? 0n));
  wallets.forEach(({ id }, index) => void say(`wallet ${id}`, result.walletUse[index] ?? 0n));
  say("coupons", result.coupons);
  say("taxes", result.taxes);
  say("credit notes", result.creditNotes);
  say("prepaid", result.prepaid);
  say("total", result.total);
}

const taxesOf = ({ taxes }: RecomputationInput, { taxLevels }: RecomputedFee): TaxRate[] =>
  RULES.taxesOf([...taxLevels, taxes.customer, taxes.organization]);

const isOver = (expiresAt: string | null, at: string): boolean =>
  expiresAt !== null && Temporal.Instant.compare(Temporal.Instant.from(expiresAt), Temporal.Instant.from(at)) <= 0;

/** The oldest first; at the same moment by id, because ids grow with time. */
const byAge = <Item extends { id: string }>(items: readonly Item[], instantOf: (item: Item) => string): Item[] =>
  [...items].sort(
    (one, other) =>
      Temporal.Instant.compare(Temporal.Instant.from(instantOf(one)), Temporal.Instant.from(instantOf(other))) ||
      (one.id < other.id ? -1 : 1),
  );

/** Its position in the list is its age. */
function couponOf({ state: { value, left }, limit }: CouponCase, age: number): InvoiceCoupon {
  const amount = left.type === "amount" ? left.amountMinor : value.type === "fixed_amount" ? value.amountMinor : null;
  return {
    kind: value.type === "percentage" ? "percentage" : "fixed",
    ...(amount === null ? {} : { cents: amount }),
    ...(value.type === "percentage" ? { rate: value.rate } : {}),
    frequency: left.type === "uses" ? "recurring" : left.type === "amount" ? "once" : "forever",
    ...(left.type === "uses" ? { remaining: left.count } : {}),
    appliedAt: age,
    planCodes: limit.type === "plans" ? limit.codes : null,
    metricCodes: limit.type === "metrics" ? limit.codes : null,
  };
}

/** Units are decimals, so their fraction always terminates. */
function decimalText({ n, d }: Rational): string {
  let [digits, scale] = [n < 0n ? -n : n, 0];
  let rest = d;
  while (rest !== 1n) {
    const by = rest % 10n === 0n ? 10n : rest % 5n === 0n ? 5n : 2n;
    digits *= 10n / by;
    rest /= by;
    scale += 1;
  }
  const text = String(digits).padStart(scale + 1, "0");
  const [whole, decimals] = [text.slice(0, text.length - scale), text.slice(text.length - scale).replace(/0+$/, "")];
  return `${n < 0n ? "-" : ""}${whole}${decimals === "" ? "" : `.${decimals}`}`;
}
