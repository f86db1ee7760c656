/** A worker that is wrong on purpose: it takes what waits longest, whoever it is for, marks it as sent, and sends it after that. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { dispatchMessages } from "../../../packages/server/src/jobs/outbox.ts";
import { startLoops } from "../../../packages/server/src/jobs/worker.ts";
import { composePlatform, type Platform } from "../../../packages/server/src/main/compose.ts";
import { signedHeaders } from "../../../packages/server/src/modules/webhooks/deliveries/sign-message.ts";
import { findEndpointToTell } from "../../../packages/server/src/modules/webhooks/deliveries/store.ts";
import { signingSecretsOf } from "../../../packages/server/src/modules/webhooks/endpoints/index.ts";
import { inOrganization } from "../../../packages/server/src/platform/postgres/database.ts";
import { readSettings, sayUse, type WorkerTask } from "../worker.ts";

const LOOPS = 12;
/** Between the mark and the request, where a kill loses the message. */
const MIDDLE_MS = 40;

export async function runNaiveSender(task: WorkerTask & { organizationIds: string[] }): Promise<undefined> {
  const { organizationIds } = task;
  const platform = composePlatform(readSettings(task));
  const onError = (error: unknown): void => console.error(String(error));
  startLoops(() => dispatchMessages(platform, platform.subscribers), 4, onError);
  for (const id of organizationIds)
    startLoops(() => send(platform, id), Math.ceil(LOOPS / organizationIds.length), onError);
  sayUse();
}

type Taken = {
  id: string;
  message_id: string;
  payload: string;
  endpoint_id: string;
};

const take = (db: Platform["db"], organizationId: string): Promise<Taken | undefined> =>
  inOrganization(db, organizationId, async (tx) => {
    const { rows } = await sql<Taken>`
      update webhook_deliveries delivery set status = 'succeeded', attempts = delivery.attempts + 1, settled_at = now()
      from outbox message, webhook_endpoints endpoint
      where delivery.organization_id = ${organizationId} and delivery.id = (
          select id from webhook_deliveries
          where organization_id = ${organizationId} and settled_at is null
          order by ready_at limit 1 for update skip locked
        )
        and message.organization_id = ${organizationId} and message.id = delivery.message_id
        and endpoint.organization_id = ${organizationId} and endpoint.id = delivery.endpoint_id
      returning delivery.id, message.id as message_id, message.payload::text as payload, endpoint.id as endpoint_id`.execute(
      tx,
    );
    return rows[0];
  });

async function send({ db, clock, config, vault }: Platform, organizationId: string): Promise<boolean> {
  const taken = await take(db, organizationId);
  if (!taken) return false;
  await pause(MIDDLE_MS);
  const body = Buffer.from(taken.payload);
  const { message_id: messageId } = taken;
  const { endpoint, open } = await inOrganization(db, organizationId, async (tx) => {
    const found = await findEndpointToTell(tx, organizationId, taken.endpoint_id);
    return { endpoint: found, open: await signingSecretsOf(tx, found, { clock, vault }) };
  });
  if (!open) throw new Error("the secrets of an endpoint cannot be opened");
  const headers = await signedHeaders({
    messageId,
    body,
    algorithm: endpoint.signature_algo,
    ...open(clock.now()),
    issuer: "naive",
    prefix: "svc",
    now: clock.now(),
  });
  const signal = AbortSignal.timeout(config.WEBHOOK_TIMEOUT_SECONDS * 1000);
  // Whatever came of it: it is marked.
  await fetch(endpoint.webhook_url, { method: "POST", headers, body, signal }).catch(() => undefined);
  return true;
}
