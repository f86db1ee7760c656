/** `npm run bench -- <name>`: measures one thing next to the bare engine in the same run, and prints what is needed to repeat it. */
import { describeRun } from "../scripts/describe-run.ts";
import { measureBillingRun } from "./billing-run.ts";
import { measureConsole } from "./console.ts";
import { makeConsolePictures } from "./console-pictures.ts";
import { measureTyping } from "./console-typing.ts";
import { measureBundle } from "./core-bundle.ts";
import { measureRating } from "./core-rating.ts";
import { makeDocumentSamples } from "./document-samples.ts";
import { measureDocuments } from "./documents.ts";
import { measureIngest } from "./ingest.ts";
import { measureLists } from "./lists.ts";
import { measurePackage } from "./package.ts";
import { measurePlanList } from "./plan-list.ts";
import { measureRelay } from "./relay.ts";
import { measureSecondOpinion } from "./second-opinion.ts";
import { measureUsage } from "./usage.ts";
import { measureUsageGrowth } from "./usage-growth.ts";

type Bench = { summary: string; measure: () => Promise<Readonly<Record<string, unknown>>> };

const BENCHES: ReadonlyMap<string, Bench> = new Map([
  [
    "core-rating",
    { summary: "ratings per second of a plan of 10 charges with 3 filters each", measure: measureRating },
  ],
  [
    "package",
    {
      summary: "seconds from the packed tarball to an invoice and its PDF, with npx; until npm run dev is ready",
      measure: measurePackage,
    },
  ],
  [
    "plan-list",
    { summary: "a page of 100 among 10,000 plans with 10 charges each, first and last", measure: measurePlanList },
  ],
  [
    "ingest",
    { summary: "events per second over HTTP, against the bare statement on the same tables", measure: measureIngest },
  ],
  [
    "lists",
    {
      summary: "p95 of lists, searches and the summary with 100 k customers, 1 M invoices and 10 M events",
      measure: measureLists,
    },
  ],
  [
    "usage",
    { summary: "the usage of a period with 1 M events, against the bare aggregate in SQL", measure: measureUsage },
  ],
  [
    "relay",
    {
      summary: "events per second into ClickHouse, against the bare insert; ingestion beside it",
      measure: measureRelay,
    },
  ],
  [
    "usage-growth",
    {
      summary: "the usage of a period with 1 M, 10 M and 100 M events: rollups, raw rows and Postgres",
      measure: measureUsageGrowth,
    },
  ],
  [
    "billing-run",
    {
      summary: "invoices per second for 1 k, 10 k and 100 k subscriptions, against the bare inserts of the same rows",
      measure: measureBillingRun,
    },
  ],
  [
    "second-opinion",
    { summary: "invoices per second with a second opinion on each, against none", measure: measureSecondOpinion },
  ],
  [
    "documents",
    { summary: "milliseconds per PDF of an invoice, against the bare compiler; memory", measure: measureDocuments },
  ],
  [
    "document-samples",
    { summary: "no figures: invoices and credit notes of every kind, for visual review", measure: makeDocumentSamples },
  ],
  [
    "console",
    {
      summary: "milliseconds until the main pages of the console show their content; on a slow machine and line",
      measure: measureConsole,
    },
  ],
  [
    "console-pictures",
    {
      summary: "no figures: every page of the console in every mode, for visual review and for the guide (--guide)",
      measure: makeConsolePictures,
    },
  ],
  [
    "console-typing",
    { summary: "milliseconds from a key in the plan editor to the paint of what it costs", measure: measureTyping },
  ],
  ["core-bundle", { summary: "the size of core in a browser, by stage", measure: measureBundle }],
]);

const [name = "", ...args] = process.argv.slice(2);
const bench = BENCHES.get(name);
if (bench) {
  console.log(JSON.stringify({ bench: name, args, ...(await bench.measure()), ...describeRun() }, null, 2));
} else {
  const list = [...BENCHES].map(([key, { summary }]) => `  ${key.padEnd(16)} ${summary}`);
  console.error(`npm run bench -- <name>\n\n${list.join("\n")}`);
  process.exitCode = 2;
}
