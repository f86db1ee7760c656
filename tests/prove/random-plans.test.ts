// The short form of the campaign: 500 plans, other ones in every run.

import { expect, test } from "vitest";
import { isBroken } from "../../prove/campaign.ts";
import { runRandomPlans } from "../../prove/random-plans/campaign.ts";
import { shortFormOf } from "./short-form.ts";

const long = { timeout: 600_000 };

const run = shortFormOf(runRandomPlans, { count: 500 });

test("500 random plans: valid ones come back equal, wrong ones name the member, nothing breaks", long, async () => {
  const { said, ...outcome } = await run({});
  expect(Object.values(outcome.broken).every((count) => count === 0) ? [] : said).toEqual([]);
  expect(outcome.figures.accepted).toBeGreaterThan(150);
  expect(outcome.figures.refused).toBeGreaterThan(50);
});

test("the same harness notices a plan that is shown with another amount", long, async () => {
  const outcome = await run({ count: 10, seed: 1, isNaive: true });
  expect(isBroken(outcome)).toBe(true);
});
