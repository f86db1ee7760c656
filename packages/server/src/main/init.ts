/** `tallystick init`: writes `.env`, migrates the database, and creates the first organization with its key. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { listOrganizations } from "../modules/accounts/index.ts";
import { migrate } from "../platform/postgres/migrate.ts";
import { newMasterKey } from "../platform/secrets/master-keys.ts";
import { composePlatform } from "./compose.ts";
import { type Config, givenDatabaseUrl, readConfig } from "./config.ts";
import { makeOrganization } from "./make-organization.ts";
import { runCommand } from "./run-until-stopped.ts";
import { makeSetupLink } from "./setup-link.ts";

const FILE = ".env";

type Answers = { databaseUrl: string; publicUrl: string; name: string; isSandbox: boolean };

await runCommand(async () => {
  if (existsSync(FILE)) throw new Error(`${FILE} exists already. Remove it to begin again, or edit it.`);
  const { databaseUrl, publicUrl, name, isSandbox } = await readAnswers();
  const settings = { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, SECRETS_KEY: newMasterKey() };
  const config = readConfig({ ...settings, LOG_LEVEL: "silent" });
  process.stderr.write("Migrating the database …\n");
  await migrate(config.MIGRATE_DATABASE_URL, config.DATABASE_URL);
  // Before the organization, because the key in the file seals its secrets.
  const lines = Object.entries(settings).map(([setting, value]) => `${setting}=${value}\n`);
  writeFileSync(FILE, lines.join(""), { mode: 0o600, flag: "wx" });
  try {
    await createFirst(config, { name, isSandbox });
  } catch (error) {
    rmSync(FILE);
    throw error;
  }
});

async function createFirst(config: Config, { name, isSandbox }: Pick<Answers, "name" | "isSandbox">): Promise<void> {
  const platform = composePlatform(config);
  try {
    if ((await listOrganizations(platform.dispatcherDb)).length > 0)
      throw new Error("The database has organizations already, whose secrets may have another key. Use an empty one.");
    const { id, key } = await makeOrganization(platform, { name, isSandbox, keyName: "first" });
    console.log(`settings      ${FILE}   (only you can read it: keep a copy of SECRETS_KEY)`);
    console.log(`organization  ${id}\nAPI key       ${key}   (shown once: keep it now)`);
    console.log(`owner         Open ${await makeSetupLink(platform, id)}   (24 hours, once)`);
  } finally {
    await platform.close();
  }
}

async function readAnswers(): Promise<Answers> {
  const { values } = parseArgs({
    options: {
      "database-url": { type: "string" },
      "public-url": { type: "string" },
      name: { type: "string" },
      sandbox: { type: "boolean", default: false },
    },
  });
  return {
    databaseUrl:
      values["database-url"] ??
      givenDatabaseUrl() ??
      (await ask("--database-url", "Postgres, such as postgres://user@host/tallystick: ")),
    publicUrl:
      values["public-url"] ??
      (await ask("--public-url", "Address of the service, such as https://billing.example.com: ")),
    name: values.name ?? (await ask("--name", "Name of the first organization: ")),
    isSandbox: values.sandbox,
  };
}

async function ask(option: string, question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Error(`${option} is missing, and there is no terminal to answer questions.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await lines.question(question)).trim();
    if (answer === "") throw new Error(`${option} is missing.`);
    return answer;
  } finally {
    lines.close();
  }
}
