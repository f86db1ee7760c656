/** The page of evidence: what campaigns and benches printed, as it is kept in `evidence/`, with what it does not say. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CAMPAIGNS } from "../../prove/campaigns.ts";
import { GUARDS } from "../../prove/guards/guards.ts";
import { goalTable } from "./goals.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

const RESULTS = join(import.meta.dirname, "../../evidence");

type Figures = { readonly [name: string]: number | string | boolean | null | Figures | readonly unknown[] };

/** As `describeRun` adds it. */
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

const LIMITS = `What these figures do not say:

- A process that is killed is not a machine that loses its power: what the operating system took, it kept. Postgres was run with fsync on, but for \`crash-points\`, which kills the service alone.
- One machine, whose host gave its cores to others at times: compare ratios and counts, not seconds.
- Nobody else has repeated them yet. The command of each is beside it, with the seed; the commit says which code it was.
- A commit that is not in the history was one of several that came to main as one: the code is there, under another name.
- Found nothing is not proof of nothing: after n kills without a fault, the chance of a fault in one kill is below 3/n, with 95 % confidence.
- Each campaign has a variant that is wrong on purpose (\`--naive\`), which must be found out. CI runs both in a short form.`;

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
    `Each figure here was printed by a command of this repository and is kept in [evidence](../evidence) as it was printed. Whoever repeats
one replaces its file by the new one and runs \`npm run generate\`.`,
    LIMITS,
    "## Campaigns",
    table(["Campaign", "What it shows", "Broken", "Seed"], campaigns.map(campaignRow)),
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

/** As they are today; which of them there were then, the commit says. */
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

/** So many rows are read by who looks for one of them. */
const ROWS_MAX = 30;

function folded(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const whole = table(head, rows);
  if (rows.length <= ROWS_MAX) return whole;
  return ["<details>", `<summary>All ${rows.length} rows</summary>`, "", whole, "", "</details>"].join("\n");
}

/** Nested figures get the names of what they are in; one of a list that of its first figure. */
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
