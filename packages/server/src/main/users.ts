/** `npm run users -- …`: people of all organizations, and links for those who cannot sign in. */
import { parseArgs } from "node:util";
import {
  addOwner,
  approveDomain,
  findUserByEmail,
  isBuiltIn,
  linkUrl,
  listDomains,
  listOrganizations,
  listUsers,
  makeInvitation,
  makeResetLink,
  newToken,
  normalizeEmail,
  relaxRules,
  removeFactors,
  revokeSessionsOfDomain,
  setUserDisabled,
  withdrawDomain,
} from "../modules/accounts/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { publicUrlOf, readConfig } from "./config.ts";
import { runCommand } from "./run-until-stopped.ts";

const USAGE = `Usage (ORG is the id that "npm run organizations -- list" shows):
  npm run users -- list
  npm run users -- create-owner  --organization ORG --email EMAIL --name NAME   and a link to choose a password
  npm run users -- invite        --organization ORG --email EMAIL --role ROLE   a link that works for 7 days
  npm run users -- reset         --email EMAIL    a link to choose another password, for 30 minutes
  npm run users -- disable       --email EMAIL    ends the sessions of a person, who cannot sign in any more
  npm run users -- enable        --email EMAIL
  npm run users -- relax-sign-in --organization ORG   takes back the demand for a second factor and for SSO
  npm run users -- remove-factors --email EMAIL   if a person has lost every second factor and all recovery codes
  npm run users -- domains
  npm run users -- approve-domain  --organization ORG --domain DOMAIN   lets the organization's identity provider sign in its people
  npm run users -- withdraw-domain --domain DOMAIN

Before you approve a domain, make sure that it is the organization's own: whoever runs its identity provider can sign in as any of its people
with an address of that domain. Before you remove the factors of a person, make sure who asks.`;

const options = {
  organization: { type: "string" },
  email: { type: "string" },
  name: { type: "string" },
  role: { type: "string" },
  domain: { type: "string" },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

await runCommand(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const commands = {
    ...{ list, "create-owner": createOwner, invite, reset, disable, enable, "relax-sign-in": relax },
    ...{ "remove-factors": dropFactors, domains, "approve-domain": approve, "withdraw-domain": withdraw },
  };
  const command = Object.entries(commands).find(([name]) => name === positionals[0])?.[1];
  if (!command) throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    await command(platform, values);
  } finally {
    await platform.close();
  }
});

async function list({ dispatcherDb }: Platform): Promise<void> {
  for (const row of await listUsers(dispatcherDb)) {
    const state = row.disabled_at ? "disabled" : "works   ";
    const place = row.organization_id
      ? `${row.built_in_role ?? "own role"} of ${row.organization_id}`
      : "no organization";
    console.log(`${row.id}  ${state}  ${row.email}  ${place}  ${row.name}`);
  }
}

async function createOwner(platform: Platform, values: Values): Promise<void> {
  const { dispatcherDb, clock } = platform;
  const organizationId = await demandOrganization(platform, values);
  const email = demandEmail(values);
  const name = values.name?.trim();
  if (!name) throw new Error(USAGE);
  const isNew = await addOwner(dispatcherDb, { organizationId, email, name, now: clock.now() });
  if (isNew) await reset(platform, values);
  else console.log(`${email} is an owner now, and signs in as before`);
}

async function invite(platform: Platform, values: Values): Promise<void> {
  const { db, clock, config } = platform;
  const organizationId = await demandOrganization(platform, values);
  const { role = "" } = values;
  if (!isBuiltIn(role)) throw new Error(`"${role}" is not a role; choose owner, admin, finance, developer or support`);
  const token = newToken();
  const chosen = { built_in_role: role, role_id: null };
  const invitation = { email: demandEmail(values), role: chosen, token, invitedBy: null, now: clock.now() };
  await inOrganization(db, organizationId, (tx) => makeInvitation(tx, organizationId, invitation));
  console.log(`Open ${linkUrl(publicUrlOf(config), "invitation", { token })}   (7 days, once)`);
}

