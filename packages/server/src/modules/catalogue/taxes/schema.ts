/** Tax: the API's requests and responses. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { parseTaxRate } from "@tallystick/core/catalog";
import type { Selectable } from "kysely";
import { codedResource } from "../../../http/coded-resource.ts";
import { id, instant, mandatoryText, nullable, presentOnly, text, toApiInstant } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { invalid } from "../../../http/problem.ts";
import type { DB } from "../../../platform/postgres/schema.ts";

export type TaxRow = Selectable<DB["taxes"]>;
/** How many records use a tax. */
export type TaxUses = Record<"addOns" | "customers" | "plans" | "charges" | "commitments", number>;

const rate = Type.Unsafe<string | number>({
  type: ["string", "number"],
  description: "A percentage from 0 to less than 1000, with at most 10 decimals, as text",
  examples: ["20.0"],
});

const taxCreate = namedObject("TaxCreate", {
  name: mandatoryText(),
  code: mandatoryText(255, "Unique in the organization"),
  rate,
  description: Type.Optional(nullable(text(10_000))),
  applied_to_organization: Type.Optional(Type.Boolean({ description: "True makes it a default of the organization" })),
});
const taxUpdate = Type.Partial(taxCreate, { title: "TaxUpdate" });
export type TaxUpdate = Static<typeof taxUpdate>;

export const taxSchema = namedObject("Tax", {
  svc_id: id(),
  name: Type.String(),
  code: Type.String(),
  rate: Type.Number(),
  description: nullable(Type.String()),
  applied_to_organization: Type.Boolean(),
  add_ons_count: Type.Integer(),
  customers_count: Type.Integer({ description: "Directly, or as a default of the organization" }),
  plans_count: Type.Integer({ description: "Directly, or as a default of the organization" }),
  charges_count: Type.Integer(),
  commitments_count: Type.Integer(),
  created_at: instant(),
});
export type ApiTax = Static<typeof taxSchema>;

export const taxSchemas = codedResource(
  {
    name: "tax",
    plural: "taxes",
    one: "a tax",
    tag: "Taxes",
    onDelete: "It is removed from everything it applied to. Finalized invoices keep it.",
  },
  { create: taxCreate, update: taxUpdate, shown: taxSchema },
);

export function toApiTax(row: TaxRow, uses: TaxUses): ApiTax {
  return {
    svc_id: row.id,
    name: row.name,
    code: row.code,
    rate: Number(row.rate.toFixed()),
    description: row.description,
    applied_to_organization: row.applied_to_organization,
    add_ons_count: uses.addOns,
    customers_count: uses.customers,
    plans_count: uses.plans,
    charges_count: uses.charges,
    commitments_count: uses.commitments,
    created_at: toApiInstant(row.created_at),
  };
}

/** The columns that a body sets: only members present in the body. */
export function fromApiTax({ rate, ...members }: TaxUpdate): Partial<TaxRow> {
  const { name, code, description, applied_to_organization } = members;
  return presentOnly({
    name,
    code,
    description,
    applied_to_organization,
    rate: rate === undefined ? undefined : readRate(rate),
  });
}

/** The exact rate; refuses an invalid rate with its error code. */
export function readRate(input: string | number): TaxRow["rate"] {
  const parsed = parseTaxRate(String(input));
  if (!parsed.ok) throw invalid({ rate: [parsed.error] });
  return parsed.value;
}
