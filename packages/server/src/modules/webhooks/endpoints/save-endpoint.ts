/** Creates, changes and deletes endpoints; an organization has at most ten. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { webhookEndpointErrors } from "./errors.ts";
import type { WebhookEndpointCreate, WebhookEndpointRow } from "./schema.ts";
import { signingKeyOf } from "./signing-key.ts";
import { holdEndpointsOf, insertEndpoint, listEndpoints, updateEndpoint } from "./store.ts";

const ENDPOINTS_MAX = 10;
const SECRET_BYTES = 32;

export async function createEndpoint(
  tx: Tx,
  organizationId: string,
  { webhook_url, signature_algo = "jwt" }: WebhookEndpointCreate,
  clock: Clock,
): Promise<WebhookEndpointRow> {
  await holdEndpointsOf(tx, organizationId);
  const others = await listEndpoints(tx, organizationId);
  if (others.length >= ENDPOINTS_MAX) throw webhookEndpointErrors.invalid("base", "exceeded_limit");
  // Created here, so that no delivery attempt has to create it.
  await signingKeyOf(tx, organizationId, clock);
  const now = clock.now();
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  return insertEndpoint(tx, organizationId, {
    id: newId(),
    webhook_url,
    signature_algo,
    secret,
    created_at: now,
    updated_at: now,
  });
}

/** Also enables the endpoint and clears its failures: a change suggests that the problem is fixed. */
export async function changeEndpoint(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  changes: Partial<Pick<WebhookEndpointRow, "webhook_url" | "signature_algo">>,
  clock: Clock,
): Promise<WebhookEndpointRow> {
  const repaired = { disabled_at: null, failures: 0, failing_since: null, resting_until: null };
  return found(await updateEndpoint(tx, organizationId, id, { ...changes, ...repaired, updated_at: clock.now() }));
}

/** The row stays for the log. The workers that claim its pending messages give them up. */
export const deleteEndpoint = async (
  tx: Tx,
  organizationId: string,
  id: string,
  clock: Clock,
): Promise<WebhookEndpointRow> =>
  found(await updateEndpoint(tx, organizationId, id, { deleted_at: clock.now(), updated_at: clock.now() }));

/** The organization's `webhook_url` is its first endpoint: changed, created, or with null deleted. */
export async function setFirstEndpoint(
  tx: Tx,
  organizationId: string,
  webhookUrl: string | null,
  clock: Clock,
): Promise<void> {
  const [first] = await listEndpoints(tx, organizationId);
  if (webhookUrl === null) {
    if (first) await deleteEndpoint(tx, organizationId, first.id, clock);
  } else if (!first) await createEndpoint(tx, organizationId, { webhook_url: webhookUrl }, clock);
  else if (first.webhook_url !== webhookUrl)
    await changeEndpoint(tx, { organizationId, id: first.id }, { webhook_url: webhookUrl }, clock);
}

export const listEndpointUrls = async (tx: Tx, organizationId: string): Promise<string[]> =>
  (await listEndpoints(tx, organizationId)).map(({ webhook_url }) => webhook_url);

export function found(row: WebhookEndpointRow | undefined): WebhookEndpointRow {
  if (!row) throw webhookEndpointErrors.problem("webhook_endpoint_not_found");
  return row;
}
