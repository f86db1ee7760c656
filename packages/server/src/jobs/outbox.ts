/** What must be told: a row per state change, written with the change, handed to subscribers by a worker. */
import { toExactJson } from "../platform/exact-json.ts";
import { newId } from "../platform/new-id.ts";
import { actForOrganization, type Tx } from "../platform/postgres/database.ts";
import {
  claimMessage,
  finishMessage,
  insertMessages,
  type OutboxMessage,
  postponeMessage,
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

/** Hands the next message to every subscriber; false when none waits. */
export async function dispatchNextMessage(
  { dispatcherDb, clock, log, metrics }: WorkDeps,
  subscribers: readonly OutboxSubscriber[],
): Promise<boolean> {
  let claimed: OutboxMessage | undefined;
  try {
    await dispatcherDb.transaction().execute(async (tx) => {
      claimed = await claimMessage(tx, clock.now());
      if (!claimed) return;
      await actForOrganization(tx, claimed.organizationId);
      for (const subscriber of subscribers) await subscriber(tx, claimed);
      await finishMessage(tx, claimed.organizationId, claimed.id, clock.now());
    });
    if (claimed) metrics.workDone.inc({ source: "outbox", kind: claimed.webhookType });
    return claimed !== undefined;
  } catch (error) {
    if (!claimed) throw error;
    log.error(
      { err: error, message: claimed.id, type: claimed.webhookType },
      "an outbox row failed and will be repeated",
    );
    metrics.workFailed.inc({ source: "outbox", kind: claimed.webhookType });
    await postponeMessage(dispatcherDb, claimed, clock.now(), String(error));
    return true;
  }
}
