/** In the process that is to die: counts its effects by their names, and kills it at the requested one. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Stage } from "./effects.ts";

export type CrashPoint = {
  /** Of the effect, with its stage: `billing: insert invoices`. */
  name: string;
  /** The how-manieth of this name in the process, from 1. */
  occurrence: number;
  side: "before" | "after";
};

/** By name: which of its times changed something, counted from 1. A statement that finds no row is none. */
export type EffectTimes = Readonly<Record<string, readonly number[]>>;

export type CrashPoints = {
  /** Begins to count from 0, with another end or none. */
  begin: (at: CrashPoint | undefined) => void;
  /** An effect is about to be; the function returned is called when it has been, or has turned out to be none. */
  enter: (name: string) => (hasChanged?: boolean) => void;
  times: () => EffectTimes;
};

export function createCrashPoints(): CrashPoints {
  let at: CrashPoint | undefined;
  const counts = new Map<string, number>();
  const times = new Map<string, number[]>();
  const strike = (name: string, occurrence: number, side: CrashPoint["side"]): void => {
    // Nothing of this process runs after that, not even what a promise would.
    if (at?.name === name && at.occurrence === occurrence && at.side === side) process.kill(process.pid, "SIGKILL");
  };
  return {
    begin: (published) => {
      at = published;
      counts.clear();
      times.clear();
    },
    enter: (name) => {
      const occurrence = (counts.get(name) ?? 0) + 1;
      counts.set(name, occurrence);
      strike(name, occurrence, "before");
      return (hasChanged = true) => {
        if (hasChanged) times.set(name, [...(times.get(name) ?? []), occurrence]);
        strike(name, occurrence, "after");
      };
    },
    times: () => Object.fromEntries(times),
  };
}

const working = new AsyncLocalStorage<Stage>();

/** Everything that happens from here on, also later, belongs to this stage. */
export const during = <T>(stage: Stage, work: () => T): T => working.run(stage, work);

/** Undefined: nothing of ours, such as the start of the process. */
export const currentStage = (): Stage | undefined => working.getStore();
