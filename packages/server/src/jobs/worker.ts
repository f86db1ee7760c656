/** Runs available work until it is stopped. */
import type { ClockWatch } from "../platform/clock-watch.ts";
import type { DueRegistry } from "./due.ts";
import { dispatchMessages, type OutboxSubscriber } from "./outbox.ts";
import { createDueRunner, type WorkDeps } from "./run-dues.ts";

const IDLE_MS = 250;

export type WorkerOptions = WorkDeps & {
  /** A machine with a wrong clock would bill at the wrong instant, so it does nothing until the clock is right. */
  clockWatch: ClockWatch;
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
  const { clockWatch, log, registry, subscribers, steps, loopsPerSource, loopsOf = {} } = options;
  const watching = await clockWatch.start();
  const sources: Record<string, () => Promise<boolean>> = {
    due: createDueRunner(options, registry),
    outbox: () => dispatchMessages(options, subscribers),
    ...steps,
  };
  const loops = Object.entries(sources).map(([name, step]) =>
    startLoops(
      async () => clockWatch.isTrusted() && (await step()),
      loopsOf[name] ?? loopsPerSource,
      (error) => log.error({ err: error, source: name }, "work failed"),
    ),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      watching.stop();
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
