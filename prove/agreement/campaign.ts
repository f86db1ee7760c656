/** Random cases through core and through the oracle, which shares no code with it: they must agree to the cent. */
import { setImmediate as breathe } from "node:timers/promises";
import fc from "fast-check";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress } from "../progress.ts";
import type { Comparison } from "./comparison.ts";
import { COMPARISONS } from "./comparisons.ts";
import { NAIVE_COMPARISONS } from "./naive.ts";

/** Progress is kept after so many cases of a kind. */
const CHUNK = 1000;

type State = { seed: number; done: Record<string, number>; differing: Record<string, number> };

export const agreement: Campaign = {
  summary: "core against an independent oracle in exact rationals, to the cent",
  counts: "cases of each kind",
  countByDefault: 100_000,
  run: runAgreement,
};

export async function runAgreement(options: CampaignOptions): Promise<Outcome> {
  const { state, keep } = await openProgress<Omit<State, "seed">>(options, { done: {}, differing: {} });
  options.say(`seed ${state.seed}`);
  for (const comparison of options.isNaive ? NAIVE_COMPARISONS : COMPARISONS) {
    while ((state.done[comparison.name] ?? 0) < options.count) {
      options.signal.throwIfAborted();
      runChunk(comparison, state, options);
      await keep();
      await breathe();
    }
    options.say(`${comparison.name}: ${state.done[comparison.name]} cases`);
  }
  return { seed: state.seed, seconds: state.seconds, broken: state.differing, figures: state.done };
}

/** One chunk has a seed of its own, so that a run that goes on makes the cases it would have made. */
function runChunk(comparison: Comparison, state: State, options: CampaignOptions): void {
  const done = state.done[comparison.name] ?? 0;
  const numRuns = Math.min(CHUNK, options.count - done);
  // A mistake that was planted need not be explained by its smallest case.
  const endOnFailure = options.isNaive;
  const property = fc.property(comparison.cases, comparison.agrees);
  const found = fc.check(property, { seed: state.seed + done, numRuns, endOnFailure });
  if (found.failed) options.say(`${comparison.name} differs: ${describe(found)}`);
  state.done[comparison.name] = done + numRuns;
  state.differing[comparison.name] = (state.differing[comparison.name] ?? 0) + (found.failed ? 1 : 0);
}

const describe = ({ counterexample, errorInstance, seed }: fc.RunDetails<[unknown]>): string =>
  `${fc.stringify(counterexample)} (seed ${seed}) ${errorInstance instanceof Error ? errorInstance.message : ""}`;
