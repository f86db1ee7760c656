/** Minimum amounts: of a charge, and of all costs of a subscription in a period. A true-up bills the difference to the usage. */
import { exactText, Fraction, greatest, type Minor, NOTHING, readExact, roundMinor } from "../money/index.ts";

export type TrueUpInput = {
  /** The minimum cost of a full period. */
  readonly minimumMinor: Minor;
  /** Local days that count, and the days of the full period. */
  readonly days: number;
  readonly periodDays: number;
  /** The sum of the rounded fees that count towards it. */
  readonly usedMinor: Minor;
};

export type TrueUpDerivation = {
  readonly type: "charge_minimum" | "commitment";
  readonly minimumMinor: string;
  readonly days: number;
  readonly periodDays: number;
  /** The required amount for those days; for a commitment in whole cents. */
  readonly requiredMinor: string;
  readonly usedMinor: string;
};

export type TrueUp = { readonly amountMinor: Minor; readonly derivation: TrueUpDerivation };

/** 25 of 28 days of a minimum of 1000 with 800 used: 892.857… less 800 is 93. Null if usage reaches the minimum. */
export function chargeMinimumTrueUp(input: TrueUpInput): TrueUp | null {
  return trueUp("charge_minimum", input, prorated(input));
}

/** 2 of 29 days of 1,000,000 are 68,966; with 690 used, 68,276 remain. Null if usage reaches the commitment. */
export function commitmentTrueUp(input: TrueUpInput): TrueUp | null {
  return trueUp("commitment", input, new Fraction(roundMinor(prorated(input)), 1n));
}

const prorated = ({ minimumMinor, days, periodDays }: TrueUpInput): Fraction =>
  new Fraction(minimumMinor * BigInt(days), BigInt(periodDays));

function trueUp(type: TrueUpDerivation["type"], input: TrueUpInput, required: Fraction): TrueUp | null {
  const amountMinor = roundMinor(greatest(required.minus(input.usedMinor), NOTHING));
  if (amountMinor === 0n) return null;
  const { minimumMinor, days, periodDays, usedMinor } = input;
  return {
    amountMinor,
    derivation: {
      type,
      minimumMinor: String(minimumMinor),
      days,
      periodDays,
      requiredMinor: exactText(required),
      usedMinor: String(usedMinor),
    },
  };
}

/** The amount of a true-up, from its derivation alone. */
export function trueUpFrom({ requiredMinor, usedMinor }: TrueUpDerivation): Minor {
  return roundMinor(readExact(requiredMinor).minus(BigInt(usedMinor)));
}
