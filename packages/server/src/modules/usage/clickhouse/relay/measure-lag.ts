/** How far ClickHouse is behind, for operators: in events, and in seconds since ClickHouse last had all accepted events. */
import type { Database } from "../../../../platform/postgres/database.ts";
import type { Metrics } from "../../../../platform/telemetry/metrics.ts";
import { ROWS_MAX } from "./limits.ts";
import { finishRebuilds, sumProgress } from "./store.ts";

const MEASURE_EVERY_MS = 1000;
const SAMPLES_MAX = 3600;

export function createLagMeter({ dispatcherDb, metrics }: { dispatcherDb: Database; metrics: Metrics }): {
  measure: () => Promise<void>;
} {
  /** How much had been accepted at each moment; only moments that ClickHouse has not caught up with, earliest first. */
  const samples: { at: number; accepted: bigint }[] = [];
  let measuredAt = Number.NEGATIVE_INFINITY;
  return {
    measure: async () => {
      const now = performance.now();
      if (now - measuredAt < MEASURE_EVERY_MS) return;
      measuredAt = now;
      const { accepted, relayed } = await sumProgress(dispatcherDb);
      await finishRebuilds(dispatcherDb, ROWS_MAX);
      while (samples[0] !== undefined && samples[0].accepted <= relayed) samples.shift();
      if (accepted > relayed && samples.length < SAMPLES_MAX) samples.push({ at: now, accepted });
      metrics.relayLagEvents.set(Number(accepted - relayed));
      metrics.relayLagSeconds.set(samples[0] === undefined ? 0 : (now - samples[0].at) / 1000);
    },
  };
}
