/**
 * One turn of a queue: claims it, opens a batch or finds one open, sends it under its token and closes it. A first send with a response
 * is complete. After a repeated send the rows are counted, because an engine that was killed may remember a token without its rows. If
 * the token may be forgotten, the rows are counted first, and only missing ones are sent, under a new token.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { ClickhouseUnreachable } from "../../../../platform/clickhouse/errors.ts";
import type { Database } from "../../../../platform/postgres/database.ts";
import { type Engine, findMissing, insertBatch, tokenOf } from "./copy.ts";
import type { Deriving } from "./derivation.ts";
import { type Batch, gatherBatch, readBatch } from "./gather-batch.ts";
import { INSERT_SECONDS_MAX, LEASE_SECONDS, SETTLE_SECONDS, TRUST_SECONDS } from "./limits.ts";
import {
  type ClaimedLane,
  claimLane,
  closeBatch,
  failSend,
  noteDoubt,
  noteSend,
  openNextStage,
  releaseLane,
} from "./store.ts";
import { UsageBehind } from "./usage-behind.ts";

export type SendDeps = {
  readonly dispatcherDb: Database;
  readonly clickhouse: Clickhouse;
  readonly engine: Engine;
  readonly deriving: Deriving;
};

export type Turn =
  /** Nothing to do, or another process works on it. */
  | { outcome: "idle" }
  /** A batch is inserted. `isMine` false: another process has claimed the queue and closes the batch. */
  | { outcome: "sent"; rows: number; isMine: boolean }
  /** Left open: it is too early to know the result, or another stage follows. */
  | { outcome: "open" }
  | { outcome: "failed"; error: unknown; lane: number };

/** `lane` null: any queue that is ready. `requested`: the organization whose events go first. */
export type Choice = { lane: number | null; requested: string | null };

/** The problem cannot be solved here, so frequent retries are useless. */
const REST_SECONDS = 5;

type Taken = { claimed: ClaimedLane; batch: Batch; isTrusted: boolean; number: bigint };

export async function sendBatch(deps: SendDeps, choice: Choice): Promise<Turn> {
  // Before the claim: a process that is frozen after the claim then has no time left to send.
  const prepared = await prepare(deps);
  if ("outcome" in prepared) return prepared;
  const { sendBefore, copyId } = prepared;
  const taken = await take(deps, { ...choice, copyId });
  if (!taken) return { outcome: "idle" };
  if (taken === "early") return { outcome: "open" };
  if (taken === "replaced") return { outcome: "failed", error: new UsageBehind("replaced"), lane: -1 };
  const { claimed, batch, isTrusted } = taken;
  let isSending = false;
  try {
    if (isTrusted) {
      if (claimed.wait_ms > 0) await pause(claimed.wait_ms);
      const signal = AbortSignal.timeout(1000 * INSERT_SECONDS_MAX);
      isSending = true;
      await insertBatch(deps.clickhouse, batch, { token: tokenOf(claimed, taken.number), sendBefore, signal });
      isSending = false;
    }
    const isFirst = isTrusted && claimed.sends === 0;
    if (!isFirst && !(await isComplete(deps, taken))) return { outcome: "open" };
    return { outcome: "sent", rows: batch.rows, isMine: await close(deps, taken) };
  } catch (error) {
    deps.engine.forget();
    await failSend(deps.dispatcherDb, claimed, { error: String(error), isUnsent: isSending && isUnsent(error) });
    return { outcome: "failed", error, lane: claimed.lane };
  }
}

/** While the engine does not respond, no queue is claimed, so nothing counts as sent. */
async function prepare({ engine }: SendDeps): Promise<Awaited<ReturnType<Engine["prepare"]>> | Turn> {
  try {
    return await engine.prepare();
  } catch (error) {
    return { outcome: "failed", error, lane: -1 };
  }
}

const take = (
  { dispatcherDb, deriving }: SendDeps,
  { lane, requested, copyId }: Choice & { copyId: string },
): Promise<Taken | "early" | "replaced" | undefined> =>
  dispatcherDb.transaction().execute(async (tx) => {
    const claimed = await claimLane(tx, { lane, leaseSeconds: LEASE_SECONDS });
    if (!claimed) return undefined;
    if (claimed.copy_id !== null && claimed.copy_id !== copyId) {
      await releaseLane(tx, claimed, REST_SECONDS);
      return "replaced";
    }
    const sentAgo = claimed.first_sent_seconds ?? 0;
    const isTrusted = sentAgo < TRUST_SECONDS;
    const lastAgo = claimed.last_sent_seconds ?? SETTLE_SECONDS;
    if (!isTrusted && lastAgo < SETTLE_SECONDS) {
      await releaseLane(tx, claimed, SETTLE_SECONDS - lastAgo);
      return "early";
    }
    const batch = claimed.is_open
      ? await readBatch(tx, claimed)
      : await gatherBatch(tx, claimed, { requested, deriving, copyId });
    if (!batch) {
      await releaseLane(tx, claimed, 0);
      return undefined;
    }
    if (isTrusted) await noteSend(tx, claimed);
    return { claimed, batch, isTrusted, number: claimed.is_open ? claimed.number : claimed.number + 1n };
  });

/** Whether ClickHouse has every row. Otherwise opens a next stage with the missing rows. */
async function isComplete(deps: SendDeps, { claimed, batch, isTrusted }: Taken): Promise<boolean> {
  const { dispatcherDb, clickhouse, engine } = deps;
  const missing = await findMissing(clickhouse, batch.ranges);
  if (missing.size > 0) {
    const ranges = batch.ranges.map((range) => ({ ...range, missing: missing.get(range) ?? [] }));
    await dispatcherDb.transaction().execute(async (tx) => {
      if (await openNextStage(tx, claimed, ranges)) await releaseLane(tx, claimed, 0);
    });
    return false;
  }
  // An engine that has been running since the first send remembers every token. The margin covers rounding to seconds.
  const sentAgo = claimed.first_sent_seconds ?? 0;
  if (!isTrusted || (await engine.uptimeSeconds()) < sentAgo + 5)
    await dispatcherDb.transaction().execute((tx) => noteDoubt(tx, claimed));
  return true;
}

const close = ({ dispatcherDb, deriving }: SendDeps, { claimed, batch }: Taken): Promise<boolean> =>
  dispatcherDb.transaction().execute(async (tx) => {
    const closed = await closeBatch(tx, claimed, { blocks: batch.blocks });
    if (closed?.wasInDoubt) {
      const organizationIds = [...new Set(batch.ranges.map(({ organizationId }) => organizationId))];
      await deriving.restartDerivations(tx, organizationIds);
    }
    return closed !== undefined;
  });

/** The connection was refused, so nothing was sent. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof ClickhouseUnreachable)) return false;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code === "ECONNREFUSED" || code === "ENOTFOUND";
}
