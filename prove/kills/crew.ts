/** The processes under test: each is started by this process and killed by it, by its own handle. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { forkProgram, oneFileOf } from "../one-file.ts";
import type { ProgramName, Ready, TaskOf } from "./program.ts";

const PROGRAM = join(import.meta.dirname, "program.ts");

export type Member = {
  child: ChildProcess;
  /** Resolves when it works, with its address where it has one; rejects when it ends before. */
  isReady: Promise<string>;
  /** SIGKILL. Resolves with the moment of it when the process is gone. */
  kill: () => Promise<Temporal.Instant>;
};

export type Crew = {
  start: <Name extends ProgramName>(name: Name, task: TaskOf<Name>) => Member;
  /** Throws when a process ended that was not killed. */
  assertAlive: () => void;
  endAll: () => Promise<void>;
};

/** `fromSources`: where the time of a start is measured, or a start is not waited for. */
export async function createCrew({ fromSources = false } = {}): Promise<Crew> {
  const program = fromSources ? PROGRAM : await oneFileOf(PROGRAM);
  const alive = new Set<ChildProcess>();

  const kill = async (child: ChildProcess): Promise<Temporal.Instant> => {
    assertAlive(child);
    alive.delete(child);
    const exited = once(child, "exit");
    const killedAt = systemClock.now();
    child.kill("SIGKILL");
    await exited;
    return killedAt;
  };

  return {
    start: (name, task) => {
      const child = forkProgram(program, [JSON.stringify({ ...task, program: name })]);
      alive.add(child);
      return { child, isReady: readiness(child), kill: () => kill(child) };
    },
    assertAlive: () => alive.forEach(assertAlive),
    endAll: async () => {
      const rest = [...alive].filter((child) => !hasEnded(child));
      await Promise.all(rest.map(kill));
    },
  };
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

function assertAlive(child: ChildProcess): void {
  if (hasEnded(child)) throw new Error(`process ${child.pid} ended by itself (${child.signalCode ?? child.exitCode})`);
}

function readiness(child: ChildProcess): Promise<string> {
  const isReady = new Promise<string>((resolve, reject) => {
    child.on("message", (message: Partial<Ready>) => {
      if (message.address !== undefined) resolve(message.address);
    });
    child.once("exit", () => reject(new Error(`process ${child.pid} ended before it was ready`)));
    child.once("error", reject);
  });
  // There may be no waiter: a process can be killed while it starts.
  isReady.catch(() => undefined);
  return isReady;
}
