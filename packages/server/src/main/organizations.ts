/** `npm run organizations -- create --name Acme [--sandbox]` and `-- list`, on a real installation. */
import { parseArgs } from "node:util";
import { listOrganizations } from "../modules/accounts/index.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { makeOrganization } from "./make-organization.ts";
import { runCommand } from "./run-until-stopped.ts";

const USAGE = `Usage:
  npm run organizations -- create --name NAME [--sandbox]   makes one, with its first key
  npm run organizations -- list`;

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { name: { type: "string" }, sandbox: { type: "boolean", default: false } },
  });
  const [verb] = positionals;
  if (verb !== "create" && verb !== "list") throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    if (verb === "list") await list(platform);
    else await create(platform, values.name, values.sandbox);
  } finally {
    await platform.close();
  }
});

async function create(platform: Platform, name: string | undefined, isSandbox: boolean): Promise<void> {
  if (!name?.trim()) throw new Error(USAGE);
  const { id, key } = await makeOrganization(platform, { name, isSandbox, keyName: "first" });
  console.log(`organization  ${id}\nAPI key       ${key}   (shown once: keep it now)`);
}

async function list({ dispatcherDb }: Platform): Promise<void> {
  for (const { id, name, is_sandbox, created_at } of await listOrganizations(dispatcherDb)) {
    console.log(`${id}  ${created_at}  ${is_sandbox ? "sandbox" : "live   "}  ${name}`);
  }
}
