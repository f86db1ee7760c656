/** Copies accepted events into ClickHouse: for workers step by step, and for a reader as far as it needs them. */
import { setTimeout as pause } from "node:timers/promises";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import { ClickhouseUnreachable } from "../../../../platform/clickhouse/errors.ts";
import type { Database } from "../../../../platform/postgres/database.ts";
import type { Log } from "../../../../platform/telemetry/log.ts";
import type { Metrics } from "../../../../platform/telemetry/metrics.ts";

import type { Cut } from "../../event-store.ts";
import { createEngine, type Engine } from "./copy.ts";
import { type Deriving, NOTHING_DERIVED } from "./derivation.ts";
import { createLagMeter } from "./measure-lag.ts";
import { type SendDeps, sendBatch, type Turn } from "./send-batch.ts";
import { findProgress, type Progress } from "./store.ts";
import { UsageBehind } from "./usage-behind.ts";

export type RelayDeps = {
  readonly dispatcherDb: Database;
  readonly clickhouse: Clickhouse;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly deriving?: Deriving;
};

export type Relay = {
  /** For workers: sends a batch of a lane that has one; false when there is nothing to do, or nobody takes it. */
  readonly step: () => Promise<boolean>;
  /**
   * Brings the organization's accepted events up to the cut into ClickHouse, and answers how far everything is there. Without a cut: up
   * to what is accepted now, or as far as it came when the signal aborts. Throws `UsageBehind` where that is short of the cut, where
   * ClickHouse does not take anything, and while it is made anew.
   */
  readonly catchUp: (organizationId: string, cut: Cut | null, signal: AbortSignal) => Promise<Cut>;
  /** Whoever derives from what it sends: a copy that is made anew has nothing derived. */
  readonly deriving: Deriving;
};

/** While somebody else sends, a reader looks again this much later, and then twice as much, up to the other. */
const LOOK_AGAIN_MS = 10;
const LOOK_AGAIN_MS_MAX = 160;

export function createRelay({ deriving = NOTHING_DERIVED, ...deps }: RelayDeps): Relay {
  const { dispatcherDb, clickhouse, metrics } = deps;
  const engine = createEngine(clickhouse);
  const sending: SendDeps = { dispatcherDb, clickhouse, deriving, engine };
  const lag = createLagMeter(deps);
  const report = createReport(deps);
  const send = async (lane: number | null, requested: string | null): Promise<Turn> => {
    const turn = await sendBatch(sending, { lane, requested });
    if (turn.outcome === "sent" && turn.isMine) metrics.relayedEvents.inc(turn.rows);
    report(turn);
    return turn;
  };
  return {
    deriving,
    step: async () => {
      await lag.measure();
      const { outcome } = await send(null, null);
      return outcome === "sent";
    },
    catchUp: async (organizationId, cut, signal) => {
      let progress = await findProgress(dispatcherDb, organizationId);
      const goal = cut ?? headsOf(progress);
      let waitMs = LOOK_AGAIN_MS;
      while (progress?.isEmptying || !hasReached(progress, goal)) {
        if (progress?.isEmptying || (progress?.isRebuilding && signal.aborted)) throw new UsageBehind("rebuilding");
        if (signal.aborted && cut === null) break;
        if (signal.aborted) throw new UsageBehind("behind", progress?.lastError);
        const turn = await send(progress?.lane ?? 0, organizationId);
        if (turn.outcome === "failed") throw behindBecause(turn.error);
        if (turn.outcome !== "sent") await pause(waitMs, undefined, { signal }).catch(() => undefined);
        waitMs = turn.outcome === "sent" ? LOOK_AGAIN_MS : Math.min(2 * waitMs, LOOK_AGAIN_MS_MAX);
        progress = await findProgress(dispatcherDb, organizationId);
      }
      await demandSameCopy(engine, progress);
      return progress?.positions ?? [];
    },
  };
}

/** What the cursors say is true of the ClickHouse that it was sent to. */
async function demandSameCopy(engine: Engine, progress: Progress | undefined): Promise<void> {
  if (!progress || progress.copyId === null) return;
  const copyId = await engine.copyId().catch((error: unknown) => {
    throw behindBecause(error);
  });
  if (copyId !== progress.copyId) throw new UsageBehind("replaced");
}

const behindBecause = (error: unknown): UsageBehind =>
  error instanceof UsageBehind
    ? error
    : new UsageBehind(
        error instanceof ClickhouseUnreachable ? "unreachable" : "behind",
        (error as Error).message,
        error,
      );

function headsOf(progress: Progress | undefined): Cut {
  const heads: bigint[] = [];
  progress?.shards.forEach((shard, index) => {
    while (heads.length <= shard) heads.push(0n);
    heads[shard] = progress.heads[index] ?? 0n;
  });
  return heads;
}

const hasReached = (progress: Progress | undefined, goal: Cut): boolean =>
  goal.every((position, shard) => position <= (progress?.positions[shard] ?? 0n));

/** Says once that ClickHouse takes nothing, and once that it does again. */
function createReport({ log, metrics }: RelayDeps): (turn: Turn) => void {
  let isFailing = false;
  return (turn) => {
    if (turn.outcome === "failed") {
      metrics.workFailed.inc({ source: "relay", kind: "batch" });
      if (!isFailing)
        log.error(
          { err: turn.error },
          "ClickHouse does not take events: usage is behind, invoices wait, ingestion goes on",
        );
      isFailing = true;
    }
    if (turn.outcome === "sent") {
      metrics.workDone.inc({ source: "relay", kind: "batch" });
      if (isFailing) log.info("ClickHouse takes events again");
      isFailing = false;
    }
  };
}
