/** Explanations in English for finance readers. Amounts look as they do on documents. */
import { explainCredits, explainOneOff, type InvoiceDerivation } from "@tallystick/core/invoicing";
import { currency, type Exact, fraction, inMajorUnits, minor, readExact, sum } from "@tallystick/core/money";
import { explainAmount } from "@tallystick/core/rating";
import { explainHeld, explainQuantity } from "@tallystick/core/usage";
import { createFormats, feeLine, wordsOf } from "../../documents/index.ts";
import type { FeeRow } from "../../invoicing/index.ts";
import type { FeeExplanation } from "./explain-fee.ts";
import type { StoredDerivation } from "./load-fee.ts";

type Formats = ReturnType<typeof createFormats>;

const LANGUAGE = "en";

export const formatsOf = (code: string): Formats => createFormats(LANGUAGE, code);

/** The labels of the lines. */
export const LINE_WORDS = {
  carried_over: "Carried over from before the window",
  events: "Events of the window",
  flat_amount: "Flat amount of the tier",
  units_rounding: "Units rounded up",
  other_days: "Days that another charge bills",
  not_below_zero: "Billed as nothing instead of less than nothing",
  amount: "Price",
  required: "Required",
  already_billed: "Less what was billed already",
  rounding: "Rounding to the smallest unit of the currency",
} as const;

/** The whole text of a fee: usage, price, the lines that add up to it, then coupons and taxes. */
export function feeText({ row, derivation, timeZone, lines, coupons, taxes }: FeeExplanation): string[] {
  const formats = formatsOf(row.currency);
  return [
    ...describeFee(row, derivation, timeZone),
    ...lines.map(({ name, amount }) => `${LINE_WORDS[name]}: ${formats.exactAmount(amount)}`),
    `Fee: ${formats.amount(row.amount_cents)}`,
    ...coupons.map(
      ({ code, share }) => `Share of coupon ${code}: ${formats.exactAmount(inMajor(share.times(-1n), row.currency))}`,
    ),
    ...taxes.map(
      (tax) =>
        `${tax.tax_name} ${formats.rate(tax.tax_rate)} on ${baseOf({ row, coupons }, formats)}: ${formats.amount(tax.amount_cents)}`,
    ),
  ];
}

/** Shows the rounding of a usage fee. The texts of other fees already show it. */
export function roundingText({ currency: code, amount_cents: amount }: FeeRow, derivation: StoredDerivation): string[] {
  if (!("fee" in derivation)) return [];
  const exact = readExact(derivation.fee.exact);
  const formats = formatsOf(code);
  if (exact.equals(inMajor(amount, code))) return [];
  return [`Exactly ${formats.exactAmount(exact)}, rounded to ${formats.amount(amount)}`];
}

/** How the amount of a fee was computed, without the lines. Days are in the zone that the fee was billed in. */
export function describeFee(row: FeeRow, derivation: StoredDerivation, timeZone: string): string[] {
  const formats = formatsOf(row.currency);
  const { name, details, units, unitPrice, parts, amount } = feeLine(row, {
    words: wordsOf(LANGUAGE),
    formats,
    timeZone,
  });
  const steps = parts.map((part) => {
    const product = [part.units, part.unitPrice].filter((text) => text !== "").join(" × ");
    return `${part.label}: ${product === "" ? "" : `${product} = `}${part.amount}`;
  });
  const plain = unitPrice === "" ? [] : [`${units} × ${unitPrice} = ${amount}`];
  return [
    [name, ...details].join(", "),
    ...quantityOf(derivation),
    ...(steps.length > 0 ? steps : (stepsOf(derivation) ?? plain)),
  ];
}

function quantityOf(derivation: StoredDerivation): string[] {
  if (!("quantity" in derivation)) return [];
  const { quantity, type } = derivation;
  return [...(type === "renewal" ? [explainHeld(quantity)] : []), ...explainQuantity(quantity)];
}

/** For prices that are not a sum of parts. null: units and unit price are enough. */
function stepsOf(derivation: StoredDerivation): string[] | null {
  switch (derivation.type) {
    case "usage":
    case "renewal":
    case "in_advance":
      return derivation.fee.pricing.model === "standard" ? null : explainAmount(derivation.fee.pricing);
    case "one_off":
      return explainOneOff(derivation);
    case "credit":
      return explainCredits(derivation);
    default:
      return null;
  }
}

function baseOf({ row, coupons }: Pick<FeeExplanation, "row" | "coupons">, formats: Formats): string {
  const share = sum(coupons.map((coupon) => coupon.share));
  return formats.exactAmount(inMajor(fraction(row.amount_cents).minus(share), row.currency));
}

const inMajor = (exactMinor: Exact, code: string) =>
  fraction(exactMinor).times(inMajorUnits(minor(1n), currency(code)));

/** The figures of an invoice, each with its computation. */
export function invoiceText(derivation: InvoiceDerivation): string[] {
  const { currency: code, coupons, taxes, creditNotes, wallets, figures } = derivation;
  const formats = formatsOf(code);
  const amount = (digits: string) => formats.amount(BigInt(digits));
  const exact = (text: string) => formats.exactAmount(inMajor(readExact(text), code));
  const less = (digits: string) => formats.amount(-BigInt(digits));
  return [
    `Fees: ${amount(figures.feesMinor)}`,
    ...coupons.map(({ code: coupon, discount, base, creditMinor }) => {
      const worth =
        discount.type === "fixed" ? amount(discount.amountMinor) : `${formats.rate(readExact(discount.rate))}`;
      return `Coupon ${coupon}, ${worth} on ${exact(base)}: ${less(creditMinor)}`;
    }),
    `Subtotal before taxes: ${amount(figures.subTotalExcludingTaxesMinor)}`,
    ...taxes.map(({ name, rate, bases, exact: exactTax }) => {
      const base = sum(bases.map((fee) => readExact(fee.base)));
      return `${name} ${formats.rate(readExact(rate))} on ${formats.exactAmount(inMajor(base, code))} = ${exact(exactTax)}`;
    }),
    ...(taxes.length > 0 ? [`Taxes, rounded once: ${amount(figures.taxesMinor)}`] : []),
    ...creditNotes.map(({ number, amountMinor }) => `Credit note ${number}: ${less(amountMinor)}`),
    ...wallets.map(
      ({ credits, rate, amountMinor }) =>
        `Prepaid credits, ${formats.number(readExact(credits))} × ${formats.exactAmount(readExact(rate))}: ${less(amountMinor)}`,
    ),
    `Total: ${amount(figures.totalMinor)}`,
  ];
}
