/** `npm run -s sandbox`: the whole service in one process on fresh data; one JSON line on stdout when it is ready. */
import { parseArgs } from "node:util";
import { ALL_PERMISSIONS } from "../modules/accounts/index.ts";
import { createTemporaryClickhouse } from "../platform/clickhouse/temporary-database.ts";
import { freePort } from "../platform/free-port.ts";
import { createTemporaryDatabase } from "../platform/postgres/temporary-database.ts";
import { newMasterKey } from "../platform/secrets/master-keys.ts";
import { composeApi, composePlatform } from "./compose.ts";
import { composeWorker } from "./compose-work.ts";
import {
  AS_SERVED,
  type Config,
  clickhouseOf,
  givenDatabaseUrl,
  isSecretsKeyGiven,
  readConfig,
  TRUST_THIS_MACHINE,
} from "./config.ts";
import { NO_RATE_LIMITS } from "./limit-settings.ts";
import { makeOrganization } from "./make-organization.ts";
import { runUntilStopped } from "./run-until-stopped.ts";
import { makeSetupLink } from "./setup-link.ts";

await runUntilStopped(async (onStop) => {
  const { values } = parseArgs({
    options: { port: { type: "string", default: "0" }, organizations: { type: "string", default: "1" } },
  });
  const count = Number(values.organizations);
  if (!Number.isInteger(count) || count < 1 || count > 100)
    throw new Error("--organizations takes a number from 1 to 100");

  const database = await createTemporaryDatabase(givenDatabaseUrl());
  onStop(database.remove);
  // A key that nobody else knows, because the data goes with the process.
  const secrets = isSecretsKeyGiven() ? {} : { SECRETS_KEY: newMasterKey() };
  // Links name the port, so it is chosen before the service listens.
  const port = values.port === "0" ? String(await freePort()) : values.port;
  const settings = {
    DATABASE_URL: database.url,
    PORT: port,
    PUBLIC_URL: AS_SERVED,
    ...secrets,
    ...NO_RATE_LIMITS,
    ...TRUST_THIS_MACHINE,
  };
  const config = await withOwnClickhouse(settings, onStop);
  const platform = composePlatform(config);
  onStop(platform.close);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const organizations = await Promise.all(
    numbers.map(async (number) => {
      const request = { name: `Sandbox ${number}`, isSandbox: true, keyName: "sandbox" };
      const { id, key } = await makeOrganization(platform, { ...request, permissions: ALL_PERMISSIONS });
      return { id, api_key: key };
    }),
  );
  const worker = await composeWorker(platform);
  onStop(worker.stop);
  const api = await composeApi(platform);
  onStop(() => api.close());
  const url = await api.listen({ host: config.HOST, port: config.PORT });
  for (const { id } of organizations)
    process.stderr.write(`Open ${await makeSetupLink(platform, id)} to sign in to ${id} (24 hours, once)\n`);
  process.stdout.write(`${JSON.stringify({ url, api_key: organizations[0]?.api_key, organizations })}\n`);
});

/** Fresh data here as well: in a shared copy, other services would count the events of this database as their own. */
async function withOwnClickhouse(
  settings: Parameters<typeof readConfig>[0],
  onStop: (stop: () => Promise<void>) => void,
): Promise<Config> {
  const server = clickhouseOf(readConfig(settings));
  if (!server) return readConfig(settings);
  const copy = await createTemporaryClickhouse(server);
  onStop(copy.remove);
  return readConfig({ ...settings, CLICKHOUSE_URL: copy.config.url });
}
