/** What GET /search takes and answers. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { envelope, id, mandatoryText, nullable } from "../../http/fields.ts";
import { namedObject } from "../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../http/openapi.ts";

export const FOUND_MAX = 5;

const found = namedObject("SearchResult", {
  svc_id: id(),
  external_id: nullable(Type.String({ description: "Of customers and subscriptions" })),
  code: nullable(Type.String({ description: "Of plans, billable metrics, coupons and add-ons" })),
  title: Type.String({ description: "Its name or number; without one, what names it in the API" }),
  subtitle: Type.String({ description: "What tells it apart: an email, a code, a customer or a number" }),
});
export type Found = Static<typeof found>;

const resultsOf = (description: string) =>
  Type.Optional(Type.Array(found, { description: `${description}. Missing if the caller may not read them` }));

const results = namedObject("SearchResults", {
  customers: resultsOf("By name, legal name, external id or email"),
  subscriptions: resultsOf("By name or external id, in every status"),
  plans: resultsOf("By name or code"),
  billable_metrics: resultsOf("By name or code"),
  invoices: resultsOf("By number, id, or their customer"),
  credit_notes: resultsOf("By number, or their customer"),
  coupons: resultsOf("By name or code"),
  add_ons: resultsOf("By name or code"),
});
export type Results = Static<typeof results>;

export const searchSchema = {
  summary: "Search records of every kind",
  description: `At most ${FOUND_MAX} records of each kind that contain the term in any case, newest first. It needs no permission of its own: only the kinds that the caller may read are searched.`,
  tags: ["Search"],
  querystring: Type.Object({ term: mandatoryText(100, "A part of a name, number, code, external id or email") }),
  response: { 200: envelope("results", results), ...ERROR_RESPONSES },
};
