/** Another service on the database of a test, as after a restart with other settings. */
import type { FastifyInstance } from "fastify";
import { afterAll } from "vitest";
import { composeApi, composePlatform, type Platform } from "../main/compose.ts";
import { readConfig } from "../main/config.ts";
import { NO_RATE_LIMITS } from "../main/limit-settings.ts";
import type { Clock } from "../platform/clock.ts";
import { type Call, callOf } from "./call-api.ts";
import { drain } from "./drain.ts";

type Restarted = { url: string; key: string; clock: Clock; settings: Parameters<typeof readConfig>[0] };
export type RestartedService = {
  platform: Platform;
  app: FastifyInstance;
  call: Call;
  drain: () => Promise<void>;
  /** The body of `/ready`. */
  ready: () => Promise<{ ready: boolean; warnings: string[]; stuck: { kind: string; count: number }[] }>;
};

export async function startServiceOn({ url, key, clock, settings }: Restarted): Promise<RestartedService> {
  const given = { DATABASE_URL: url, CLICKHOUSE_URL: "none", LOG_LEVEL: "silent", SECRETS_KEY_FILE: "none" };
  const platform = composePlatform(readConfig({ ...given, ...NO_RATE_LIMITS, ...settings }), { clock });
  const app = await composeApi(platform);
  await app.ready();
  afterAll(async () => {
    await app.close();
    await platform.close();
  });
  return {
    platform,
    app,
    call: callOf(app, key),
    drain: () => drain(platform),
    ready: async () => (await app.inject("/ready")).json(),
  };
}
