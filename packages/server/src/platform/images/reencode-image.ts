/** Re-encodes an untrusted image as PNG: PNG and JPEG only, in a thread with limited time and memory. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { programPath } from "../assets.ts";
import type { Picture, ThreadAnswer } from "./reencode-thread.ts";

const TIME_MAX_MS = 20_000;

/** A word that explains why an image is refused. */
export class PictureRefused extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

export async function reencodeImage(bytes: Buffer, timeMaxMs = TIME_MAX_MS): Promise<Picture> {
  const thread = new Worker(programPath("reencodeThread"), {
    workerData: bytes,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const settled = new AbortController();
  const { signal } = settled;
  try {
    // Running out of memory is an error of the thread.
    const answered = once(thread, "message", { signal }).then(([answer]) => answer as ThreadAnswer);
    const late = wait(timeMaxMs, { refusal: "image_takes_too_long" }, { signal });
    const answer = await Promise.race([answered, late]).catch(() => ({ refusal: "image_is_broken" }));
    if ("refusal" in answer) throw new PictureRefused(answer.refusal);
    return answer.picture;
  } finally {
    settled.abort();
    await thread.terminate();
  }
}
