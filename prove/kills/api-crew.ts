/** Two API processes: whenever one is killed, another takes its place. */
import { setTimeout as pause } from "node:timers/promises";
import type { Crew, Member } from "./crew.ts";

const PROCESSES = 2;
const LOOK_EVERY_MS = 5;

export type ApiCrew = {
  /** Of those that listen. */
  addresses: () => string[];
  /** Resolves when one listens; fails when one has ended that was not killed. */
  isThere: (signal: AbortSignal) => Promise<void>;
  /** SIGKILL to one that listens, chosen by a number from 0 to 1. `onKill` gets its address before it is killed. */
  killOne: (chosen: number, onKill: (address: string) => void) => Promise<void>;
  endAll: () => Promise<void>;
};

export function startApiCrew(crew: Crew, url: string, program: "api" | "naiveApi" = "api"): ApiCrew {
  const listening = new Map<string, Member>();
  const startOne = (): void => {
    const member = crew.start(program, { url });
    // That it ended before is what `assertAlive` says.
    void member.isReady.then((address) => listening.set(address, member)).catch(() => undefined);
  };
  for (let count = 0; count < PROCESSES; count++) startOne();
  return {
    addresses: () => [...listening.keys()],
    isThere: async (signal) => {
      do crew.assertAlive();
      while (listening.size === 0 && (await pause(LOOK_EVERY_MS, true, { signal })));
    },
    killOne: async (chosen, onKill) => {
      const [address, member] = [...listening][Math.floor(chosen * listening.size)] ?? [];
      if (address === undefined || member === undefined) throw new Error("no API process listens");
      onKill(address);
      await member.kill();
      // Only now: the client is not warned.
      listening.delete(address);
      startOne();
    },
    endAll: crew.endAll,
  };
}
