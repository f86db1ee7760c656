/** `npm run -s sandbox`: the whole service in one process on fresh data; one JSON line on stdout when it is ready. */
import { parseArgs } from "node:util";
import { makeKey } from "../modules/api-keys/index.ts";
import { createOrganization } from "../modules/organizations/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { createTemporaryDatabase } from "../platform/postgres/temporary-database.ts";
import { composeApi, composePlatform, composeWorker, type Platform } from "./compose.ts";
import { givenDatabaseUrl, readConfig } from "./config.ts";
import { runUntilStopped } from "./run-until-stopped.ts";

await runUntilStopped(async (onStop) => {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "0" }, organizations: { type: "string", default: "1" } },
  });
  const count = Number(values.organizations);
  if (!Number.isInteger(count) || count < 1 || count > 100)
    throw new Error("--organizations takes a number from 1 to 100");

  const database = await createTemporaryDatabase(givenDatabaseUrl());
  onStop(database.remove);
  const noLimits = { RATE_LIMIT_EVENTS: "0", RATE_LIMIT_USAGE: "0", RATE_LIMIT_OTHER: "0" };
  const config = readConfig({ DATABASE_URL: database.url, PORT: values.port, ...noLimits });
  const platform = composePlatform(config);
  onStop(platform.close);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const organizations = await Promise.all(numbers.map((number) => makeOrganization(platform, `Sandbox ${number}`)));
  const worker = await composeWorker(platform);
  onStop(worker.stop);
  const api = await composeApi(platform);
  onStop(() => api.close());
  const url = await api.listen({ host: config.HOST, port: config.PORT });
  process.stdout.write(`${JSON.stringify({ url, api_key: organizations[0]?.api_key, organizations })}\n`);
});

async function makeOrganization({ db, clock }: Platform, name: string): Promise<{ id: string; api_key: string }> {
  const id = await createOrganization(db, clock, { name, isSandbox: true });
  const wish = { name: "sandbox", permissions: null, expiresAt: null };
  const { token } = await inOrganization(db, id, (tx) => makeKey(tx, id, wish, clock.now()));
  return { id, api_key: token };
}
