/** The worker processes: each is started by this process and killed by it, by its own handle. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { forkProgram, oneFileOf } from "../one-file.ts";
import type { Records } from "./work.ts";
import { READY } from "./worker-task.ts";

export type WorkerProcess = {
  number: number;
  /** Its connections carry this name, so that the server tells when they are gone. */
  connectionName: string;
  /** Resolves when it works; rejects when it ends before. */
  isReady: Promise<void>;
  /** SIGSTOP: it does nothing any more, and knows nothing of it. */
  freeze: () => void;
  /** SIGCONT: it goes on where it was. */
  thaw: () => void;
  /** SIGKILL. Resolves with the moment of it when the process is gone. */
  kill: () => Promise<Temporal.Instant>;
};

export type Crew = {
  start: () => Promise<WorkerProcess>;
  /** Throws when a worker ended that nobody has killed. */
  assertAlive: () => void;
  endAll: () => Promise<void>;
};

/** `file`: what a worker runs. `task`: what it is told beside its number. */
export type CrewOptions = { url: string; file: string; task?: object; records: Records };

export async function createCrew({ url, file, task = {}, records }: CrewOptions): Promise<Crew> {
  const program = await oneFileOf(file);
  const alive = new Map<number, ChildProcess>();

  const assertOneAlive = (number: number, child: ChildProcess): void => {
    const end = child.signalCode ?? child.exitCode;
    if (end !== null) throw new Error(`worker ${number} ended by itself (${end})`);
  };

  const kill = async (number: number, child: ChildProcess): Promise<Temporal.Instant> => {
    assertOneAlive(number, child);
    alive.delete(number);
    const exited = once(child, "exit");
    const killedAt = systemClock.now();
    child.kill("SIGKILL");
    await exited;
    return killedAt;
  };

  return {
    start: async () => {
      const { rows } = await records.query("select nextval('prove.worker_numbers')::integer as number");
      const number: number = rows[0].number;
      const connectionName = `prove_worker_${number}`;
      const published = { ...task, url: withConnectionName(url, connectionName), worker: number };
      const child = forkProgram(program, [JSON.stringify(published)]);
      alive.set(number, child);
      return {
        number,
        connectionName,
        isReady: readiness(number, child),
        freeze: () => child.kill("SIGSTOP"),
        thaw: () => child.kill("SIGCONT"),
        kill: () => kill(number, child),
      };
    },
    assertAlive: () => {
      for (const [number, child] of alive) assertOneAlive(number, child);
    },
    endAll: async () => {
      const rest = [...alive].filter(([, child]) => child.exitCode === null && child.signalCode === null);
      await Promise.all(rest.map(([number, child]) => kill(number, child)));
    },
  };
}

/** What stands in the URL goes before the name that the service gives its connections. */
function withConnectionName(url: string, name: string): string {
  const named = new URL(url);
  named.searchParams.set("application_name", name);
  return named.toString();
}

function readiness(number: number, child: ChildProcess): Promise<void> {
  const isReady = new Promise<void>((resolve, reject) => {
    child.on("message", (message) => {
      if (message === READY) resolve();
    });
    child.once("exit", () => reject(new Error(`worker ${number} ended before it was ready`)));
    child.once("error", reject);
  });
  // Nobody may be waiting: a worker can be killed while it starts.
  isReady.catch(() => undefined);
  return isReady;
}
