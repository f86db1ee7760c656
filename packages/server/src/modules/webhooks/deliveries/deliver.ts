/** Delivers pending messages to endpoints: claim, send outside of any transaction, settle. */
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { renameMembers } from "../../../http/field-prefix.ts";
import { type OutboxSubscriber, publish } from "../../../jobs/outbox.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { OutboundFailure, type OutboundHttp } from "../../../platform/outbound-http/outbound-http.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { actForOrganization, type Database, type Tx } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import type { Metrics } from "../../../platform/telemetry/metrics.ts";
import type { Vault } from "../../accounts/index.ts";
import {
  type SigningSecrets,
  signingSecretsOf,
  toPublishedEndpoint,
  type WebhookEndpointRow,
} from "../endpoints/index.ts";
import {
  type Before,
  decideOutcome,
  isTaken,
  type Outcome,
  type Result,
  type RetrySchedule,
} from "./decide-outcome.ts";
import { signatureHeader, signedHeaders } from "./sign-message.ts";
import {
  type Attempt,
  type ClaimedDelivery,
  claimEndpoint,
  clearFailures,
  type EndpointToTell,
  findClaimed,
  findEndpointToTell,
  holdEndpoint,
  holdLeased,
  insertAttempts,
  insertDeliveries,
  leaseDeliveries,
  noteOpened,
  putOff,
  type Settled,
  settleDeliveries,
  updateFare,
} from "./store.ts";

export type Delivering = {
  dispatcherDb: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  outbound: OutboundHttp;
  vault: Vault;
  webhooks: {
    issuer: string;
    delays: RetrySchedule;
    /** The longest that an attempt may take. */
    timeoutSeconds: number;
    attemptsAtOnce: number;
  };
};

/** After an attempt its worker has this long to settle it. Then the worker counts as gone. */
const SETTLING_SECONDS = 10;
/** A failing endpoint gets one attempt at a time. */
const ATTEMPTS_TO_FAILING = 1;
/** Attempts that end within this time are settled together. They do not wait longer for slower ones. */
const SETTLE_EVERY_MS = 50;
const RESPONSE_LENGTH_KEPT = 4_096;
const CHANCES = 1_000_000;
/** If its secrets cannot be opened, an endpoint is tried again after this time: the key of the service may be set by then. */
const UNOPENED_RESTS = { seconds: 60 };

/** Queues a delivery of every message to each endpoint that receives its type. */
export const queueDeliveries =
  (clock: Clock): OutboxSubscriber =>
  (batch, { organizationId, id, webhookType, createdAt }) =>
    insertDeliveries(batch, organizationId, { id, webhookType, createdAt, now: clock.now() });

/** Deliveries to one endpoint, under one lease. */
type Claimed = {
  organizationId: string;
  leaseId: string;
  deliveries: ClaimedDelivery[];
  endpoint: EndpointToTell;
  openSecrets: (now: Temporal.Instant) => SigningSecrets;
};

/** Makes the next attempts, to one endpoint; false if none is due. */
export async function deliverNext(deps: Delivering, isFailing: boolean): Promise<boolean> {
  const claimed = await claim(deps, isFailing);
  if (claimed === undefined) return false;
  if (claimed === "given up" || claimed === "put off") return true;
  const ended: Made[] = [];
  const attempts = Promise.all(
    claimed.deliveries.map(async (delivery) => {
      ended.push(await attempt(deps, claimed, delivery));
    }),
  );
  // `Promise.race` reports the error. If settling fails, the other attempts are abandoned and sent again when their lease ends.
  attempts.catch(() => undefined);
  let hasFailed = false;
  let left = claimed.deliveries.length;
  while (left > 0) {
    await Promise.race([attempts, pause(SETTLE_EVERY_MS)]);
    const some = ended.splice(0);
    if (some.length > 0) await settle(deps, claimed, some, hasFailed);
    hasFailed ||= some.some(({ result }) => !isTaken(result));
    left -= some.length;
  }
  return true;
}

