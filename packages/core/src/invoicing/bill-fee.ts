/** A fee of a subscription's bill: everything that is stored, and its amount recomputed from its derivation. */
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

/** The used quantity and its cost. */
export type UsageFeeDerivation = {
  /** usage: for a period that closes. renewal: what a recurring metric holds when a period begins. */
  readonly type: "usage" | "renewal";
  readonly quantity: UsageDerivation;
  readonly fee: FeeDerivation;
};

/** For one event, billed at once. */
export type InAdvanceFeeDerivation = {
  readonly type: "in_advance";
  /** The tally of all events before it. */
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
type BillFeeKind = "subscription" | "usage" | "renewal" | "true_up" | "commitment";

export type BillFee<Used extends Bucket = Bucket> = Pick<Fee, "label" | "amountMinor"> & {
  /** Unique on the bill, and the same whenever the bill is recomputed. */
  readonly key: string;
  readonly kind: BillFeeKind;
  readonly item: BillItem;
  /** null: the fee has no charge. */
  readonly chargeId: string | null;
  /** null: the fee has no filter. */
  readonly filterId: string | null;
  readonly group: Group;
  /** The usage behind the fee; null: it is not based on usage. */
  readonly bucket: Used | null;
  readonly units: Decimal;
  /** For a unique count its value; null: the fee has no charge. */
  readonly eventsCount: bigint | null;
  /** Before rounding, in minor units. */
  readonly preciseAmountMinor: Fraction;
  /** The cost of one unit, in major units. */
  readonly preciseUnitAmount: Decimal;
  /** The window it is for, its end not included. */
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
  /** Paid in advance for a charges period that begins. */
  readonly isRenewal: boolean;
  /** false: the charge is not invoiced, so the fee is standalone. */
  readonly isInvoiced: boolean;
  /** For the true-up of a charge's minimum: the key of its parent fee. */
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

/** A fee without a quantity is one unit of its amount. */
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
