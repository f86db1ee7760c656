/** Organization: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { Selectable } from "kysely";
import {
  currencyCode,
  days,
  envelope,
  formatted,
  id,
  instant,
  nullable,
  oneOf,
  presentOnly,
  text,
  toApiInstant,
} from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { CHANGED_RESPONSE, ERROR_RESPONSES } from "../../../http/openapi.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { type ApiTax, taxSchema } from "../../catalogue/index.ts";
import { documentLocale } from "./document-locales.ts";

const EMAIL_SETTINGS = ["invoice.finalized", "credit_note.created"] as const;
const DOCUMENT_NUMBERINGS = ["per_customer", "per_organization"] as const;

export type OrganizationRow = Selectable<DB["organizations"]>;

const optionalText = () => nullable(text());

const organizationUpdate = Type.Partial(
  Type.Object({
    name: Type.String({ maxLength: 255, pattern: "\\S", "x-code": "value_is_mandatory" }),
    webhook_url: nullable(
      formatted("web-url-or-none", {
        description: "Changes or creates the first webhook endpoint; null, or empty text as in answers, deletes it",
      }),
    ),
    country: nullable(formatted("country", { description: "ISO 3166 alpha-2" })),
    address_line1: optionalText(),
    address_line2: optionalText(),
    city: optionalText(),
    state: optionalText(),
    zipcode: optionalText(),
    email: nullable(formatted("emails")),
    legal_name: optionalText(),
    legal_number: optionalText(),
    tax_identification_number: optionalText(),
    net_payment_term: days("Days until an invoice is due"),
    timezone: formatted("timezone", { description: "IANA time zone" }),
    default_currency: currencyCode(),
    document_numbering: oneOf(DOCUMENT_NUMBERINGS),
    document_number_prefix: Type.String({ minLength: 1, maxLength: 10 }),
    include_deprecated_fields: Type.Boolean({
      description:
        "True: requests, responses and webhooks also have the members removed on 2024-07-09. This description leaves them out; they are " +
        "listed in docs/reference/deprecated-members.md. A change takes effect everywhere within 5 seconds",
    }),
    ignore_unknown_members: Type.Boolean({
      description:
        "True: members and query parameters that an operation does not know are ignored and named in a `Warning` header. False: they are " +
        "refused. A change takes effect everywhere within 5 seconds",
    }),
    field_prefix: Type.String({
      pattern: "^[a-z]{2,8}$",
      description:
        "What the names of members such as `svc_id` and of headers such as `X-Svc-Signature` begin with, in place of `svc`: in requests, " +
        "responses, webhooks and this description. 2 to 8 letters from a to z that no other member begins with. A change takes effect " +
        "everywhere within 5 seconds",
      examples: ["svc"],
    }),
    email_settings: Type.Array(oneOf(EMAIL_SETTINGS, { "x-code": "unsupported_value" }), { maxItems: 20 }),
    billing_configuration: Type.Partial(
      Type.Object({
        invoice_footer: nullable(Type.String({ maxLength: 600 })),
        invoice_grace_period: days("Days during which a draft invoice can still change"),
        document_locale: documentLocale(),
        logo_url: nullable(
          formatted("web-url", {
            description: "A PNG or JPEG of at most 1 MiB, for documents. It is fetched when you set it",
          }),
        ),
      }),
    ),
  }),
  { title: "OrganizationUpdate" },
);
export type OrganizationUpdate = Static<typeof organizationUpdate>;

const shownText = () => nullable(Type.String());

const organizationSchema = namedObject("Organization", {
  svc_id: id(),
  name: Type.String(),
  created_at: instant(),
  default_currency: Type.String(),
  webhook_url: Type.String({ description: "URL of the first webhook endpoint; empty if there is none" }),
  webhook_urls: Type.Array(Type.String()),
  country: shownText(),
  address_line1: shownText(),
  address_line2: shownText(),
  city: shownText(),
  state: shownText(),
  zipcode: shownText(),
  email: shownText(),
  legal_name: shownText(),
  legal_number: shownText(),
  tax_identification_number: shownText(),
  timezone: Type.String(),
  net_payment_term: Type.Integer(),
  email_settings: Type.Array(Type.String()),
  document_numbering: Type.String(),
  document_number_prefix: Type.String(),
  include_deprecated_fields: Type.Boolean(),
  ignore_unknown_members: Type.Boolean(),
  field_prefix: Type.String(),
  billing_configuration: Type.Object({
    invoice_footer: shownText(),
    invoice_grace_period: Type.Integer(),
    document_locale: Type.String(),
    logo_url: shownText(),
    logo_error: nullable(Type.String({ description: "Why the last attempt to fetch the logo failed" })),
  }),
  taxes: Type.Array(taxSchema, { description: "The taxes that apply to the organization by default" }),
});

const answer = { 200: envelope("organization", organizationSchema), ...ERROR_RESPONSES };

export const showOrganization = {
  summary: "Show the organization",
  description: "The one that the API key belongs to.",
  tags: ["Organization"],
  response: answer,
};
export const changeOrganization = {
  summary: "Change the organization",
  description: "Only the members present in the body change.",
  tags: ["Organization"],
  body: envelope("organization", organizationUpdate),
  response: { ...answer, ...CHANGED_RESPONSE },
};

export function toApiOrganization(
  row: OrganizationRow,
  { taxes, webhookUrls }: { taxes: ApiTax[]; webhookUrls: string[] },
): Static<typeof organizationSchema> {
  return {
    svc_id: row.id,
    name: row.name,
    created_at: toApiInstant(row.created_at),
    default_currency: row.default_currency,
    webhook_url: webhookUrls[0] ?? "",
    webhook_urls: webhookUrls,
    country: row.country,
    address_line1: row.address_line1,
    address_line2: row.address_line2,
    city: row.city,
    state: row.state,
    zipcode: row.zipcode,
    email: row.email,
    legal_name: row.legal_name,
    legal_number: row.legal_number,
    tax_identification_number: row.tax_identification_number,
    timezone: row.timezone,
    net_payment_term: row.net_payment_term,
    email_settings: row.email_settings,
    document_numbering: row.document_numbering,
    document_number_prefix: row.document_number_prefix,
    include_deprecated_fields: row.include_deprecated_fields,
    ignore_unknown_members: row.ignore_unknown_members,
    field_prefix: row.field_prefix,
    billing_configuration: {
      invoice_footer: row.invoice_footer,
      invoice_grace_period: row.invoice_grace_period,
      document_locale: row.document_locale,
      logo_url: row.logo_url,
      logo_error: row.logo_error,
    },
    taxes,
  };
}

/** The columns that a body changes: only members present in the body. */
export function fromApiOrganization({
  billing_configuration,
  ...members
}: OrganizationUpdate): Partial<OrganizationRow> {
  const { invoice_footer, invoice_grace_period, document_locale, logo_url } = billing_configuration ?? {};
  const requested = {
    name: members.name,
    country: members.country?.toUpperCase() ?? members.country,
    address_line1: members.address_line1,
    address_line2: members.address_line2,
    city: members.city,
    state: members.state,
    zipcode: members.zipcode,
    email: members.email,
    legal_name: members.legal_name,
    legal_number: members.legal_number,
    tax_identification_number: members.tax_identification_number,
    net_payment_term: members.net_payment_term,
    timezone: members.timezone,
    default_currency: members.default_currency,
    document_numbering: members.document_numbering,
    document_number_prefix: members.document_number_prefix?.toUpperCase(),
    include_deprecated_fields: members.include_deprecated_fields,
    ignore_unknown_members: members.ignore_unknown_members,
    field_prefix: members.field_prefix,
    email_settings: members.email_settings && [...new Set(members.email_settings)],
    invoice_footer,
    invoice_grace_period,
    document_locale,
    logo_url,
  };
  return presentOnly(requested);
}