/** In one short transaction: chooses the endpoint, and leases its next deliveries. */
async function claim(deps: Delivering, isFailing: boolean): Promise<Claimed | "given up" | "put off" | undefined> {
  const { dispatcherDb, clock, webhooks } = deps;
  return dispatcherDb.transaction().execute(async (tx) => {
    const now = clock.now();
    const queue = { isFailing, now, attemptsMax: isFailing ? ATTEMPTS_TO_FAILING : webhooks.attemptsAtOnce };
    const turn = await claimEndpoint(tx, queue);
    if (!turn) return undefined;
    const { organizationId, endpointId } = turn;
    const lease = { id: newId(), until: now.add({ seconds: webhooks.timeoutSeconds + SETTLING_SECONDS }) };
    const ids = await leaseDeliveries(tx, turn, queue, lease);
    if (ids.length === 0) return undefined;
    await actForOrganization(tx, organizationId);
    const deliveries = await findClaimed(tx, organizationId, ids);
    const endpoint = await findEndpointToTell(tx, organizationId, endpointId);
    const obstacle = endpoint.deleted_at ? "endpoint_deleted" : endpoint.disabled_at ? "endpoint_disabled" : undefined;
    if (obstacle) {
      await settleDeliveries(
        tx,
        organizationId,
        deliveries.map((delivery) => givenUp(delivery, obstacle, now)),
      );
      return "given up";
    }
    const openSecrets = await signingSecretsOf(tx, endpoint, deps);
    if (!openSecrets) {
      // Nothing is sent unsigned, and no attempt is counted: the receiver is not at fault.
      await putOff(tx, organizationId, { endpointId, leaseId: lease.id, now, until: now.add(UNOPENED_RESTS) });
      return "put off";
    }
    if (endpoint.unopened_since) await noteOpened(tx, organizationId, endpointId);
    return { organizationId, leaseId: lease.id, deliveries, endpoint, openSecrets };
  });
}

const givenUp = ({ id, attempts }: ClaimedDelivery, last_error: string, now: Temporal.Instant): Settled => ({
  id,
  status: "failed",
  attempts,
  ready_at: null,
  settled_at: now,
  http_status: null,
  last_error,
});

type Made = Sent & { delivery: ClaimedDelivery; headers: Record<string, string>; startedAt: Temporal.Instant };

async function attempt(deps: Delivering, { endpoint, openSecrets }: Claimed, delivery: ClaimedDelivery): Promise<Made> {
  const startedAt = deps.clock.now();
  const prefix = endpoint.field_prefix;
  const body = Buffer.from(renameMembers(delivery.payload, prefix));
  const headers = await signedHeaders({
    messageId: delivery.messageId,
    body,
    algorithm: endpoint.signature_algo,
    ...openSecrets(startedAt),
    issuer: deps.webhooks.issuer,
    prefix,
    now: startedAt,
  });
  return { ...(await send(deps.outbound, endpoint.webhook_url, headers, body)), delivery, headers, startedAt };
}

type Sent = { result: Result; responseBody: string | null; durationMs: number };

async function send(outbound: OutboundHttp, url: string, headers: Record<string, string>, body: Buffer): Promise<Sent> {
  const begin = performance.now();
  const durationMs = (): number => Math.round(performance.now() - begin);
  try {
    const answer = await outbound.post(url, headers, body);
    const result = { httpStatus: answer.status, retryAfter: answer.headers["retry-after"] };
    // Postgres cannot store zero characters.
    const responseBody = answer.body.toString().replaceAll("\0", "\uFFFD").slice(0, RESPONSE_LENGTH_KEPT);
    return { result, responseBody, durationMs: durationMs() };
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    return { result: { error: error.reason }, responseBody: null, durationMs: durationMs() };
  }
}

/**
 * One transaction saves the results, the log and the state of the endpoint, and skips deliveries whose lease was lost. `hasFailed`: an
 * attempt of the same batch has failed.
 */
