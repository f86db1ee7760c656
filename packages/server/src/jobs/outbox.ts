/** Messages to publish: each state change writes a row in its own transaction, and a worker delivers the row to the subscribers. */
import { toExactJson } from "../platform/json-text.ts";
import { newId } from "../platform/new-id.ts";
import { type Batch, runBatched } from "../platform/postgres/batch.ts";
import { actForOrganization, type Tx } from "../platform/postgres/database.ts";
import {
  claimMessages,
  finishMessages,
  insertMessages,
  type OutboxMessage,
  postponeMessage,
  type Requested,
  updatePayload,
} from "./outbox-store.ts";
import type { WorkDeps } from "./run-dues.ts";

export type { OutboxMessage } from "./outbox-store.ts";

/** Runs in the transaction that marks the row as dispatched. It may write rows and enqueue jobs, but never call external systems. */
export type OutboxSubscriber = (batch: Batch, message: OutboxMessage) => Promise<void>;

export type StateChange = {
  webhookType: string;
  objectType: string;
  objectId: string;
  /** The object's API form. It is stored here, so later changes of the object do not change this message. */
  object: unknown;
  /** True if this can happen to an object only once. A second message is then a bug and fails. */
  once?: boolean;
};

export async function publish(
  batch: Batch,
  organizationId: string,
  change: StateChange,
  now: Temporal.Instant,
): Promise<void> {
  const id = newId();
  const { webhookType, objectType, objectId } = change;
  const payload = toExactJson({ webhook_type: webhookType, object_type: objectType, [objectType]: change.object });
  const changeKey = change.once ? "once" : id;
  const message = { organizationId, id, webhookType, objectType, objectId, payload, createdAt: now, changeKey };
  await insertMessages(batch, organizationId, [message]);
}

/** Replaces the payload of a message, for a subscriber that runs before those that send it. After the dispatch its bytes never change. */
export async function restate(tx: Tx, message: OutboxMessage, payload: string): Promise<void> {
  await updatePayload(tx, message.organizationId, message.id, payload);
  message.payload = payload;
}

/** The most messages in one transaction. */
const TOGETHER_MAX = 32;

/**
 * Delivers the next messages to every subscriber; false if none waits. If one message fails, the whole batch is rolled back. Then each
 * message is tried alone, and those that fail alone are retried later.
 */
export async function dispatchMessages(
  deps: WorkDeps,
  subscribers: readonly OutboxSubscriber[],
  limit = TOGETHER_MAX,
): Promise<boolean> {
  const { messages, error } = await deliver(deps, subscribers, { limit });
  if (error === undefined) return messages.length > 0;
  const [first, ...others] = messages;
  if (first && others.length === 0) {
    await postpone(deps, first, error);
    return true;
  }
  deps.log.warn(
    { err: error, messages: messages.length },
    "delivering a batch of messages failed: each is tried alone",
  );
  for (const message of messages) await deliverAlone(deps, subscribers, message);
  return true;
}

async function deliverAlone(
  deps: WorkDeps,
  subscribers: readonly OutboxSubscriber[],
  message: OutboxMessage,
): Promise<void> {
  const { error } = await deliver(deps, subscribers, { limit: 1, id: message.id });
  if (error !== undefined) await postpone(deps, message, error);
}

type DeliveredBatch = { messages: readonly OutboxMessage[]; error?: unknown };

/**
 * Delivers a batch in one transaction, grouped by organization. The returned error comes from the work on `messages`; without messages it
 * is thrown.
 */
async function deliver(
  { dispatcherDb, clock, metrics }: WorkDeps,
  subscribers: readonly OutboxSubscriber[],
  requested: Requested,
): Promise<DeliveredBatch> {
  let messages: readonly OutboxMessage[] = [];
  try {
    await dispatcherDb.transaction().execute(async (tx) => {
      messages = await claimMessages(tx, clock.now(), requested);
      const byOrganization = Map.groupBy(messages, (message) => message.organizationId);
      for (const [organizationId, own] of byOrganization) {
        await actForOrganization(tx, organizationId);
        await runBatched(
          tx,
          own.map((message) => (batch) => tellAll(batch, subscribers, message)),
        );
      }
      // In one order for all transactions, because each waits for the other's positions.
      for (const organizationId of [...byOrganization.keys()].sort()) {
        await actForOrganization(tx, organizationId);
        const ids = byOrganization.get(organizationId)?.map(({ id }) => id) ?? [];
        await finishMessages(tx, organizationId, ids, clock.now());
      }
    });
  } catch (error) {
    if (messages.length === 0) throw error;
    return { messages, error };
  }
  for (const { webhookType } of messages) metrics.workDone.inc({ source: "outbox", kind: webhookType });
  return { messages };
}

async function tellAll(batch: Batch, subscribers: readonly OutboxSubscriber[], message: OutboxMessage): Promise<void> {
  for (const subscriber of subscribers) await subscriber(batch, message);
}

async function postpone(
  { dispatcherDb, clock, log, metrics }: WorkDeps,
  message: OutboxMessage,
  error: unknown,
): Promise<void> {
  const { id, webhookType } = message;
  log.error({ err: error, message: id, type: webhookType }, "an outbox row failed and will be retried");
  metrics.workFailed.inc({ source: "outbox", kind: webhookType });
  await postponeMessage(dispatcherDb, message, clock.now(), String(error));
}
