/** Response schemas of fees. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { afterCoupons, type BillFee } from "@tallystick/core/invoicing";
import { decimal, minor } from "@tallystick/core/money";
import { amountDetails } from "@tallystick/core/rating";
import { lastSecond } from "@tallystick/core/time";
import { closingFrom } from "@tallystick/core/usage";
import {
  anyMembers,
  decimalText,
  id,
  instant,
  nullable,
  oneOf,
  toApiDecimal,
  toApiInstant,
  toApiInstantOrNull,
  wholeNumber,
} from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { ShownFee } from "./shown-fee.ts";
import type { FeeNeighbors, FeeTaxRow } from "./store.ts";

export const FEE_TYPES = ["charge", "add_on", "subscription", "credit", "commitment"] as const;
export const FEE_PAYMENT_STATUSES = ["pending", "succeeded", "failed", "refunded"] as const;

const ITEM_TYPES: Record<(typeof FEE_TYPES)[number], string> = {
  charge: "BillableMetric",
  add_on: "AddOn",
  subscription: "Subscription",
  credit: "WalletTransaction",
  commitment: "Subscription",
};

const appliedTax = namedObject("FeeAppliedTax", {
  svc_id: id(),
  svc_fee_id: id(),
  svc_tax_id: id(),
  tax_name: Type.String(),
  tax_code: Type.String(),
  tax_rate: Type.Number(),
  tax_description: nullable(Type.String()),
  amount_cents: wholeNumber(),
  amount_currency: Type.String(),
  created_at: instant(),
});

export const feeSchema = namedObject("Fee", {
  svc_id: id(),
  svc_charge_id: nullable(id("Null if the fee has no charge")),
  svc_charge_filter_id: nullable(id("Null if the fee has no filter")),
  svc_invoice_id: nullable(id("Null for a standalone fee")),
  svc_true_up_fee_id: nullable(id("The fee that raises the charge to its minimum")),
  svc_true_up_parent_fee_id: nullable(id("The fee that this fee raises to a minimum")),
  svc_subscription_id: nullable(id()),
  external_subscription_id: nullable(Type.String()),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  item: namedObject("FeeItem", {
    type: oneOf(FEE_TYPES),
    code: Type.String({ description: "Code of the metric, the plan or the add-on" }),
    name: Type.String(),
    invoice_display_name: Type.String(),
    filters: nullable(anyMembers<readonly string[]>("Key → values")),
    filter_invoice_display_name: nullable(Type.String()),
    svc_item_id: id("Id of the metric, the subscription or the add-on"),
    item_type: Type.String(),
    grouped_by: anyMembers<string | null>("Property → value"),
  }),
  filter_invoice_display_name: nullable(Type.String({ description: "As in `item`" })),
  pay_in_advance: Type.Boolean(),
  invoiceable: Type.Boolean(),
  amount_cents: wholeNumber("Without taxes"),
  amount_currency: Type.String(),
  sub_total_excluding_taxes_amount_cents: wholeNumber("Less coupons, without taxes; rounded for each fee"),
  taxes_amount_cents: wholeNumber(),
  taxes_rate: Type.Number(),
  total_amount_cents: wholeNumber("With taxes"),
  total_amount_currency: Type.String(),
  units: decimalText(),
  total_aggregated_units: nullable(
    decimalText(
      "For a weighted sum the value at the end of the period, otherwise the units; null if nothing is counted",
    ),
  ),
  description: nullable(Type.String()),
  precise_unit_amount: decimalText("The effective price of one unit"),
  events_count: nullable(Type.Integer({ description: "For a unique count its value; null if nothing is counted" })),
  payment_status: oneOf(FEE_PAYMENT_STATUSES),
  created_at: instant(),
  succeeded_at: nullable(instant()),
  failed_at: nullable(instant()),
  refunded_at: nullable(instant()),
  amount_details: anyMembers<unknown>("How the amount was computed, by charge model"),
  from_date: nullable(instant("Start of the period")),
  to_date: nullable(instant("The last second of the period")),
  event_transaction_id: nullable(Type.String({ description: "The event of a fee in advance" })),
  applied_taxes: Type.Optional(Type.Array(appliedTax, { description: "Omitted inside an invoice" })),
});
export type ApiFee = Static<typeof feeSchema>;

export function toApiFee(row: ShownFee, of: FeeNeighbors, taxes?: readonly FeeTaxRow[]): ApiFee {
  return {
    svc_id: row.id,
    svc_charge_id: row.charge_id,
    svc_charge_filter_id: row.charge_filter_id,
    svc_invoice_id: row.invoice_id,
    svc_true_up_fee_id: of.true_up_fee_id,
    svc_true_up_parent_fee_id: row.true_up_parent_fee_id,
    svc_subscription_id: row.subscription_id,
    external_subscription_id: of.external_subscription_id,
    svc_customer_id: row.customer_id,
    external_customer_id: of.external_customer_id,
    item: toApiItem(row),
    filter_invoice_display_name: row.item.filter_invoice_display_name,
    pay_in_advance: row.pay_in_advance,
    invoiceable: row.invoiceable,
    amount_cents: row.amount_cents,
    amount_currency: row.currency,
    sub_total_excluding_taxes_amount_cents: afterCoupons(minor(row.amount_cents), row.precise_coupons_amount_cents),
    taxes_amount_cents: row.taxes_amount_cents,
    taxes_rate: Number(row.taxes_rate.toFixed()),
    total_amount_cents: row.amount_cents + row.taxes_amount_cents,
    total_amount_currency: row.currency,
    units: toApiDecimal(row.units),
    total_aggregated_units: toApiAggregated(row),
    description: row.description,
    precise_unit_amount: toApiDecimal(row.precise_unit_amount),
    events_count: row.events_count === null ? null : Number(row.events_count),
    payment_status: row.payment_status,
    created_at: toApiInstant(row.created_at),
    succeeded_at: toApiInstantOrNull(row.succeeded_at),
    failed_at: toApiInstantOrNull(row.failed_at),
    refunded_at: toApiInstantOrNull(row.refunded_at),
    amount_details: amountDetailsOf(row.derivation),
    from_date: toApiInstantOrNull(row.from_at),
    to_date: row.to_at && toApiInstant(endShown(row.from_at, row.to_at)),
    event_transaction_id: row.event_transaction_id,
    ...(taxes ? { applied_taxes: taxes.map((tax) => toApiFeeTax(tax, row.currency)) } : {}),
  };
}

/** The last second of a window, or its only instant if it is empty. */
const endShown = (from: Temporal.Instant | null, to: Temporal.Instant): Temporal.Instant =>
  from?.equals(to) ? to : lastSecond(to);

