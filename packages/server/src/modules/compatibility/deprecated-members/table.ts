/**
 * The members that the interface removed on its switch date, and how each follows from current members. Only this table knows them:
 * when the interface changes, change this table.
 */
import { currency, decimal, inMajorUnits, minor, roundTo, roundToMinor, sumMinor } from "@tallystick/core/money";
import { toApiDecimal } from "../../../http/fields.ts";
import type { Read } from "../../../http/translations.ts";
import { fromGroup, fromGroupProperties, groupId, toGroup, toGroupProperties, toUsedGroups } from "./groups.ts";
import type { Members } from "./members.ts";
import { demandPresentRate, type RateOf, sumRates, toTaxCodes } from "./rates.ts";

/** How objects are nested; `body` is a request, an answer or a message. */
export const PARTS = {
  body: {
    applied_coupon: "applied_coupon",
    applied_coupons: "applied_coupon",
    billable_metric: "billable_metric",
    billable_metrics: "billable_metric",
    coupon: "coupon",
    coupons: "coupon",
    credit_note: "credit_note",
    credit_notes: "credit_note",
    customer: "customer",
    customers: "customer",
    customer_usage: "customer_usage",
    usage_periods: "customer_usage",
    event_error: "event_error",
    fee: "fee",
    fees: "fee",
    invoice: "invoice",
    invoices: "invoice",
    organization: "organization",
    payment_dispute_lost: "payment_dispute_lost",
    plan: "plan",
    plans: "plan",
    subscription: "subscription",
    subscriptions: "subscription",
    wallet: "wallet",
    wallets: "wallet",
    wallet_transaction: "wallet_transaction",
  },
  applied_coupon: { credits: "credit" },
  billable_metric: {},
  charge: {},
  charge_usage: {},
  coupon: {},
  credit: {},
  credit_note: { items: "credit_note_item", customer: "customer" },
  credit_note_item: { fee: "fee" },
  customer: {},
  customer_usage: { charges_usage: "charge_usage" },
  event_error: {},
  fee: {},
  invoice: { customer: "customer", subscriptions: "subscription", fees: "fee", credits: "credit" },
  organization: {},
  payment_dispute_lost: { invoice: "invoice" },
  plan: { charges: "charge" },
  subscription: { plan: "plan", plan_overrides: "plan", customer: "customer" },
  wallet: {},
  wallet_transaction: { wallet: "wallet" },
} as const satisfies Record<string, Record<string, string>>;

export type ObjectName = keyof typeof PARTS;

export type DeprecatedMember = {
  object: ObjectName;
  /** The path in the object. */
  deprecated: string;
  /** The current member with the same meaning, or null. */
  substitute: string | null;
  /** The value, if it differs from the substitute's; undefined omits the member. */
  show?: (substitute: unknown, object: Members, known: { rateOf: RateOf }) => unknown;
  /** How a request uses it: the current member (null if there is none) and its value. Undefined changes nothing. */
  take?: { as: string | null; say: (value: unknown, object: Members, read: Read) => unknown };
};

/** A date was the day in UTC. */
const day = (instant: unknown): unknown => (typeof instant === "string" ? instant.slice(0, 10) : instant);
const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);
/** An invalid day is passed on, so that the current member refuses it. */
const firstOf = (value: unknown): unknown => (isDay(value) ? `${value}T00:00:00Z` : value);
const lastOf = (value: unknown): unknown => (isDay(value) ? `${value}T23:59:59Z` : value);

/** Rows of several members with the same meaning. */
const each = (object: ObjectName, deprecated: readonly string[], substitute: string): DeprecatedMember[] =>
  deprecated.map((name) => ({ object, deprecated: name, substitute }));

const cents = (amount: unknown) => minor(BigInt(String(amount)));

/** Lists show invoices without credits, so the sum is computed. */
const creditsOf = ({ credits, coupons_amount_cents, credit_notes_amount_cents }: Members): bigint =>
  Array.isArray(credits)
    ? sumMinor(credits.map(({ amount_cents }: Members) => cents(amount_cents)))
    : sumMinor([cents(coupons_amount_cents), cents(credit_notes_amount_cents)]);

const expires = { as: "expiration_at", say: lastOf };

