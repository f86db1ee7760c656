/** `npm run verify -- --invoices`: makes every finalized invoice again and compares. A file keeps how far it is, and it goes on from there. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { listOrganizations } from "../modules/accounts/index.ts";
import { countInvoices, type Position, type Verification, verifyInvoices } from "../modules/proof/index.ts";
import { composePlatform } from "./compose.ts";
import { readConfig } from "./config.ts";

export type InvoiceRequest = {
  /** All of them unless said. */
  organizationId: string | undefined;
  positionFile: string | undefined;
  concurrency: number;
  isJson: boolean;
};

/** What is known at a position: with it a walk that was stopped counts on. */
type Progress = Position & { of: string; checked: number; differing: number };

const REPORT_EVERY_MS = 5_000;

/** How many invoices differ. */
export async function verifyAllInvoices(request: InvoiceRequest): Promise<number> {
  const platform = composePlatform(readConfig());
  try {
    const known = (await listOrganizations(platform.dispatcherDb)).map(({ id }) => id);
    const organizationIds = known.filter((id) => request.organizationId === undefined || id === request.organizationId);
    if (request.organizationId !== undefined && organizationIds.length === 0)
      throw new Error(`No organization has the id ${request.organizationId}. See: npm run organizations -- list`);
    const tally = openTally(request, await countInvoices(platform, organizationIds), () => performance.now());
    await verifyInvoices(platform, { ...tally, organizationIds, concurrency: request.concurrency });
    return tally.finish();
  } finally {
    await platform.close();
  }
}

function openTally(
  { organizationId: requested, positionFile, isJson }: InvoiceRequest,
  total: number,
  milliseconds: () => number,
) {
  const of = requested ?? "all";
  const before = readProgress(positionFile, of);
  let [checked, differing] = [before?.checked ?? 0, before?.differing ?? 0];
  const [startedAt, first] = [milliseconds(), checked];
  let reportedAt = startedAt;
  if (before) console.error(`going on after invoice ${before.invoiceId}: ${checked} of ${total} were done`);
  return {
    after: before,
    onVerified: (organizationId: string, verification: Verification): void => {
      checked++;
      if (verification.differences.length === 0) return;
      differing++;
      console.log(isJson ? JSON.stringify({ organizationId, ...verification }) : inWords(organizationId, verification));
    },
    onPosition: (position: Position): void => {
      keepProgress(positionFile, { ...position, of, checked, differing });
      if (milliseconds() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = milliseconds();
      const rate = ((checked - first) * 1000) / (reportedAt - startedAt);
      console.error(`${checked} of ${total} made again, ${rate.toFixed(0)} a second, different: ${differing}`);
    },
    finish: (): number => {
      if (positionFile !== undefined) rmSync(positionFile, { force: true });
      const seconds = ((milliseconds() - startedAt) / 1000).toFixed(1);
      console.error(`${checked} invoices made again in ${seconds} s, different: ${differing}`);
      return differing;
    },
  };
}

/** A position of another walk would leave out invoices, and nobody would know. */
function readProgress(file: string | undefined, of: string): Progress | null {
  if (file === undefined || !existsSync(file)) return null;
  const progress: Progress = JSON.parse(readFileSync(file, "utf8"));
  if (progress.of !== of) throw new Error(`${file} is the position of a walk over ${progress.of}, not over ${of}`);
  return progress;
}

/** Renamed into its place: whenever the process is killed, the file says a whole position. */
function keepProgress(file: string | undefined, progress: Progress): void {
  if (file === undefined) return;
  writeFileSync(`${file}.next`, JSON.stringify(progress));
  renameSync(`${file}.next`, file);
}

const SHOWN_MAX = 10;

function inWords(organizationId: string, { invoiceId, number, differences, causes }: Verification): string {
  const shown = differences
    .slice(0, SHOWN_MAX)
    .map(({ member, stored, recomputed }) => `    ${member}: stored ${stored}, made again ${recomputed}`);
  const more = differences.length - shown.length;
  return [
    `DIFFERENT ${number}  invoice ${invoiceId} of organization ${organizationId}`,
    ...causes.map(({ cause, message, transactionIds: events }) =>
      [`    ${cause}: ${message}`, ...(events.length > 0 ? [`events ${events.join(", ")}`] : [])].join("; "),
    ),
    ...shown,
    ...(more > 0 ? [`    and ${more} more`] : []),
  ].join("\n");
}
