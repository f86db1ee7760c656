/** Child processes of the same program: started, started again if they end, and stopped together. */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";

const RESTART_AFTER_MS = 1_000;

export type Part = { name: string; arguments: readonly string[] };

export type Supervisor = { stop: () => Promise<void> };

type Deps = {
  program: string;
  /** Called for each process that starts; what it returns is called when the process has ended. */
  onStart: (child: Worker) => () => void;
  onLost: (part: Part, reason: string) => void;
};

/** Resolves when every part says that it is ready. A part that ends before has said why. */
export async function supervise(parts: readonly Part[], { program, onStart, onLost }: Deps): Promise<Supervisor> {
  const children = new Set<Worker>();
  const restarts = new Set<NodeJS.Timeout>();
  let isStopping = false;

  const start = (part: Part): Worker => {
    cluster.setupPrimary({ exec: program, args: [...part.arguments] });
    const child = cluster.fork();
    children.add(child);
    const onEnd = onStart(child);
    child.once("exit", (code, signal) => {
      children.delete(child);
      onEnd();
      if (isStopping) return;
      onLost(part, signal ?? `exit code ${code}`);
      const restart = setTimeout(() => {
        restarts.delete(restart);
        start(part);
      }, RESTART_AFTER_MS);
      restarts.add(restart);
    });
    return child;
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    for (const restart of restarts) clearTimeout(restart);
    const ended = [...children].map((child) => once(child, "exit"));
    for (const child of children) child.process.kill("SIGTERM");
    const codes = (await Promise.all(ended)).map(([code]) => code);
    // Null: it ended by the signal, before it had started.
    if (codes.some((code) => code !== 0 && code !== null)) throw new Error("A process gave up while it was stopping.");
  };
  try {
    await Promise.all(parts.map(async (part) => isReady(start(part), part)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

const READY = "ready";

/** The child's side. */
export const tellReady = (): void => void process.send?.(READY);

async function isReady(child: Worker, part: Part): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on("message", (message) => message === READY && resolve());
  child.once("exit", () => reject(new Error(`The ${part.name} process ended while it was starting.`)));
  await promise;
}
