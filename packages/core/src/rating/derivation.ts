/**
 * The derivation of an amount, as plain data: it survives JSON, and the amount can be recomputed from it alone. Numbers are exact text
 * ("0.375", "-55/3"); amounts are in major units unless a name says minor.
 */
import { type Fraction, readableText, readExact } from "../money/index.ts";
import { modelOf, type PricingDerivation } from "./models.ts";
import type { BeyondPaidDerivation, ByDaysDerivation } from "./part-of-period.ts";
import type { AmountDetails } from "./price-model.ts";
import { explainProrated, type ProratedDerivation, proratedAmountFrom } from "./prorated.ts";

/** The price of one event billed at once: the cost of all events so far with it, less their cost without it. */
export type InAdvanceDerivation = {
  readonly model: "in_advance";
  readonly without: PricingDerivation;
  readonly with: PricingDerivation;
};

/** The rest of a fee in advance after another plan took over days of its units. */
export type LessDaysDerivation = {
  readonly model: "less_days";
  readonly whole: AmountDerivation;
  /** The days of the fee that were taken over, and of how many of its units. */
  readonly days: number;
  readonly feeDays: number;
  readonly unitsLeft: string;
  readonly units: string;
};

export type AmountDerivation =
  | LessDaysDerivation
  | PricingDerivation
  | ProratedDerivation
  | InAdvanceDerivation
  | ByDaysDerivation
  | BeyondPaidDerivation;

/** The exact amount in major units that a derivation stands for. */
export function amountFrom(derivation: AmountDerivation): Fraction {
  switch (derivation.model) {
    case "in_advance":
      return amountFrom(derivation.with).minus(amountFrom(derivation.without));
    case "prorated_units":
    case "prorated_graduated":
      return proratedAmountFrom(derivation);
    case "by_days":
      return amountFrom(derivation.whole).times(BigInt(derivation.days)).over(BigInt(derivation.periodDays));
    case "less_days": {
      const { whole, days, feeDays, unitsLeft, units } = derivation;
      const all = readExact(units).times(BigInt(feeDays));
      return amountFrom(whole)
        .times(all.minus(readExact(unitsLeft).times(BigInt(days))))
        .over(all);
    }
    case "beyond_paid":
      return amountFrom(derivation.used).minus(amountFrom(derivation.paid));
    default:
      return modelOf(derivation.model).amountFrom(derivation);
  }
}

/** The lines of an amount before rounding. */
export function explainAmount(derivation: AmountDerivation): string[] {
  switch (derivation.model) {
    case "in_advance":
      return [
        ...explainAmount(derivation.with).map((line) => `with this event: ${line}`),
        ...explainAmount(derivation.without).map((line) => `without it: ${line}`),
      ];
    case "prorated_units":
    case "prorated_graduated":
      return explainProrated(derivation);
    case "by_days": {
      const { whole, days, periodDays } = derivation;
      return [...explainAmount(whole), `for ${days} of ${periodDays} days: ${readableText(amountFrom(derivation))}`];
    }
    case "less_days": {
      const { whole, days, feeDays, unitsLeft, units } = derivation;
      const less = `less ${days} of ${feeDays} days of ${unitsLeft} of ${units} units, which another plan bills`;
      return [...explainAmount(whole), `${less}: ${readableText(amountFrom(derivation))}`];
    }
    case "beyond_paid":
      return [
        ...explainAmount(derivation.used).map((line) => `used: ${line}`),
        ...explainAmount(derivation.paid).map((line) => `already paid in advance: ${line}`),
      ];
    default:
      return modelOf(derivation.model).explain(derivation);
  }
}

/** The API's details of an amount; empty for models whose unit price explains everything. */
export function amountDetails(derivation: AmountDerivation): AmountDetails {
  switch (derivation.model) {
    case "in_advance":
      return amountDetails(derivation.with);
    case "prorated_units":
    case "prorated_graduated":
    case "by_days":
    case "beyond_paid":
    case "less_days":
      return {};
    default:
      return modelOf(derivation.model).details(derivation);
  }
}
