/** Customer: the API's responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import { id, instant, nullable, oneOf, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { localeWarnings } from "../../accounts/index.ts";
import { type ApiTax, taxSchema } from "../../catalogue/index.ts";

type CustomerRow = Selectable<DB["customers"]>;
export type MetadataRow = Selectable<DB["customer_metadata"]>;

export const CUSTOMER_TYPES = ["company", "individual"] as const;

const shownText = () => nullable(Type.String());
const shownAddress = {
  address_line1: shownText(),
  address_line2: shownText(),
  city: shownText(),
  state: shownText(),
  zipcode: shownText(),
  country: shownText(),
};

export const customerSchema = namedObject("Customer", {
  svc_id: id(),
  external_id: Type.String(),
  sequential_id: Type.Integer({ description: "Order of creation in the organization, from 1" }),
  slug: Type.String({ examples: ["ACM-1A2B-001"] }),
  test_clock_id: nullable(id("The test clock that the customer uses")),
  name: shownText(),
  firstname: shownText(),
  lastname: shownText(),
  customer_type: nullable(oneOf(CUSTOMER_TYPES)),
  legal_name: shownText(),
  legal_number: shownText(),
  tax_identification_number: shownText(),
  email: shownText(),
  phone: shownText(),
  url: shownText(),
  logo_url: shownText(),
  ...shownAddress,
  shipping_address: Type.Object(shownAddress),
  currency: shownText(),
  timezone: shownText(),
  applicable_timezone: Type.String({ description: "The customer's own, or else the organization's" }),
  net_payment_term: nullable(Type.Integer()),
  external_salesforce_id: shownText(),
  created_at: instant(),
  updated_at: instant(),
  billing_configuration: Type.Object({
    invoice_grace_period: nullable(Type.Integer()),
    payment_provider: shownText(),
    payment_provider_code: shownText(),
    document_locale: shownText(),
    provider_customer_id: shownText(),
    sync: Type.Boolean(),
    sync_with_provider: Type.Boolean(),
    provider_payment_methods: Type.Optional(Type.Array(Type.String())),
  }),
  metadata: Type.Array(
    Type.Object({
      svc_id: id(),
      key: Type.String(),
      value: Type.String(),
      display_in_invoice: Type.Boolean(),
      created_at: instant(),
    }),
  ),
  taxes: Type.Optional(
    Type.Array(taxSchema, { description: "The customer's own, or else the defaults of the organization" }),
  ),
});
export type ApiCustomer = Static<typeof customerSchema>;

export type CustomerParts = {
  row: CustomerRow;
  metadata: readonly MetadataRow[];
  organizationTimeZone: string;
};

/** The form used in messages and inside other records: without taxes. */
export function toApiCustomer({ row, metadata, organizationTimeZone }: CustomerParts): ApiCustomer {
  return {
    svc_id: row.id,
    external_id: row.external_id,
    sequential_id: Number(row.sequential_id),
    slug: row.slug,
    test_clock_id: row.test_clock_id,
    name: row.name,
    firstname: row.firstname,
    lastname: row.lastname,
    customer_type: row.customer_type,
    legal_name: row.legal_name,
    legal_number: row.legal_number,
    tax_identification_number: row.tax_identification_number,
    email: row.email,
    phone: row.phone,
    url: row.url,
    logo_url: row.logo_url,
    address_line1: row.address_line1,
    address_line2: row.address_line2,
    city: row.city,
    state: row.state,
    zipcode: row.zipcode,
    country: row.country,
    shipping_address: toApiShippingAddress(row),
    currency: row.currency,
    timezone: row.timezone,
    applicable_timezone: row.timezone ?? organizationTimeZone,
    net_payment_term: row.net_payment_term,
    external_salesforce_id: row.external_salesforce_id,
    created_at: toApiInstant(row.created_at),
    updated_at: toApiInstant(row.updated_at),
    billing_configuration: toApiBillingConfiguration(row),
    metadata: metadata.map((pair) => ({
      svc_id: pair.id,
      key: pair.key,
      value: pair.value,
      display_in_invoice: pair.display_in_invoice,
      created_at: toApiInstant(pair.created_at),
    })),
  };
}

export const withTaxes = (customer: ApiCustomer, taxes: ApiTax[]): ApiCustomer => ({ ...customer, taxes });

function toApiShippingAddress(row: CustomerRow): ApiCustomer["shipping_address"] {
  return {
    address_line1: row.shipping_address_line1,
    address_line2: row.shipping_address_line2,
    city: row.shipping_city,
    state: row.shipping_state,
    zipcode: row.shipping_zipcode,
    country: row.shipping_country,
  };
}

/** The payment methods are those of one provider. */
function toApiBillingConfiguration(row: CustomerRow): ApiCustomer["billing_configuration"] {
  return {
    invoice_grace_period: row.invoice_grace_period,
    payment_provider: row.payment_provider,
    payment_provider_code: row.payment_provider_code,
    document_locale: row.document_locale,
    provider_customer_id: row.provider_customer_id,
    sync: row.sync,
    sync_with_provider: row.sync_with_provider,
    ...(row.payment_provider === "stripe" ? { provider_payment_methods: row.provider_payment_methods } : {}),
  };
}

/** What a customer is set to and this service does not do yet. No payment provider can be connected so far. */
export function warningsOf({ billing_configuration: billing }: ApiCustomer): string[] {
  const { payment_provider: provider, payment_provider_code: code, document_locale: locale } = billing;
  return [
    ...(provider === null
      ? []
      : [`payment_provider ${provider}${code === null ? "" : ` (${code})`} is not connected: nothing is charged`]),
    ...(locale === null ? [] : localeWarnings(locale)),
  ];
}
