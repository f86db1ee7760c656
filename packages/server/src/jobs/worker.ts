/** Runs available work until it is stopped. */
import { sql } from "kysely";
import type { DueRegistry } from "./due.ts";
import { dispatchMessages, type OutboxSubscriber } from "./outbox.ts";
import { createDueRunner, type WorkDeps } from "./run-dues.ts";

const IDLE_MS = 250;
const SKEW_CHECK_EVERY_MS = 10_000;
const SKEW_SECONDS_MAX = 2;

export type WorkerOptions = WorkDeps & {
  registry: DueRegistry;
  subscribers: readonly OutboxSubscriber[];
  /** More sources of work. Each returns false if it has nothing to do. */
  steps: Readonly<Record<string, () => Promise<boolean>>>;
  loopsPerSource: number;
  /** Loops for sources that mostly wait for external systems, and so need more. */
  loopsOf?: Readonly<Record<string, number>>;
};

export type Loop = { stop: () => Promise<void> };

export async function startWorker(options: WorkerOptions): Promise<Loop> {
  const { log, registry, subscribers, steps, loopsPerSource, loopsOf = {} } = options;
  const guard = await watchClockSkew(options);
  const sources: Record<string, () => Promise<boolean>> = {
    due: createDueRunner(options, registry),
    outbox: () => dispatchMessages(options, subscribers),
    ...steps,
  };
  const loops = Object.entries(sources).map(([name, step]) =>
    startLoops(
      async () => guard.isTrusted() && (await step()),
      loopsOf[name] ?? loopsPerSource,
      (error) => log.error({ err: error, source: name }, "work failed"),
    ),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      guard.stop();
    },
  };
}

/**
 * Several loops over one source. A loop runs without a pause while there is work, and sleeps if it finds none. Every tick wakes one
 * sleeping loop, and so does a loop that found work. So an idle worker queries the database rarely, and a busy one soon uses all its loops.
 */
export function startLoops(step: () => Promise<boolean>, count: number, onError: (error: unknown) => void): Loop {
  let isStopped = false;
  const sleepers: Array<() => void> = [];
  const wakeOne = (): void => sleepers.shift()?.();
  const sleep = (): Promise<void> => new Promise((resolve) => sleepers.push(resolve));
  const run = async (_: unknown, number: number): Promise<void> => {
    // All loops but the first start asleep, or a starting worker would request more connections at once than it has.
    if (number > 0) await sleep();
    while (!isStopped) {
      const hasWorked = await step().catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (hasWorked) wakeOne();
      else if (!isStopped) await sleep();
    }
  };
  const tick = setInterval(wakeOne, IDLE_MS);
  const running = Array.from({ length: count }, run);
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(tick);
      for (const wake of sleepers.splice(0)) wake();
      await Promise.all(running);
    },
  };
}

/** A machine with a wrong clock would bill at the wrong instant, so it does nothing until the clock is right. */
async function watchClockSkew({ dispatcherDb, clock, log, metrics }: WorkDeps) {
  let skewSeconds = 0;
  const measure = async (): Promise<void> => {
    const { rows } = await sql<{ now: Temporal.Instant }>`select clock_timestamp() as now`.execute(dispatcherDb);
    skewSeconds = rows[0] ? clock.now().since(rows[0].now).total("seconds") : 0;
    metrics.clockSkewSeconds.set(skewSeconds);
    if (Math.abs(skewSeconds) > SKEW_SECONDS_MAX)
      log.error({ skewSeconds }, "the clock differs from the database's: work is paused");
  };
  await measure();
  const timer = setInterval(
    () => void measure().catch((error: unknown) => log.error({ err: error }, "skew unknown")),
    SKEW_CHECK_EVERY_MS,
  );
  return { isTrusted: () => Math.abs(skewSeconds) <= SKEW_SECONDS_MAX, stop: () => clearInterval(timer) };
}
