/** `npm run bench -- <name>`: measures one thing, beside the bare engine in the same run, and prints what a stranger needs to repeat it. */
import { describeRun } from "../scripts/describe-run.ts";
import { measureBundle } from "./core-bundle.ts";
import { measureRating } from "./core-rating.ts";
import { measureIngest } from "./ingest.ts";
import { measurePlanList } from "./plan-list.ts";
import { measureUsage } from "./usage.ts";

type Bench = { summary: string; measure: () => Promise<Readonly<Record<string, unknown>>> };

const BENCHES: ReadonlyMap<string, Bench> = new Map([
  [
    "core-rating",
    { summary: "ratings per second of a plan of 10 charges with 3 filters each", measure: measureRating },
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
    "usage",
    { summary: "the usage of a period with 1 M events, against the bare aggregate in SQL", measure: measureUsage },
  ],
  ["core-bundle", { summary: "the size of core in a browser, by stage", measure: measureBundle }],
]);

const [name = ""] = process.argv.slice(2);
const bench = BENCHES.get(name);
if (bench) {
  console.log(JSON.stringify({ bench: name, ...(await bench.measure()), ...describeRun() }, null, 2));
} else {
  const list = [...BENCHES].map(([key, { summary }]) => `  ${key.padEnd(14)} ${summary}`);
  console.error(`npm run bench -- <name>\n\n${list.join("\n")}`);
  process.exitCode = 2;
}
