import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** The next message of a process; an error where it ends without one, so that nobody waits for ever. */
export async function answerOf<Answer>(worker: ChildProcess): Promise<Answer> {
  const done = new AbortController();
  const waiting = { signal: done.signal };
  const ended = once(worker, "exit", waiting).then(([code]) => {
    throw new Error(`a process of the bench ended with ${code}: what it said is above`);
  });
  try {
    const [answer] = await Promise.race([once(worker, "message", waiting), ended]);
    return answer;
  } finally {
    done.abort();
  }
}
