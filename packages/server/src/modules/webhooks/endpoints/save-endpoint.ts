/** Creates, changes and deletes endpoints, and rotates their secrets; an organization has at most ten. */
import { randomBytes } from "node:crypto";
import { invalid, type Problem } from "../../../http/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import type { OutboundHttp } from "../../../platform/outbound-http/outbound-http.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { Vault } from "../../accounts/index.ts";
import { webhookEndpointErrors } from "./errors.ts";
import { fromApiWebhookEndpoint, type WebhookEndpointCreate, type WebhookEndpointRow } from "./schema.ts";
import { columnsOf, openerOf, workingOldSecrets } from "./secrets.ts";
import { signingKeyOf } from "./signing-key.ts";
import { holdEndpointsOf, insertEndpoint, listEndpoints, lockEndpoint, updateEndpoint } from "./store.ts";

const ENDPOINTS_MAX = 10;
const SECRET_BYTES = 32;
const OLD_SECRET_WORKS = { hours: 24 };
/** So that the header with the signatures stays short, however often the secret is replaced. */
const OLD_SECRETS_MAX = 4;

/** The refusal of a URL that nothing would be sent to. It resolves a name, so it is called before the transaction. */
export async function refusalOfUrl(
  outbound: OutboundHttp,
  url: string | null | undefined,
): Promise<Problem | undefined> {
  const refused = url ? await outbound.judge(url) : undefined;
  if (refused === "url_is_invalid") return invalid({ webhook_url: [refused] });
  return refused && webhookEndpointErrors.invalid("webhook_url", refused);
}

export type EndpointDeps = { clock: Clock; vault: Vault };
/** A row with its secret, for the response that shows it. */
type WithSecret = { row: WebhookEndpointRow; secret: string };

export async function createEndpoint(
  tx: Tx,
  organizationId: string,
  requested: WebhookEndpointCreate,
  deps: EndpointDeps,
): Promise<WithSecret> {
  await holdEndpointsOf(tx, organizationId);
  const others = await listEndpoints(tx, organizationId);
  if (others.length >= ENDPOINTS_MAX) throw webhookEndpointErrors.invalid("base", "exceeded_limit");
  // Created here, so that no delivery attempt has to create it.
  await signingKeyOf(tx, organizationId, deps);
  const now = deps.clock.now();
  const [id, secret] = [newId(), newSecret()];
  const row = await insertEndpoint(tx, organizationId, {
    signature_algo: "hmac",
    ...fromApiWebhookEndpoint(requested),
    webhook_url: requested.webhook_url,
    id,
    ...(await columnsOf(tx, { organizationId, id }, { secret, old: [] }, deps.vault)),
    created_at: now,
    updated_at: now,
  });
  return { row, secret };
}

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;

/** Also enables the endpoint and clears its failures: a change suggests that the problem is fixed. */
export async function changeEndpoint(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  requested: Partial<WebhookEndpointCreate>,
  clock: Clock,
): Promise<WebhookEndpointRow> {
  const now = clock.now();
  const changes = fromApiWebhookEndpoint(requested);
  const since = changes.event_types === undefined ? {} : { event_types_since: now };
  const repaired = { disabled_at: null, failures: 0, failing_since: null, resting_until: null };
  return found(await updateEndpoint(tx, organizationId, id, { ...changes, ...since, ...repaired, updated_at: now }));
}

/**
 * The old secret works for a day, because receivers cannot all get the new one at once. One that cannot be opened is replaced all the
 * same: if the key of the service is lost, a rotation is how an endpoint works again.
 */
export async function rotateSecret(
  tx: Tx,
  organizationId: string,
  id: string,
  { clock, vault }: EndpointDeps,
): Promise<WithSecret> {
  const now = clock.now();
  const row = found(await lockEndpoint(tx, organizationId, id));
  const opened = (await openerOf(tx, row, vault))();
  const old = opened
    ? [{ secret: opened.secret, until: now.add(OLD_SECRET_WORKS) }, ...workingOldSecrets(opened, now)]
    : [];
  const secret = newSecret();
  const columns = await columnsOf(tx, { organizationId, id }, { secret, old: old.slice(0, OLD_SECRETS_MAX) }, vault);
  const changes = { ...columns, unopened_since: null, updated_at: now };
  return { row: found(await updateEndpoint(tx, organizationId, id, changes)), secret };
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
  deps: EndpointDeps,
): Promise<void> {
  const [first] = await listEndpoints(tx, organizationId);
  if (webhookUrl === null) {
    if (first) await deleteEndpoint(tx, organizationId, first.id, deps.clock);
  } else if (!first) await createEndpoint(tx, organizationId, { webhook_url: webhookUrl }, deps);
  else if (first.webhook_url !== webhookUrl)
    await changeEndpoint(tx, { organizationId, id: first.id }, { webhook_url: webhookUrl }, deps.clock);
}

export const listEndpointUrls = async (tx: Tx, organizationId: string): Promise<string[]> =>
  (await listEndpoints(tx, organizationId)).map(({ webhook_url }) => webhook_url);

export function found(row: WebhookEndpointRow | undefined): WebhookEndpointRow {
  if (!row) throw webhookEndpointErrors.problem("webhook_endpoint_not_found");
  return row;
}