function toApiItem(row: ShownFee): ApiFee["item"] {
  const { item: texts, fee_type: type } = row;
  return {
    type,
    code: row.item_code,
    name: texts.name,
    invoice_display_name: texts.invoice_display_name,
    filters: texts.filters,
    filter_invoice_display_name: texts.filter_invoice_display_name,
    svc_item_id: row.item_id,
    item_type: ITEM_TYPES[type],
    grouped_by: row.grouped_by,
  };
}

type UsageFee = Extract<BillFee["derivation"], { type: "usage" | "renewal" | "in_advance" }>;

/** Undefined: the fee is neither counted nor priced by units. */
function usageOf(derivation: unknown): UsageFee | undefined {
  const { type } = derivation as { type?: string };
  return type === "usage" || type === "renewal" || type === "in_advance" ? (derivation as UsageFee) : undefined;
}

function amountDetailsOf(derivation: unknown): Record<string, unknown> {
  const usage = usageOf(derivation);
  return usage ? toApiDetails(amountDetails(usage.fee.pricing)) : {};
}

function toApiAggregated({ derivation, units }: ShownFee): string | null {
  const usage = usageOf(derivation);
  if (!usage) return null;
  const isWeighed = usage.type !== "in_advance" && usage.quantity.basis.type === "weighted_sum";
  return toApiDecimal(isWeighed ? closingFrom(usage.quantity) : units);
}

/** Core returns decimals as exact text, and counts and bounds as numbers. */
export function toApiDetails(details: ReturnType<typeof amountDetails>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, detail]) => [
      name,
      Array.isArray(detail)
        ? detail.map(toApiDetails)
        : typeof detail === "string"
          ? toApiDecimal(decimal(detail))
          : detail,
    ]),
  );
}

const toApiFeeTax = (tax: FeeTaxRow, currency: string): NonNullable<ApiFee["applied_taxes"]>[number] => ({
  svc_id: tax.id,
  svc_fee_id: tax.fee_id,
  svc_tax_id: tax.tax_id,
  tax_name: tax.tax_name,
  tax_code: tax.tax_code,
  tax_rate: Number(tax.tax_rate.toFixed()),
  tax_description: tax.tax_description,
  amount_cents: tax.amount_cents,
  amount_currency: currency,
  created_at: toApiInstant(tax.created_at),
});
