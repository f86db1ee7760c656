/** What must be told: a row per state change, written with the change, handed to subscribers by a worker. */
import { toExactJson } from "../platform/exact-json.ts";
import { newId } from "../platform/new-id.ts";
import { actForOrganization, type Tx } from "../platform/postgres/database.ts";
import { inStep } from "../platform/postgres/in-step.ts";
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

/** Runs in the transaction that marks the row as dispatched: it may write rows and ask for jobs, never talk to the outside. */
export type OutboxSubscriber = (tx: Tx, message: OutboxMessage) => Promise<void>;

export type StateChange = {
  webhookType: string;
  objectType: string;
  objectId: string;
  /** The object's API form. It is frozen here: later changes of the object do not reach this message. */
  object: unknown;
  /** True where this can happen to an object only once; a second time is then a bug and fails. */
  once?: boolean;
};

export async function publish(
  tx: Tx,
  organizationId: string,
  change: StateChange,
  now: Temporal.Instant,
): Promise<void> {
  const id = newId();
  const { webhookType, objectType, objectId } = change;
  const payload = toExactJson({ webhook_type: webhookType, object_type: objectType, [objectType]: change.object });
  const changeKey = change.once ? "once" : id;
  const message = { organizationId, id, webhookType, objectType, objectId, payload, createdAt: now, changeKey };
  await insertMessages(tx, organizationId, [message]);
}

/**
 * Says a message in other words, for a subscriber that comes before those who tell it: while it is handed over nobody has seen it, and
 * afterwards its bytes never change.
 */
export async function restate(tx: Tx, message: OutboxMessage, payload: string): Promise<void> {
  await updatePayload(tx, message.organizationId, message.id, payload);
  message.payload = payload;
}

/** So many in one transaction. */
const TOGETHER_MAX = 32;

/**
 * Hands the next messages to every subscriber; false when none waits. If one of them fails nothing of any was done: then each is handed
 * over alone, and what fails alone is repeated later.
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
  deps.log.warn({ err: error, messages: messages.length }, "handing over several messages failed: each is tried alone");
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

type HandedOver = { messages: readonly OutboxMessage[]; error?: unknown };

/** In one transaction, of each organization in step. The error is of the work on `messages`; without any it is thrown. */
async function deliver(
  { dispatcherDb, clock, metrics }: WorkDeps,
  subscribers: readonly OutboxSubscriber[],
  requested: Requested,
): Promise<HandedOver> {
  let messages: readonly OutboxMessage[] = [];
  try {
    await dispatcherDb.transaction().execute(async (tx) => {
      messages = await claimMessages(tx, clock.now(), requested);
      for (const [organizationId, own] of Map.groupBy(messages, (message) => message.organizationId)) {
        await actForOrganization(tx, organizationId);
        await inStep(own.map((message) => () => tellAll(tx, subscribers, message)));
        const ids = own.map(({ id }) => id);
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

async function tellAll(tx: Tx, subscribers: readonly OutboxSubscriber[], message: OutboxMessage): Promise<void> {
  for (const subscriber of subscribers) await subscriber(tx, message);
}

async function postpone(
  { dispatcherDb, clock, log, metrics }: WorkDeps,
  message: OutboxMessage,
  error: unknown,
): Promise<void> {
  const { id, webhookType } = message;
  log.error({ err: error, message: id, type: webhookType }, "an outbox row failed and will be repeated");
  metrics.workFailed.inc({ source: "outbox", kind: webhookType });
  await postponeMessage(dispatcherDb, message, clock.now(), String(error));
}
