/** Derivations in the API description. They are stored as core made them and shown as they are stored, so nothing is converted here. */
import { type TSchema, Type } from "@fastify/type-provider-typebox";
import { anyMembers, nullable, oneOf } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";

/** Exact text: plain decimals, or a fraction such as `-55/3`. Minor units are digits. */
const exact = () => Type.String();
const day = () => Type.String();
const list = (members: Parameters<typeof Type.Object>[0]) => Type.Array(Type.Object(members));

const price = namedObject("PriceDerivation", {
  pricing: Type.Unsafe<object>({
    type: "object",
    description: "The steps of the charge model, in units of the currency",
    properties: { model: Type.String({ examples: ["graduated"] }) },
    required: ["model"],
    additionalProperties: true,
  }),
  currency: Type.String(),
  exact: Type.String({ description: "In units of the currency, before the one rounding", examples: ["55/3"] }),
  amountMinor: exact(),
});

const quantity = namedObject("QuantityDerivation", {
  window: Type.Object({
    from: Type.String(),
    to: Type.String({ description: "Not included" }),
    timeZone: Type.String(),
    firstDay: day(),
    lastDay: day(),
    periodDays: Type.Integer(),
  }),
  filter: nullable(anyMembers<unknown>("Its id and values; null for events that match no filter")),
  group: anyMembers<string | null>("Property → value"),
  eventsCounted: exact(),
  eventsIgnored: exact(),
  basis: Type.Unsafe<object>({
    type: "object",
    description: "The figures behind the units, by aggregation",
    properties: { type: oneOf(["count", "sum", "max", "latest", "unique_count", "weighted_sum"]) },
    required: ["type"],
    additionalProperties: Type.String(),
  }),
});

const feeDerivation = {
  type: "object",
  title: "FeeDerivation",
  description: "The steps of the computation. The amount can be computed from them alone. Numbers are exact text",
  anyOf: [
    namedObject("SubscriptionFeeDerivation", {
      type: Type.Literal("subscription_fee"),
      planAmountMinor: exact(),
      firstDay: day(),
      lastDay: day(),
      days: Type.Integer(),
      freeDays: Type.Integer({ description: "Days of the trial" }),
      periodDays: Type.Integer(),
      exactMinor: exact(),
      amountMinor: exact(),
    }),
    namedObject("UsageFeeDerivation", { type: oneOf(["usage", "renewal"]), quantity, fee: price }),
    namedObject("AdvanceFeeDerivation", {
      type: Type.Literal("in_advance"),
      before: anyMembers<unknown>("The tally of all events before this one"),
      fee: price,
    }),
    namedObject("TrueUpDerivation", {
      type: oneOf(["charge_minimum", "commitment"]),
      minimumMinor: exact(),
      days: Type.Integer(),
      periodDays: Type.Integer(),
      requiredMinor: exact(),
      usedMinor: exact(),
    }),
    namedObject("OneOffFeeDerivation", {
      type: Type.Literal("one_off"),
      currency: Type.String(),
      unitAmountMinor: exact(),
      units: exact(),
      amountMinor: exact(),
    }),
    namedObject("CreditsDerivation", {
      type: Type.Literal("credit"),
      credits: exact(),
      rate: exact(),
      currency: Type.String(),
      lessMinor: exact(),
      amountMinor: exact(),
    }),
  ],
};

const tax = { code: Type.String(), name: Type.String(), rate: exact() };

const computedInvoice = namedObject(
  "ComputedInvoiceDerivation",
  {
    currency: Type.String(),
    fees: list({ id: Type.String(), label: Type.String(), amountMinor: exact(), taxes: list(tax) }),
    coupons: list({
      code: Type.String(),
      discount: anyMembers<string>("A fixed amount or a rate"),
      base: exact(),
      creditMinor: exact(),
      shares: list({ feeId: Type.String(), remaining: exact(), share: exact() }),
    }),
    taxes: list({
      ...tax,
      bases: list({ feeId: Type.String(), base: exact() }),
      exact: exact(),
      amountMinor: exact(),
    }),
    creditNotes: list({ number: Type.String(), balanceMinor: exact(), amountMinor: exact() }),
    wallets: list({ rate: exact(), balanceMinor: exact(), amountMinor: exact(), credits: exact() }),
    figures: Type.Unsafe<object>({ type: "object", additionalProperties: Type.String() }),
  },
  { description: "The steps of the computation. Exact and whole amounts are in minor units" },
);

const invoiceDerivation = {
  type: "object",
  title: "InvoiceDerivation",
  anyOf: [
    computedInvoice,
    namedObject("RegroupedInvoiceDerivation", {
      type: Type.Literal("regrouped"),
      feeIds: Type.Array(Type.String(), { description: "The paid fees that the invoice collects" }),
    }),
  ],
};

/** Any members are sent, and the description shows the schema: a derivation of an older version keeps all its members. */
const asStored = (schema: object | TSchema) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: "object",
    additionalProperties: true,
    "x-described": schema,
  });

export const feeDerivationSchema = asStored(feeDerivation);
export const invoiceDerivationSchema = nullable(asStored(invoiceDerivation));
