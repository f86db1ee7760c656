/** Which lives are most likely to show a fault: those in whose steps come, in order and often, the steps that it needs. */
import { drawLife } from "../lives/live.ts";

const CHOSEN_FROM = 2000;

/** The same for the same seed; the likeliest first. */
export function chooseLives(seed: number, needed: readonly string[], count: number): number[] {
  const lives = Array.from({ length: CHOSEN_FROM }, (_, index) => index + 1);
  const ranked = lives.map((life) => ({ life, met: countMet(drawLife(seed, life).steps, needed) }));
  return ranked
    .toSorted((one, other) => other.met - one.met || one.life - other.life)
    .slice(0, count)
    .map(({ life }) => life);
}

/** How many of the needed steps are met, one after the other, again and again. */
function countMet(steps: readonly { readonly kind: string }[], needed: readonly string[]): number {
  let met = 0;
  for (const { kind } of steps) if (kind === needed[met % needed.length]) met++;
  return met;
}
