/** `npm run organizations -- create --name Acme [--sandbox]` and `-- list`, on a real installation. */
import { parseArgs } from "node:util";
import { listOrganizations } from "../modules/accounts/index.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { makeOrganization } from "./make-organization.ts";
import { runCommand } from "./run-until-stopped.ts";
import { makeSetupLink } from "./setup-link.ts";

const USAGE = `Usage:
  npm run organizations -- create --name NAME [--sandbox]   makes one, with its first key and a link for its owner
  npm run organizations -- setup-link --organization ORG    makes another link for an owner
  npm run organizations -- list`;

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: "string" },
      organization: { type: "string" },
      sandbox: { type: "boolean", default: false },
    },
  });
  const [verb] = positionals;
  if (verb !== "create" && verb !== "list" && verb !== "setup-link") throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    if (verb === "list") await list(platform);
    else if (verb === "setup-link") await showSetupLink(platform, values.organization);
    else await create(platform, values.name, values.sandbox);
  } finally {
    await platform.close();
  }
});

async function create(platform: Platform, name: string | undefined, isSandbox: boolean): Promise<void> {
  if (!name?.trim()) throw new Error(USAGE);
  const { id, key } = await makeOrganization(platform, { name, isSandbox, keyName: "first" });
  console.log(`organization  ${id}\nAPI key       ${key}   (shown once: keep it now)`);
  await showSetupLink(platform, id);
}

async function showSetupLink(platform: Platform, organizationId: string | undefined): Promise<void> {
  const known = await listOrganizations(platform.dispatcherDb);
  if (!known.some(({ id }) => id === organizationId) || organizationId === undefined)
    throw new Error(`No organization has the id ${organizationId}. See: npm run organizations -- list`);
  console.log(`owner         Open ${await makeSetupLink(platform, organizationId)}   (24 hours, once)`);
}

async function list({ dispatcherDb }: Platform): Promise<void> {
  for (const { id, name, is_sandbox, created_at } of await listOrganizations(dispatcherDb)) {
    console.log(`${id}  ${created_at}  ${is_sandbox ? "sandbox" : "live   "}  ${name}`);
  }
}
