/** Random numbers that a seed gives again. */

/** From 0 up to, not including, 1; each call the next number of the seed's series. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // mulberry32: small, and good enough to choose moments.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A series for the n-th of something, so that a campaign that goes on need not repeat what came before. */
export const createRandomFor = (seed: number, number: number): (() => number) =>
  createRandom(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number, 0xc2b2ae35));