async function reset({ dispatcherDb, clock, config }: Platform, values: Values): Promise<void> {
  const link = await makeResetLink({ dispatcherDb, clock, publicUrl: publicUrlOf(config) }, demandEmail(values));
  if (link === undefined) throw new Error("No person who may sign in has this address. See: npm run users -- list");
  console.log(`Open ${link}   (30 minutes, once)`);
}

function disable(platform: Platform, values: Values): Promise<void> {
  return setDisabled(platform, values, true);
}

function enable(platform: Platform, values: Values): Promise<void> {
  return setDisabled(platform, values, false);
}

async function setDisabled({ dispatcherDb, clock }: Platform, values: Values, isDisabled: boolean): Promise<void> {
  const email = demandEmail(values);
  const user = await findUserByEmail(dispatcherDb, email);
  if (!user) throw new Error("No person has this address. See: npm run users -- list");
  await setUserDisabled(dispatcherDb, { userId: user.id, isDisabled, now: clock.now() });
  console.log(
    isDisabled ? `${email} is signed out within 5 seconds, and cannot sign in` : `${email} can sign in again`,
  );
}

/** If the provider of an organization fails, nobody could reach it to change the rule. */
async function relax(platform: Platform, values: Values): Promise<void> {
  const organizationId = await demandOrganization(platform, values);
  await inOrganization(platform.db, organizationId, (tx) => relaxRules(tx, organizationId, platform.clock.now()));
  console.log("a password is enough to reach the organization, within 5 seconds");
}

async function dropFactors({ dispatcherDb, clock }: Platform, values: Values): Promise<void> {
  const email = demandEmail(values);
  const user = await findUserByEmail(dispatcherDb, email);
  if (!user) throw new Error("No person has this address. See: npm run users -- list");
  await removeFactors(dispatcherDb, user.id, clock.now());
  console.log(`${email} signs in with the password alone, and is signed out within 5 seconds`);
}

async function domains({ dispatcherDb }: Platform): Promise<void> {
  for (const { domain, organization_id, approved_at } of await listDomains(dispatcherDb))
    console.log(`${domain}  ${organization_id}  since ${approved_at.toString({ smallestUnit: "second" })}`);
}

async function approve(platform: Platform, values: Values): Promise<void> {
  const { dispatcherDb, clock } = platform;
  const organizationId = await demandOrganization(platform, values);
  const domain = demandDomain(values);
  const holder = await approveDomain(dispatcherDb, { domain, organizationId, now: clock.now() });
  if (holder !== organizationId)
    throw new Error(`${domain} is approved for the organization ${holder}. First: npm run users -- withdraw-domain`);
  console.log(`people of ${domain} sign in through the identity provider of ${organizationId} that names the domain`);
}

async function withdraw({ dispatcherDb, clock }: Platform, values: Values): Promise<void> {
  const domain = demandDomain(values);
  if (!(await withdrawDomain(dispatcherDb, domain))) throw new Error(`${domain} is not approved`);
  await revokeSessionsOfDomain(dispatcherDb, domain, clock.now());
  console.log(`no person of ${domain} is recognized by mail address; sessions through a provider end within 5 seconds`);
}

function demandDomain({ domain }: Values): string {
  if (!domain?.includes(".") || domain.includes("@")) throw new Error(USAGE);
  return domain.trim().toLowerCase();
}

async function demandOrganization({ dispatcherDb }: Platform, { organization }: Values): Promise<string> {
  const known = (await listOrganizations(dispatcherDb)).find(({ id }) => id === organization);
  if (!known) throw new Error(`No organization has the id ${organization}. See: npm run organizations -- list`);
  return known.id;
}

function demandEmail({ email }: Values): string {
  if (!email?.trim()) throw new Error(USAGE);
  return normalizeEmail(email);
}
