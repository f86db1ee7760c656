/** Copies accepted events into ClickHouse: step by step for workers, and up to a snapshot for a reader. */
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
  /** For workers: sends a batch of a queue that has one; false if there is nothing to do, or ClickHouse does not accept it. */
  readonly step: () => Promise<boolean>;
  /**
   * Copies the organization's accepted events into ClickHouse up to the snapshot `cut`, and returns the positions that are complete
   * there. Without a snapshot: up to what is accepted now, or as far as possible until the signal aborts. Throws `UsageBehind` if that is
   * short of the snapshot, if ClickHouse accepts nothing, and during a rebuild.
   */
  readonly catchUp: (organizationId: string, cut: Cut | null, signal: AbortSignal) => Promise<Cut>;
  /** Derives data from the sent events. A rebuilt copy has no derived data. */
  readonly deriving: Deriving;
};

/** While another process sends, a reader polls after this delay, then after twice as long, up to the maximum. */
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

/** The cursors are valid only for the ClickHouse that received the events. */
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

/** Logs once that ClickHouse does not accept events, and once that it does again. */
function createReport({ log, metrics }: RelayDeps): (turn: Turn) => void {
  let isFailing = false;
  return (turn) => {
    if (turn.outcome === "failed") {
      metrics.workFailed.inc({ source: "relay", kind: "batch" });
      if (!isFailing)
        log.error(
          { err: turn.error },
          "ClickHouse does not accept events: usage is behind, invoices wait, ingestion continues",
        );
      isFailing = true;
    }
    if (turn.outcome === "sent") {
      metrics.workDone.inc({ source: "relay", kind: "batch" });
      if (isFailing) log.info("ClickHouse accepts events again");
      isFailing = false;
    }
  };
}
