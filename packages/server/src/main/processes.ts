/** The processes of `npm start`, and what they share: limits count over all of them, and any of them tells the metrics of all. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AggregatorRegistry } from "prom-client";
import { createLimiter } from "../platform/limiter/limiter.ts";
import { answerChild, askParent } from "../platform/limiter/shared-limiter.ts";
import { answerCalls, type Channel, callsTo } from "../platform/processes/calls.ts";
import { supervise } from "../platform/processes/supervise.ts";
import type { Platform, Shared } from "./compose.ts";
import type { OnStop } from "./run-until-stopped.ts";

type Options = { only: string | undefined; program: string; onStop: OnStop };

/** In the parent, which serves no request itself. */
export async function startProcesses({ config, log }: Platform, { only, program, onStop }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-"));
  onStop(() => rm(folder, { recursive: true, force: true }));
  const heavy = ["--heavy", join(folder, "heavy")];
  const limiter = createLimiter();
  const all = new AggregatorRegistry();
  const parts = [
    { name: "heavy", arguments: ["--only", "heavy", ...heavy] },
    ...(only === "api" ? [] : [{ name: "worker", arguments: ["--only", "worker"] }]),
    ...Array.from({ length: config.API_PROCESSES }, () => ({ name: "API", arguments: ["--only", "api", ...heavy] })),
  ];
  const { stop } = await supervise(parts, {
    program,
    onStart: (child) => {
      // A process that ended meanwhile takes no answer.
      const channel: Channel = {
        send: (message) => child.isConnected() && child.send(message),
        on: (event, listener) => child.on(event, listener),
      };
      answerCalls(channel, { metrics: () => all.clusterMetrics().catch(() => "") });
      return answerChild(channel, limiter);
    },
    onLost: ({ name }, reason) => log.error(`the ${name} process ended (${reason}) and is started again`),
  });
  onStop(stop);
}

/** In a child. */
export function sharedByProcesses({ metrics }: Platform): Shared {
  AggregatorRegistry.setRegistries([metrics.registry]);
  // Answers the parent, which asks each process for its own.
  new AggregatorRegistry();
  const call = callsTo({
    send: (message) => process.send?.(message),
    on: (event, listener) => process.on(event, listener),
  });
  return { limiter: askParent(call), readMetrics: async () => String(await call("metrics")) };
}
