// A customer with all that it can spend, and what happens to it, as plain data.

import type { InvoiceCoupon, InvoiceNote, InvoiceWallet, TaxRate } from "@tallystick/second-opinion/credit-rules";

/** Its own taxes, then those of its plan or add-on. A credit has none. */
export type CustomerFee = {
  kind: "subscription" | "charge" | "commitment" | "add_on" | "credit";
  cents: string;
  planCode: string;
  metricCode: string;
  ownTaxes: TaxRate[];
  planTaxes: TaxRate[];
};

/** Foreign is what has another currency than the invoices. */
export type CustomerCoupon = InvoiceCoupon & { isForeign: boolean };
/** From before; null, or the invoice of this case that it is on. */
export type CustomerNote = InvoiceNote & { isForeign: boolean; invoice: number | null };
export type CustomerWallet = InvoiceWallet & { isForeign: boolean; expiresAt: number | null };

/** Which share of what is left of a fee is credited, in thousandths. */
export type RequestedPart = { fee: number; thousandths: number };

/** A number names the one at that place, below zero from the end, counted around if there are fewer. */
export type Step =
  | { do: "bill"; form: "finalized" | "draft" | "one_off"; fees: CustomerFee[] }
  | { do: "finalize" | "pay" | "bounce" | "void"; invoice: number }
  /** So much of what is due. */
  | { do: "write off"; invoice: number; thousandths: number }
  | {
      do: "credit";
      invoice: number;
      parts: RequestedPart[] | "all";
      /** How much of the total is wanted in money, in thousandths, and by how much the caller misses the total. */
      refundThousandths: number;
      missesBy: number;
    }
  | { do: "credit unused"; invoice: number; fee: number; millionths: number }
  | { do: "void note"; note: number }
  | { do: "grant" | "buy"; wallet: number; credits: string }
  | { do: "end wallet"; wallet: number }
  /** By hand for this customer, or the coupon for everybody: expired it lives on where it was applied, deleted it does not. */
  | { do: "end coupon"; coupon: number; how: "terminated" | "expired" | "deleted" };

/** What else happens to a customer that is watched instead of imagined: it is known exactly what was asked for. */
export type WatchedStep =
  | { do: "credit exactly"; invoice: number; items: { fee: number; cents: string }[]; credit: string; refund: string }
  | { do: "void credits"; wallet: number; credits: string }
  | { do: "write off exactly"; invoice: number; cents: string }
  /** Nothing of it can be used any more; what becomes of its purchases is watched apart. */
  | { do: "close wallet"; wallet: number }
  | { do: "apply coupon"; coupon: CustomerCoupon };

export type CustomerCase = {
  digits: number;
  customerTaxes: TaxRate[];
  organizationTaxes: TaxRate[];
  coupons: CustomerCoupon[];
  notes: CustomerNote[];
  wallets: CustomerWallet[];
  steps: Step[];
};

export type WatchedCase = Omit<CustomerCase, "steps"> & { steps: (Step | WatchedStep)[] };

/** The clock shows this at a step; whatever was there before is from an earlier time. */
export const timeOf = (step: number): number => 10 + step;

/** The one that a number names, with its place. */
export function named<Item>(items: readonly Item[], number: number): { item: Item; index: number } | undefined {
  const count = Math.max(1, items.length);
  const index = ((number % count) + count) % count;
  const item = items[index];
  return item === undefined ? undefined : { item, index };
}

/** What a caller asks for: of a total, so much in money, and the rest, give or take a little, as credit. */
export function requestFor(total: bigint, { refundThousandths, missesBy }: Step & { do: "credit" }) {
  const refund = (total * BigInt(refundThousandths)) / 1000n;
  const credit = total + BigInt(missesBy) - refund;
  return { credit: credit < 0n ? 0n : credit, refund };
}

/** At least a minor unit of what is due. */
export function writeOffOf(due: bigint, thousandths: number): bigint {
  const part = (due * BigInt(thousandths)) / 1000n;
  return part === 0n ? 1n : part;
}

/** What a caller wants back of each fee, of which so much is left. */
export function requestedOf(parts: RequestedPart[] | "all", left: readonly bigint[]): { fee: number; cents: bigint }[] {
  if (parts === "all") return left.map((cents, fee) => ({ fee, cents }));
  return parts.map(({ fee: number, thousandths }) => {
    const fee = number % left.length;
    return { fee, cents: ((left[fee] ?? 0n) * BigInt(thousandths)) / 1000n };
  });
}
