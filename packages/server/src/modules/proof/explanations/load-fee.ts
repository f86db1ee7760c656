/** Loads a fee with the plan version and the event snapshot that it was billed with, never the current ones. */
import assert from "node:assert/strict";
import type { Charge, ChargeFilter } from "@tallystick/core/catalog";
import { type ExplainedFee, windowFrom } from "@tallystick/core/explanation";
import {
  acceptedAtEnd,
  type BillFeeDerivation,
  type CreditsDerivation,
  type InvoiceDerivation,
  type OneOffDerivation,
} from "@tallystick/core/invoicing";
import type { Group } from "@tallystick/core/usage";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { fromTerms } from "../../catalogue/index.ts";
import {
  type FeeRow,
  type FeeTaxRow,
  feeErrors,
  findFee,
  findInvoice,
  findTaxesOfFees,
  type InvoiceRow,
  loadPayer,
} from "../../invoicing/index.ts";
import { type BucketScope, toCut } from "../../usage/index.ts";
import { findMeasured, findSingleEvent, type SingleEvent } from "./store.ts";

/** The derivation of an add-on or of purchased credits. */
type OtherDerivation = (OneOffDerivation & { type: "one_off" }) | (CreditsDerivation & { type: "credit" });

export type StoredDerivation = BillFeeDerivation | OtherDerivation;

/** Where to read the events of the fee, and how to price them. */
export type MeasuredFee = { explained: ExplainedFee; scope: BucketScope };

export type LoadedFee = {
  row: FeeRow;
  derivation: StoredDerivation;
  taxes: readonly FeeTaxRow[];
  invoice: InvoiceRow | undefined;
  /** The time zone that the fee was billed in. */
  timeZone: string;
  /** null: the fee is not for usage in a window. */
  measured: MeasuredFee | null;
  /** Set for a fee in advance. */
  event: SingleEvent | undefined;
};

export async function loadFee(tx: Tx, organizationId: string, id: string): Promise<LoadedFee> {
  const row = await findFee(tx, organizationId, id);
  if (!row) throw feeErrors.problem("fee_not_found");
  const { invoice_id: invoiceId, event_id: eventId, event_transaction_id: transactionId } = row;
  const invoice = invoiceId === null ? undefined : await findInvoice(tx, organizationId, invoiceId);
  return {
    row,
    derivation: row.derivation as StoredDerivation,
    taxes: await findTaxesOfFees(tx, organizationId, [id]),
    invoice,
    timeZone: await zoneOf(tx, organizationId, row, invoice),
    measured: await loadMeasured(tx, organizationId, row),
    event:
      eventId === null || transactionId === null
        ? undefined
        : await findSingleEvent(tx, organizationId, { id: eventId, transactionId }),
  };
}

/** The zone of the fee's usage, else of its invoice. A standalone fee has neither: then the customer's zone. */
export async function zoneOf(
  tx: Tx,
  organizationId: string,
  { derivation, customer_id }: FeeRow,
  invoice: InvoiceRow | undefined,
): Promise<string> {
  const how = derivation as StoredDerivation;
  if ("quantity" in how) return how.quantity.window.timeZone;
  return invoice?.time_zone ?? (await loadPayer(alone(tx), organizationId, customer_id)).timeZone;
}

async function loadMeasured(tx: Tx, organizationId: string, row: FeeRow): Promise<MeasuredFee | null> {
  const derivation = row.derivation as StoredDerivation;
  if (derivation.type !== "usage" && derivation.type !== "renewal") return null;
  assert(row.bill_id, "a usage fee has a bill");
  const metricId = row.item_id;
  const found = await findMeasured(tx, organizationId, { feeId: row.id, billId: row.bill_id, metricId });
  assert(found, "a billed window was counted");
  const metric = { code: found.code, ...found.metric };
  const taxes = { planId: found.plan_id, commitmentId: undefined, codesOf: new Map() };
  const { charges } = fromTerms(found.terms, taxes, new Map([[metricId, metric]]));
  const charge: Charge | undefined = charges.find(({ id }) => id === row.charge_id);
  assert(charge, "the plan version has the charge that it billed");
  const filter: ChargeFilter | null = charge.filters.find(({ id }) => id === row.charge_filter_id) ?? null;
  return {
    explained: {
      aggregation: metric.aggregation,
      pricing: (filter?.price ?? charge.price).pricing,
      isProrated: charge.isProrated,
      derivation,
    },
    scope: {
      externalSubscriptionId: found.external_subscription_id,
      window: windowFrom(derivation.quantity.window),
      historyFrom: found.from_at,
      cut: found.cut,
      atEnd: toCut(acceptedAtEnd({ acceptedBefore: found.accepted_before }, charge)),
      charge,
      filter,
      group: row.grouped_by as Group,
    },
  };
}

/** The derivation of the fee's invoice. null: the fee has no invoice, or its invoice regroups fees that were paid before. */
export function invoiceDerivationOf(invoice: InvoiceRow | undefined): InvoiceDerivation | null {
  const derivation = invoice?.derivation as InvoiceDerivation | { type: "regrouped" } | null | undefined;
  return derivation && "figures" in derivation ? derivation : null;
}
