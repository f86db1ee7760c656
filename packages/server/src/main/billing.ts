/** `npm run billing -- …`: pauses and resumes the invoices of an organization, and lists waiting, held and parked ones. */
import { parseArgs } from "node:util";
import { listOrganizations } from "../modules/accounts/index.ts";
import {
  listHeld,
  listParked,
  listWaiting,
  releaseInvoice,
  retryItem,
  setPaused,
  showHeld,
  skipItem,
} from "../modules/invoicing/index.ts";
import { inOrganization } from "../platform/postgres/database.ts";
import { composePlatform, type Platform } from "./compose.ts";
import { readConfig } from "./config.ts";
import { recordCommand } from "./record-command.ts";
import { runCommand } from "./run-until-stopped.ts";

const USAGE = `Usage (ORG is the id that "npm run organizations -- list" shows):
  npm run billing -- pause   --organization ORG   creates and finalizes no invoices; everything else goes on
  npm run billing -- waiting --organization ORG   lists the waiting invoices, with the reason
  npm run billing -- resume  --organization ORG   creates each waiting invoice once, as of its own instant
  npm run billing -- held    --organization ORG   lists the invoices that are held because two computations differ, with the differences
  npm run billing -- held    --organization ORG --invoice ID   shows both computations of an invoice
  npm run billing -- release --organization ORG --invoice ID [--reason TEXT]   finalizes a held invoice with the first computation
  npm run billing -- parked  --organization ORG   lists what cannot be billed and waits for an operator, with the reason
  npm run billing -- retry   --organization ORG --item ID --reason TEXT   retries a parked item at once
  npm run billing -- skip    --organization ORG --item ID --reason TEXT   skips a parked item: it is never billed`;

const SHOWN_MAX = 1000;

type Values = { invoice?: string | undefined; item?: string | undefined; reason?: string | undefined };

/** What is recorded in the trail. */
const CHANGES: Readonly<Record<string, { operation: string; type: string }>> = {
  pause: { operation: "pauseBilling", type: "organization" },
  resume: { operation: "resumeBilling", type: "organization" },
  release: { operation: "releaseInvoice", type: "invoice" },
  retry: { operation: "retryParkedItem", type: "parked_item" },
  skip: { operation: "skipParkedItem", type: "parked_item" },
};

await runCommand(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      organization: { type: "string" },
      invoice: { type: "string" },
      item: { type: "string" },
      reason: { type: "string" },
    },
  });
  const verb = positionals[0] ?? "";
  const command = { pause, resume, waiting, held, release, parked, retry, skip }[verb];
  if (!command || !values.organization) throw new Error(USAGE);
  const platform = composePlatform(readConfig());
  try {
    const known = await listOrganizations(platform.dispatcherDb);
    const organization = known.find(({ id }) => id === values.organization);
    if (!organization)
      throw new Error(`No organization has the id ${values.organization}. See: npm run organizations -- list`);
    await command(platform, organization.id, values);
    const change = CHANGES[verb];
    if (change)
      await recordCommand(platform, organization.id, {
        command: `billing ${verb}`,
        operation: change.operation,
        object: { type: change.type, id: values.invoice ?? values.item ?? organization.id },
      });
  } finally {
    await platform.close();
  }
});

async function pause(platform: Platform, organizationId: string): Promise<void> {
  await setPaused(platform, organizationId, platform.clock.now());
  console.log("billing is paused; invoices in progress are still finished");
}

async function resume(platform: Platform, organizationId: string): Promise<void> {
  const count = await setPaused(platform, organizationId, null);
  console.log(`billing is resumed; released: ${count}`);
}

async function waiting(platform: Platform, organizationId: string): Promise<void> {
  const invoices = await listWaiting(platform, organizationId, SHOWN_MAX);
  for (const { invoiceId, externalCustomerId, waitsFor, dueAt, error } of invoices)
    console.log(`${invoiceId}  ${waitsFor} since ${dueAt}  ${externalCustomerId}${error ? `  ${error}` : ""}`);
  console.log(`waiting: ${invoices.length}${invoices.length === SHOWN_MAX ? " or more" : ""}`);
}

async function held(platform: Platform, organizationId: string, { invoice: id }: Values): Promise<void> {
  if (id !== undefined) {
    const derivations = await showHeld(platform, organizationId, id);
    if (!derivations) throw new Error(`No invoice ${id} of this organization is or was held.`);
    console.log(JSON.stringify(derivations, null, 2));
    return;
  }
  const invoices = await listHeld(platform, organizationId, SHOWN_MAX);
  for (const { id: invoice_id, step, held_at, times, external_customer_id, differences } of invoices) {
    console.log(`${invoice_id}  ${step} since ${held_at}, ${times} times  ${external_customer_id}`);
    for (const { figure, first, second } of differences) console.log(`    ${figure}: first ${first}, second ${second}`);
  }
  console.log(`held: ${invoices.length}${invoices.length === SHOWN_MAX ? " or more" : ""}`);
}

async function release(platform: Platform, organizationId: string, { invoice: id, reason }: Values): Promise<void> {
  if (id === undefined) throw new Error(USAGE);
  const released = await releaseInvoice(platform, { organizationId, id, reason: reason || null });
  console.log(`released: ${released.number ?? released.id} is ${released.status}`);
}

async function parked({ db }: Platform, organizationId: string): Promise<void> {
  const items = await listParked(db, organizationId, SHOWN_MAX);
  for (const { id, kind, object_type, object_id, external_id, attempts, parked_at, reason } of items) {
    const object = `${object_type} ${external_id ?? object_id}`;
    console.log(`${id}  ${kind} since ${parked_at}, ${attempts} attempts  ${object}`);
    console.log(`    ${reason}`);
  }
  console.log(`parked: ${items.length}${items.length === SHOWN_MAX ? " or more" : ""}`);
}

async function retry(platform: Platform, organizationId: string, { item: id, reason }: Values): Promise<void> {
  if (id === undefined || !reason) throw new Error(USAGE);
  const { status, reason: why } = await retryItem(platform, { organizationId, id, reason });
  console.log(status === "retried" ? `retried: ${id}` : `${id} is still parked: ${why}`);
}

async function skip(platform: Platform, organizationId: string, { item: id, reason }: Values): Promise<void> {
  if (id === undefined || !reason) throw new Error(USAGE);
  await inOrganization(platform.db, organizationId, (tx) => skipItem(tx, platform, { organizationId, id, reason }));
  console.log(`skipped: ${id}`);
}
