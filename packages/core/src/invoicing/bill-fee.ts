/** A fee of a subscription's bill: all that is stored of it, and its amount again from its derivation. */
import {
  type Currency,
  type Decimal,
  decimal,
  type Fraction,
  inMajorUnits,
  type Minor,
  minorDigits,
  roundTo,
} from "../money/index.ts";
import {
  type FeeDerivation,
  feeAmountFrom,
  type InAdvanceTally,
  type TrueUpDerivation,
  trueUpFrom,
} from "../rating/index.ts";
import { type SubscriptionFeeDerivation, subscriptionFeeFrom } from "../subscription/index.ts";
import type { Bucket, Group, UsageDerivation } from "../usage/index.ts";
import type { Fee, FeeItem } from "./fee.ts";

/** How much was used, and what that costs. */
export type UsageFeeDerivation = {
  /** usage: of a period that closes. renewal: what a recurring metric holds when a period begins. */
  readonly type: "usage" | "renewal";
  readonly quantity: UsageDerivation;
  readonly fee: FeeDerivation;
};

/** Of one event, billed at once. */
export type InAdvanceFeeDerivation = {
  readonly type: "in_advance";
  /** What all events before it had come to. */
  readonly before: InAdvanceTally;
  readonly fee: FeeDerivation;
};

/** Plain data that survives JSON. */
export type BillFeeDerivation =
  | SubscriptionFeeDerivation
  | UsageFeeDerivation
  | InAdvanceFeeDerivation
  | TrueUpDerivation;

export type BillItem = Extract<FeeItem, { readonly kind: "subscription" | "charge" | "commitment" }>;

/** usage and renewal: of a charge, in arrears or for a period that begins. true_up: up to the minimum of a charge. */
export type BillFeeKind = "subscription" | "usage" | "renewal" | "true_up" | "commitment";

export type BillFee<Used extends Bucket = Bucket> = Pick<Fee, "label" | "amountMinor"> & {
  /** Unique on the bill, and the same whenever the bill is made again. */
  readonly key: string;
  readonly kind: BillFeeKind;
  readonly item: BillItem;
  /** null: not of a charge. */
  readonly chargeId: string | null;
  /** null: not of a filter. */
  readonly filterId: string | null;
  readonly group: Group;
  /** What it was made from; null: not from usage. */
  readonly bucket: Used | null;
  readonly units: Decimal;
  /** Of a unique count its value; null: no fee of a charge. */
  readonly eventsCount: bigint | null;
  /** Before rounding, in minor units. */
  readonly preciseAmountMinor: Fraction;
  /** What one unit came to, in major units. */
  readonly preciseUnitAmount: Decimal;
  /** The window it is for, its end not included. */
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
  /** Paid in advance for a charges period that begins. */
  readonly isRenewal: boolean;
  /** false: of a charge that is not invoiced, so the fee stands alone. */
  readonly isInvoiced: boolean;
  /** Of the true-up of a charge's minimum: the key of the fee it hangs on. */
  readonly trueUpParentKey: string | null;
  readonly derivation: BillFeeDerivation;
};

/** The amount of a fee, from its derivation alone. */
export function billFeeFrom(derivation: BillFeeDerivation): Minor {
  switch (derivation.type) {
    case "subscription_fee":
      return subscriptionFeeFrom(derivation);
    case "usage":
    case "renewal":
    case "in_advance":
      return feeAmountFrom(derivation.fee);
    case "charge_minimum":
    case "commitment":
      return trueUpFrom(derivation);
  }
}

/** What is not counted is one unit of its amount. */
export function oneUnit(amountMinor: Minor, currency: Currency) {
  return {
    filterId: null,
    group: {},
    bucket: null,
    units: decimal("1"),
    amountMinor,
    preciseUnitAmount: roundTo(inMajorUnits(amountMinor, currency), minorDigits(currency)),
    isRenewal: false,
    isInvoiced: true,
  } as const;
}
