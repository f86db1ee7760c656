// The short form of the campaign: two thousand cases of each kind, other ones in every run.

import { randomInt } from "node:crypto";
import fc from "fast-check";
import { describe, it } from "vitest";
import type { Comparison } from "../../prove/agreement/comparison.ts";

const CASES = 2000;

export function testAgreement(comparisons: readonly Comparison[]): void {
  const seed = randomInt(1, 2 ** 30);
  describe(`core and oracle agree to the cent on ${CASES} cases, seed ${seed}`, () => {
    it.each(comparisons)("$name", { timeout: 300_000 }, ({ cases, agrees }) => {
      fc.assert(fc.property(cases, agrees), { numRuns: CASES, seed });
    });
  });
}
