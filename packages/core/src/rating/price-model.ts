/** A charge model prices a quantity, and explains the price from its derivation alone. */
import type { Pricing } from "../catalog/index.ts";
import type { Decimal, Exact, Fraction } from "../money/index.ts";

/** The usage: units (never below 0), number of events, and the value of each event for prices that use them. */
export type Used = { readonly units: Exact; readonly eventsCount: bigint; readonly values: Iterable<Decimal> };

/** An exact amount in major units with its derivation. */
export type Priced<Derivation> = { readonly amount: Fraction; readonly derivation: Derivation };

type Detail = string | number | null;
/** A fee's `amount_details`: decimals are exact text; counts and bounds are in their API form. */
export type AmountDetails = Readonly<Record<string, Detail | readonly Readonly<Record<string, Detail>>[]>>;

export type PriceModel<Of extends Pricing, Derivation> = {
  readonly price: (pricing: Of, used: Used) => Priced<Derivation>;
  /** The recomputed amount. */
  readonly amountFrom: (derivation: Derivation) => Fraction;
  /** Lines that can be checked with a pocket calculator. */
  readonly explain: (derivation: Derivation) => string[];
  readonly details: (derivation: Derivation) => AmountDetails;
};
