/**
 * `npm run verify -- --invoices`: recomputes every finalized invoice and compares. A file stores the progress, and a later run continues
 * from there.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { listOrganizations } from "../modules/accounts/index.ts";
import { countInvoices, type Position, type Verification, verifyInvoices } from "../modules/proof/index.ts";
import { composePlatform } from "./compose.ts";
import { readConfig } from "./config.ts";

export type InvoiceRequest = {
  /** Default: all organizations. */
  organizationId: string | undefined;
  positionFile: string | undefined;
  concurrency: number;
  isJson: boolean;
};

/** The progress at a position, so that a stopped run can continue its counts. */
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
  if (before) console.error(`continuing after invoice ${before.invoiceId}: ${checked} of ${total} are done`);
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
      console.error(`${checked} of ${total} recomputed, ${rate.toFixed(0)} per second, different: ${differing}`);
    },
    finish: (): number => {
      if (positionFile !== undefined) rmSync(positionFile, { force: true });
      const seconds = ((milliseconds() - startedAt) / 1000).toFixed(1);
      console.error(`${checked} invoices recomputed in ${seconds} s, different: ${differing}`);
      return differing;
    },
  };
}

/** The position of another run would silently skip invoices. */
function readProgress(file: string | undefined, of: string): Progress | null {
  if (file === undefined || !existsSync(file)) return null;
  const progress: Progress = JSON.parse(readFileSync(file, "utf8"));
  if (progress.of !== of) throw new Error(`${file} is the position of a run over ${progress.of}, not over ${of}`);
  return progress;
}

/** Written to another file and renamed, so that the file is complete whenever the process is killed. */
function keepProgress(file: string | undefined, progress: Progress): void {
  if (file === undefined) return;
  writeFileSync(`${file}.next`, JSON.stringify(progress));
  renameSync(`${file}.next`, file);
}

const SHOWN_MAX = 10;

function inWords(organizationId: string, { invoiceId, number, differences, causes }: Verification): string {
  const shown = differences
    .slice(0, SHOWN_MAX)
    .map(({ member, stored, recomputed }) => `    ${member}: stored ${stored}, recomputed ${recomputed}`);
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
