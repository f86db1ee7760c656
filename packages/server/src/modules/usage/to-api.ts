/** Customer usage: the API's responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { CHARGE_MODELS } from "@tallystick/core/catalog";
import type { FilterUsage, UsageSum } from "@tallystick/core/rating";
import { lastSecond } from "@tallystick/core/time";
import {
  decimalText,
  id,
  instant,
  nullable,
  oneOf,
  toApiDecimal,
  toApiInstant,
  wholeNumber,
} from "../../http/fields.ts";
import { namedObject } from "../../http/named-object.ts";
import type { StoredCharge } from "../catalogue/index.ts";
import type { CurrentUsage } from "./current-usage.ts";
import { metricOf, type Subscribed } from "./load-subscribed.ts";

/** Not Type.Record: its pattern rejects keys with a line break. */
const filterValues = Type.Unsafe<Readonly<Record<string, readonly string[]>>>({
  type: "object",
  description: "Key → values, as in the charge",
  additionalProperties: Type.Array(Type.String()),
  examples: [{ region: ["eu"] }],
});
const groupValues = Type.Unsafe<Readonly<Record<string, string | null>>>({
  type: "object",
  description: "Property → value; null if the events have none",
  additionalProperties: nullable(Type.String()),
  examples: [{ workspace: "a" }],
});

const sums = {
  units: decimalText(
    "For a prorated charge the full units; for a charge in advance the highest total, which is what was charged",
  ),
  total_aggregated_units: decimalText("The same as `units`"),
  events_count: wholeNumber("For a unique count, its value"),
  amount_cents: wholeNumber("Without taxes; each filter and group is rounded separately"),
};

const filterUsage = namedObject("FilterUsage", {
  ...sums,
  invoice_display_name: nullable(Type.String()),
  values: nullable(filterValues),
});
const filters = Type.Array(filterUsage, {
  description:
    "One for each filter of the charge and, with null values, one for events that match no filter; empty without filters",
});

export const customerUsageSchema = namedObject("CustomerUsage", {
  from_datetime: instant("Start of the period, or of the subscription if that is later"),
  to_datetime: instant("Last second of the period"),
  issuing_date: Type.String({
    description: "Local date on which the period will be invoiced",
    examples: ["2026-02-01"],
  }),
  currency: Type.String(),
  amount_cents: wholeNumber("Without taxes"),
  taxes_amount_cents: wholeNumber("The exact taxes of all charges, rounded once"),
  total_amount_cents: wholeNumber("With taxes"),
  svc_invoice_id: nullable(id("Null: the period is not invoiced yet")),
  charges_usage: Type.Array(
    namedObject("ChargeUsage", {
      ...sums,
      amount_currency: Type.String(),
      charge: Type.Object({
        svc_id: id(),
        charge_model: oneOf(CHARGE_MODELS),
        invoice_display_name: nullable(Type.String()),
      }),
      billable_metric: Type.Object({
        svc_id: id(),
        name: Type.String(),
        code: Type.String(),
        aggregation_type: Type.String(),
      }),
      filters,
      grouped_usage: Type.Array(Type.Object({ ...sums, grouped_by: groupValues, filters }), {
        description: "One for each group that has usage; empty if the charge is not grouped",
      }),
    }),
    { description: "One for each charge of the plan, even without usage, by name of the metric" },
  ),
});
export type ApiCustomerUsage = Static<typeof customerUsageSchema>;
type ApiChargeUsage = ApiCustomerUsage["charges_usage"][number];
type ApiFilterUsage = Static<typeof filterUsage>;

export function toApiCustomerUsage(subscribed: Subscribed, usage: CurrentUsage): ApiCustomerUsage {
  const { window, issuingOn, priceList } = subscribed;
  return {
    from_datetime: toApiInstant(window.from),
    to_datetime: toApiInstant(lastSecond(window.to)),
    issuing_date: issuingOn.toString(),
    currency: priceList.plan.currency,
    amount_cents: usage.amountMinor,
    taxes_amount_cents: usage.taxesMinor,
    total_amount_cents: usage.totalMinor,
    svc_invoice_id: null,
    charges_usage: usage.charges.map((of) => toApiChargeUsage(subscribed, of)),
  };
}

function toApiChargeUsage(subscribed: Subscribed, { charge, usage }: CurrentUsage["charges"][number]): ApiChargeUsage {
  const metric = metricOf(subscribed, charge);
  return {
    ...toApiSums(usage),
    amount_currency: subscribed.priceList.plan.currency,
    charge: {
      svc_id: charge.id,
      charge_model: charge.price.pricing.model,
      invoice_display_name: charge.invoiceDisplayName,
    },
    billable_metric: {
      svc_id: metric.id,
      name: metric.name,
      code: metric.code,
      aggregation_type: metric.aggregation_type,
    },
    filters: usage.filters.map((of) => toApiFilterUsage(charge, of)),
    grouped_usage: usage.groups.map(({ group, filters, ...sums }) => ({
      ...toApiSums(sums),
      grouped_by: group,
      filters: filters.map((of) => toApiFilterUsage(charge, of)),
    })),
  };
}

function toApiFilterUsage(charge: StoredCharge, usage: FilterUsage): ApiFilterUsage {
  const filter = charge.filters.find(({ id }) => id === usage.filterId);
  return {
    ...toApiSums(usage),
    invoice_display_name: filter?.invoiceDisplayName ?? null,
    values: filter?.values ?? null,
  };
}

const toApiSums = ({ units, eventsCount, amountMinor }: UsageSum) => ({
  units: toApiDecimal(units),
  total_aggregated_units: toApiDecimal(units),
  events_count: eventsCount,
  amount_cents: amountMinor,
});
