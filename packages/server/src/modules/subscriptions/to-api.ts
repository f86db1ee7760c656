/** Subscription: the API's responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { agreeAtEnd, CREDIT_NOTES_AT_END, INVOICES_AT_END } from "@tallystick/core/subscription";
import { BILLING_TIMES, lastSecond } from "@tallystick/core/time";
import { id, instant, nullable, oneOf, toApiInstant, toApiInstantOrNull, wholeNumber } from "../../http/fields.ts";
import { namedObject } from "../../http/named-object.ts";
import { nestedPlanSchema } from "../catalogue/index.ts";
import type { Neighbors, SubscriptionRow } from "./row.ts";

export const STATUSES = ["pending", "active", "terminated", "canceled"] as const;

const code = () => nullable(Type.String());

export const subscriptionSchema = namedObject("Subscription", {
  svc_id: id(),
  external_id: Type.String(),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  name: Type.String({ description: "Empty if there is none" }),
  plan_code: Type.String(),
  plan_amount_cents: wholeNumber("The base fee of the plan for a period"),
  plan_amount_currency: Type.String(),
  status: oneOf(STATUSES),
  billing_time: oneOf(BILLING_TIMES),
  subscription_at: instant("The requested start; anniversaries count from its day"),
  started_at: nullable(instant("When it began; null while it is pending")),
  trial_ended_at: nullable(instant()),
  ending_at: nullable(instant("When it ends by itself; null for never")),
  on_termination_credit_note: nullable(
    oneOf(CREDIT_NOTES_AT_END, {
      description:
        "What happens at its end to the unused days that were paid in advance; null if its plan is paid in arrears",
    }),
  ),
  on_termination_invoice: oneOf(INVOICES_AT_END, {
    description: "Whether its end makes an invoice of the usage and the base fee in arrears since the last period",
  }),
  terminated_at: nullable(instant()),
  canceled_at: nullable(instant("When it was canceled before it began")),
  created_at: instant(),
  previous_plan_code: code(),
  next_plan_code: code(),
  downgrade_plan_date: nullable(
    Type.String({ description: "Local date on which the next plan takes over", examples: ["2026-02-01"] }),
  ),
  current_billing_period_started_at: nullable(instant("Start of the period whose usage is billed next")),
  current_billing_period_ending_at: nullable(instant("Last second of the period whose usage is billed next")),
});
export type ApiSubscription = Static<typeof subscriptionSchema>;

export const subscriptionWithPlanSchema = namedObject("SubscriptionWithPlan", {
  ...subscriptionSchema.properties,
  plan: nestedPlanSchema,
});
export type ApiSubscriptionWithPlan = Static<typeof subscriptionWithPlanSchema>;

export function toApiSubscription(row: SubscriptionRow, of: Neighbors): ApiSubscription {
  const isActive = row.status === "active";
  const atEnd = agreeAtEnd(
    { isPaidInAdvance: of.plan_is_in_advance },
    { creditNote: row.on_termination_credit_note, invoice: row.on_termination_invoice },
  );
  return {
    svc_id: row.id,
    external_id: row.external_id,
    svc_customer_id: row.customer_id,
    external_customer_id: of.external_customer_id,
    name: row.name,
    plan_code: of.plan_code,
    plan_amount_cents: of.plan_amount_cents,
    plan_amount_currency: of.plan_amount_currency,
    status: row.status,
    billing_time: row.billing_time,
    subscription_at: toApiInstant(row.subscription_at),
    started_at: toApiInstantOrNull(row.started_at),
    trial_ended_at: toApiInstantOrNull(row.trial_ended_at),
    ending_at: toApiInstantOrNull(row.ending_at),
    on_termination_credit_note: atEnd.creditNote,
    on_termination_invoice: atEnd.invoice,
    terminated_at: toApiInstantOrNull(row.terminated_at),
    canceled_at: toApiInstantOrNull(row.canceled_at),
    created_at: toApiInstant(row.created_at),
    previous_plan_code: of.previous_plan_code,
    next_plan_code: of.next_plan_code,
    downgrade_plan_date: of.downgrade_on?.toString() ?? null,
    current_billing_period_started_at: isActive ? toApiInstantOrNull(of.period_from) : null,
    current_billing_period_ending_at: isActive && of.period_to ? toApiInstant(lastSecond(of.period_to)) : null,
  };
}