async function settle(deps: Delivering, claimed: Claimed, made: readonly Made[], hasFailed: boolean): Promise<void> {
  const { dispatcherDb, metrics } = deps;
  const { organizationId, endpoint, leaseId } = claimed;
  const ours = await dispatcherDb.transaction().execute(async (tx) => {
    await actForOrganization(tx, organizationId);
    // If nothing fails, the endpoint does not change and its row need not be locked, unless another attempt failed meanwhile.
    const isUsual = endpoint.failures === 0 && made.every(({ result }) => isTaken(result));
    if (isUsual) await clearFailures(tx, organizationId, endpoint.id);
    const locked = isUsual ? endpoint : await holdEndpoint(tx, organizationId, endpoint.id);
    const leased = await holdLeased(tx, organizationId, { ids: made.map(({ delivery }) => delivery.id), leaseId });
    const kept = made.filter(({ delivery }) => leased.has(delivery.id));
    if (kept.length === 0) return [];
    const { settled, fare } = decideAll(deps, locked, kept, hasFailed);
    await settleDeliveries(tx, organizationId, settled);
    await insertAttempts(
      tx,
      organizationId,
      kept.map((one) => toAttempt(endpoint, one)),
    );
    await noteFare(tx, deps, locked, fare);
    return kept;
  });
  for (const { delivery, result } of ours) {
    const labels = { source: "webhook", kind: delivery.webhookType };
    if (isTaken(result)) metrics.workDone.inc(labels);
    else metrics.workFailed.inc(labels);
  }
}

/** In the order in which they ended: each result affects how the next one counts for the endpoint. */
function decideAll(
  { webhooks, clock }: Delivering,
  locked: WebhookEndpointRow,
  made: readonly Made[],
  hasFailed: boolean,
): { settled: Settled[]; fare: Outcome["endpoint"] } {
  const now = clock.now();
  const { failures, failing_since, resting_until } = locked;
  let isCounted = hasFailed;
  let fare: Outcome["endpoint"] = { failures, failing_since, resting_until, isDisabled: false };
  const settled = made.map(({ delivery, result, startedAt }): Settled => {
    const before: Before = {
      attempts: delivery.attempts - delivery.attemptsBefore,
      failures: fare.failures,
      failingSince: fare.failing_since,
      isCounted,
      startedAt,
      now,
    };
    const outcome = decideOutcome(result, before, webhooks.delays, randomInt(CHANCES) / CHANCES);
    isCounted ||= !isTaken(result);
    fare = { ...outcome.endpoint, isDisabled: fare.isDisabled || outcome.endpoint.isDisabled };
    const readyAt = "readyAt" in outcome.delivery ? outcome.delivery.readyAt : null;
    return {
      id: delivery.id,
      status: outcome.delivery.status,
      attempts: delivery.attempts + 1,
      ready_at: readyAt,
      settled_at: readyAt ? null : now,
      http_status: result.httpStatus ?? null,
      last_error: result.error ?? null,
    };
  });
  return { settled, fare };
}

/** The signature of a JWT repeats the body, so the log leaves it out. It can be computed again. */
function toAttempt(endpoint: EndpointToTell, made: Made): Attempt {
  const { delivery, headers, startedAt, durationMs, result, responseBody } = made;
  const { [signatureHeader(endpoint.field_prefix)]: _, ...requestHeaders } = headers;
  return {
    deliveryId: delivery.id,
    number: delivery.attempts + 1,
    url: endpoint.webhook_url,
    requestHeaders,
    startedAt,
    durationMs,
    httpStatus: result.httpStatus ?? null,
    responseBody,
    error: result.error ?? null,
  };
}

/** The other endpoints are notified once that an endpoint is disabled. The workers that claim its pending messages give them up. */
async function noteFare(
  tx: Tx,
  { clock, log }: Delivering,
  locked: WebhookEndpointRow,
  { isDisabled, ...fare }: Outcome["endpoint"],
): Promise<void> {
  const isNews = isDisabled && locked.disabled_at === null && locked.deleted_at === null;
  const isSame = fare.failures === locked.failures && locked.resting_until === null && fare.resting_until === null;
  if (isSame && !isNews) return;
  const now = clock.now();
  // A disabled endpoint neither fails nor rests: its pending messages are given up without delay.
  const disabled = { failures: 0, failing_since: null, resting_until: null, disabled_at: now };
  const row = await updateFare(tx, locked.organization_id, locked.id, isNews ? disabled : fare);
  if (!isNews) return;
  log.warn({ organization: row.organization_id, endpoint: row.id }, "a webhook endpoint was disabled");
  const change = {
    webhookType: "webhook_endpoint.disabled",
    objectType: "webhook_endpoint",
    objectId: row.id,
    object: toPublishedEndpoint(row),
  };
  await publish(alone(tx), row.organization_id, change, now);
}
