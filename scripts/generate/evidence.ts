/** The evidence page: the output of campaigns and benches in `evidence/`, with its limits. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CAMPAIGNS } from "../../prove/campaigns.ts";
import { GUARDS } from "../../prove/guards/guards.ts";
import { goalTable } from "./goals.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

const RESULTS = join(import.meta.dirname, "../../evidence");

type Figures = { readonly [name: string]: number | string | boolean | null | Figures | readonly unknown[] };

/** The run that `describeRun` adds. */
type Run = {
  at: string;
  commit: string;
  versions: Figures;
  machine: { cpus: number; memoryGiB: number; load: number };
};
type CampaignResult = Run & {
  campaign: string;
  hasPassed: boolean;
  options: { count: number; isNaive: boolean };
  seed: number;
  seconds: number;
  broken: Readonly<Record<string, number>>;
  figures: Readonly<Record<string, number>>;
  named?: Readonly<Record<string, number>>;
};
type BenchResult = Run & Figures & { bench: string; args?: readonly string[] };

const LIMITS = `These figures have limits:

- Killing a process is not a power loss: the operating system keeps the data that it has. Postgres ran with fsync on, except in \`crash-points\`, which kills only the service.
- All figures come from one machine whose host sometimes gave its cores to others. Compare ratios and counts, not seconds.
- No third party has repeated the runs yet. Each has its command, its seed and the commit that ran.
- A commit that is not in the history was squashed with others into one commit on main.
- A run without a fault is not a proof: after n kills without a fault, the chance of a fault in one kill is below 3/n, with 95 % confidence.
- Each campaign has a variant with a deliberate fault (\`--naive\`), which it must find. CI runs short forms of both.`;

/** Why campaigns that older versions of this page have are gone. */
const REPLACED = `Some campaigns of older versions of this page are gone. \`agreement\` replaces \`periods\`: it compares the days and periods of all zones.
\`lives\` replaces \`zone-years\`, \`zone-invoices\`, \`random-plans\` and \`invoice-properties\`: it draws its customers in all zones, with every price model.`;

export function describeEvidence(): string {
  const results = readdirSync(RESULTS)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name): CampaignResult | BenchResult => JSON.parse(readFileSync(join(RESULTS, name), "utf8")));
  const campaigns = results.filter((result): result is CampaignResult => "campaign" in result);
  const benches = results.filter((result): result is BenchResult => "bench" in result);
  return page(
    GENERATED,
    "# Evidence",
    `A command of this repository printed each figure on this page. The folder [evidence](../evidence) has the output. To repeat a run,
replace its file with the new output and run \`npm run generate\`.`,
    LIMITS,
    "## Campaigns",
    table(["Campaign", "What it shows", "Broken", "Seed"], campaigns.map(campaignRow)),
    REPLACED,
    ...campaigns.map(campaignSection),
    "## Benches",
    goalTable(benches),
    ...benches.map(benchSection),
  );
}

const campaignRow = ({ campaign, options, broken, seed, hasPassed }: CampaignResult): string[] => {
  const { summary = "", counts = "" } = CAMPAIGNS.get(campaign) ?? {};
  const found = Object.entries(broken).filter(([, count]) => count > 0);
  const text = found.map(([name, count]) => `${name}: ${count}`).join(", ");
  return [
    code(campaign),
    `${summary}: ${options.count} ${counts}`,
    hasPassed && text === "" ? "nothing" : text,
    `${seed}`,
  ];
};

function campaignSection(result: CampaignResult): string {
  const { campaign, options, figures, seconds, named = {} } = result;
  const command = `npm run prove -- ${campaign} --count ${options.count} --fresh`;
  const parts = [
    section(campaign, command, result, { ...figures, seconds }),
    CAMPAIGNS.get(campaign)?.inWords?.(figures) ?? "",
    campaign === "guards" ? guardTable() : "",
    Object.keys(named).length > 0 ? namedTable(named) : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const namedTable = (named: Readonly<Record<string, number>>): string =>
  folded(
    ["What was tried", "Times"],
    Object.entries(named).map(([name, times]) => [name, String(times)]),
  );

/** The current guards. The commit tells which ones existed at the time of the run. */
const guardTable = (): string =>
  table(
    ["Guard", "What it protects", "The test that notices"],
    GUARDS.map(({ name, protects, test }) => [name, protects, test.name]),
  );

function benchSection(result: BenchResult): string {
  const { bench, args = [], at: _at, commit: _commit, versions: _versions, machine: _machine, ...figures } = result;
  return section(bench, ["npm run bench --", bench, ...args].join(" "), result, figures);
}

function section(name: string, command: string, { at, commit, versions, machine }: Run, figures: Figures): string {
  const run = [
    `${at.slice(0, 10)}, commit ${commit.slice(0, 7)}`,
    ...Object.entries(versions).map(([program, version]) => `${program} ${version}`),
    `${machine.cpus} cores, ${machine.memoryGiB} GiB, load ${machine.load}`,
  ];
  return [`### ${name}`, `\`${command}\` (${run.join("; ")})`, folded(["Figure", "Value"], flatten(figures))].join(
    "\n\n",
  );
}

/** The most rows that a reader can scan. */
const ROWS_MAX = 30;

function folded(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const whole = table(head, rows);
  if (rows.length <= ROWS_MAX) return whole;
  return ["<details>", `<summary>All ${rows.length} rows</summary>`, "", whole, "", "</details>"].join("\n");
}

/** Nested figures get the names of their parents; a figure in a list gets the name of its first figure. */
const flatten = (figures: Figures, prefix = ""): string[][] =>
  Object.entries(figures).flatMap(([name, value]) => {
    if (isListOfFigures(value)) return value.flatMap((item) => flattenItem(item, `${prefix}${name}`));
    if (isFigures(value)) return flatten(value, `${prefix}${name}, `);
    return [[`${prefix}${name}`, typeof value === "string" ? value : JSON.stringify(value)]];
  });

function flattenItem(item: Figures, prefix: string): string[][] {
  const [[name = "", value] = [], ...others] = Object.entries(item);
  return flatten(Object.fromEntries(others), `${prefix}, ${name} ${value}, `);
}

const isFigures = (value: unknown): value is Figures =>
  value !== null && typeof value === "object" && !Array.isArray(value);

const isListOfFigures = (value: unknown): value is readonly Figures[] =>
  Array.isArray(value) && value.length > 0 && value.every(isFigures);
