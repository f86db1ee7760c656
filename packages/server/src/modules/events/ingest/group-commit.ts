/**
 * Requests of one organization that arrive together share one statement and one commit. A request is answered after the commit of its own
 * events. A faulty request does not affect the others of its group.
 */
import assert from "node:assert/strict";
import { refusal } from "../../../http/problem.ts";
import { retryDeadlocks } from "../../../http/transactions.ts";
import type { Clock } from "../../../platform/clock.ts";
import { newIdBytes, toIdTexts } from "../../../platform/new-id.ts";
import type { Database, Tx } from "../../../platform/postgres/database.ts";
import { isPassingFault } from "../../../platform/postgres/passing-fault.ts";
import { toColumns } from "./event-columns.ts";
import { microsecondsOf } from "./event-timestamp.ts";
import { type Outcome, outcomesOf } from "./outcomes.ts";
import type { ReadEvent } from "./read-events.ts";
import { storeEvents } from "./store.ts";
import type { EventOutcome } from "./to-api.ts";

/** Concurrent statements, each with its own positions. More of them do not make a small server faster. */
const LANES = 4;
const GROUP_EVENTS_MAX = 1000;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;
/** Limits for waiting events: about half a second of work per organization, and a fixed amount of memory for all organizations. */
const WAITING_EVENTS_MAX = 20_000;
const WAITING_BYTES_MAX = 128 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 1;

type Waiting = {
  events: readonly ReadEvent[];
  bytes: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
};
type Queue = { waiting: Waiting[]; events: number };

/** Resolves after the commit. `bytes`: the memory that the events use while they wait. */
export type Submit = (organizationId: string, events: readonly ReadEvent[], bytes: number) => Promise<Outcome>;

export function createGroupCommit({ db, clock }: { db: Database; clock: Clock }): Submit {
  // In order of their turns: a queue that was served goes to the end.
  const queues = new Map<string, Queue>();
  const freeLanes = Array.from({ length: LANES }, (_, lane) => lane);
  let waitingBytes = 0;
  let isScheduled = false;

  /** Runs after this turn of the event loop, so that all requests of the turn share the statement. */
  function schedule(): void {
    if (isScheduled || freeLanes.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      fillLanes();
    });
  }

  function fillLanes(): void {
    for (const [organizationId, queue] of queues) {
      const lane = freeLanes.pop();
      if (lane === undefined) return;
      queues.delete(organizationId);
      const group = takeGroup(queue);
      for (const { bytes } of group) waitingBytes -= bytes;
      if (queue.waiting.length > 0) queues.set(organizationId, queue);
      void commit({ db, clock, organizationId, lane }, group).then(() => {
        freeLanes.push(lane);
        fillLanes();
      });
    }
  }

  return (organizationId, events, bytes) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(organizationId) ?? { waiting: [], events: 0 };
      if (queue.events + events.length > WAITING_EVENTS_MAX)
        return reject(refusal(429, "rate_limited", { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      if (waitingBytes + bytes > WAITING_BYTES_MAX)
        return reject(refusal(503, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS }));
      queue.waiting.push({ events, bytes, resolve, reject });
      queue.events += events.length;
      waitingBytes += bytes;
      queues.set(organizationId, queue);
      schedule();
    });
}

/**
 * Takes the next requests, as many as fit. A request with a key of another one waits for the next group, because its result depends on
 * that one. Comparing transaction ids is enough: different subscriptions rarely share one, and waiting does no harm.
 */
function takeGroup(queue: Queue): Waiting[] {
  const group: Waiting[] = [];
  const left: Waiting[] = [];
  const transactionIds = new Set<string>();
  let events = 0;
  let bytes = 0;
  for (const [index, request] of queue.waiting.entries()) {
    events += request.events.length;
    bytes += request.bytes;
    if (index > 0 && (events > GROUP_EVENTS_MAX || bytes > GROUP_BYTES_MAX)) {
      left.push(...queue.waiting.slice(index));
      break;
    }
    if (request.events.some(({ transactionId }) => transactionIds.has(transactionId))) {
      left.push(request);
      continue;
    }
    for (const { transactionId } of request.events) transactionIds.add(transactionId);
    group.push(request);
    queue.events -= request.events.length;
  }
  queue.waiting = left;
  return group;
}

type Turn = { db: Database; clock: Clock; organizationId: string; lane: number };

async function commit(turn: Turn, group: readonly Waiting[]): Promise<void> {
  try {
    const requests = group.map(({ events }) => events);
    const outcomes = await retryDeadlocks(() => storeRequests(turn, requests));
    for (const [index, { resolve }] of group.entries()) {
      const outcome = outcomes[index];
      assert(outcome, "every request has its outcome");
      resolve(outcome);
    }
  } catch (error) {
    if (isPassingFault(error) || group.length === 1) {
      for (const { reject } of group) reject(error);
      return;
    }
    // One of the requests cannot be stored. Storing each on its own keeps the others unaffected.
    for (const request of group) await commit(turn, [request]);
  }
}

type Storing = Omit<Turn, "db"> & { db: Database | Tx; first?: readonly EventOutcome[] | undefined };

/** One statement for the events of all the requests, in the transaction `db`, or else in one of its own. */
export async function storeRequests(
  { db, clock, organizationId, lane, first }: Storing,
  requests: readonly (readonly ReadEvent[])[],
): Promise<Outcome[]> {
  const receivedAt = clock.now();
  const ids = newIdBytes(requests.reduce((total, { length }) => total + length, 0));
  const columns = toColumns(requests, { organizationId, receivedAt, ids });
  const repeats = await storeEvents(db, organizationId, lane, columns);
  return outcomesOf(requests, { receivedAt: microsecondsOf(receivedAt), ids: toIdTexts(ids), repeats, first });
}
