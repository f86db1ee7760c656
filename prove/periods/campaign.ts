/** Every zone, interval, billing time and awkward anchor from 2024 to 2035: periods that tile. */
import * as core from "../../packages/core/src/time/index.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress } from "../progress.ts";
import { ALL_ZONES } from "../zones.ts";
import { naiveTime } from "./naive-time.ts";
import { checkPeriods } from "./periods.ts";

/** Progress is kept after so many zones. */
const CHUNK = 10;

export const periods: Campaign = {
  summary: "periods of all zones, intervals, billing times and anchors, 2024 to 2035: no gap, no overlap",
  counts: "zones",
  countByDefault: ALL_ZONES.length,
  run: runPeriods,
};

async function runPeriods(options: CampaignOptions): Promise<Outcome> {
  const { state, keep } = await openProgress(options, { zones: 0, periods: 0, faults: 0 });
  const count = Math.min(options.count, ALL_ZONES.length);
  while (state.zones < count) {
    const zones = ALL_ZONES.slice(state.zones, Math.min(state.zones + CHUNK, count));
    const time = options.isNaive ? { ...core, ...naiveTime } : core;
    const found = await checkPeriods({
      zones,
      fromYear: 2024,
      toYear: 2035,
      time,
      say: () => undefined,
      signal: options.signal,
    });
    for (const fault of found.faults) options.say(fault);
    state.zones += zones.length;
    state.periods += found.periods;
    state.faults += found.faults.length;
    await keep();
    options.say(`${state.zones} of ${count} zones, ${state.periods} periods, ${state.faults} faults`);
  }
  const { seed, seconds, faults } = state;
  return { seed, seconds, broken: { faults }, figures: { zones: state.zones, periods: state.periods } };
}
