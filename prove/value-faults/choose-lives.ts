/** Which lives are most likely to show a fault: those in whose steps come, in order and often, the steps that it needs. */
import { drawLife, drawSettingOf } from "../lives/live.ts";
import type { Fault } from "./fault.ts";

const CHOSEN_FROM = 2000;

/** The same for the same seed; the likeliest first. Before all others, those in which there is for sale what the fault is about. */
export function chooseLives(
  seed: number,
  { steps: needed, sells }: Pick<Fault, "steps" | "sells">,
  count: number,
): number[] {
  const lives = Array.from({ length: CHOSEN_FROM }, (_, index) => index + 1);
  const ranked = lives.map((life) => ({
    life,
    isSold: sells?.(drawSettingOf(seed, life)) ? 1 : 0,
    met: countMet(drawLife(seed, life).steps, needed),
  }));
  return ranked
    .toSorted((one, other) => other.isSold - one.isSold || other.met - one.met || one.life - other.life)
    .slice(0, count)
    .map(({ life }) => life);
}

/** How many of the needed steps are met, one after the other, again and again. */
function countMet(steps: readonly { readonly kind: string }[], needed: readonly string[]): number {
  let met = 0;
  for (const { kind } of steps) if (kind === needed[met % needed.length]) met++;
  return met;
}
