/** All SQL on webhook_deliveries and webhook_attempts, and on the failures of an endpoint. */

import { sql } from "kysely";
import { forgetPayloads } from "../../../jobs/outbox-store.ts";
import { NOTHING_WAITS, type Patience, ROWS_MAX, type Waiting } from "../../../jobs/waiting.ts";
import { newId } from "../../../platform/new-id.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batched } from "../../../platform/postgres/batch.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import type { WebhookEndpointRow } from "../endpoints/index.ts";

type Published = { id: string; webhookType: string; createdAt: Temporal.Instant; now: Temporal.Instant };

/** One delivery for each endpoint that existed when the message was published and receives its type. A repeat changes nothing. */
export const insertDeliveries = batched<Published, void>(async (tx, organizationId, messages) => {
  const endpoints = await tx
    .selectFrom("webhook_endpoints")
    .select(["id", "event_types", "created_at"])
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .execute();
  const rows = messages.flatMap(({ id: messageId, webhookType, createdAt, now }) =>
    endpoints
      .filter(({ event_types }) => event_types?.includes(webhookType) ?? true)
      .filter((endpoint) => Temporal.Instant.compare(endpoint.created_at, createdAt) <= 0)
      .map(({ id }) => ({
        organization_id: organizationId,
        id: newId(),
        endpoint_id: id,
        message_id: messageId,
        ready_at: now,
        created_at: now,
      })),
  );
  if (rows.length > 0)
    await tx
      .insertInto("webhook_deliveries")
      .values(rows)
      .onConflict((conflict) => conflict.columns(["organization_id", "endpoint_id", "message_id"]).doNothing())
      .execute();
  return messages.map(() => undefined);
});

export type Queue = {
  /** Failing endpoints have workers of their own, so that they never delay deliveries to the others. */
  isFailing: boolean;
  now: Temporal.Instant;
  /** Attempts that may be in progress to one endpoint at once. */
  attemptsMax: number;
};

/**
 * Over all organizations, for the dispatcher: the next endpoint with a delivery that is ready. The query steps through the index from one
 * endpoint with open deliveries to the next, so it never reads the backlog of one endpoint to find another. The row stays locked, so that
 * no two workers claim from one endpoint at once.
 */
export async function claimEndpoint(
  tx: Tx,
  { isFailing, now, attemptsMax }: Queue,
): Promise<{ organizationId: string; endpointId: string } | undefined> {
  const { rows } = await sql<{ organizationId: string; endpointId: string }>`
    with recursive waiting as (
      (
        select organization_id, endpoint_id from webhook_deliveries where settled_at is null
        order by organization_id, endpoint_id limit 1
      )
      union all
      select next.organization_id, next.endpoint_id
      from waiting
      cross join lateral (
        select organization_id, endpoint_id from webhook_deliveries
        where settled_at is null
          and (organization_id, endpoint_id) > (waiting.organization_id, waiting.endpoint_id)
        order by organization_id, endpoint_id limit 1
      ) as next
    )
    select endpoint.organization_id as "organizationId", endpoint.id as "endpointId"
    from waiting
    join webhook_endpoints endpoint
      on endpoint.organization_id = waiting.organization_id and endpoint.id = waiting.endpoint_id
    where (endpoint.failures > 0) = ${isFailing}
      and (endpoint.resting_until is null or endpoint.resting_until <= ${now}::timestamptz)
      and exists (
        select from webhook_deliveries ready
        where ready.organization_id = endpoint.organization_id and ready.endpoint_id = endpoint.id
          and ready.settled_at is null and ready.ready_at <= ${now}::timestamptz
          and (ready.leased_until is null or ready.leased_until <= ${now}::timestamptz)
      )
      and (
        select count(*) from webhook_deliveries leased
        where leased.organization_id = endpoint.organization_id and leased.endpoint_id = endpoint.id
          and leased.leased_until > ${now}::timestamptz
      ) < ${attemptsMax}::integer
    order by endpoint.claimed_at nulls first, endpoint.id
    limit 1
    for no key update of endpoint skip locked`.execute(tx);
  return rows[0];
}

export type Lease = { id: string; until: Temporal.Instant };

/**
 * For the dispatcher, which has locked the endpoint: leases the deliveries that have been ready longest, as many as may be in progress.
 * It counts again, because another worker may have leased some before the lock.
 */
