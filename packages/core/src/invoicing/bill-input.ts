/** All that the fees of a bill are made from. */
import type { Charge, Plan } from "../catalog/index.ts";
import type { Minor } from "../money/index.ts";
import type { Bill } from "../subscription/index.ts";
import type { Bucket, PaidUnits } from "../usage/index.ts";
import type { Tax } from "./fee.ts";

/** A charge with its buckets, as `splitUsage` or a store gives them. */
export type ChargedUsage<Used extends Bucket = Bucket> = {
  readonly charge: Pick<Charge, "id">;
  readonly buckets: readonly Used[];
  /** Where the bill wants to know what was paid for. */
  readonly paid?: readonly PaidUnits[] | undefined;
};

/** The taxes of each level of the plan; the customer's and the organization's come with the invoice. */
export type BillTaxes = {
  readonly plan: readonly Tax[];
  readonly commitment: readonly Tax[];
  /** By the id of the charge. */
  readonly charges: ReadonlyMap<string, readonly Tax[]>;
};

/** What people know the lines by. */
export type BillNames = {
  readonly plan: string;
  readonly commitment: string;
  /** By the id of the charge; one without a name is known by its metric's code. */
  readonly charges: ReadonlyMap<string, string>;
  /** By the id of the filter; one without a name is known by its values. */
  readonly filters: ReadonlyMap<string, string>;
};

export type BillInput<Used extends Bucket = Bucket> = {
  readonly bill: Bill;
  /** As it is now. Overridden, it has the code of its parent, so that coupons of the parent reach its fees. */
  readonly plan: Plan;
  /** The new plan of an upgrade, for a bill that does not say which charges it touches. */
  readonly successor: Plan | null;
  /** All that `usageOfBill` wants. */
  readonly usage: readonly ChargedUsage<Used>[];
  readonly renewed: readonly ChargedUsage<Used>[];
  /**
   * What counts against the commitment and is not on this bill: the fee that was paid in advance for those days, charges of
   * earlier months of the same year, and fees of charges paid in advance.
   */
  readonly usedBeforeMinor: Minor;
  readonly taxes: BillTaxes;
  readonly names: BillNames;
};
