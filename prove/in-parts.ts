/**
 * A campaign of hours, in parts: each has a cluster of its own, which goes when the part is done. What is kept of it are its counts, few enough
 * to be carried to another machine and gone on with there.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describeCommit } from "../scripts/describe-run.ts";
import type { CampaignOptions, Outcome } from "./campaign.ts";
import { openProgress } from "./progress.ts";

type Counts = Record<string, number>;
type State = { done: number; postgres: string | null; broken: Counts; figures: Counts; named: Counts };

/** How it is named which commit parts were run at. */
const BY_COMMIT = "parts at commit ";

/** Given what a part has of its own; all that is counted is added up. */
export type Part = (options: CampaignOptions) => Promise<Outcome>;

export async function runInParts(options: CampaignOptions, parts: readonly Part[]): Promise<Outcome> {
  const [only] = parts;
  if (only && parts.length === 1) return only(options);
  const fresh: State = { done: 0, postgres: null, broken: {}, figures: {}, named: {} };
  const { state, keep } = await openProgress(options, fresh);
  const { dataFolder, say } = options;
  say(`seed ${state.seed}, ${state.done} of ${parts.length} parts done before`);
  for (const [index, part] of [...parts.entries()].slice(state.done)) {
    const partFolder = dataFolder === undefined ? undefined : join(dataFolder, "part");
    await keep();
    const own = { ...options, seed: state.seed + index, dataFolder: partFolder };
    const outcome = await part({ ...own, say: (line) => say(`part ${index + 1}: ${line}`) });
    add(state.broken, outcome.broken);
    add(state.figures, outcome.figures);
    add(state.named, { [`${BY_COMMIT}${describeCommit()}`]: 1 });
    state.postgres = outcome.postgres ?? null;
    state.done++;
    await keep();
    if (partFolder !== undefined) await rm(partFolder, { recursive: true, force: true, maxRetries: 20 });
  }
  const { seed, seconds, broken, figures, named, postgres } = state;
  return { seed, seconds, ...(postgres === null ? {} : { postgres }), broken, figures, named };
}

type Recorded = Pick<Outcome, "seed" | "seconds" | "broken" | "figures" | "named" | "postgres">;

/** A record of fewer parts as the progress of a campaign, so that another machine adds parts to it. */
export async function continueRecord(dataFolder: string, recorded: Recorded): Promise<void> {
  const { seed, seconds, broken, figures, named = {}, postgres = null } = recorded;
  const parts = Object.entries(named).filter(([name]) => name.startsWith(BY_COMMIT));
  const done = parts.reduce((sum, [, count]) => sum + count, 0);
  if (done === 0) throw new Error("This record is not of a campaign in parts: run the campaign with --fresh.");
  await mkdir(dataFolder, { recursive: true });
  const state: State & Pick<Outcome, "seed" | "seconds"> = { done, postgres, broken, figures, named, seed, seconds };
  await writeFile(join(dataFolder, "progress.json"), JSON.stringify(state));
}

function add(sums: Counts, counts: Readonly<Counts>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}