export const DEPRECATED_MEMBERS: readonly DeprecatedMember[] = [
  { object: "applied_coupon", deprecated: "expiration_date", substitute: "expiration_at", show: day },
  { object: "coupon", deprecated: "expiration_date", substitute: "expiration_at", show: day, take: expires },
  {
    object: "billable_metric",
    deprecated: "group",
    substitute: "filters",
    show: toGroup,
    take: { as: "filters", say: fromGroup },
  },
  ...each("credit", ["before_vat"], "before_taxes"),
  ...each("credit", ["item.svc_id"], "item.svc_item_id"),
  ...each(
    "credit_note",
    [
      "balance_amount_currency",
      "credit_amount_currency",
      "refund_amount_currency",
      "sub_total_vat_excluded_amount_currency",
      "total_amount_currency",
      "vat_amount_currency",
    ],
    "currency",
  ),
  ...each("credit_note", ["sub_total_vat_excluded_amount_cents"], "sub_total_excluding_taxes_amount_cents"),
  ...each("credit_note", ["vat_amount_cents"], "taxes_amount_cents"),
  {
    object: "customer",
    deprecated: "billing_configuration.vat_rate",
    substitute: "taxes[].rate",
    show: (_, { taxes, svc_id }, { rateOf }) => sumRates(taxes) ?? rateOf(svc_id),
    take: { as: "tax_codes", say: toTaxCodes },
  },
  {
    object: "organization",
    deprecated: "billing_configuration.vat_rate",
    substitute: "taxes[].rate",
    show: (_, { taxes }) => sumRates(taxes),
    take: { as: null, say: (rate, _, read) => demandPresentRate(rate, read) },
  },
  ...each("customer_usage", ["amount_currency", "total_amount_currency", "vat_amount_currency"], "currency"),
  { object: "charge_usage", deprecated: "groups", substitute: "filters", show: toUsedGroups },
  { object: "customer_usage", deprecated: "from_date", substitute: "from_datetime", show: day },
  { object: "customer_usage", deprecated: "to_date", substitute: "to_datetime", show: day },
  ...each("customer_usage", ["vat_amount_cents"], "taxes_amount_cents"),
  // The message that carried it is no longer sent.
  ...each("event_error", ["input_params"], "event"),
  {
    object: "fee",
    deprecated: "unit_amount_cents",
    substitute: "precise_unit_amount",
    show: (amount, fee) => roundToMinor(decimal(String(amount)), currency(String(fee.amount_currency))),
  },
  ...each("fee", ["vat_amount_cents"], "taxes_amount_cents"),
  ...each("fee", ["vat_amount_currency"], "amount_currency"),
  ...each("invoice", ["amount_currency", "credit_amount_currency", "total_amount_currency"], "currency"),
  ...each("invoice", ["vat_amount_currency"], "currency"),
  ...each("invoice", ["amount_cents"], "fees_amount_cents"),
  {
    object: "invoice",
    deprecated: "credit_amount_cents",
    substitute: "credits[].amount_cents",
    show: (_, invoice) => creditsOf(invoice),
  },
  // The interface lists it on the fee, but like its substitute it was in the item.
  ...each("fee", ["group_invoice_display_name", "item.group_invoice_display_name"], "item.filter_invoice_display_name"),
  {
    object: "fee",
    deprecated: "svc_group_id",
    substitute: null,
    show: (_, { item }) => groupId((item as Members).filters),
  },
  // The rules for invoices before they had versions.
  { object: "invoice", deprecated: "legacy", substitute: null, show: () => false },
  ...each("invoice", ["sub_total_vat_excluded_amount_cents"], "sub_total_excluding_taxes_amount_cents"),
  ...each("invoice", ["sub_total_vat_included_amount_cents"], "sub_total_including_taxes_amount_cents"),
  ...each("invoice", ["vat_amount_cents"], "taxes_amount_cents"),
  {
    object: "charge",
    deprecated: "group_properties",
    substitute: "filters",
    show: toGroupProperties,
    take: { as: "filters", say: fromGroupProperties },
  },
  {
    object: "subscription",
    deprecated: "subscription_date",
    substitute: "subscription_at",
    show: day,
    take: { as: "subscription_at", say: firstOf },
  },
  {
    object: "wallet",
    deprecated: "balance",
    substitute: "balance_cents",
    show: (amount, wallet) => {
      const code = currency(String(wallet.currency));
      return toApiDecimal(roundTo(inMajorUnits(cents(amount), code), 5));
    },
  },
  { object: "wallet", deprecated: "expiration_date", substitute: "expiration_at", show: day, take: expires },
];
