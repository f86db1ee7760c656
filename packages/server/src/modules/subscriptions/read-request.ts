/** What the bodies of /subscriptions request, for the changes and their previews. */
import type { AtEndRequest } from "@tallystick/core/subscription";
import { parseInstant } from "@tallystick/core/time";
import type { SubscriptionRequest } from "./change-subscription.ts";
import type { SubscriptionCreate, SubscriptionUpdate } from "./schema.ts";
import type { SubscribeRequest } from "./subscribe.ts";

export const toSubscribeRequest = (options: SubscriptionCreate): SubscribeRequest => ({
  externalCustomerId: options.external_customer_id,
  externalId: options.external_id,
  planCode: options.plan_code,
  name: options.name?.trim(),
  billingTime: options.billing_time ?? "calendar",
  subscriptionAt: toMoment(options.subscription_at) ?? null,
  endingAt: toMoment(options.ending_at),
  atEnd: toAtEnd(options),
  overrides: options.plan_overrides ?? null,
});

export const toChangeRequest = (members: SubscriptionUpdate): SubscriptionRequest => ({
  name: members.name === undefined ? undefined : (members.name ?? "").trim(),
  endingAt: toMoment(members.ending_at),
  subscriptionAt: toMoment(members.subscription_at) ?? undefined,
  atEnd: toAtEnd(members),
  overrides: members.plan_overrides ?? null,
  appliesToDrafts: members.apply_to_drafts === true,
});

type AtEndMembers = {
  on_termination_credit_note?: AtEndRequest["creditNote"];
  on_termination_invoice?: AtEndRequest["invoice"];
};

export const toAtEnd = (members: AtEndMembers): AtEndRequest => ({
  creditNote: members.on_termination_credit_note,
  invoice: members.on_termination_invoice,
});

/** The schema has validated the text. Undefined if absent. */
const toMoment = (text: string | null | undefined): Temporal.Instant | null | undefined =>
  typeof text === "string" ? parseInstant(text) : text;
