/** A process of the service, as the campaign sees it: it is asked, it answers, or it dies. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type Crew, hasEnded } from "../kills/crew.ts";
import type { Handlers, Reply } from "./crash-at.ts";

const ANSWERED_WITHIN_MS = 120_000;

/** It got SIGKILL: by itself, for no other process kills it while it works. */
export class Died extends Error {}

type Input<Name extends keyof Handlers> = Parameters<Handlers[Name]>;

export type ServiceProcess = {
  ask: <Name extends keyof Handlers>(name: Name, ...input: Input<Name>) => Promise<Awaited<ReturnType<Handlers[Name]>>>;
  /** Resolves when it is gone. */
  gone: Promise<unknown>;
  kill: () => Promise<void>;
};

export function startServiceProcess(crew: Crew): ServiceProcess {
  const { child, isReady, kill } = crew.start("crashingService", undefined);
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  const gone = once(child, "exit");
  child.on("message", ({ number, answer, error }: Partial<Reply>) => {
    const asker = number === undefined ? undefined : waiting.get(number);
    if (error === undefined) asker?.resolve(answer as never);
    else asker?.reject(new Error(error));
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(endOf(child));
  });
  return {
    ask: async (name, input?: unknown) => {
      await Promise.race([isReady, gone]);
      if (hasEnded(child)) throw endOf(child);
      const number = waiting.size;
      const answer = Promise.withResolvers<never>();
      waiting.set(number, answer);
      child.send({ number, name, input }, () => undefined);
      const timer = setTimeout(() => answer.reject(new Error(`${name} is not answered`)), ANSWERED_WITHIN_MS);
      return answer.promise.finally(() => clearTimeout(timer));
    },
    gone,
    kill: async () => {
      if (!hasEnded(child)) await kill();
    },
  };
}

const endOf = ({ signalCode, exitCode }: ChildProcess): Error =>
  signalCode === "SIGKILL" ? new Died("killed") : new Error(`the service ended by itself (${signalCode ?? exitCode})`);
