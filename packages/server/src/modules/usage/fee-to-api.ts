/** A fee that does not exist yet, as the API shows fees. */
import assert from "node:assert/strict";
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { FeeTaxes } from "@tallystick/core/invoicing";
import { decimal } from "@tallystick/core/money";
import { amountDetails } from "@tallystick/core/rating";
import { lastSecond } from "@tallystick/core/time";
import { decimalText, id, instant, nullable, toApiDecimal, toApiInstant, wholeNumber } from "../../http/fields.ts";
import type { EstimatedFee } from "./estimate-fees.ts";
import { metricOf, type Subscribed } from "./load-subscribed.ts";

/** Of what is not there yet. */
const nothing = () => Type.Unsafe<null>({ type: "null" });

/** Not Type.Record: its pattern leaves out keys with a line break. */
const anyMembers = <Member>(description: string) =>
  Type.Unsafe<Readonly<Record<string, Member>>>({ type: "object", description, additionalProperties: true });

const appliedTax = Type.Object({
  svc_id: nothing(),
  svc_fee_id: nothing(),
  svc_tax_id: id(),
  tax_name: Type.String(),
  tax_code: Type.String(),
  tax_rate: Type.Number(),
  tax_description: nullable(Type.String()),
  amount_cents: wholeNumber(),
  amount_currency: Type.String(),
  created_at: nothing(),
});

export const estimatedFeeSchema = Type.Object({
  svc_id: nothing(),
  svc_charge_filter_id: nullable(id("Null where no filter of the charge takes the event")),
  svc_invoice_id: nothing(),
  svc_true_up_fee_id: nothing(),
  svc_true_up_parent_fee_id: nothing(),
  svc_subscription_id: id(),
  external_subscription_id: Type.String(),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  item: Type.Object({
    type: Type.Literal("charge"),
    code: Type.String({ description: "Of the metric" }),
    name: Type.String(),
    invoice_display_name: Type.String(),
    filters: nullable(anyMembers<readonly string[]>("Key → values")),
    filter_invoice_display_name: nullable(Type.String()),
    svc_item_id: id("Of the metric"),
    item_type: Type.Literal("BillableMetric"),
    grouped_by: anyMembers<string | null>("Property → value"),
  }),
  pay_in_advance: Type.Boolean(),
  invoiceable: Type.Boolean(),
  amount_cents: wholeNumber("Without taxes"),
  amount_currency: Type.String(),
  taxes_amount_cents: wholeNumber(),
  taxes_rate: Type.Number(),
  total_amount_cents: wholeNumber("With taxes"),
  total_amount_currency: Type.String(),
  units: decimalText(),
  description: nothing(),
  precise_unit_amount: decimalText("What one unit came to"),
  events_count: wholeNumber(),
  payment_status: Type.Literal("pending"),
  created_at: nothing(),
  succeeded_at: nothing(),
  failed_at: nothing(),
  refunded_at: nothing(),
  amount_details: anyMembers<unknown>("How the amount came about, by charge model"),
  from_date: instant("Start of the period"),
  to_date: instant("Its last second"),
  event_transaction_id: nothing(),
  applied_taxes: Type.Array(appliedTax),
});
type ApiEstimatedFee = Static<typeof estimatedFeeSchema>;

export function toApiEstimatedFee(subscribed: Subscribed, { charge, fee, taxes }: EstimatedFee): ApiEstimatedFee {
  const { subscription, customer, window, priceList } = subscribed;
  const { currency } = priceList.plan;
  return {
    svc_id: null,
    svc_charge_filter_id: fee.filterId,
    svc_invoice_id: null,
    svc_true_up_fee_id: null,
    svc_true_up_parent_fee_id: null,
    svc_subscription_id: subscription.id,
    external_subscription_id: subscription.externalId,
    svc_customer_id: customer.id,
    external_customer_id: customer.external_id,
    item: toApiItem(subscribed, { charge, fee }),
    pay_in_advance: true,
    invoiceable: charge.timing.type === "in_advance" && charge.timing.invoicing === "invoice_each",
    amount_cents: fee.amountMinor,
    amount_currency: currency,
    taxes_amount_cents: taxes.taxesMinor,
    taxes_rate: Number(taxes.taxesRate.toFixed()),
    total_amount_cents: fee.amountMinor + taxes.taxesMinor,
    total_amount_currency: currency,
    units: toApiDecimal(fee.units),
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
    assert(row, "a tax of a fee was loaded with it");
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

/** Core gives decimals as exact text, counts and bounds as numbers. */
function toApiDetails(details: ReturnType<typeof amountDetails>): Record<string, unknown> {
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
