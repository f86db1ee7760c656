/** `npm run verify`: checks the database of VERIFY_DATABASE_URL and reports which promises are broken. It reads and never writes. */
import { parseArgs } from "node:util";
import { type Finding, STATEMENT_TIMEOUT_MS, verify } from "../verify/index.ts";
import { masterKeysOf, readConfig } from "./config.ts";
import { runCommand } from "./run-until-stopped.ts";
import { type InvoiceRequest, verifyAllInvoices } from "./verify-invoices.ts";

const USAGE = `Usage:
  npm run verify -- [--only NAME] [--json] [--limit-seconds N]
  npm run verify -- --invoices [--organization ORG] [--position FILE] [--concurrency N] [--json]

  --only NAME          this invariant only; may be given several times
  --json               all findings as one JSON array on stdout, the progress on stderr
  --limit-seconds N    how long one invariant may take (${STATEMENT_TIMEOUT_MS / 1000}); 0 means no limit

  --invoices           recomputes every finalized invoice from its stored inputs, and names the cause of a difference
  --organization ORG   only the invoices of this organization
  --position FILE      stores the progress, so that a later run continues; the file is removed at the end
  --concurrency N      how many invoices at the same time (2)

Exit code: 0 every promise is kept, 1 a promise is broken, 2 the check could not run.`;

const BROKEN = 1;
const COULD_NOT_LOOK = 2;

let exitCode = COULD_NOT_LOOK;
await runCommand(async () => {
  const { only, json, limitMs, invoices } = readArguments();
  if (invoices !== null) {
    exitCode = (await verifyAllInvoices(invoices)) === 0 ? 0 : BROKEN;
    return;
  }
  const config = readConfig();
  const findings = await verify(config.VERIFY_DATABASE_URL, {
    ...(only === undefined ? {} : { only }),
    statementTimeoutMs: limitMs,
    masterKeys: masterKeysOf(config),
    onChecked: json ? (finding) => console.error(inALine(finding)) : showFinding,
  });
  const brokenCount = findings.filter(({ broken }) => broken > 0).length;
  console.log(json ? JSON.stringify(findings) : inTotal(findings.length, brokenCount));
  exitCode = brokenCount === 0 ? 0 : BROKEN;
});
process.exitCode = exitCode;

function readArguments() {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
      invoices: { type: "boolean", default: false },
      organization: { type: "string" },
      position: { type: "string" },
      concurrency: { type: "string", default: "2" },
      "limit-seconds": { type: "string", default: String(STATEMENT_TIMEOUT_MS / 1000) },
    },
  });
  const { only, json, "limit-seconds": limit } = values;
  if (!/^\d{1,6}$/.test(limit)) throw new Error(USAGE);
  if (!/^[1-9]\d?$/.test(values.concurrency)) throw new Error(USAGE);
  const request: InvoiceRequest = {
    organizationId: values.organization,
    positionFile: values.position,
    concurrency: Number(values.concurrency),
    isJson: json,
  };
  return { only, json, limitMs: Number(limit) * 1000, invoices: values.invoices ? request : null };
}

function inALine({ name, broken, seconds }: Finding): string {
  return `${broken === 0 ? "kept  " : "BROKEN"} ${seconds.toFixed(3).padStart(8)} s  ${name}`;
}

function showFinding(finding: Finding): void {
  console.log(inALine(finding));
  const { broken, promise, rows } = finding;
  if (broken === 0) return;
  console.log(`    ${promise}`);
  console.log(`    Broken by ${broken} ${broken === 1 ? "row" : "rows"}${rows.length < broken ? "; the first" : ""}:`);
  for (const row of rows) console.log(`    ${JSON.stringify(row)}`);
}

function inTotal(count: number, brokenCount: number): string {
  if (brokenCount > 0) return `${brokenCount} of ${count} promises ${brokenCount === 1 ? "is" : "are"} broken.`;
  return count === 1 ? "The promise is kept." : `All ${count} promises are kept.`;
}
