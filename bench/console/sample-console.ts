/** The service with its built console, and an organization with sample data, for benches of pages. */
import { setTimeout } from "node:timers/promises";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { composeWorker } from "../../packages/server/src/main/compose-work.ts";
import { givenDatabaseUrl, readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { makeSetupLink } from "../../packages/server/src/main/setup-link.ts";
import { ALL_PERMISSIONS } from "../../packages/server/src/modules/accounts/index.ts";
import type { Clock } from "../../packages/server/src/platform/clock.ts";
import { freePort } from "../../packages/server/src/platform/free-port.ts";
import { createTemporaryDatabase } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { newMasterKey } from "../../packages/server/src/platform/secrets/master-keys.ts";
import { callOf } from "../../packages/server/src/testing/call-api.ts";
import { contradict } from "../../packages/server/src/testing/contradicted-invoices.ts";
import { buildConsole } from "../../scripts/build/console.ts";
import { findRecords, holdInvoice, type Records } from "./records.ts";

export type SampleConsole = { url: string; setupLink: string; records: Records };

const LOOK_EVERY_MS = 500;

/** `clock`: where pages show when something was made. */
export async function withSampleConsole<Result>(
  use: (console: SampleConsole) => Promise<Result>,
  additions: { clock?: Clock } = {},
): Promise<Result> {
  await buildConsole();
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const database = await createTemporaryDatabase(givenDatabaseUrl());
    stops.push(database.remove);
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const settings = { DATABASE_URL: database.url, PORT: port, PUBLIC_URL: url, SECRETS_KEY: newMasterKey() };
    const config = readConfig({ ...settings, CLICKHOUSE_URL: "none", LOG_LEVEL: "error", ...NO_RATE_LIMITS });
    const platform = composePlatform(config, { recomputeInvoice: contradict, ...additions });
    stops.push(platform.close);
    const { id, key } = await makeOrganization(platform, {
      ...{ name: "Lodestar", isSandbox: true, keyName: "bench", permissions: ALL_PERMISSIONS },
    });
    const worker = await composeWorker(platform);
    stops.push(worker.stop);
    const api = await composeApi(platform);
    stops.push(() => api.close());
    await api.listen({ host: "127.0.0.1", port: config.PORT });
    const call = callOf(api, key);
    // Numbers of invoices begin with it; by default, with a part of a random id.
    await call("PUT", "/organizations", { organization: { document_number_prefix: "LODESTAR" } });
    await call("POST", "/sample_data");
    const look = async () => (await call("GET", "/sample_data")).body.sample_data;
    let sample = await look();
    for (; sample.status === "making"; sample = await look()) await setTimeout(LOOK_EVERY_MS);
    if (sample.status !== "ready") throw new Error(`The sample data is ${sample.status}: ${sample.error}`);
    await holdInvoice(call);
    const link = () => makeSetupLink(platform, id);
    const records = { ...(await findRecords(id, call)), setup: (await link()).slice(url.length) };
    return await use({ url, setupLink: await link(), records });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
