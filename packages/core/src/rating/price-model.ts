/** What a charge model is: it prices a quantity, and can say afterwards how, from the derivation alone. */
import type { Pricing } from "../catalog/index.ts";
import type { Decimal, Exact, Fraction } from "../money/index.ts";

/** What was used: the units, never below 0, by how many events, and what each was worth for prices that look at them. */
export type Used = { readonly units: Exact; readonly eventsCount: bigint; readonly values: Iterable<Decimal> };

/** An exact amount in major units with its derivation. */
export type Priced<Derivation> = { readonly amount: Fraction; readonly derivation: Derivation };

type Detail = string | number | null;
/** A fee's `amount_details`: decimals are exact text; counts and bounds are as the API shows them. */
export type AmountDetails = Readonly<Record<string, Detail | readonly Readonly<Record<string, Detail>>[]>>;

export type PriceModel<Of extends Pricing, Derivation> = {
  readonly price: (pricing: Of, used: Used) => Priced<Derivation>;
  /** The amount again. */
  readonly amountFrom: (derivation: Derivation) => Fraction;
  /** Lines that can be checked with a pocket calculator. */
  readonly explain: (derivation: Derivation) => string[];
  readonly details: (derivation: Derivation) => AmountDetails;
};
