/** Customer: the API's requests. Responses are in `to-api.ts`. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import {
  currencyCode,
  days,
  envelope,
  formatted,
  mandatoryText,
  nullable,
  oneOf,
  presentOnly,
  text,
} from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { CHANGED_RESPONSE, ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { documentLocale } from "../../accounts/index.ts";
import { CUSTOMER_TYPES, customerSchema } from "./to-api.ts";

export type CustomerRow = Selectable<DB["customers"]>;

export const PAYMENT_PROVIDERS: readonly string[] = ["stripe", "gocardless", "adyen"];
const PAYMENT_METHODS = ["card", "sepa_debit", "us_bank_account", "bacs_debit"] as const;

const optionalText = () => Type.Optional(nullable(text()));
const country = () => Type.Optional(nullable(formatted("country", { description: "ISO 3166 alpha-2" })));

const address = {
  address_line1: optionalText(),
  address_line2: optionalText(),
  city: optionalText(),
  state: optionalText(),
  zipcode: optionalText(),
  country: country(),
};

const billingConfiguration = Type.Partial(
  Type.Object({
    invoice_grace_period: nullable(days("Days during which a draft invoice can still change")),
    payment_provider: nullable(text(255, `One of ${PAYMENT_PROVIDERS.join(", ")}`)),
    payment_provider_code: nullable(text(255)),
    provider_customer_id: nullable(text(255)),
    sync: nullable(Type.Boolean()),
    sync_with_provider: nullable(Type.Boolean()),
    document_locale: nullable(documentLocale()),
    provider_payment_methods: nullable(Type.Array(oneOf(PAYMENT_METHODS), { maxItems: 20 })),
  }),
);

const metadataPair = namedObject("CustomerMetadataUpdate", {
  id: Type.Optional(nullable(Type.String())),
  svc_id: Type.Optional(nullable(Type.String({ description: "Id of the pair to change; absent for a new pair" }))),
  key: mandatoryText(20),
  value: mandatoryText(100),
  display_in_invoice: Type.Boolean(),
});
export type MetadataPair = Static<typeof metadataPair>;

const customerUpsert = namedObject("CustomerUpsert", {
  external_id: mandatoryText(255, "Your id for the customer"),
  test_clock_id: Type.Optional(
    nullable(Type.String({ description: "The test clock that the customer uses; can be set at creation only" })),
  ),
  name: Type.Optional(nullable(text(255))),
  firstname: Type.Optional(nullable(text(255))),
  lastname: Type.Optional(nullable(text(255))),
  customer_type: Type.Optional(nullable(oneOf(CUSTOMER_TYPES))),
  legal_name: optionalText(),
  legal_number: optionalText(),
  tax_identification_number: optionalText(),
  email: Type.Optional(
    nullable(formatted("emails", { description: "One email address, or several separated by commas" })),
  ),
  phone: optionalText(),
  url: Type.Optional(nullable(text(2048))),
  logo_url: Type.Optional(nullable(text(2048))),
  ...address,
  shipping_address: Type.Optional(nullable(Type.Object(address))),
  currency: Type.Optional(nullable(currencyCode())),
  timezone: Type.Optional(
    nullable(formatted("timezone", { description: "IANA time zone; overrides the organization's" })),
  ),
  net_payment_term: Type.Optional(nullable(days("Days until an invoice is due; overrides the organization's"))),
  external_salesforce_id: optionalText(),
  billing_configuration: Type.Optional(nullable(billingConfiguration)),
  metadata: Type.Optional(Type.Array(metadataPair, { maxItems: 5, "x-code": "invalid_count" })),
  tax_codes: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
});
export type CustomerUpsert = Static<typeof customerUpsert>;

const params = Type.Object({ external_id: Type.String() });
const answer = { 200: envelope("customer", customerSchema), ...ERROR_RESPONSES };
const tags = ["Customers"];

export const upsertCustomerSchema = {
  summary: "Create or update a customer",
  description: "Finds the customer by external_id. An update changes only the members present in the body.",
  tags,
  body: envelope("customer", customerUpsert),
  response: { ...answer, ...CHANGED_RESPONSE },
};
export const showCustomer = {
  summary: "Show a customer",
  description: "With the taxes that apply.",
  tags,
  params,
  response: answer,
};
export const deleteCustomerSchema = {
  summary: "Delete a customer",
  description: "The external_id can be used again. Finalized invoices stay.",
  tags,
  params,
  response: answer,
};
export const customerList = declareList({
  sorts: ["-created_at", "name", "external_id"],
  texts: { external_id: Type.String(), currency: Type.String() },
  search: "name, legal name, external id or email",
});
export const listCustomers = {
  summary: "List customers",
  description: "Newest first.",
  tags,
  querystring: customerList.querystring,
  response: { 200: listEnvelope("customers", customerSchema), ...ERROR_RESPONSES },
};

/** The columns that a body sets: only members present in the body. */
export function fromApiCustomer(members: CustomerUpsert): Partial<CustomerRow> {
  const billing = members.billing_configuration ?? {};
  const shipping = members.shipping_address ?? {};
  const columns = presentOnly({
    name: members.name,
    firstname: members.firstname,
    lastname: members.lastname,
    customer_type: members.customer_type,
    legal_name: members.legal_name,
    legal_number: members.legal_number,
    tax_identification_number: members.tax_identification_number,
    email: members.email,
    phone: members.phone,
    url: members.url,
    logo_url: members.logo_url,
    address_line1: members.address_line1,
    address_line2: members.address_line2,
    city: members.city,
    state: members.state,
    zipcode: members.zipcode,
    country: upper(members.country),
    shipping_address_line1: shipping.address_line1,
    shipping_address_line2: shipping.address_line2,
    shipping_city: shipping.city,
    shipping_state: shipping.state,
    shipping_zipcode: shipping.zipcode,
    shipping_country: upper(shipping.country),
    currency: members.currency,
    timezone: members.timezone,
    net_payment_term: members.net_payment_term,
    external_salesforce_id: members.external_salesforce_id,
    invoice_grace_period: billing.invoice_grace_period,
    document_locale: billing.document_locale,
    payment_provider: billing.payment_provider,
    payment_provider_code: billing.payment_provider_code,
    provider_customer_id: billing.provider_customer_id,
    sync: billing.sync === null ? false : billing.sync,
    sync_with_provider: billing.sync_with_provider === null ? false : billing.sync_with_provider,
    provider_payment_methods: billing.provider_payment_methods === null ? ["card"] : billing.provider_payment_methods,
  });
  return columns as Partial<CustomerRow>;
}

const upper = (value: string | null | undefined) => value?.toUpperCase() ?? value;
