/** Sends delivered or failed webhooks again: a single one at once, many by a job. */
import { enqueueJob, type JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { webhookLogErrors } from "./errors.ts";
import type { DeliveryRow, WebhookFilter } from "./schema.ts";
import {
  countReplay,
  findDelivery,
  findObstacle,
  holdMessagesOf,
  nextReplayed,
  type Place,
  type Replay,
  reopenDeliveries,
} from "./store.ts";

const REPLAY_JOB = "replay_webhooks";
/** Keeps each transaction short. */
const ROWS_AT_ONCE = 1_000;

/** An attempt in progress, or about to start, is left alone: it already does what the caller requests. */
export async function retryDelivery(tx: Tx, organizationId: string, id: string, clock: Clock): Promise<DeliveryRow> {
  const { endpoint_id } = found(await findDelivery(tx, organizationId, id));
  const obstacle = await findObstacle(tx, organizationId, endpoint_id);
  if (obstacle) throw webhookLogErrors.problem(obstacle);
  await holdMessagesOf(tx, organizationId, [id]);
  const now = clock.now();
  await reopenDeliveries(tx, organizationId, { ids: [id], requestedAt: now, now });
  // It may have been deleted while this transaction waited for its lock.
  return found(await findDelivery(tx, organizationId, id));
}

export function found(row: DeliveryRow | undefined): DeliveryRow {
  if (!row) throw webhookLogErrors.problem("webhook_not_found");
  return row;
}

/** Returns how many there are; a job reopens them. */
export async function askForReplay(tx: Tx, organizationId: string, filter: WebhookFilter, clock: Clock) {
  const requestedAt = clock.now();
  const { live, dead } = await countReplay(tx, organizationId, { filter, requestedAt, now: requestedAt });
  if (live > 0) await enqueueJob(tx, REPLAY_JOB, toPayload({ filter, requestedAt }));
  return { count: live, skippedCount: dead, requestedAt };
}

type Requested = Omit<Replay, "now">;

const toPayload = ({ filter, requestedAt }: Requested) => ({
  ...filter,
  createdFrom: filter.createdFrom?.toString(),
  createdTo: filter.createdTo?.toString(),
  requestedAt: requestedAt.toString(),
});

function fromPayload({ requestedAt, ...filter }: ReturnType<typeof toPayload>): Requested {
  const instantOf = (text: string | undefined) => (text === undefined ? undefined : Temporal.Instant.from(text));
  return {
    filter: { ...filter, createdFrom: instantOf(filter.createdFrom), createdTo: instantOf(filter.createdTo) },
    requestedAt: Temporal.Instant.from(requestedAt),
  };
}

export type ReplayDeps = { db: Database; clock: Clock };

export const replayJobs = (deps: ReplayDeps): Readonly<Record<string, JobHandler>> => ({
  [REPLAY_JOB]: (organizationId, payload) => replay(deps, organizationId, fromPayload(payload as never)),
});

/** In several transactions. After a kill, the repeated job skips the deliveries that it has reopened already. */
async function replay({ db, clock }: ReplayDeps, organizationId: string, requested: Requested): Promise<void> {
  let after: Place | undefined;
  do {
    after = await inOrganization(db, organizationId, async (tx) => {
      const now = clock.now();
      const places = await nextReplayed(tx, organizationId, { ...requested, now }, { after, limit: ROWS_AT_ONCE });
      const ids = places.map(({ id }) => id);
      await holdMessagesOf(tx, organizationId, ids);
      await reopenDeliveries(tx, organizationId, { ids, requestedAt: requested.requestedAt, now });
      return places.at(-1);
    });
  } while (after);
}
