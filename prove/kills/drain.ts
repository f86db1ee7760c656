/** Waits for workers to finish what is open. */
import { setTimeout as pause } from "node:timers/promises";
import type { CampaignOptions } from "../campaign.ts";
import type { Counts } from "../invoice-checks.ts";

const LOOK_EVERY_MS = 100;
const STUCK_AFTER_MS = 120_000;

export type Draining = Pick<CampaignOptions, "signal" | "say"> & {
  /** With `open` at 0 everything is done. Any change of any count is progress. */
  look: () => Promise<Counts & { open: number }>;
  /** Throws when a process ended that was not killed. */
  assertAlive: () => void;
  /** When nothing moves for so long, what is open stays open. */
  stuckAfterMs?: number | undefined;
};

export async function drain(options: Draining): Promise<void> {
  const { look, assertAlive, stuckAfterMs = STUCK_AFTER_MS, signal, say } = options;
  let last = "";
  let movedAt = performance.now();
  for (;;) {
    const counts = await look();
    if (counts.open === 0) return;
    const now = JSON.stringify(counts);
    if (now !== last) movedAt = performance.now();
    else if (performance.now() - movedAt > stuckAfterMs) return say(`stuck: ${now}`);
    last = now;
    assertAlive();
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}
