/** Coupon: the API's requests. Responses are in `to-api.ts`; core validates it. */
import { Type } from "@fastify/type-provider-typebox";
import { codedResource } from "../../../http/coded-resource.ts";
import { currencyCode, described, formatted, mandatoryText, nullable, oneOf, text } from "../../../http/fields.ts";
import { FREQUENCY_DURATION_MAX } from "./row.ts";
import { couponSchema } from "./to-api.ts";

const codes = (description: string) =>
  Type.Optional(nullable(Type.Array(Type.String(), { description, examples: [["startup", "scale"]] })));

const couponMembers = Type.Object({
  name: mandatoryText(),
  code: mandatoryText(255, "Unique in the organization"),
  description: Type.Optional(nullable(text(10_000))),
  coupon_type: oneOf(["fixed_amount", "percentage"], {
    description: "Whether the discount is a fixed amount or a percentage",
  }),
  amount_cents: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "Required for a fixed amount; in the smallest unit of the currency",
        examples: [1000],
      }),
    ),
  ),
  amount_currency: Type.Optional(nullable(currencyCode())),
  percentage_rate: Type.Optional(
    nullable(
      Type.String({
        description: "Required for a percentage: a decimal above 0 and below 1000, with at most 5 decimal places",
        examples: ["12.5"],
      }),
    ),
  ),
  frequency: oneOf(["once", "recurring", "forever"], {
    description: "How long it lasts: until it is used up, for a number of invoices, or forever",
  }),
  frequency_duration: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: FREQUENCY_DURATION_MAX,
        description: "Number of invoices; required for `recurring`, ignored otherwise",
        examples: [3],
      }),
    ),
  ),
  expiration: oneOf(["no_expiration", "time_limit"]),
  expiration_at: Type.Optional(
    nullable(
      formatted("datetime", {
        description:
          "An instant in the future, until which the coupon can be applied; required for `time_limit`, ignored otherwise",
        examples: ["2099-12-31T23:59:59Z"],
      }),
    ),
  ),
  reusable: Type.Optional(
    nullable(
      Type.Boolean({
        default: true,
        description: "Whether a customer can get the coupon more than once; the default is true",
      }),
    ),
  ),
  applies_to: Type.Optional(
    nullable(
      Type.Object(
        {
          plan_codes: codes("Only fees of these plans"),
          billable_metric_codes: codes("Only fees of charges on these billable metrics"),
        },
        {
          description:
            "What the coupon may be used for; an update replaces it as a whole. Send at most one of the two lists; without a list, everything",
        },
      ),
    ),
  ),
});

const examples = [
  {
    name: "Welcome",
    code: "WELCOME10",
    description: "10 euros off the first three invoices",
    coupon_type: "fixed_amount",
    amount_cents: 1000,
    amount_currency: "EUR",
    frequency: "recurring",
    frequency_duration: 3,
    expiration: "time_limit",
    expiration_at: "2099-12-31T23:59:59Z",
    reusable: false,
    applies_to: { plan_codes: ["startup"] },
  },
  {
    name: "Partner",
    code: "PARTNER",
    coupon_type: "percentage",
    percentage_rate: "12.5",
    frequency: "forever",
    expiration: "no_expiration",
  },
];

export const couponSchemas = codedResource(
  {
    name: "coupon",
    plural: "coupons",
    one: "a coupon",
    tag: "Coupons",
    onChange:
      "Only the members present in the body change. Once the coupon was applied to a customer, only name, description, expiration " +
      "and expiration_at can change; other members are ignored.",
    onDelete: "Its code can be used again.",
  },
  {
    create: described(Type.Object(couponMembers.properties, { title: "CouponCreate", examples })),
    update: described(
      Type.Partial(couponMembers, {
        title: "CouponUpdate",
        examples: [{ name: "Welcome back", expiration: "time_limit", expiration_at: "2100-01-31T00:00:00Z" }],
      }),
    ),
    shown: couponSchema,
  },
);
