/** Plan and charge: the API's responses. */
import assert from "node:assert/strict";
import { type Static, Type } from "@fastify/type-provider-typebox";
import { CHARGE_MODELS } from "@tallystick/core/catalog";
import { INTERVALS } from "@tallystick/core/time";
import type { Selectable } from "kysely";
import { id, instant, nullable, oneOf, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { type ApiTax, taxSchema } from "../taxes/index.ts";
import { filterValuesSchema, shownPropertiesSchema } from "./price-properties.ts";
import type { ChargeTerms, PlanTerms } from "./terms.ts";

export type PlanRow = Selectable<DB["plans"]>;
export type CommitmentRow = Selectable<DB["minimum_commitments"]>;
export type ChargeRow = { id: string; created_at: Temporal.Instant; billable_metric_code: string };

const shownText = () => nullable(Type.String());
const interval = oneOf(INTERVALS);

const chargeSchema = namedObject("Charge", {
  svc_id: id("Send it as `id` to change the charge"),
  svc_billable_metric_id: id(),
  billable_metric_code: Type.String(),
  invoice_display_name: shownText(),
  created_at: instant(),
  charge_model: oneOf(CHARGE_MODELS),
  invoiceable: Type.Boolean(),
  pay_in_advance: Type.Boolean(),
  prorated: Type.Boolean(),
  regroup_paid_fees: nullable(oneOf(["invoice"])),
  min_amount_cents: Type.Integer(),
  properties: shownPropertiesSchema,
  filters: Type.Array(
    namedObject("ChargeFilter", {
      svc_id: id("The `svc_charge_filter_id` of its fees"),
      invoice_display_name: shownText(),
      properties: shownPropertiesSchema,
      values: filterValuesSchema,
    }),
  ),
  taxes: Type.Array(taxSchema),
});
type ApiCharge = Static<typeof chargeSchema>;

export const planSchema = namedObject("Plan", {
  svc_id: id(),
  name: Type.String(),
  invoice_display_name: shownText(),
  code: Type.String(),
  interval,
  description: shownText(),
  amount_cents: Type.Integer(),
  amount_currency: Type.String(),
  trial_period: Type.Number({ description: "Days; 0 for none" }),
  pay_in_advance: Type.Boolean(),
  bill_charges_monthly: nullable(Type.Boolean({ description: "Null unless the interval is longer than a quarter" })),
  customers_count: Type.Integer(),
  active_subscriptions_count: Type.Integer(),
  draft_invoices_count: Type.Integer(),
  parent_id: nullable(id("The parent of a plan with overrides")),
  created_at: instant(),
  charges: Type.Array(chargeSchema),
  taxes: Type.Array(taxSchema),
  minimum_commitment: Type.Optional(
    namedObject("MinimumCommitment", {
      svc_id: id(),
      plan_code: Type.String(),
      invoice_display_name: shownText(),
      amount_cents: Type.Integer(),
      interval,
      created_at: instant(),
      updated_at: instant(),
      taxes: Type.Array(taxSchema),
    }),
  ),
});
export type ApiPlan = Static<typeof planSchema>;

const USES = ["customers_count", "active_subscriptions_count", "draft_invoices_count"] as const;
export type PlanUses = Pick<ApiPlan, (typeof USES)[number]>;

/** The plan inside another object, without counts of its uses. */
export const nestedPlanSchema = Type.Omit(planSchema, USES, { title: "NestedPlan" });
export type NestedPlan = Static<typeof nestedPlanSchema>;

export type PlanParts = {
  row: PlanRow;
  terms: PlanTerms;
  commitment: CommitmentRow | undefined;
  /** By charge id. */
  chargeRows: ReadonlyMap<string, ChargeRow>;
  /** Taxes of the plan, a charge or the commitment, by its id. */
  taxesOf: (id: string) => ApiTax[];
};

export function toNestedPlan({ row, terms, commitment, chargeRows, taxesOf }: PlanParts): NestedPlan {
  return {
    svc_id: row.id,
    name: terms.name,
    invoice_display_name: terms.invoice_display_name,
    code: terms.code,
    interval: terms.interval,
    description: terms.description,
    amount_cents: terms.amount_cents,
    amount_currency: terms.amount_currency,
    trial_period: terms.trial_period,
    pay_in_advance: terms.pay_in_advance,
    bill_charges_monthly: terms.bill_charges_monthly,
    parent_id: row.parent_id,
    created_at: toApiInstant(row.created_at),
    charges: terms.charges.map((charge) => {
      const chargeRow = chargeRows.get(charge.id);
      assert(chargeRow, "a charge of a version has a row");
      return toApiCharge(charge, chargeRow, taxesOf(charge.id));
    }),
    taxes: taxesOf(row.id),
    ...(commitment ? { minimum_commitment: toApiCommitment(terms, commitment, taxesOf(commitment.id)) } : {}),
  };
}

function toApiCharge(charge: ChargeTerms, row: ChargeRow, taxes: ApiTax[]): ApiCharge {
  return {
    svc_id: charge.id,
    svc_billable_metric_id: charge.billable_metric_id,
    billable_metric_code: row.billable_metric_code,
    invoice_display_name: charge.invoice_display_name,
    created_at: toApiInstant(row.created_at),
    charge_model: charge.charge_model,
    invoiceable: charge.invoiceable,
    pay_in_advance: charge.pay_in_advance,
    prorated: charge.prorated,
    regroup_paid_fees: charge.regroup_paid_fees,
    min_amount_cents: charge.min_amount_cents,
    properties: charge.properties,
    filters: charge.filters.map(({ id, invoice_display_name, properties, values }) => ({
      svc_id: id,
      invoice_display_name,
      properties,
      values,
    })),
    taxes,
  };
}

function toApiCommitment(
  { code, interval, minimum_commitment }: PlanTerms,
  row: CommitmentRow,
  taxes: ApiTax[],
): NonNullable<ApiPlan["minimum_commitment"]> {
  assert(minimum_commitment, "a commitment that has a row is in the terms");
  return {
    svc_id: row.id,
    plan_code: code,
    invoice_display_name: minimum_commitment.invoice_display_name,
    amount_cents: minimum_commitment.amount_cents,
    interval,
    created_at: toApiInstant(row.created_at),
    updated_at: toApiInstant(row.updated_at),
    taxes,
  };
}
