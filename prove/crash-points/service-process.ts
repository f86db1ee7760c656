/** A process of the service, as the campaign sees it: it is asked, it answers, or it dies. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { forkProgram } from "../one-file.ts";
import { type Answered, type Answers, type Question, type Questions, READY } from "./questions.ts";

const ANSWERED_WITHIN_MS = 120_000;

/** It got SIGKILL: by itself, for nobody else kills it while it works. */
export class Died extends Error {}

export type ServiceProcess = {
  ask: <Name extends Question>(name: Name, given: Questions[Name]) => Promise<Answers[Name]>;
  /** Resolves when it is gone. */
  gone: Promise<void>;
  kill: () => Promise<void>;
};

export function startServiceProcess(): ServiceProcess {
  const child = forkProgram(join(import.meta.dirname, "worker.ts"), []);
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  const gone = once(child, "exit").then(() => undefined);
  const isReady = new Promise<void>((resolve) => {
    child.on("message", (message: Answered | typeof READY) => {
      if (message === READY) return resolve();
      const asker = waiting.get(message.number);
      waiting.delete(message.number);
      if (message.error === undefined) asker?.resolve(message.answer as never);
      else asker?.reject(new Error(message.error));
    });
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(endOf(child));
  });
  let requested = 0;
  return {
    ask: async (name, given) => {
      await Promise.race([isReady, gone]);
      if (child.exitCode !== null || child.signalCode !== null) throw endOf(child);
      const number = ++requested;
      const answer = new Promise<never>((resolve, reject) => waiting.set(number, { resolve, reject }));
      child.send({ number, name, given }, () => undefined);
      return within(answer, `${name} is not answered`);
    },
    gone,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await gone;
    },
  };
}

const endOf = ({ signalCode, exitCode }: ChildProcess): Error =>
  signalCode === "SIGKILL" ? new Died("killed") : new Error(`the service ended by itself (${signalCode ?? exitCode})`);

async function within<T>(answer: Promise<T>, complaint: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint)), ANSWERED_WITHIN_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
