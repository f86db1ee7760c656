/** Plan: the API's requests. Responses are in `to-api.ts`. */
import { Type } from "@fastify/type-provider-typebox";
import { CHARGE_MODELS } from "@tallystick/core/catalog";
import { INTERVALS } from "@tallystick/core/time";
import { codedResource } from "../../../http/coded-resource.ts";
import { currencyCode, described, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { filterValuesSchema, givenPropertiesSchema } from "./price-properties.ts";
import { planSchema } from "./to-api.ts";

const displayName = () => Type.Optional(nullable(text(255, "Shown on invoices instead of the name")));
const cents = (minimum: number, description?: string) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, ...(description ? { description } : {}) });
/** Null means absent, as in every optional member. */
const flag = (description: string) => Type.Optional(nullable(Type.Boolean({ description })));
const taxCodes = () => Type.Optional(nullable(Type.Array(Type.String(), { description: "Codes of taxes" })));
const properties = Type.Optional(nullable(givenPropertiesSchema));

const filter = namedObject("ChargeFilterUpdate", {
  values: filterValuesSchema,
  properties,
  invoice_display_name: displayName(),
});

const chargeMembers = {
  invoice_display_name: displayName(),
  pay_in_advance: flag("Charge a fee for each event as it arrives. Not available for every model and metric"),
  invoiceable: flag("False: fees in advance are not invoiced"),
  regroup_paid_fees: Type.Optional(
    nullable(oneOf(["invoice"], { description: "Collect paid fees in advance that are not invoiced on one invoice" })),
  ),
  prorated: flag("Units count in proportion to the days of use; only for recurring metrics"),
  min_amount_cents: Type.Optional(
    nullable(cents(0, "Minimum amount of the charge per period; not for charges in advance")),
  ),
  properties,
  filters: Type.Optional(
    nullable(Type.Array(filter, { description: "Events that match a filter are billed at the price of the filter" })),
  ),
  tax_codes: taxCodes(),
};
const metricId = Type.Optional(nullable(Type.String({ description: "The `svc_id` of a billable metric" })));
const metricCode = Type.Optional(
  nullable(Type.String({ description: "The `code` of a billable metric, instead of `billable_metric_id`" })),
);
const metric = { billable_metric_id: metricId, billable_metric_code: metricCode };
const model = oneOf(CHARGE_MODELS);
const charge = namedObject("ChargeCreate", { ...metric, charge_model: model, ...chargeMembers });
const requestedCharge = namedObject("ChargeUpdate", {
  id: Type.Optional(
    Type.String({
      description:
        "`svc_id` of the charge to change; absent for a new one. A charge that is sent back as it was read is known by its `svc_id`.",
    }),
  ),
  ...metric,
  charge_model: Type.Optional(model),
  ...chargeMembers,
});

const commitment = Type.Object(
  {
    amount_cents: Type.Optional(cents(1, "Minimum amount per period; required for a new commitment")),
    invoice_display_name: displayName(),
    tax_codes: taxCodes(),
    taxes: Type.Optional(
      nullable(Type.Array(Type.String(), { description: "Alias of tax_codes, which takes precedence" })),
    ),
  },
  {
    title: "MinimumCommitmentUpdate",
    description: "An empty object or null removes the commitment; absent members stay",
  },
);

const planMembers = {
  name: mandatoryText(),
  code: mandatoryText(255, "Unique in the organization"),
  invoice_display_name: displayName(),
  description: Type.Optional(nullable(text(10_000))),
  interval: oneOf(INTERVALS),
  amount_cents: cents(0),
  amount_currency: currencyCode(),
  pay_in_advance: Type.Boolean({
    description: "Bill the base fee at the start of the period. Each charge has its own setting",
  }),
  trial_period: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 36_500, description: "Days" }))),
  bill_charges_monthly: Type.Optional(nullable(Type.Boolean({ description: "Only for a yearly or semiannual plan" }))),
  tax_codes: taxCodes(),
  minimum_commitment: Type.Optional(nullable(commitment)),
};
const { regroup_paid_fees: _, ...overridableMembers } = chargeMembers;

/** The members of a plan that a subscription can override. */
export const planOverridesSchema = Type.Partial(
  Type.Object(
    {
      name: mandatoryText(),
      invoice_display_name: displayName(),
      description: Type.Optional(nullable(text(10_000))),
      amount_cents: cents(0),
      amount_currency: currencyCode(),
      trial_period: planMembers.trial_period,
      tax_codes: taxCodes(),
      minimum_commitment: planMembers.minimum_commitment,
      charges: nullable(
        Type.Array(
          namedObject("ChargeOverrides", {
            id: Type.String({ description: "`svc_id` of the charge to override" }),
            ...metric,
            charge_model: Type.Optional(nullable(model)),
            ...overridableMembers,
          }),
          {
            description:
              "A charge keeps its metric. Once the subscription has started, it also keeps its model, timing and proration",
          },
        ),
      ),
    },
    { description: "The subscription gets a plan of its own that differs in these members" },
  ),
  { title: "PlanOverrides" },
);

const planCreate = Type.Object(
  { ...planMembers, charges: Type.Optional(nullable(Type.Array(charge))) },
  {
    title: "PlanCreate",
    examples: [
      {
        name: "Startup",
        code: "startup",
        interval: "monthly",
        amount_cents: 4900,
        amount_currency: "EUR",
        pay_in_advance: true,
        charges: [
          {
            billable_metric_id: "019a8a0e-6f7c-7c3e-9a3d-2f6a4b1c5d60",
            charge_model: "standard",
            properties: { amount: "0.05" },
          },
        ],
      },
    ],
  },
);
/** A member of the request itself, not of the object that it changes. */
export const applyToDrafts = Type.Optional(
  nullable(
    Type.Boolean({
      description:
        "Also reprice periods that have ended and are not finalized: drafts, and invoices that are about to be created. Otherwise they " +
        "keep the prices that were in force when their period ended",
    }),
  ),
);
const planUpdate = Type.Partial(
  Type.Object({
    ...planMembers,
    apply_to_drafts: applyToDrafts,
    charges: nullable(
      Type.Array(requestedCharge, {
        description: "All charges of the plan; charges that are not listed are removed. Absent or null: all stay",
      }),
    ),
  }),
  { title: "PlanUpdate" },
);

export const planSchemas = codedResource(
  {
    name: "plan",
    plural: "plans",
    one: "a plan",
    tag: "Plans",
    onChange:
      "Only the members present in the body change. Once the plan has subscriptions, only `name`, `invoice_display_name`, `description`, " +
      "`amount_cents`, `tax_codes`, `minimum_commitment` and `charges` can change, and in existing charges only `properties`, " +
      "`filters`, `invoice_display_name` and `tax_codes`. Another value for other members is refused. New prices apply to periods that end after the edit," +
      " and to fees in advance of periods that begin after it." +
      " `apply_to_drafts` applies them to drafts too.",
    onDelete: "Its code can be used again.",
  },
  { create: described(planCreate), update: described(planUpdate), shown: planSchema },
);
