/** `npm run billing -- …`: pause and resume the invoices of an organization, and see which wait. */
import { parseArgs } from "node:util";
import { listWaiting, pauseBilling, resumeBilling } from "../modules/invoices/index.ts";
import { listOrganizations } from "../modules/organizations/index.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { runCommand } from "./run-until-stopped.ts";

const USAGE = `Usage (ORG is the id that "npm run organizations -- list" shows):
  npm run billing -- pause   --organization ORG   invoices are neither made nor finalized; everything else goes on
  npm run billing -- waiting --organization ORG   which invoices wait
  npm run billing -- resume  --organization ORG   what waited is made, each once, as of its own instant`;

const SHOWN_MAX = 1000;

await runCommand(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { organization: { type: "string" } } });
  const command = { pause, resume, waiting }[positionals[0] ?? ""];
  if (!command || !values.organization) throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    const known = await listOrganizations(platform.dispatcherDb);
    const organization = known.find(({ id }) => id === values.organization);
    if (!organization)
      throw new Error(`No organization has the id ${values.organization}. See: npm run organizations -- list`);
    await command(platform, organization.id);
  } finally {
    await platform.close();
  }
});

async function pause({ db, clock }: Platform, organizationId: string): Promise<void> {
  await pauseBilling({ db, organizationId }, clock.now());
  console.log("billing is paused; what is being made just now is still finished");
}

async function resume({ db, registry }: Platform, organizationId: string): Promise<void> {
  const count = await resumeBilling({ db, organizationId }, registry.settleDelay);
  console.log(`billing goes on; released: ${count}`);
}

async function waiting({ db }: Platform, organizationId: string): Promise<void> {
  const invoices = await listWaiting({ db, organizationId }, SHOWN_MAX);
  for (const { invoiceId, externalCustomerId, waitsFor, dueAt } of invoices)
    console.log(`${invoiceId}  ${waitsFor} since ${dueAt}  ${externalCustomerId}`);
  console.log(`waiting: ${invoices.length}${invoices.length === SHOWN_MAX ? " or more" : ""}`);
}
