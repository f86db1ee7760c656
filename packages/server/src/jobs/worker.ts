/** Keeps taking what is there to do, until it is stopped. */
import { sql } from "kysely";
import { type DueRegistry, runNextDue, type WorkDeps } from "./due.ts";
import { dispatchNextMessage, type OutboxSubscriber } from "./outbox.ts";

const IDLE_MS = 250;
const SKEW_CHECK_EVERY_MS = 10_000;
const SKEW_SECONDS_MAX = 2;

export type WorkerOptions = WorkDeps & {
  registry: DueRegistry;
  subscribers: readonly OutboxSubscriber[];
  /** More sources of work: each returns false when it has nothing to do. */
  steps: Readonly<Record<string, () => Promise<boolean>>>;
  loopsPerSource: number;
};

export type Loop = { stop: () => Promise<void> };

export async function startWorker(options: WorkerOptions): Promise<Loop> {
  const { log, registry, subscribers, steps, loopsPerSource } = options;
  const guard = await watchClockSkew(options);
  const sources: Record<string, () => Promise<boolean>> = {
    due: () => runNextDue(options, registry),
    outbox: () => dispatchNextMessage(options, subscribers),
    ...steps,
  };
  const loops = Object.entries(sources).flatMap(([name, step]) =>
    Array.from({ length: loopsPerSource }, () =>
      startLoop(
        async () => guard.isTrusted() && (await step()),
        (error) => log.error({ err: error, source: name }, "work failed"),
      ),
    ),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      guard.stop();
    },
  };
}

/** Work goes on without a pause while there is some; a failure counts as a pause. */
export function startLoop(step: () => Promise<boolean>, onError: (error: unknown) => void): Loop {
  let stopped = false;
  let wake = (): void => undefined;
  const running = (async () => {
    while (!stopped) {
      const worked = await step().catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (worked || stopped) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, IDLE_MS).unref();
      });
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      wake();
      await running;
    },
  };
}

/** A machine whose clock is wrong would bill at the wrong instant: it does nothing until the clock is right again. */
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
