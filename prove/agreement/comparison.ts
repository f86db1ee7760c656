/** One kind of case and what it means that core and the oracle agree on it. */
import { isDeepStrictEqual } from "node:util";
import type { Currency } from "@tallystick/core/money";
import { currency, type Exact, fraction } from "@tallystick/core/money";
import type { Rational } from "@tallystick/second-opinion/rational";
import fc from "fast-check";

export type Comparison = {
  readonly name: string;
  readonly cases: fc.Arbitrary<unknown>;
  /** Throws where they differ. */
  readonly agrees: (given: unknown) => void;
};

/** Ties the cases of one kind to the two computations of it, whose answers must be equal in every member. */
export function comparison<Case>(
  name: string,
  cases: fc.Arbitrary<Case>,
  core: (given: Case) => unknown,
  oracle: (given: Case) => unknown,
): Comparison {
  return {
    name,
    cases,
    agrees: (given) => {
      const [ours, theirs] = [core(given as Case), oracle(given as Case)];
      if (!isDeepStrictEqual(ours, theirs))
        throw new Error(`core ${fc.stringify(ours)}, oracle ${fc.stringify(theirs)}`);
    },
  };
}

/** Core's exact value in the shape of the oracle's. */
export function rationalOf(value: Exact): Rational {
  const { numerator, denominator } = fraction(value);
  return { n: numerator, d: denominator };
}

const BY_DIGITS = ["JPY", null, "EUR", "KWD"] as const;
const FOREIGN_BY_DIGITS = ["KRW", null, "USD", "BHD"] as const;

/** A currency with so many minor digits. */
export function currencyWith(digits: number): Currency {
  return currency(BY_DIGITS[digits] ?? "none");
}

/** Another one with as many. */
export function foreignCurrencyWith(digits: number): Currency {
  return currency(FOREIGN_BY_DIGITS[digits] ?? "none");
}
