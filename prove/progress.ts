/** How far a campaign without a database has come, kept in a file, so that one that was stopped goes on. */
import { randomInt } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CampaignOptions } from "./campaign.ts";

type Kept = { seed: number; seconds: number };

export type ProgressKeeper<State> = {
  readonly state: State & Kept;
  /** Writes the state down, with the time that was spent until now. */
  readonly keep: () => Promise<void>;
};

/** The state of the campaign that was stopped here, or of a new one. */
export async function openProgress<State>(
  { dataFolder, seed }: Pick<CampaignOptions, "dataFolder" | "seed">,
  fresh: State,
): Promise<ProgressKeeper<State>> {
  const file = dataFolder === undefined ? undefined : join(dataFolder, "progress.json");
  const kept = file === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined);
  const state: State & Kept = kept === undefined ? { ...fresh, seed: chooseSeed(seed), seconds: 0 } : JSON.parse(kept);
  demandSameSeed(seed, state.seed);
  const begun = performance.now();
  const before = state.seconds;
  const keep = async () => {
    state.seconds = Math.round(before + (performance.now() - begun) / 1000);
    if (dataFolder === undefined || file === undefined) return;
    await mkdir(dataFolder, { recursive: true });
    await writeFile(file, JSON.stringify(state));
  };
  return { state, keep };
}

export const chooseSeed = (seed: number | undefined): number => seed ?? randomInt(1, 2 ** 30);

export function demandSameSeed(seed: number | undefined, begunWith: number): void {
  if (seed !== undefined && seed !== begunWith)
    throw new Error(`This campaign was begun with the seed ${begunWith}: leave out --seed, or add --fresh.`);
}
