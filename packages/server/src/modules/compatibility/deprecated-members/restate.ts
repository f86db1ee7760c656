/** Adds deprecated members to a message before it goes to any endpoint, so that all attempts send the same bytes. */
import { type OutboxMessage, restate } from "../../../jobs/outbox.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findOrganization } from "../../accounts/index.ts";
import { deprecatedMembers } from "./translate.ts";

export async function restateForOldClients(tx: Tx, message: OutboxMessage): Promise<void> {
  const { organizationId } = message;
  const { include_deprecated_fields: isRequested } = await findOrganization(tx, organizationId);
  if (!isRequested) return;
  const payload = await deprecatedMembers.ofAnswer(message.payload, (work) => work(tx, organizationId));
  if (payload !== message.payload) await restate(tx, message, payload);
}
