/** The goals of the benches and their recorded results. The linked page explains missed goals. */
import { LARGEST_MAX_MS, SHIFT_MAX } from "../../bench/console/load-page.ts";
import { table } from "./markdown.ts";

/** `figure`: its path in the record. */
type Goal = { what: string; figure: string } & ({ atLeast: number } | { atMost: number });
type GoalsOfBench = { bench: string; limits: string; goals: readonly Goal[] };

const GOALS: readonly GoalsOfBench[] = [
  {
    bench: "ingest",
    limits: "scale.md#what-was-measured",
    goals: [
      { what: "events in batches of 100 over HTTP, of the bare statement", figure: "batches.ratio", atLeast: 0.9 },
      { what: "single events, of a statement a request", figure: "singles.toStatementARequest", atLeast: 2 },
      { what: "with many events stored, of the speed with none", figure: "stored.ratio", atLeast: 0.8 },
    ],
  },
  {
    bench: "usage",
    limits: "scale.md#how-usage-grows-with-the-events-of-a-period",
    goals: [
      "sum",
      "count",
      "max",
      "latest",
      "unique count",
      "weighted sum",
      "sum at a percentage",
      "sum at a percentage between limits: the value of each event, in order",
    ].map((kind) => ({
      what: `usage of 1 M events, of the bare aggregate: ${kind}`,
      figure: `oneMetric.${kind}.ratio`,
      atMost: 1.3,
    })),
  },
  {
    bench: "usage-growth",
    limits: "scale.md#how-usage-grows-with-the-events-of-a-period",
    goals: ["sum", "count", "max"].map((kind) => ({
      what: `usage of 100 M events by rollups, of that of 1 M: ${kind}`,
      figure: `growth.cells.${kind}.times`,
      atMost: 2,
    })),
  },
  {
    bench: "relay",
    limits: "scale.md#what-was-measured",
    goals: [
      { what: "events copied to ClickHouse, of the bare insert", figure: "copying.ratio", atLeast: 0.8 },
      { what: "ingestion while they are copied, of that without", figure: "ingesting.ratio", atLeast: 0.8 },
      { what: "from an answer until usage has it, p99 in ms", figure: "visibility.p99Ms", atMost: 1000 },
    ],
  },
  {
    bench: "billing-run",
    limits: "scale.md#the-first-of-a-month",
    goals: [
      ...["1,000", "10,000", "100,000"].map((subscriptions, index) => ({
        what: `invoices of ${subscriptions} subscriptions, of the bare inserts`,
        figure: `figures.${index}.ratio`,
        atLeast: 0.5,
      })),
      { what: "cost of an invoice at 100,000, of that at 1,000", figure: "costOfLastAgainstFirst", atMost: 1.2 },
    ],
  },
  {
    bench: "package",
    limits: "scale.md#time-to-start",
    goals: [
      ...["npx, nothing cached, Node fetched too", "npx, nothing cached"].map((way) => ({
        what: `seconds to the PDF of the first invoice: ${way}`,
        figure: `${way}.pdf`,
        atMost: 30,
      })),
      { what: "seconds until `npm run dev` is ready again", figure: "npm run dev.warmMedian", atMost: 6 },
    ],
  },
  {
    bench: "lists",
    limits: "scale.md#lists-and-searches",
    goals: [{ what: "p95 of the slowest list, search or summary, in ms", figure: "slowestP95Ms", atMost: 500 }],
  },
  {
    bench: "console",
    limits: "scale.md#pages-of-the-console",
    goals: [
      {
        what: "ms until the slowest page of the console shows its largest content",
        figure: "worst.fastLargestMs",
        atMost: LARGEST_MAX_MS.fast,
      },
      {
        what: "the same with a processor 4 times slower, 10 Mbit/s and 40 ms",
        figure: "worst.slowLargestMs",
        atMost: LARGEST_MAX_MS.slow,
      },
      { what: "what moves on a page while it is loaded", figure: "worst.shift", atMost: SHIFT_MAX },
    ],
  },
  {
    bench: "plan-list",
    limits: "scale.md",
    goals: [
      { what: "last page of 10,000 plans, of the first", figure: "withoutTaxes.lastToFirst", atMost: 1.5 },
      { what: "the same, plans with taxes", figure: "withTaxes.lastToFirst", atMost: 1.5 },
    ],
  },
];

/** Only benches with a record. */
export function goalTable(records: readonly { readonly bench: string }[]): string {
  const rows = GOALS.flatMap(({ bench, limits, goals }) => {
    const record = records.find((each) => each.bench === bench);
    return record === undefined ? [] : goals.map((goal) => goalRow(goal, { bench, limits, record }));
  });
  return table(["Bench", "What", "Measured", "Goal", "Reached"], rows);
}

function goalRow(goal: Goal, { bench, limits, record }: { bench: string; limits: string; record: object }): string[] {
  const measured = Number(figureAt(record, goal.figure));
  if (Number.isNaN(measured)) throw new Error(`The record of ${bench} has no figure ${goal.figure}.`);
  const isReached = "atLeast" in goal ? measured >= goal.atLeast : measured <= goal.atMost;
  const limit = "atLeast" in goal ? `${goal.atLeast} or more` : `${goal.atMost} or less`;
  return [`[${bench}](#${bench})`, goal.what, `${measured}`, limit, isReached ? "yes" : `**no**: [why](${limits})`];
}

function figureAt(record: object, path: string): unknown {
  let found: unknown = record;
  for (const name of path.split(".")) found = Object(found)[name];
  return found;
}
