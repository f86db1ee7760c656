/** Explains a fee: the lines that add up to its amount, and a text for each. */
import { type FeeLine, type LineName, needsAllEvents, roundingOf, usageLines } from "@tallystick/core/explanation";
import {
  type Currency,
  currency,
  type Fraction,
  fraction,
  inMajorUnits,
  minor,
  readExact,
} from "@tallystick/core/money";
import type { EventStore } from "../../usage/index.ts";
import { invoiceDerivationOf, type LoadedFee } from "./load-fee.ts";
import { isTooLarge, readContributions } from "./page-of-events.ts";

/** The fee's share of a coupon, in minor units. */
export type CouponShare = { readonly code: string; readonly share: Fraction };

export type FeeExplanation = LoadedFee & {
  readonly lines: readonly FeeLine[];
  readonly coupons: readonly CouponShare[];
};

export async function explainFee(events: EventStore, organizationId: string, fee: LoadedFee): Promise<FeeExplanation> {
  return { ...fee, lines: await linesOf(events, organizationId, fee), coupons: couponSharesOf(fee) };
}

async function linesOf(events: EventStore, organizationId: string, fee: LoadedFee): Promise<readonly FeeLine[]> {
  const { measured, derivation, row } = fee;
  if (measured && isTooLarge(measured)) {
    const { fee: priced } = measured.explained.derivation;
    return [{ name: "amount", amount: readExact(priced.exact) }, ...roundingOf(priced)];
  }
  if (measured) {
    const isWhole = needsAllEvents(measured.explained);
    return usageLines(measured.explained, isWhole ? await readContributions(events, organizationId, measured) : null);
  }
  const code = currency(row.currency);
  const exactly = (name: LineName, exactMinor: Fraction): FeeLine => ({ name, amount: inMajor(exactMinor, code) });
  switch (derivation.type) {
    case "in_advance":
      return [{ name: "events", amount: readExact(derivation.fee.exact) }, ...roundingOf(derivation.fee)];
    case "charge_minimum":
    case "commitment":
      return withRounding(row.amount_cents, code, [
        exactly("required", readExact(derivation.requiredMinor)),
        exactly("already_billed", readExact(derivation.usedMinor).times(-1n)),
      ]);
    case "subscription_fee":
      return withRounding(row.amount_cents, code, [exactly("amount", readExact(derivation.exactMinor))]);
    case "one_off": {
      const exactMinor = readExact(derivation.unitAmountMinor).times(readExact(derivation.units));
      return withRounding(row.amount_cents, code, [exactly("amount", exactMinor)]);
    }
    case "credit": {
      const amount = readExact(derivation.credits).times(readExact(derivation.rate));
      const less = inMajor(readExact(derivation.lessMinor), code);
      return withRounding(row.amount_cents, code, [{ name: "amount", amount: amount.minus(less) }]);
    }
    case "usage":
    case "renewal":
      throw new Error("A usage fee must be loaded with its measured window.");
  }
}

const inMajor = (exactMinor: Fraction, code: Currency): Fraction => exactMinor.times(inMajorUnits(minor(1n), code));

function withRounding(amountMinor: bigint, code: Currency, lines: readonly FeeLine[]): FeeLine[] {
  const amount = inMajorUnits(minor(amountMinor), code);
  const rounding = lines.reduce((rest, line) => rest.minus(line.amount), amount);
  return rounding.isZero() ? [...lines] : [...lines, { name: "rounding", amount: rounding }];
}

/** The derivation of an invoice names fees by keys of its own, in the order of its fee lines. */
function couponSharesOf({ row, invoice }: Pick<LoadedFee, "row" | "invoice">): CouponShare[] {
  const derivation = invoiceDerivationOf(invoice);
  const id = derivation?.fees[row.line]?.id;
  return (derivation?.coupons ?? []).flatMap(({ code, shares }) =>
    shares.filter(({ feeId }) => feeId === id).map(({ share }) => ({ code, share: fraction(readExact(share)) })),
  );
}
