/** Adds deprecated members to a message before it goes to any endpoint, so that all attempts send the same bytes. */
import { type OutboxMessage, restate } from "../../../jobs/outbox.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findOrganization } from "../../accounts/index.ts";
import { deprecatedMembers } from "./translate.ts";

export async function restateForOldClients(batch: Batch, message: OutboxMessage): Promise<void> {
  const { organizationId } = message;
  const { include_deprecated_fields: isRequested } = await findOrganization(batch, organizationId);
  if (!isRequested) return;
  const payload = await deprecatedMembers.ofAnswer(message.payload, (work) => work(batch, organizationId));
  if (payload !== message.payload) await restate(batch.tx, message, payload);
}
