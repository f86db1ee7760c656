/** Response schemas of the billing run. */
import type { Static } from "@fastify/type-provider-typebox";
import { envelope, instant, nullable, oneOf, toApiInstantOrNull, wholeNumber } from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";

const billingRunSchema = namedObject("BillingRun", {
  status: oneOf(["running", "paused"]),
  paused_at: nullable(instant("Since when it is paused; null while it is running")),
  waiting_count: wholeNumber(
    "The invoices that are not created or finalized because billing is paused, or because their last attempt failed and is repeated",
  ),
});

const tags = ["Billing run"];
const response = { 200: envelope("billing_run", billingRunSchema), ...ERROR_RESPONSES };

export const showBillingRunSchema = {
  summary: "Show whether billing runs",
  description: "The billing run creates and finalizes invoices at their instants.",
  tags,
  response,
};
export const pauseBillingRunSchema = {
  summary: "Pause billing",
  description:
    "From now on, no invoice is created or finalized on its own; everything else goes on. Invoices in progress are still finished. Requests for a single invoice are processed, and test clocks ignore the pause.",
  tags,
  response,
};
export const resumeBillingRunSchema = {
  summary: "Resume billing",
  description: "Each waiting invoice is created or finalized once, as of its own instant.",
  tags,
  response,
};

export const toApiBillingRun = (
  pausedAt: Temporal.Instant | null,
  waitingCount: bigint,
): Static<typeof billingRunSchema> => ({
  status: pausedAt === null ? "running" : "paused",
  paused_at: toApiInstantOrNull(pausedAt),
  waiting_count: waitingCount,
});
