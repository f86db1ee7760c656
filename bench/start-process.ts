/** Starts the processes of a bench. A process works on messages, answers, and ends when its parent disconnects. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** `program`: its path in this folder. */
export async function startProcess<Request extends object>(
  program: string,
  request: Request,
  options: readonly string[] = [],
) {
  const worker = fork(join(import.meta.dirname, program), { execArgv: [...process.execArgv, ...options] });
  worker.send(request);
  const answer = await answerOf<string>(worker);
  const stop = async (): Promise<void> => {
    const ended = once(worker, "exit");
    worker.disconnect();
    await ended;
  };
  return { worker, answer, stop };
}

/** The next message of a process. Throws if the process ends first, so that the caller does not wait forever. */
export async function answerOf<Answer>(worker: ChildProcess): Promise<Answer> {
  const done = new AbortController();
  const waiting = { signal: done.signal };
  const ended = once(worker, "exit", waiting).then(([code]) => {
    throw new Error(`a bench process ended with ${code}: its output is above`);
  });
  try {
    const [answer] = await Promise.race([once(worker, "message", waiting), ended]);
    return answer;
  } finally {
    done.abort();
  }
}
