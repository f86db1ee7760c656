/** The worker as the service composes it. It starts on a message. */
import { once } from "node:events";
import { composePlatform } from "../../packages/server/src/main/compose.ts";
import { composeWorker } from "../../packages/server/src/main/compose-work.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";

export type Billing = { url: string; concurrency: number; secondOpinion: string };

const { url, concurrency, secondOpinion } = JSON.parse(process.argv[2] ?? "{}") as Billing;
const platform = composePlatform(
  readConfig({
    DATABASE_URL: url,
    LOG_LEVEL: "error",
    WORKER_CONCURRENCY: String(concurrency),
    SECOND_OPINION: secondOpinion,
  }),
);
process.send?.("ready");
await once(process, "message");
await composeWorker(platform);
