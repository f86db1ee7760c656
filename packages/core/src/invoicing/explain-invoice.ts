/** An invoice as text: a column of amounts that adds up to the total, and under each the way it was computed. */
import { type Currency, type Minor, minor, readableText, readExact, sum } from "../money/index.ts";
import { amountText, billLine, exactAmountText } from "./amount-text.ts";
import { type CouponStep, type InvoiceDerivation, readMinor, type TaxLineStep } from "./invoice-derivation.ts";

/** The lines of a bill, with every step a finance person needs to check it with a pocket calculator. */
export function explainInvoice(derivation: InvoiceDerivation): string[] {
  const { currency, fees, coupons, taxes, creditNotes, wallets, figures } = derivation;
  const labels = new Map(fees.map(({ id, label }) => [id, label]));
  return [
    ...fees.map(({ label, amountMinor }) => `  ${label}: ${amountText(readMinor(amountMinor), currency)}`),
    billLine("Fees", amountText(readMinor(figures.feesMinor), currency)),
    ...coupons.flatMap((coupon) => couponLines(coupon, labels, currency)),
    ...taxesLines(taxes, readMinor(figures.taxesMinor), currency),
    ...creditNotes.map(({ number, amountMinor }) =>
      billLine(`Credit note ${number}`, lessText(readMinor(amountMinor), currency)),
    ),
    ...wallets.map(({ credits, rate, amountMinor }) =>
      billLine(`Prepaid credits ${credits} × ${rate}`, lessText(readMinor(amountMinor), currency)),
    ),
    billLine(`Total ${currency}`, amountText(readMinor(figures.totalMinor), currency)),
  ];
}

function couponLines(coupon: CouponStep, labels: ReadonlyMap<string, string>, currency: Currency): string[] {
  const credit = exactAmountText(readExact(coupon.creditMinor), currency);
  const base = exactAmountText(readExact(coupon.base), currency);
  return [
    billLine(`Coupon ${coupon.code} ${worth(coupon, currency)}`, lessText(readMinor(coupon.creditMinor), currency)),
    ...coupon.shares.map(({ feeId, remaining, share }) => {
      const exact = exactAmountText(readExact(remaining), currency);
      return `  ${labels.get(feeId)}: ${credit} × ${exact} / ${base} = ${exactAmountText(readExact(share), currency)}`;
    }),
  ];
}

function worth({ discount, base }: CouponStep, currency: Currency): string {
  return discount.type === "fixed"
    ? amountText(readMinor(discount.amountMinor), currency)
    : `${discount.rate} % of ${exactAmountText(readExact(base), currency)}`;
}

/** One tax is a line of the invoice. Several taxes are summed exactly and rounded once, so they are listed below the sum. */
function taxesLines(taxes: readonly TaxLineStep[], taxesMinor: Minor, currency: Currency): string[] {
  const amount = amountText(taxesMinor, currency);
  const [only, ...others] = taxes.map((tax) => taxText(tax, currency));
  if (only === undefined) return [];
  if (others.length === 0) return [billLine(only, amount)];
  return [billLine("Taxes, rounded once", amount), ...[only, ...others].map((text) => `  ${text}`)];
}

function taxText({ name, rate, bases, exact }: TaxLineStep, currency: Currency): string {
  const base = sum(bases.map((fee) => readExact(fee.base)));
  return `${name} ${readableText(readExact(rate))} % on ${exactAmountText(base, currency)} = ${exactAmountText(readExact(exact), currency)}`;
}

const lessText = (amountMinor: Minor, currency: Currency): string => amountText(minor(-amountMinor), currency);
