/**
 * Stuck work, for `/ready` and `/metrics`: work that has waited for long or failed many times. It never makes a process unready, because
 * one failing item must not stop the others. The pages need no key, so they show kinds and numbers; `npm run verify` lists the rows.
 */
import type { Stuck } from "../http/server.ts";
import { countWaitingDues } from "../jobs/due-store.ts";
import { countWaitingMessages } from "../jobs/outbox-store.ts";
import { countWaitingJobs } from "../jobs/queue.ts";
import type { Patience, Waiting } from "../jobs/waiting.ts";
import { countUnsealed } from "../modules/accounts/index.ts";
import { countWaitingRefreshes } from "../modules/credit/index.ts";
import { countWaitingAdvances } from "../modules/customers/index.ts";
import { countWaitingMails } from "../modules/documents/index.ts";
import { type CursorTable, findLaggingCursors, findNextEvent } from "../modules/events/index.ts";
import { countWaitingEndpoints } from "../modules/webhooks/index.ts";
import type { Clock } from "../platform/clock.ts";
import {
  actAsDispatcher,
  actForOrganization,
  type Database,
  limitStatements,
  type Tx,
} from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";

export type StuckDeps = { dispatcherDb: Database; clock: Clock; log: Log; hasClickhouse: boolean };

/** Workers take ready work within seconds; failed attempts are retried at growing intervals. */
const PATIENCE = { minutes: 10 };
const ATTEMPTS = 5;
/** The time limit for all queries together. */
const TIME_LIMIT_MS = 1_000;
/** Probes come every few seconds, from several balancers. */
const KEPT_FOR = { seconds: 5 };

const VERIFY = "Run npm run verify: it lists the rows.";
const ADVICE = {
  due_work: `Check that a worker runs and read its log. ${VERIFY}`,
  messages: `Check that a worker runs and read its log. ${VERIFY}`,
  advance_fees: `Events are not billed in advance: read the worker's log. ${VERIFY}`,
  wallet_events: `Ongoing balances do not follow events: read the worker's log. ${VERIFY}`,
  wallet_refreshes: `Ongoing balances are not computed: read the worker's log. ${VERIFY}`,
  relay: "Events are not copied to ClickHouse: check ClickHouse, then npm run usage -- status.",
  activities:
    "Activities are not sealed: check that a worker runs. If its log says that a head has not the signature of this service, run npm run verify.",
  test_clocks: "Read last_error of the clock in the worker's log; POST /test_clocks/{svc_id}/cancel ends the advance.",
  mails: "Check that a worker runs and that SMTP_URL responds.",
  webhook_deliveries: "Check that a worker runs: working endpoints are not called.",
  webhook_secrets:
    "The secrets of endpoints cannot be opened, so nothing is sent to them: see the warnings, then npm run secrets -- status.",
  webhook_endpoints: "The receiver fails: its organization sees why in GET /webhooks.",
  jobs: "Read the worker's log for the failing job; it is retried automatically.",
} as const;

type Kind = keyof typeof ADVICE;

/** Caches the result for a few seconds, and runs one query for all concurrent callers. */
export function createStuckWork(deps: StuckDeps): () => Promise<Stuck[]> {
  let found: { at: Temporal.Instant; stuck: Promise<Stuck[]> } | undefined;
  return () => {
    const now = deps.clock.now();
    const isFresh = found !== undefined && Temporal.Instant.compare(now, found.at.add(KEPT_FOR)) < 0;
    if (!isFresh) found = { at: now, stuck: findStuck(deps, now) };
    return found?.stuck ?? Promise.resolve([]);
  };
}

async function findStuck({ dispatcherDb, log, hasClickhouse }: StuckDeps, now: Temporal.Instant): Promise<Stuck[]> {
  const found: Stuck[] = [];
  const add = (kind: Kind, { count, oldestAt }: Waiting): void => {
    if (count > 0) found.push({ kind, count, oldest_at: oldestAt?.toString() ?? null, what_to_do: ADVICE[kind] });
  };
  try {
    await dispatcherDb.transaction().execute((tx) => countAll(tx, now, { hasClickhouse, add }));
  } catch (error) {
    // Show what was found so far. A database that does not respond is reported as an obstacle instead.
    log.warn({ err: error }, "not everything that is stuck could be found in time");
  }
  return found;
}

type Count = (tx: Tx, patience: Patience) => Promise<Waiting>;

const COUNTS: readonly (readonly [Exclude<Kind, `webhook_${string}`>, Count])[] = [
  ["due_work", countWaitingDues],
  ["messages", countWaitingMessages],
  ["advance_fees", (tx, patience) => countLagging(tx, "advance_cursors", patience)],
  ["wallet_events", (tx, patience) => countLagging(tx, "wallet_cursors", patience)],
  ["wallet_refreshes", countWaitingRefreshes],
  ["relay", (tx, patience) => countLagging(tx, "relay_cursors", patience)],
  ["test_clocks", countWaitingAdvances],
  ["mails", countWaitingMails],
  ["activities", countUnsealed],
  ["jobs", countWaitingJobs],
];

type Counting = { hasClickhouse: boolean; add: (kind: Kind, waiting: Waiting) => void };

async function countAll(tx: Tx, now: Temporal.Instant, { hasClickhouse, add }: Counting): Promise<void> {
  const patience = { now, since: now.subtract(PATIENCE), attempts: ATTEMPTS };
  const end = performance.now() + TIME_LIMIT_MS;
  for (const [kind, count] of COUNTS) {
    if (kind === "relay" && !hasClickhouse) continue;
    await limitStatements(tx, end - performance.now());
    add(kind, await count(tx, patience));
  }
  await limitStatements(tx, end - performance.now());
  const { idle, failing, unopened } = await countWaitingEndpoints(tx, patience);
  add("webhook_deliveries", idle);
  add("webhook_secrets", unopened);
  add("webhook_endpoints", failing);
}

/** A cursor is stuck if it fails, or if its next event was received long ago. */
async function countLagging(tx: Tx, table: CursorTable | "relay_cursors", patience: Patience): Promise<Waiting> {
  const since: Temporal.Instant[] = [];
  for (const cursor of await findLaggingCursors(tx, table, patience)) {
    await actForOrganization(tx, cursor.organization_id);
    const cameAt = await findNextEvent(tx, cursor.organization_id, cursor);
    await actAsDispatcher(tx);
    if (cameAt === undefined) continue;
    const isFailing = cursor.attempts >= patience.attempts;
    if (isFailing || Temporal.Instant.compare(cameAt, patience.since) < 0) since.push(cameAt);
  }
  return { count: since.length, oldestAt: since.toSorted(Temporal.Instant.compare)[0] ?? null };
}
