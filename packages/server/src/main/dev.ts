/** `npm run dev`: everything on one port with reload, on DATABASE_URL or a Postgres of its own that keeps its data. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ALL_PERMISSIONS, createAuthenticate, listOrganizations, listUsers } from "../modules/accounts/index.ts";
import { developmentData, programPath, reloadOptions } from "../platform/assets.ts";
import { startEmbeddedPostgres } from "../platform/postgres/embedded.ts";
import { migrate } from "../platform/postgres/migrate.ts";
import { newMasterKey } from "../platform/secrets/master-keys.ts";
import { composePlatform } from "./compose.ts";
import {
  type Config,
  childEnvironment,
  givenDatabaseUrl,
  isSecretsKeyGiven,
  publicUrlOf,
  readConfig,
  TRUST_THIS_MACHINE,
} from "./config.ts";
import { startPages } from "./dev-pages.ts";
import { NO_RATE_LIMITS } from "./limit-settings.ts";
import { makeOrganization } from "./make-organization.ts";
import { type OnStop, runUntilStopped } from "./run-until-stopped.ts";
import { makeSetupLink } from "./setup-link.ts";

await runUntilStopped(async (onStop) => {
  const { data } = parseArgs({ options: { data: { type: "string", default: developmentData() } } }).values;
  keepOutOfGit(data);
  const url = givenDatabaseUrl() ?? (await startPostgres(join(data, "postgres"), onStop));
  say("Migrating the database …");
  await migrate(url);
  const secrets = isSecretsKeyGiven() ? {} : { SECRETS_KEY_FILE: keepSecretsKey(join(data, "secrets-key")) };
  const config = readConfig({ DATABASE_URL: url, ...secrets });
  const key = await demoKey(url, join(data, "dev-key"));
  const setupLink = await firstSetupLink(config);
  const address = `http://127.0.0.1:${config.PORT}`;
  console.log(`
  Console    ${address}
  API        ${address}/api/v1
  Reference  ${address}/docs
  Health     ${address}/ready
  Database   ${url}
  Demo key   ${key ?? "not kept; make one: npm run keys -- create …"}

${setupLink ? `  Sign in    Open ${setupLink} (24 hours, once)\n` : ""}
  curl -H "Authorization: Bearer ${key ?? "$KEY"}" ${address}/api/v1/organizations
`);
  say("Starting the service …");
  const port = String(await startPages(config.PORT, onStop));
  startService({ DATABASE_URL: url, PUBLIC_URL: publicUrlOf(config), PORT: port, ...secrets }, onStop);
});

function say(step: string): void {
  process.stderr.write(`${step}\n`);
}

async function startPostgres(dataFolder: string, onStop: OnStop): Promise<string> {
  say(`Starting Postgres in ${dataFolder} …`);
  const postgres = await startEmbeddedPostgres({ dataFolder });
  onStop(postgres.stop);
  return postgres.url;
}

/** It has keys, and may be in the folder of a project. */
function keepOutOfGit(data: string): void {
  if (existsSync(data)) return;
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, ".gitignore"), "*\n");
}

/** Made once, and stored in a file that only you can read. Returns its path. */
function keepSecretsKey(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, `${newMasterKey()}\n`, { mode: 0o600 });
  }
  return file;
}

function startService(settings: Parameters<typeof childEnvironment>[0], onStop: OnStop): void {
  const service = spawn(process.execPath, [...reloadOptions, programPath("start")], {
    env: childEnvironment({
      ...{ ...settings, ...NO_RATE_LIMITS, ...TRUST_THIS_MACHINE },
      ...{ API_PROCESSES: "1", DATABASE_LOGIN_CHECK: "off" },
    }),
    stdio: "inherit",
  });
  const ended = new Promise<void>((resolve) => service.once("exit", () => resolve()));
  onStop(async () => {
    service.kill("SIGTERM");
    await ended;
  });
}

/** As long as nobody has signed in. */
async function firstSetupLink(config: Config): Promise<string | undefined> {
  const platform = composePlatform({ ...config, LOG_LEVEL: "silent" });
  try {
    const [organization] = await listOrganizations(platform.dispatcherDb);
    const isInUse = (await listUsers(platform.dispatcherDb)).length > 0;
    return organization && !isInUse ? await makeSetupLink(platform, organization.id) : undefined;
  } finally {
    await platform.close();
  }
}

/**
 * The key of a demo organization, which is created if the database has none. It is stored in a file that only you can read, and shown again
 * as long as it works.
 */
async function demoKey(url: string, file: string): Promise<string | undefined> {
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent" }));
  const { dispatcherDb, clock } = platform;
  try {
    if ((await listOrganizations(dispatcherDb)).length > 0) {
      const kept = existsSync(file) ? readFileSync(file, "utf8") : "";
      return typeof (await createAuthenticate(dispatcherDb, clock)(kept)) === "string" ? undefined : kept;
    }
    const request = { name: "Demo", isSandbox: true, keyName: "demo", permissions: ALL_PERMISSIONS };
    const { key } = await makeOrganization(platform, request);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, key, { mode: 0o600 });
    return key;
  } finally {
    await platform.close();
  }
}
