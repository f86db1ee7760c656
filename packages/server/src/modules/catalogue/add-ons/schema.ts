/** Add-on: the API's requests and responses. Core validates it. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import type { AddOn } from "@tallystick/core/catalog";
import { currency, minor } from "@tallystick/core/money";
import type { Selectable } from "kysely";
import { codedResource } from "../../../http/coded-resource.ts";
import {
  currencyCode,
  described,
  id,
  instant,
  mandatoryText,
  nullable,
  text,
  toApiInstant,
} from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { type ApiTax, taxSchema } from "../taxes/index.ts";

export type AddOnRow = Selectable<DB["add_ons"]>;

const addOnMembers = Type.Object({
  name: mandatoryText(),
  code: mandatoryText(255, "Unique in the organization"),
  invoice_display_name: Type.Optional(nullable(text(255, "Name on invoices, if it differs"))),
  description: Type.Optional(nullable(text(10_000))),
  amount_cents: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "In the smallest unit of the currency, tax excluded",
  }),
  amount_currency: currencyCode(),
  tax_codes: Type.Optional(
    nullable(Type.Array(Type.String(), { description: "The taxes of the add-on, instead of the customer's" })),
  ),
});

const examples = [
  {
    name: "Set-up fee",
    code: "setup",
    invoice_display_name: "Set-up",
    description: "Two hours of help at the beginning",
    amount_cents: 20_000,
    amount_currency: "EUR",
    tax_codes: ["vat"],
  },
];

const addOnSchema = namedObject("AddOn", {
  svc_id: id(),
  name: Type.String(),
  invoice_display_name: nullable(Type.String()),
  code: Type.String(),
  amount_cents: Type.Integer(),
  amount_currency: Type.String(),
  description: nullable(Type.String()),
  created_at: instant(),
  taxes: Type.Array(taxSchema),
});
export type ApiAddOn = Static<typeof addOnSchema>;

export const addOnSchemas = codedResource(
  {
    name: "add_on",
    plural: "add_ons",
    one: "an add-on",
    tag: "Add-ons",
    onCreate: "Something that is billed once, on an invoice of its own.",
    onChange: "Only the members present in the body change. Existing invoices stay unchanged.",
    onDelete: "Its code can be used again. Existing invoices stay unchanged.",
  },
  {
    create: described(Type.Object(addOnMembers.properties, { title: "AddOnCreate", examples })),
    update: described(
      Type.Partial(addOnMembers, { title: "AddOnUpdate", examples: [{ amount_cents: 25_000, tax_codes: [] }] }),
    ),
    shown: addOnSchema,
  },
);

export function toApiAddOn(row: AddOnRow, taxes: ApiTax[]): ApiAddOn {
  return {
    svc_id: row.id,
    name: row.name,
    invoice_display_name: row.invoice_display_name,
    code: row.code,
    amount_cents: Number(row.amount_cents),
    amount_currency: row.amount_currency,
    description: row.description,
    created_at: toApiInstant(row.created_at),
    taxes,
  };
}

/** The columns of an add-on; its taxes are separate rows. */
export function toRow(addOn: AddOn) {
  return {
    name: addOn.name,
    code: addOn.code,
    invoice_display_name: addOn.invoiceDisplayName,
    description: addOn.description,
    amount_cents: addOn.amountMinor,
    amount_currency: addOn.currency,
  };
}

export function fromRow(row: AddOnRow, taxCodes: readonly string[]): AddOn {
  return {
    name: row.name,
    code: row.code,
    invoiceDisplayName: row.invoice_display_name,
    description: row.description,
    amountMinor: minor(row.amount_cents),
    currency: currency(row.amount_currency),
    taxCodes,
  };
}
