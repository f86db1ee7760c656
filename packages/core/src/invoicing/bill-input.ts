/** The inputs of the fees of a bill. */
import type { Charge, Plan } from "../catalog/index.ts";
import type { Minor } from "../money/index.ts";
import type { Bill } from "../subscription/index.ts";
import type { Bucket, PaidUnits } from "../usage/index.ts";
import type { Tax } from "./fee.ts";

/** A charge with its buckets, as `splitUsage` or a store gives them. */
export type ChargedUsage<Used extends Bucket = Bucket> = {
  readonly charge: Pick<Charge, "id">;
  readonly buckets: readonly Used[];
  /** If the bill needs the units that were paid in advance. */
  readonly paid?: readonly PaidUnits[] | undefined;
};

/** The taxes of each level of the plan. Those of the customer and the organization come with the invoice. */
export type BillTaxes = {
  readonly plan: readonly Tax[];
  readonly commitment: readonly Tax[];
  /** By the id of the charge. */
  readonly charges: ReadonlyMap<string, readonly Tax[]>;
};

/** Display names of the lines. */
export type BillNames = {
  readonly plan: string;
  readonly commitment: string;
  /** By the id of the charge. The default is its metric's code. */
  readonly charges: ReadonlyMap<string, string>;
  /** By the id of the filter. The default is its values. */
  readonly filters: ReadonlyMap<string, string>;
};

export type BillInput<Used extends Bucket = Bucket> = {
  readonly bill: Bill;
  /** The current plan. An overridden plan has the code of its parent, so that coupons of the parent apply to its fees. */
  readonly plan: Plan;
  /** The new plan of an upgrade, for a bill that does not store which charges it affects. */
  readonly successor: Plan | null;
  /** All usage that `usageOfBill` requests. */
  readonly usage: readonly ChargedUsage<Used>[];
  readonly renewed: readonly ChargedUsage<Used>[];
  /**
   * Counts towards the commitment but is not on this bill: the fee paid in advance for those days, charges of earlier months of the same
   * year, and fees of charges paid in advance.
   */
  readonly usedBeforeMinor: Minor;
  readonly taxes: BillTaxes;
  readonly names: BillNames;
};
