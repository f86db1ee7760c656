/** The API processes: each is started by this process and killed by it, by its own handle, and another takes its place. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { forkProgram } from "../one-file.ts";

/** What the service starts, from its sources. */
export const API = join(import.meta.dirname, "api.ts");
const PROCESSES = 2;
const LOOK_EVERY_MS = 5;

export type ApiCrew = {
  /** Of those that listen. */
  addresses: () => string[];
  /** Resolves when one listens; fails when one has ended that nobody killed. */
  isThere: (signal: AbortSignal) => Promise<void>;
  /** SIGKILL to one that listens, chosen by a number from 0 to 1. Its address is told before it is killed. */
  killOne: (chosen: number, onKill: (address: string) => void) => Promise<void>;
  endAll: () => Promise<void>;
};

export function startApiCrew(databaseUrl: string, program: string): ApiCrew {
  const alive = new Set<ChildProcess>();
  const listening = new Map<string, ChildProcess>();
  let failure: Error | undefined;

  function startOne(): void {
    const child = forkProgram(program, [databaseUrl]);
    alive.add(child);
    child.once("message", (address) => listening.set(String(address), child));
    child.once("error", (error) => {
      failure = error;
    });
    child.once("exit", (code, signal) => {
      if (alive.delete(child)) failure = new Error(`an API process ended by itself (${code ?? signal})`);
    });
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (!alive.delete(child)) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  for (let count = 0; count < PROCESSES; count++) startOne();
  return {
    addresses: () => [...listening.keys()],
    isThere: async (signal) => {
      while (listening.size === 0 && !failure) await pause(LOOK_EVERY_MS, undefined, { signal });
      if (failure) throw failure;
    },
    killOne: async (chosen, onKill) => {
      const [address, child] = [...listening][Math.floor(chosen * listening.size)] ?? [];
      if (address === undefined || child === undefined) throw new Error("no API process listens");
      onKill(address);
      await kill(child);
      // Only now: the client is not warned.
      listening.delete(address);
      startOne();
    },
    endAll: async () => {
      await Promise.all([...alive].map(kill));
    },
  };
}
