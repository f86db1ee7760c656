/**
 * One turn of a lane: takes it, opens a batch or finds one open, sends it under its token and closes it. What was sent once and
 * answered is in. What is sent again is counted afterwards, for an engine that was killed may remember a token and not its rows; and
 * what could be remembered no longer is counted before, and only what is missing is sent, under a token of its own.
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
  /** Nothing to do, or somebody else is at it. */
  | { outcome: "idle" }
  /** A batch is in; `isMine` false: who took the lane meanwhile closes it. */
  | { outcome: "sent"; rows: number; isMine: boolean }
  /** Looked at and left open: too early to know what became of it, or a next stage follows. */
  | { outcome: "open" }
  | { outcome: "failed"; error: unknown; lane: number };

/** `lane` null: any that is ready. `wanted`: whose events go first. */
export type Choice = { lane: number | null; requested: string | null };

/** Nothing can be done about it here: nobody need look again and again. */
const REST_SECONDS = 5;

type Taken = { claimed: ClaimedLane; batch: Batch; isTrusted: boolean; number: bigint };

export async function sendBatch(deps: SendDeps, choice: Choice): Promise<Turn> {
  // Before the claim: whoever is frozen after it, however long, has no time left.
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

/** While the engine does not answer, no lane is taken: nothing is known to have been sent. */
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

/** Whether ClickHouse has every row. Where it has not, the next stage holds what is missing. */
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
  // An engine that has been up since the first send remembers every token; a margin for seconds cut off.
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

/** Nobody listened, so nothing was sent. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof ClickhouseUnreachable)) return false;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code === "ECONNREFUSED" || code === "ENOTFOUND";
}
