/** `npm run dev`: everything on one port with reload, on DATABASE_URL or a Postgres of its own that keeps its data. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeKey } from "../modules/api-keys/index.ts";
import { createOrganization, listOrganizations } from "../modules/organizations/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { startEmbeddedPostgres } from "../platform/postgres/embedded.ts";
import { migrate } from "../platform/postgres/migrate.ts";
import { composePlatform } from "./compose.ts";
import { childEnvironment, givenDatabaseUrl, readConfig } from "./config.ts";
import { runCommand, runUntilStopped } from "./run-until-stopped.ts";

const DATA_FOLDER = join(import.meta.dirname, "../../../../.data");
const KEY_FILE = join(DATA_FOLDER, "dev-key");

await runCommand(async () => {
  const given = givenDatabaseUrl();
  const embedded =
    given === undefined ? await startEmbeddedPostgres({ dataFolder: join(DATA_FOLDER, "postgres") }) : undefined;
  const url = given ?? embedded?.url ?? "";
  await migrate(url);
  const config = readConfig({ DATABASE_URL: url });
  const key = await demoKey(url);

  const env = childEnvironment({
    DATABASE_URL: url,
    RATE_LIMIT_EVENTS: "0",
    RATE_LIMIT_USAGE: "0",
    RATE_LIMIT_OTHER: "0",
  });
  const service = spawn(process.execPath, ["--watch", join(import.meta.dirname, "start.ts")], {
    env,
    stdio: "inherit",
  });
  const ended = new Promise((resolve) => service.once("exit", resolve));
  runUntilStopped(async () => {
    service.kill("SIGTERM");
    await ended;
    await embedded?.stop();
  });

  const address = `http://127.0.0.1:${config.PORT}`;
  console.log(`
  API        ${address}/api/v1
  Reference  ${address}/docs
  Health     ${address}/ready
  Database   ${url}
  Demo key   ${key ?? "made in an earlier run and not kept; make one: npm run keys -- create …"}

  curl -H "Authorization: Bearer ${key ?? "$KEY"}" ${address}/api/v1/organizations
`);
});

/** The key of a demo organization, made when the database has none. It is kept in a file of this folder, for you only. */
async function demoKey(url: string): Promise<string | undefined> {
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent" }));
  const { db, dispatcherDb, clock } = platform;
  try {
    if ((await listOrganizations(dispatcherDb)).length > 0)
      return existsSync(KEY_FILE) ? readFileSync(KEY_FILE, "utf8") : undefined;
    const id = await createOrganization(db, clock, { name: "Demo", isSandbox: true });
    const wish = { name: "demo", permissions: null, expiresAt: null };
    const { token } = await inOrganization(db, id, (tx) => makeKey(tx, id, wish, clock.now()));
    if (existsSync(DATA_FOLDER)) writeFileSync(KEY_FILE, token, { mode: 0o600 });
    return token;
  } finally {
    await platform.close();
  }
}