export async function leaseDeliveries(
  tx: Tx,
  { organizationId, endpointId }: { organizationId: string; endpointId: string },
  { now, attemptsMax }: Queue,
  lease: Lease,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with turn as (
      update webhook_endpoints set claimed_at = ${now}
      where organization_id = ${organizationId} and id = ${endpointId}
    )
    update webhook_deliveries set leased_until = ${lease.until}, lease_id = ${lease.id}
    where organization_id = ${organizationId} and id in (
      select id from webhook_deliveries
      where organization_id = ${organizationId} and endpoint_id = ${endpointId} and settled_at is null
        and ready_at <= ${now}::timestamptz and (leased_until is null or leased_until <= ${now}::timestamptz)
      order by ready_at, id
      limit greatest(0, ${attemptsMax}::integer - (
        select count(*) from webhook_deliveries leased
        where leased.organization_id = ${organizationId} and leased.endpoint_id = ${endpointId}
          and leased.leased_until > ${now}::timestamptz
      ))
      for update skip locked
    )
    returning id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The secrets of the endpoint cannot be opened: its deliveries are free again, and stay as they are while it rests. */
export async function putOff(
  tx: Tx,
  organizationId: string,
  unopened: { endpointId: string; leaseId: string; now: Temporal.Instant; until: Temporal.Instant },
): Promise<void> {
  const { endpointId, leaseId, now, until } = unopened;
  await sql`
    update webhook_endpoints
    set unopened_since = coalesce(unopened_since, ${now}::timestamptz), resting_until = ${until}::timestamptz
    where organization_id = ${organizationId} and id = ${endpointId}`.execute(tx);
  await sql`
    update webhook_deliveries set leased_until = null, lease_id = null
    where organization_id = ${organizationId} and lease_id = ${leaseId} and settled_at is null`.execute(tx);
}

export async function noteOpened(tx: Tx, organizationId: string, endpointId: string): Promise<void> {
  await sql`
    update webhook_endpoints set unopened_since = null
    where organization_id = ${organizationId} and id = ${endpointId}`.execute(tx);
}

export type ClaimedDelivery = {
  id: string;
  attempts: number;
  attemptsBefore: number;
  messageId: string;
  webhookType: string;
  /** As text, so that the exact bytes are sent. */
  payload: string;
};

export const findClaimed = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<ClaimedDelivery[]> =>
  tx
    .selectFrom("webhook_deliveries as delivery")
    .innerJoin("outbox as message", (join) =>
      join
        .onRef("message.organization_id", "=", "delivery.organization_id")
        .onRef("message.id", "=", "delivery.message_id"),
    )
    .select([
      "delivery.id",
      "delivery.attempts",
      "delivery.attempts_before as attemptsBefore",
      "message.id as messageId",
      "message.webhook_type as webhookType",
      "message.payload",
    ])
    .where("delivery.organization_id", "=", organizationId)
    .where("delivery.id", "=", anyOf(ids))
    .execute();

/** With what members begin with in its messages. */
export type EndpointToTell = WebhookEndpointRow & { field_prefix: string };

/** Deleted endpoints included. */
export const findEndpointToTell = (tx: Tx, organizationId: string, id: string): Promise<EndpointToTell> =>
  tx
    .selectFrom("webhook_endpoints")
    .innerJoin("organizations", "organizations.id", "webhook_endpoints.organization_id")
    .selectAll("webhook_endpoints")
    .select("organizations.field_prefix")
    .where("webhook_endpoints.organization_id", "=", organizationId)
    .where("webhook_endpoints.id", "=", id)
    .executeTakeFirstOrThrow();

/** The deliveries of a lease that no other worker has taken over, locked until the transaction ends. */
export async function holdLeased(
  tx: Tx,
  organizationId: string,
  { ids, leaseId }: { ids: readonly string[]; leaseId: string },
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("id", "=", anyOf(ids))
    .where("lease_id", "=", leaseId)
    .where("settled_at", "is", null)
    .forNoKeyUpdate()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export type Settled = {
  id: string;
  status: "retrying" | "succeeded" | "failed";
  attempts: number;
  /** Set if there is another attempt. */
  ready_at: Temporal.Instant | null;
  settled_at: Temporal.Instant | null;
  http_status: number | null;
  last_error: string | null;
};

/** Saves the results of locked deliveries. */
export async function settleDeliveries(tx: Tx, organizationId: string, settled: readonly Settled[]): Promise<void> {
  const rows = settled.map(({ ready_at, settled_at, ...row }) => ({
    ...row,
    ready_at: ready_at?.toString() ?? null,
    settled_at: settled_at?.toString() ?? null,
  }));
  await sql`
    update webhook_deliveries delivery
    set status = settled.status, attempts = settled.attempts, ready_at = coalesce(settled.ready_at, delivery.ready_at),
      settled_at = settled.settled_at, http_status = settled.http_status, last_error = settled.last_error,
      leased_until = null, lease_id = null
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as settled (
      id uuid, status text, attempts integer, ready_at timestamptz, settled_at timestamptz, http_status integer, last_error text
    )
    where delivery.organization_id = ${organizationId} and delivery.id = settled.id`.execute(tx);
}

export type Attempt = {
  deliveryId: string;
  number: number;
  url: string;
  requestHeaders: Record<string, string>;
  startedAt: Temporal.Instant;
  durationMs: number;
  httpStatus: number | null;
  responseBody: string | null;
  error: string | null;
};

export async function insertAttempts(tx: Tx, organizationId: string, attempts: readonly Attempt[]): Promise<void> {
  const rows = attempts.map((attempt) => ({
    organization_id: organizationId,
    id: newId(),
    delivery_id: attempt.deliveryId,
    number: attempt.number,
    url: attempt.url,
    request_headers: JSON.stringify(attempt.requestHeaders),
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    http_status: attempt.httpStatus,
    response_body: attempt.responseBody,
    error: attempt.error,
  }));
  await tx.insertInto("webhook_attempts").values(rows).execute();
}

/** Locks the endpoint before its failures are counted, because attempts to it may end at the same moment. */
export const holdEndpoint = (tx: Tx, organizationId: string, id: string): Promise<WebhookEndpointRow> =>
  tx
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();

/** Does not wait for the row of an endpoint without failures. */
export async function clearFailures(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx
    .updateTable("webhook_endpoints")
    .set({ failures: 0, failing_since: null, resting_until: null })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .where("failures", ">", 0)
    .execute();
}

export const updateFare = (
  tx: Tx,
  organizationId: string,
  id: string,
  fare: Partial<Pick<WebhookEndpointRow, "failures" | "failing_since" | "resting_until" | "disabled_at">>,
): Promise<WebhookEndpointRow> =>
  tx
    .updateTable("webhook_endpoints")
    .set(fare)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/**
 * Published messages without open deliveries: deletes their deliveries, their attempt logs and their payload. The message rows stay as
 * proof of publication. Deletes at most `limit` messages and returns how many.
 */
export async function forgetMessagesBefore(
  tx: Tx,
  organizationId: string,
  { before, limit, now }: { before: Temporal.Instant; limit: number; now: Temporal.Instant },
): Promise<number> {
  const isSettled = sql`not exists (
    select from webhook_deliveries delivery
    where delivery.organization_id = outbox.organization_id and delivery.message_id = outbox.id
      and (delivery.settled_at is null or delivery.settled_at >= ${before}::timestamptz)
  )`;
  const { rows: locked } = await sql<{ id: string }>`
    select id from outbox
    where organization_id = ${organizationId} and dispatched_at < ${before}::timestamptz and forgotten_at is null
      and ${isSettled}
    order by id
    limit ${limit}::integer
    for update`.execute(tx);
  // Checked again under the lock: a delivery may have been reopened while this transaction waited.
  const { rows } = await sql<{ id: string }>`
    select id from outbox
    where organization_id = ${organizationId} and id = any(${locked.map(({ id }) => id)}::uuid[]) and ${isSettled}`.execute(
    tx,
  );
  const ids = rows.map(({ id }) => id);
  await forgetPayloads(tx, organizationId, ids, now);
  await sql`
    delete from webhook_deliveries
    where organization_id = ${organizationId} and message_id = any(${ids}::uuid[])`.execute(tx);
  return locked.length;
}

type State = "idle" | "failing" | "unopened";

/**
 * Over all organizations, for the dispatcher: healthy endpoints with waiting deliveries (`idle`), endpoints that have failed many times
 * in a row (`failing`), and those whose secrets cannot be opened (`unopened`).
 */
export async function countWaitingEndpoints(
  dispatcherDb: Database,
  { now, since, attempts }: Patience,
): Promise<{ idle: Waiting; failing: Waiting; unopened: Waiting }> {
  const state = sql`case
    when endpoint.unopened_since is not null then 'unopened' when endpoint.failures > 0 then 'failing' else 'idle'
  end`;
  const { rows } = await sql<Waiting & { state: State }>`
    with recursive waiting as (
      (
        select organization_id, endpoint_id, ready_at, leased_until from webhook_deliveries where settled_at is null
        order by organization_id, endpoint_id, ready_at limit 1
      )
      union all
      select next.organization_id, next.endpoint_id, next.ready_at, next.leased_until
      from waiting
      cross join lateral (
        select organization_id, endpoint_id, ready_at, leased_until from webhook_deliveries
        where settled_at is null
          and (organization_id, endpoint_id) > (waiting.organization_id, waiting.endpoint_id)
        order by organization_id, endpoint_id, ready_at limit 1
      ) as next
    )
    select ${state} as state, count(*)::integer as count, min(waiting.ready_at) as "oldestAt"
    from (select * from waiting limit ${ROWS_MAX}::integer) as waiting
    join webhook_endpoints endpoint
      on endpoint.organization_id = waiting.organization_id and endpoint.id = waiting.endpoint_id
    where case
      when endpoint.unopened_since is not null then true
      when endpoint.failures > 0 then endpoint.failures >= ${attempts}::integer
      else waiting.ready_at < ${since}::timestamptz
        and (waiting.leased_until is null or waiting.leased_until <= ${now}::timestamptz)
    end
    group by 1`.execute(dispatcherDb);
  const of = (wanted: State): Waiting => rows.find((row) => row.state === wanted) ?? NOTHING_WAITS;
  return { idle: of("idle"), failing: of("failing"), unopened: of("unopened") };
}
