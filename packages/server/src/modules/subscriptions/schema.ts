/** Subscription: the API's requests. Responses are in `to-api.ts`. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { CREDIT_NOTES_AT_END, INVOICES_AT_END } from "@tallystick/core/subscription";
import { BILLING_TIMES } from "@tallystick/core/time";
import { described, envelope, formatted, mandatoryText, nullable, oneOf, text } from "../../http/fields.ts";
import { declareList } from "../../http/list-query.ts";
import { namedObject } from "../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../http/openapi.ts";
import { listEnvelope } from "../../http/pagination.ts";
import { applyToDrafts, planOverridesSchema } from "../catalogue/index.ts";
import { STATUSES, subscriptionSchema, subscriptionWithPlanSchema } from "./to-api.ts";

const moment = (description: string, examples: string[]) =>
  Type.Optional(nullable(formatted("datetime", { description, examples })));

const planOverrides = Type.Optional(nullable(described(planOverridesSchema)));
const name = Type.Optional(nullable(text(255)));
const endingAt = moment(
  "When the subscription ends by itself; on a local day after today and after the start. Null for never",
  ["2099-12-31T00:00:00Z"],
);

const creditNoteAtEnd = oneOf(CREDIT_NOTES_AT_END, {
  description:
    "What happens to unused days that were paid in advance when the subscription ends: `credit` them (the default), `refund` what was paid " +
    "of them and credit the rest, or `skip` them. Ignored if the plan is paid in arrears. A change of plan is no end",
});
const invoiceAtEnd = oneOf(INVOICES_AT_END, {
  description:
    "`generate` the last invoice when the subscription ends (the default), or `skip` it: then the usage, the base fee in arrears and the " +
    "minimum commitment of the period that ends are never billed. A change of plan is no end",
});
const atEnd = {
  on_termination_credit_note: Type.Optional(nullable(creditNoteAtEnd)),
  on_termination_invoice: Type.Optional(nullable(invoiceAtEnd)),
};

const subscriptionCreate = namedObject("SubscriptionCreate", {
  external_customer_id: mandatoryText(255, "The customer is created if it does not exist"),
  plan_code: mandatoryText(),
  external_id: mandatoryText(
    255,
    "Your id for the subscription; events refer to it. Unique among active and pending subscriptions",
  ),
  name,
  billing_time: Type.Optional(
    nullable(
      oneOf(BILLING_TIMES, {
        description: "`calendar` periods, the default, or periods from the day of `subscription_at`",
      }),
    ),
  ),
  subscription_at: moment(
    "The default is now. On a past day, the subscription begins then, and periods that are over are not billed",
    ["2026-01-31T00:00:00Z"],
  ),
  ending_at: endingAt,
  ...atEnd,
  plan_overrides: planOverrides,
});
export type SubscriptionCreate = Static<typeof subscriptionCreate>;

const subscriptionUpdate = Type.Partial(
  Type.Object({
    name,
    ending_at: endingAt,
    ...atEnd,
    subscription_at: moment("Only for a subscription that has not begun; ignored otherwise", ["2026-01-31T00:00:00Z"]),
    plan_overrides: planOverrides,
    apply_to_drafts: applyToDrafts,
  }),
  { title: "SubscriptionUpdate" },
);

export type SubscriptionUpdate = Static<typeof subscriptionUpdate>;

const SUBSCRIPTION_CHANGES = ["create", "plan", "update", "end"] as const;

const { external_id, ...others } = subscriptionCreate.properties;

/** The members of every change; which of them a change takes is in `read-preview.ts`. */
export const changeToPreview = Type.Object(
  {
    change: oneOf(SUBSCRIPTION_CHANGES, {
      description:
        "`create`: as `POST /subscriptions`. `plan`: the same for a subscription that exists; its customer need not be named. `update`: as " +
        "`PUT /subscriptions/{external_id}`. `end`: as `DELETE /subscriptions/{external_id}`",
    }),
    subscription: namedObject("SubscriptionToPreview", {
      external_id,
      ...Type.Partial(Type.Object(others)).properties,
    }),
    status: Type.Optional(
      oneOf(STATUSES, {
        description: "For `update` and `end`: the status of the subscription; the default is `active`",
      }),
    ),
  },
  { description: "What would be changed, and how" },
);
export type ChangeToPreview = Static<typeof changeToPreview>;

const params = Type.Object({ external_id: Type.String() });
const status = Type.Optional(
  oneOf(STATUSES, { description: "Status of the subscription with this external_id; the default is `active`" }),
);
const querystring = Type.Object({ status });
const response = { 200: envelope("subscription", subscriptionWithPlanSchema), ...ERROR_RESPONSES };
const tags = ["Subscriptions"];

export const createSubscription = {
  summary: "Create a subscription, or change its plan",
  description:
    "For the external_id of an existing subscription and another plan: a plan that costs as much or more per year takes effect at once, a " +
    "cheaper one at the end of the period. With the same plan nothing changes.",
  tags,
  body: envelope("subscription", subscriptionCreate),
  response,
};
export const showSubscription = {
  summary: "Show a subscription",
  description: "With its plan.",
  tags,
  params,
  querystring,
  response,
};
export const updateSubscriptionSchema = {
  summary: "Change a subscription",
  description:
    "Only the members present in the body change. `plan_overrides` gives the subscription a plan of its own, for periods that end after " +
    "the change and for advance fees of periods that begin after it. `apply_to_drafts` reprices its drafts too.",
  tags,
  params,
  querystring,
  body: Type.Object({ subscription: subscriptionUpdate, status }, { description: "The subscription, in an envelope" }),
  response,
};
export const deleteSubscription = {
  summary: "End a subscription",
  description:
    "An active subscription is terminated now; a pending one (`status=pending`) is canceled. The parameters `on_termination_credit_note` and " +
    "`on_termination_invoice` replace what the subscription says about its end.",
  tags,
  params,
  querystring: Type.Object({
    status,
    on_termination_credit_note: Type.Optional(creditNoteAtEnd),
    on_termination_invoice: Type.Optional(invoiceAtEnd),
  }),
  response,
};
export const subscriptionList = declareList({
  sorts: ["started_at", "created_at"],
  choices: { status: STATUSES },
  texts: { external_customer_id: Type.String(), plan_code: Type.String(), external_id: Type.String() },
  search: "name or external id",
});
export const listSubscriptions = {
  summary: "List subscriptions",
  description: "Oldest start first. Only active ones, unless `status` says otherwise.",
  tags,
  querystring: subscriptionList.querystring,
  response: { 200: listEnvelope("subscriptions", subscriptionSchema), ...ERROR_RESPONSES },
};
