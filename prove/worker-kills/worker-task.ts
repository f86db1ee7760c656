/** What a worker process is told when it starts, and how it tells that it works. */
import { flushCompileCache } from "node:module";

export type WorkerTask = { url: string; worker: number };

export const READY = "ready";

/** In the worker: its task. Its end comes by SIGKILL, or with the process that started it. */
export function readWorkerTask<Task extends WorkerTask>(): Task {
  process.on("disconnect", () => process.exit(1));
  return JSON.parse(process.argv[2] ?? "");
}

export function tellReady(): void {
  // Node would write it when the process ends, which a killed one does not.
  flushCompileCache();
  process.send?.(READY);
}
