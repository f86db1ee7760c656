/** Response schemas of verification. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { id, nullable, oneOf } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { CAUSES } from "./find-causes.ts";
import type { Verification } from "./verify-invoice.ts";

const engine = (description: string) =>
  Type.Object({ engine_version: Type.String(), zone_data_version: Type.String() }, { description });

const verificationSchema = namedObject("InvoiceVerification", {
  svc_invoice_id: id(),
  number: Type.String(),
  status: oneOf(["same", "different"], { description: "Whether every recomputed member equals the stored one" }),
  made_with: engine("The engine that computed the invoice"),
  recomputed_with: engine("The engine that recomputed it now"),
  differences: Type.Array(
    Type.Object({
      member: Type.String({ description: "Its path", examples: ["total_amount_cents"] }),
      stored: nullable(Type.String()),
      recomputed: nullable(Type.String()),
    }),
  ),
  causes: Type.Array(
    Type.Object({
      cause: oneOf(CAUSES),
      message: Type.String(),
      transaction_ids: Type.Array(Type.String(), { description: "Up to 20 events that can be named" }),
    }),
  ),
});

export const showVerification = {
  summary: "Recompute an invoice and compare",
  description:
    "Recomputes a finalized invoice from its stored inputs and the events of its snapshot, and compares every member. If a member differs, the response names the input that changed.",
  tags: ["Invoices"],
  params: Type.Object({ svc_id: Type.String() }),
  response: { 200: Type.Object({ verification: verificationSchema }), ...ERROR_RESPONSES },
};

/** Limits the size of the response. */
const SHOWN_MAX = 200;

export const toApiVerification = (
  { invoiceId, number, made, differences, causes }: Verification,
  now: { version: string; zoneData: string },
): Static<typeof verificationSchema> => ({
  svc_invoice_id: invoiceId,
  number,
  status: differences.length === 0 ? "same" : "different",
  made_with: { engine_version: made.engineVersion, zone_data_version: made.zoneDataVersion },
  recomputed_with: { engine_version: now.version, zone_data_version: now.zoneData },
  differences: differences
    .slice(0, SHOWN_MAX)
    .map(({ member, stored, recomputed }) => ({ member, stored, recomputed: recomputed })),
  causes: causes.map(({ cause, message, transactionIds }) => ({
    cause,
    message,
    transaction_ids: [...transactionIds],
  })),
});
