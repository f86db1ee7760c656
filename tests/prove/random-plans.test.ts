// The short form of the campaign: a thousand plans, other ones in every run.

import { expect, test } from "vitest";
import { type CampaignOptions, isBroken } from "../../prove/campaign.ts";
import { runRandomPlans } from "../../prove/random-plans/campaign.ts";

const long = { timeout: 120_000 };

const run = async (added: Partial<CampaignOptions>) => {
  const said: string[] = [];
  const outcome = await runRandomPlans({
    count: 1000,
    seed: undefined,
    isNaive: false,
    dataFolder: undefined,
    signal: new AbortController().signal,
    say: (line) => said.push(line),
    ...added,
  });
  return { outcome, said };
};

test(
  "a thousand random plans: valid ones come back equal, wrong ones name the member, nothing breaks",
  long,
  async () => {
    const { outcome, said } = await run({});
    expect(Object.values(outcome.broken).every((count) => count === 0) ? [] : said).toEqual([]);
    expect(outcome.figures.accepted).toBeGreaterThan(600);
    expect(outcome.figures.refused).toBeGreaterThan(300);
  },
);

test("the same harness notices a plan that is shown with another amount", long, async () => {
  const { outcome } = await run({ count: 10, seed: 1, isNaive: true });
  expect(isBroken(outcome)).toBe(true);
});
