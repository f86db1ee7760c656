/** Request and response schemas of held invoices, and their webhook form. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import {
  anyMembers,
  envelope,
  id,
  instant,
  mandatoryText,
  nullable,
  oneOf,
  toApiInstant,
  toApiInstantOrNull,
} from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import { invalid } from "../../../http/problem.ts";
import type { HeldRow } from "./store.ts";

const STATUSES = ["held", "released"] as const;

const members = {
  svc_invoice_id: id("Id of the invoice, which is visible after its release"),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  step: oneOf(["issue", "finalize"], { description: "The interrupted step: create the invoice, or finalize a draft" }),
  held_at: instant("When it was held, for the last time"),
  times: Type.Integer({ description: "How often it was held" }),
  differences: Type.Array(
    Type.Object({
      figure: Type.String({ examples: ["total"] }),
      first: nullable(Type.String()),
      second: nullable(Type.String()),
    }),
    { description: "The figures that differ, with both results" },
  ),
  status: oneOf(STATUSES, { description: "`released`: by an operator, or because both computations agreed later" }),
  released_at: nullable(instant()),
  release_reason: nullable(Type.String({ description: "What the operator gave as reason" })),
};
export const heldInvoiceSchema = namedObject("HeldInvoice", members);
type ApiHeldInvoice = Static<typeof heldInvoiceSchema>;

const computation = (description: string) => anyMembers<unknown>(description);
const comparedSchema = namedObject("HeldInvoiceWithComputations", {
  ...members,
  first: computation(
    "The first computation, with which a release finalizes the invoice: its derivation, and that of each fee",
  ),
  second: computation("The second opinion: the same figures, computed by other means"),
});

const tags = ["Held invoices"];
const params = Type.Object({ svc_id: Type.String({ description: "Id of the invoice" }) });
/** Not required here, because it has no envelope: `readReason` names a missing field. */
const body = Type.Object({
  reason: Type.Optional(mandatoryText(1000, "Mandatory: the reason, stored for later review")),
});

export const heldInvoiceList = declareList({ sorts: ["-held_at"], choices: { status: STATUSES }, isUndated: true });
export const listHeldInvoicesSchema = {
  summary: "List held invoices",
  description:
    "An invoice is held if two computations of it differ. It is not finalized until an operator releases it. Last held first; by default only those that are held (see `status`).",
  tags,
  querystring: heldInvoiceList.querystring,
  response: { 200: listEnvelope("held_invoices", heldInvoiceSchema), ...ERROR_RESPONSES },
};
export const showHeldInvoiceSchema = {
  summary: "Show a held invoice with both computations",
  description: "In any status.",
  tags,
  params,
  response: { 200: envelope("held_invoice", comparedSchema), ...ERROR_RESPONSES },
};
export const releaseHeldInvoiceSchema = {
  summary: "Release a held invoice",
  description: "Finalizes the invoice at once with the first computation, as of its own instant.",
  tags,
  params,
  body,
  response: { 200: envelope("held_invoice", heldInvoiceSchema), ...ERROR_RESPONSES },
};

export function readReason({ reason }: Static<typeof body>): string {
  if (reason === undefined) throw invalid({ reason: ["value_is_mandatory"] });
  return reason;
}

export const toApiHeldInvoice = (row: HeldRow): ApiHeldInvoice => ({
  svc_invoice_id: row.id,
  svc_customer_id: row.customer_id,
  external_customer_id: row.external_customer_id,
  step: row.step,
  held_at: toApiInstant(row.held_at),
  times: row.times,
  differences: row.differences.map(({ figure, first, second }) => ({ figure, first, second })),
  status: row.released_at === null ? "held" : "released",
  released_at: toApiInstantOrNull(row.released_at),
  release_reason: row.release_reason,
});
