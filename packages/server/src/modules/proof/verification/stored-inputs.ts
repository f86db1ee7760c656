/** Reads the stored inputs of an invoice back into the types that core computes with. */
import { decimal } from "@tallystick/core/money";
import type { InAdvanceTally } from "@tallystick/core/rating";
import type { Bill } from "@tallystick/core/subscription";
import type { Group } from "@tallystick/core/usage";
import type { TaxRow } from "../../catalogue/index.ts";
import type { StoredSpendable } from "../../invoicing/index.ts";

export type StoredTax = { id: string; code: string; name: string; rate: string };

/** The units of a charge in a bucket, with the count and digest of its events. */
export type StoredQuantity = {
  chargeId: string;
  filterId: string | null;
  group: Group;
  units: string;
  events: string;
  digest: string;
};

type PlanAt = { planId: string; planVersion: number };

export type StoredBill = PlanAt & {
  billId: string;
  subscriptionId: string;
  externalSubscriptionId: string;
  reason: Bill["reason"];
  windows: unknown;
  historyFrom: string;
  /** Set if the new period has another price version than the period that ended. */
  openingVersion?: number;
  successor: PlanAt | null;
  usedBeforeMinor: string;
  inArrears: readonly StoredQuantity[];
  renewed: readonly StoredQuantity[];
  taxes: {
    plan: readonly StoredTax[];
    commitment: readonly StoredTax[];
    charges: Readonly<Record<string, readonly StoredTax[]>>;
  };
};

type CustomerTaxes = { customer: readonly StoredTax[]; organization: readonly StoredTax[] };

/** The engine that computed the invoice, and the zone of its local days. */
export type MadeBy = { engineVersion: string; zoneDataVersion: string; timeZone: string };

export type FromBills = MadeBy & {
  cut: readonly string[];
  bills: readonly StoredBill[];
  taxes: CustomerTaxes;
  spendable: StoredSpendable;
  /** Standalone fees of its bills from an earlier draft. A later draft does not change them. */
  keptFeeIds?: readonly string[];
};

export type FromEvent = MadeBy &
  PlanAt & {
    reason: "in_advance_charge";
    event: { id: string; timestamp: string; shard: number; position: string };
    subscriptionId: string;
    externalSubscriptionId: string;
    window: Readonly<Record<"from" | "to" | "firstDay" | "lastDay" | "timeZone", string>> & { periodDays: number };
    charges: readonly {
      chargeId: string;
      filterId: string | null;
      before: InAdvanceTally;
      wasActive: boolean;
      taxes: readonly StoredTax[];
    }[];
    taxes: CustomerTaxes & { plan: readonly StoredTax[] };
    spendable: StoredSpendable;
  };

export type FromAddOns = MadeBy & {
  taxes: CustomerTaxes;
  fees: readonly {
    addOnId: string;
    unitAmountMinor: string;
    units: string | null;
    feeTaxes: readonly StoredTax[];
    addOnTaxes: readonly StoredTax[];
  }[];
};

export type FromPaidFees = MadeBy & { feeIds: readonly string[] };

export type FromPurchase = MadeBy & { walletTransactionId: string };

/** The members that are present tell the variants apart. */
export type Inputs =
  | { kind: "bills"; inputs: FromBills }
  | { kind: "event"; inputs: FromEvent }
  | { kind: "add_ons"; inputs: FromAddOns }
  | { kind: "paid_fees"; inputs: FromPaidFees }
  | { kind: "purchase"; inputs: FromPurchase };

export function readInputs(madeFrom: unknown): Inputs {
  const members = madeFrom as Readonly<Record<string, unknown>>;
  if ("bills" in members) return { kind: "bills", inputs: madeFrom as FromBills };
  if ("event" in members) return { kind: "event", inputs: madeFrom as FromEvent };
  if ("feeIds" in members) return { kind: "paid_fees", inputs: madeFrom as FromPaidFees };
  if ("walletTransactionId" in members) return { kind: "purchase", inputs: madeFrom as FromPurchase };
  return { kind: "add_ons", inputs: madeFrom as FromAddOns };
}

/** A tax as it was billed. The other columns of its row may have changed since. */
export const toTaxRow = ({ id, code, name, rate }: StoredTax): TaxRow =>
  ({ id, code, name, rate: decimal(rate), description: null }) as unknown as TaxRow;

export const toTax = ({ code, name, rate }: StoredTax) => ({ code, name, rate: decimal(rate) });

export const toTaxes = ({ customer, organization }: CustomerTaxes) => ({
  customer: customer.map(toTax),
  organization: organization.map(toTax),
});
