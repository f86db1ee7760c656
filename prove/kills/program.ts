/** Every process that campaigns start and kill. One program for all of them, so that it is made one file once. */
import { flushCompileCache } from "node:module";
import { runCrashingService } from "../crash-points/crash-at.ts";
import { runApi, runNaiveApi } from "./events/apis.ts";
import { runNaiveBilling } from "./invoices/naive-worker.ts";
import { runNaiveRelay } from "./relay/naive-worker.ts";
import { runNaiveSender } from "./webhooks/naive-worker.ts";
import { runWorker } from "./worker.ts";
import { runNaiveWorker } from "./workers/naive-worker.ts";
import { runWorkerWithWork } from "./workers/work.ts";

/** Each resolves when it works, with its address where it has one. */
const PROGRAMS = {
  api: runApi,
  crashingService: runCrashingService,
  naiveApi: runNaiveApi,
  naiveBilling: runNaiveBilling,
  naiveRelay: runNaiveRelay,
  naiveSender: runNaiveSender,
  naiveWorker: runNaiveWorker,
  worker: runWorker,
  workerWithWork: runWorkerWithWork,
} satisfies Record<string, (task: never) => Promise<string | undefined>>;

export type ProgramName = keyof typeof PROGRAMS;
export type TaskOf<Name extends ProgramName> = Parameters<(typeof PROGRAMS)[Name]>[0];
export type Ready = { address: string };

// Its end comes by SIGKILL, or with the process that started it.
process.on("disconnect", () => process.exit(1));
const { program, ...task } = JSON.parse(process.argv[2] ?? "");
const address = (await (PROGRAMS[program as ProgramName] as (task: object) => Promise<string | undefined>)(task)) ?? "";
// Node would write it when the process ends, which a killed one does not.
flushCompileCache();
process.send?.({ address } satisfies Ready, () => undefined);
