/** `npm run keys -- …`: creates, lists, rotates and revokes the API keys of an organization. */
import { parseArgs } from "node:util";
import { parseInstant } from "@tallystick/core/time";
import type { Permissions } from "../http/auth.ts";
import {
  listKeys,
  listOrganizations,
  makeKey,
  PRESETS,
  parsePermissions,
  revokeKey,
  rotateKey,
} from "../modules/accounts/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { recordCommand } from "./record-command.ts";
import { runCommand } from "./run-until-stopped.ts";

const USAGE = `Usage (ORG is the id that "npm run organizations -- list" shows, KEY the 8 characters after tsk_):
  npm run keys -- create --organization ORG --name NAME [--preset PRESET | --permissions customer:read,tax:read+write] [--expires-at ISO]
  npm run keys -- list   --organization ORG
  npm run keys -- rotate --organization ORG --key KEY [--old-key-works-until ISO]
  npm run keys -- revoke --organization ORG --key KEY
PRESET is ${Object.keys(PRESETS).join(", ")}; the default is everything. The permission *:read+write stands for everything in a list.`;

const options = {
  organization: { type: "string" },
  name: { type: "string" },
  key: { type: "string" },
  preset: { type: "string" },
  permissions: { type: "string" },
  "expires-at": { type: "string" },
  "old-key-works-until": { type: "string" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

await runCommand(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const command = { create, list, rotate, revoke }[positionals[0] ?? ""];
  if (!command || !values.organization) throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    const known = await listOrganizations(platform.dispatcherDb);
    const organization = known.find(({ id }) => id === values.organization);
    if (!organization)
      throw new Error(`No organization has the id ${values.organization}. See: npm run organizations -- list`);
    await command(platform, organization.id, values);
  } finally {
    await platform.close();
  }
});

async function create(platform: Platform, organizationId: string, values: Values): Promise<void> {
  const { db, clock } = platform;
  const name = values.name?.trim();
  if (!name) throw new Error(USAGE);
  const request = {
    name,
    permissions: readPermissions(values),
    expiresAt: readInstant(values["expires-at"]),
  };
  const { keyId, token } = await inOrganization(db, organizationId, (tx) =>
    makeKey(tx, organizationId, request, clock.now()),
  );
  await record(platform, organizationId, { verb: "create", keyId });
  console.log(`key ${keyId}\n${token}   (shown once: keep it now)`);
}

function readPermissions({ preset, permissions }: Values): Permissions {
  if (preset === undefined) return parsePermissions(permissions);
  const found = PRESETS[preset];
  if (!found || permissions !== undefined) throw new Error(USAGE);
  return found.permissions;
}

async function list({ db }: Platform, organizationId: string): Promise<void> {
  const keys = await inOrganization(db, organizationId, (tx) => listKeys(tx, organizationId));
  for (const key of keys) {
    const state = key.revoked_at ? `revoked ${key.revoked_at}` : key.expires_at ? `expires ${key.expires_at}` : "works";
    const rights = key.permissions === null ? "everything" : JSON.stringify(key.permissions);
    console.log(`${key.key_id}  ${state}  last used ${key.last_used_at ?? "never"}  ${rights}  ${key.name}`);
  }
}

async function rotate(platform: Platform, organizationId: string, values: Values): Promise<void> {
  const { db, clock } = platform;
  const keyId = values.key;
  if (!keyId) throw new Error(USAGE);
  const now = clock.now();
  const oldKeyWorksUntil = readInstant(values["old-key-works-until"]) ?? now;
  const made = await inOrganization(db, organizationId, (tx) =>
    rotateKey(tx, organizationId, { keyId, now, oldKeyWorksUntil }),
  );
  await record(platform, organizationId, { verb: "rotate", keyId });
  console.log(`key ${made.keyId}\n${made.token}   (shown once: keep it now)`);
}

async function revoke(platform: Platform, organizationId: string, values: Values): Promise<void> {
  const { db, clock } = platform;
  const keyId = values.key;
  if (!keyId) throw new Error(USAGE);
  await inOrganization(db, organizationId, (tx) => revokeKey(tx, organizationId, keyId, clock.now()));
  await record(platform, organizationId, { verb: "revoke", keyId });
  console.log(`key ${keyId} is revoked; it stops working within 5 seconds`);
}

function record(platform: Platform, organizationId: string, { verb, keyId }: { verb: string; keyId: string }) {
  return recordCommand(platform, organizationId, {
    command: `keys ${verb}`,
    operation: `${verb}ApiKey`,
    object: { type: "api_key", id: keyId },
  });
}

function readInstant(text: string | undefined): Temporal.Instant | null {
  if (text === undefined) return null;
  const instant = parseInstant(text);
  if (!instant) throw new Error(`"${text}" is not an instant; write for example 2027-01-31T00:00:00Z`);
  return instant;
}
