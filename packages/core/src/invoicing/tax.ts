/** Which taxes apply to a fee, and their amounts. */
import {
  type Decimal,
  type Fraction,
  fraction,
  type Minor,
  roundMinor,
  roundTo,
  sum,
  sumDecimals,
} from "../money/index.ts";
import type { FeeItem, Tax } from "./fee.ts";

/** The fallback levels after those of the item itself. */
export type CustomerTaxes = { readonly customer: readonly Tax[]; readonly organization: readonly Tax[] };

/** An amount after coupons, and the taxes on it. */
export type TaxedBase = { readonly base: Fraction; readonly taxes: readonly Tax[] };

/** One tax over all bases that it applies to. */
export type TaxLine = {
  readonly tax: Tax;
  readonly base: Fraction;
  readonly baseMinor: Minor;
  readonly basesCount: number;
  /** Before rounding. */
  readonly exact: Fraction;
  readonly amountMinor: Minor;
};

export type FeeTaxes = {
  readonly lines: readonly { readonly tax: Tax; readonly amountMinor: Minor }[];
  readonly taxesMinor: Minor;
  readonly taxesRate: Decimal;
};

const RATE_DIGITS = 5;

/** The taxes of the nearest level that has any: a charge without taxes, a plan with 10 % and a customer with 20 % give 10 %. */
export function taxesFor(item: FeeItem, { customer, organization }: CustomerTaxes): readonly Tax[] {
  if (item.kind === "credit") return [];
  return [...ownLevels(item), customer, organization].find((level) => level.length > 0) ?? [];
}

function ownLevels(item: Exclude<FeeItem, { kind: "credit" }>): readonly (readonly Tax[])[] {
  switch (item.kind) {
    case "subscription":
      return [item.planTaxes];
    case "charge":
      return [item.chargeTaxes, item.planTaxes];
    case "commitment":
      return [item.commitmentTaxes, item.planTaxes];
    case "add_on":
      return [item.feeTaxes, item.addOnTaxes];
  }
}

/** The taxes of one fee as it shows them. All apply to the same base, never to each other: 333.33 at 10 % and 5 % is 33, 17 and 50. */
export function feeTaxes({ base, taxes }: TaxedBase): FeeTaxes {
  return {
    lines: taxes.map((tax) => ({ tax, amountMinor: roundMinor(taxOn(base, tax)) })),
    taxesMinor: roundMinor(sum(taxes.map((tax) => taxOn(base, tax)))),
    taxesRate: sumDecimals(taxes.map(({ rate }) => rate)),
  };
}

/** The taxes of a document, one line for each tax and rate, by code. */
export function taxLines(bases: readonly TaxedBase[]): TaxLine[] {
  const byTax = new Map<string, { tax: Tax; bases: Fraction[] }>();
  for (const { base, taxes } of bases) {
    for (const tax of taxes) {
      const key = taxKey(tax);
      const found = byTax.get(key);
      if (found) found.bases.push(base);
      else byTax.set(key, { tax, bases: [base] });
    }
  }
  const keys = [...byTax.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return keys.map(([, { tax, bases }]) => {
    const base = sum(bases);
    const exact = taxOn(base, tax);
    return {
      tax,
      base,
      baseMinor: roundMinor(base),
      basesCount: bases.length,
      exact,
      amountMinor: roundMinor(exact),
    };
  });
}

/** The tax of a document: its exact taxes, rounded once. The rounded lines may sum to a cent more or less. */
export const totalTaxes = (lines: readonly TaxLine[]): Minor => roundMinor(sum(lines.map(({ exact }) => exact)));

/** Rates weighed by their share of the document; by the number of fees if all amounts are 0. */
export function averageRate(lines: readonly TaxLine[], bases: readonly TaxedBase[]): Decimal {
  const whole = sum(bases.map(({ base }) => base));
  const weighed = lines.map(({ tax, base, basesCount }) =>
    whole.isZero()
      ? fraction(tax.rate).times(BigInt(basesCount)).over(BigInt(bases.length))
      : fraction(tax.rate).times(base).over(whole),
  );
  return roundTo(sum(weighed), RATE_DIGITS);
}

export const taxOn = (base: Fraction, { rate }: Tax): Fraction => base.times(rate).over(100n);

/** Fees billed before and after a rate change may share an invoice, so the code alone is not enough. */
export const taxKey = ({ code, rate }: Tax): string => `${code} ${rate.toFixed()}`;
