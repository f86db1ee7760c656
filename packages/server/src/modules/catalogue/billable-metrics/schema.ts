/** Billable metric: the API's requests and responses. */
import assert from "node:assert/strict";
import { type Static, Type } from "@fastify/type-provider-typebox";
import { type Metric, type MetricDefinition, metricMembers, parseMetric } from "@tallystick/core/catalog";
import type { Selectable } from "kysely";
import { codedResource } from "../../../http/coded-resource.ts";
import { described, id, instant, mandatoryText, nullable, oneOf, text, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type MetricRow = Selectable<DB["billable_metrics"]>;
/** How many records use a metric. */
export type MetricUses = { activeSubscriptions: number; draftInvoices: number; plans: number };

const aggregationType = oneOf(
  ["count_agg", "sum_agg", "max_agg", "unique_count_agg", "weighted_sum_agg", "latest_agg"],
  { description: "How events become a quantity" },
);

const metricCreate = namedObject("BillableMetricCreate", {
  name: mandatoryText(),
  code: mandatoryText(255, "Matched by the `code` of events; unique in the organization"),
  description: Type.Optional(nullable(text(10_000))),
  aggregation_type: aggregationType,
  field_name: Type.Optional(nullable(text(255, "The event property to aggregate; required except for `count_agg`"))),
  recurring: Type.Optional(
    nullable(
      Type.Boolean({
        description: "Carry the value over to the next period. Only for sums, unique counts and weighted sums",
      }),
    ),
  ),
  weighted_interval: Type.Optional(nullable(oneOf(["seconds"], { description: "Required for a weighted sum" }))),
  filters: Type.Optional(
    nullable(
      Type.Array(
        Type.Object({
          key: mandatoryText(255, "An event property; each key only once"),
          values: Type.Array(text(255), { minItems: 1 }),
        }),
        { description: "The dimensions that charges can price separately. An update replaces the whole list" },
      ),
    ),
  ),
});
const metricUpdate = Type.Partial(metricCreate, { title: "BillableMetricUpdate" });

const metricFilters = Type.Array(Type.Object({ key: Type.String(), values: Type.Array(Type.String()) }));

export const metricSchema = namedObject("BillableMetric", {
  svc_id: id(),
  name: Type.String(),
  code: Type.String(),
  description: nullable(Type.String()),
  aggregation_type: aggregationType,
  weighted_interval: nullable(Type.String()),
  recurring: Type.Boolean(),
  field_name: nullable(Type.String()),
  filters: metricFilters,
  active_subscriptions_count: Type.Integer(),
  draft_invoices_count: Type.Integer(),
  plans_count: Type.Integer({ description: "Plans with a charge on it" }),
  created_at: instant(),
});
export type ApiMetric = Static<typeof metricSchema>;

export const metricSchemas = codedResource(
  {
    name: "billable_metric",
    plural: "billable_metrics",
    one: "a billable metric",
    tag: "Billable metrics",
    onChange:
      "Once a plan has a charge on the metric, only `name`, `description` and `filters` can change; other members are ignored. " +
      "Values removed from `filters` are also removed from the filters of charges.",
    onDelete: "Its charges are removed from their plans. Its code can be used again.",
  },
  { create: described(metricCreate), update: described(metricUpdate), shown: metricSchema },
);

export function toApiMetric(row: MetricRow, uses: MetricUses): ApiMetric {
  return {
    svc_id: row.id,
    name: row.name,
    code: row.code,
    description: row.description,
    aggregation_type: row.aggregation_type,
    weighted_interval: row.weighted_interval,
    recurring: row.recurring,
    field_name: row.field_name,
    filters: row.filters as ApiMetric["filters"],
    active_subscriptions_count: uses.activeSubscriptions,
    draft_invoices_count: uses.draftInvoices,
    plans_count: uses.plans,
    created_at: toApiInstant(row.created_at),
  };
}

/** The columns are named like the members of the API, so that core reads a row like a request. */
export function fromRow(row: MetricRow): MetricDefinition {
  const parsed = parseMetric(row);
  assert(parsed.ok, "a stored metric is valid");
  return parsed.value;
}

export function toRow(metric: MetricDefinition) {
  const { filters, ...columns } = metricMembers(metric);
  return { ...columns, filters: JSON.stringify(filters) };
}

/** The form that core uses. */
export function toCoreMetric(row: MetricRow): Metric {
  const { code, aggregation, filters } = fromRow(row);
  return { code, aggregation, filters };
}
