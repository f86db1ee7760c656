/** A fee that does not exist yet, in API form. */
import assert from "node:assert/strict";
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { FeeTaxes } from "@tallystick/core/invoicing";
import { amountDetails } from "@tallystick/core/rating";
import { lastSecond } from "@tallystick/core/time";
import { id, instant, nothing, toApiDecimal, toApiInstant, wholeNumber } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { metricOf, type Subscribed } from "../../usage/index.ts";
import { feeSchema, toApiDetails } from "../fees/index.ts";
import type { EstimatedFee } from "./estimate-fees.ts";

const { item: shownItem, applied_taxes: appliedTaxes } = feeSchema.properties;

/** The fee of one charge in advance, for an event that was not sent. */
export const estimatedFeeSchema = namedObject("EstimatedFee", {
  ...feeSchema.properties,
  svc_id: nothing(),
  svc_invoice_id: nothing(),
  svc_true_up_fee_id: nothing(),
  svc_true_up_parent_fee_id: nothing(),
  svc_subscription_id: id(),
  external_subscription_id: Type.String(),
  item: namedObject("EstimatedFeeItem", {
    ...shownItem.properties,
    type: Type.Literal("charge"),
    item_type: Type.Literal("BillableMetric"),
  }),
  description: nothing(),
  events_count: wholeNumber(),
  from_date: instant("Start of the period"),
  to_date: instant("The last second of the period"),
  payment_status: Type.Literal("pending"),
  created_at: nothing(),
  succeeded_at: nothing(),
  failed_at: nothing(),
  refunded_at: nothing(),
  event_transaction_id: nothing(),
  applied_taxes: Type.Array(
    namedObject("EstimatedAppliedTax", {
      ...appliedTaxes.items.properties,
      svc_id: nothing(),
      svc_fee_id: nothing(),
      created_at: nothing(),
    }),
  ),
});
type ApiEstimatedFee = Static<typeof estimatedFeeSchema>;

export function toApiEstimatedFee(subscribed: Subscribed, { charge, fee, taxes }: EstimatedFee): ApiEstimatedFee {
  const { subscription, customer, window, priceList } = subscribed;
  const { currency } = priceList.plan;
  const item = toApiItem(subscribed, { charge, fee });
  return {
    svc_id: null,
    svc_charge_id: charge.id,
    svc_charge_filter_id: fee.filterId,
    svc_invoice_id: null,
    svc_true_up_fee_id: null,
    svc_true_up_parent_fee_id: null,
    svc_subscription_id: subscription.id,
    external_subscription_id: subscription.externalId,
    svc_customer_id: customer.id,
    external_customer_id: customer.external_id,
    item,
    filter_invoice_display_name: item.filter_invoice_display_name,
    pay_in_advance: true,
    invoiceable: charge.timing.type === "in_advance" && charge.timing.invoicing === "invoice_each",
    amount_cents: fee.amountMinor,
    amount_currency: currency,
    sub_total_excluding_taxes_amount_cents: fee.amountMinor,
    taxes_amount_cents: taxes.taxesMinor,
    taxes_rate: Number(taxes.taxesRate.toFixed()),
    total_amount_cents: fee.amountMinor + taxes.taxesMinor,
    total_amount_currency: currency,
    units: toApiDecimal(fee.units),
    total_aggregated_units: toApiDecimal(fee.units),
    description: null,
    precise_unit_amount: toApiDecimal(fee.preciseUnitAmount),
    events_count: fee.eventsCount,
    payment_status: "pending",
    created_at: null,
    succeeded_at: null,
    failed_at: null,
    refunded_at: null,
    amount_details: toApiDetails(amountDetails(fee.derivation.pricing)),
    from_date: toApiInstant(window.from),
    to_date: toApiInstant(lastSecond(window.to)),
    event_transaction_id: null,
    applied_taxes: toApiTaxes(subscribed, taxes),
  };
}

function toApiItem(
  subscribed: Subscribed,
  { charge, fee }: Pick<EstimatedFee, "charge" | "fee">,
): ApiEstimatedFee["item"] {
  const metric = metricOf(subscribed, charge);
  const filter = charge.filters.find(({ id }) => id === fee.filterId);
  return {
    type: "charge",
    code: metric.code,
    name: metric.name,
    invoice_display_name: charge.invoiceDisplayName ?? metric.name,
    filters: filter?.values ?? null,
    filter_invoice_display_name: filter?.invoiceDisplayName ?? null,
    svc_item_id: metric.id,
    item_type: "BillableMetric",
    grouped_by: fee.group,
  };
}

function toApiTaxes({ priceList, taxes: levels }: Subscribed, { lines }: FeeTaxes): ApiEstimatedFee["applied_taxes"] {
  const rows = [...priceList.chargeTaxes.values(), levels.customer, levels.organization].flat();
  const byCode = new Map(rows.map((row) => [row.code, row]));
  return lines.map(({ tax, amountMinor }) => {
    const row = byCode.get(tax.code);
    assert(row, "the taxes of a fee were loaded with it");
    return {
      svc_id: null,
      svc_fee_id: null,
      svc_tax_id: row.id,
      tax_name: tax.name,
      tax_code: tax.code,
      tax_rate: Number(tax.rate.toFixed()),
      tax_description: row.description,
      amount_cents: amountMinor,
      amount_currency: priceList.plan.currency,
      created_at: null,
    };
  });
}
