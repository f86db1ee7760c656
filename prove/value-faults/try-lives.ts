/** Lives in a copy of the repository, in a process of its own, which loads the code of that copy. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Tried } from "./tried.ts";

export type Lives = {
  readonly tree: string;
  readonly seed: number;
  /** In the order in which they are lived. */
  readonly numbers: readonly number[];
  readonly signal: AbortSignal;
};

/** `refusedBy`: constraints and triggers of the database that the log names. */
export type TriedLives = Tried & { readonly refusedBy: readonly string[] };

const WORDS_MAX = 200_000;
const REFUSALS = /violates \w+(?: key)? constraint \\?"(\w+)|(?:code\\?":\\?"P0001\\?").{0,200}/g;

export async function tryLives({ tree, seed, numbers, signal }: Lives): Promise<TriedLives> {
  const result = join(tree, "tried.json");
  await rm(result, { force: true });
  const options = ["--seed", String(seed), "--lives", numbers.join(","), "--result", result];
  const words = await runWorker(tree, options, signal);
  signal.throwIfAborted();
  const text = await readFile(result, "utf8").catch(() => undefined);
  if (text === undefined) throw new Error(`no lives could be lived: ${words.slice(-2000)}`);
  const tried: Tried = JSON.parse(text);
  const refusedBy = [...words.matchAll(REFUSALS)].map(([all, name]) => name ?? all);
  return { ...tried, refusedBy: [...new Set(refusedBy)] };
}

/** Its last words: the log of the service that it starts. */
async function runWorker(tree: string, options: readonly string[], signal: AbortSignal): Promise<string> {
  const file = join(tree, "prove/value-faults/lives-worker.ts");
  const child = spawn(process.execPath, [file, ...options], { cwd: tree, stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-WORDS_MAX);
    });
  const end = (): boolean => child.kill("SIGTERM");
  signal.addEventListener("abort", end);
  try {
    await once(child, "close");
    return words;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
