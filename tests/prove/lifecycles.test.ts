// The short form of the campaign: many short lives, other ones in every run.

import { expect, test } from "vitest";
import { type LifecycleOptions, runLifecycles } from "../../prove/lifecycles/campaign.ts";
import { MISREADINGS } from "../../prove/lifecycles/misreadings.ts";

const long = { timeout: 300_000 };

const run = async (added: Partial<LifecycleOptions>) => {
  const said: string[] = [];
  const outcome = await runLifecycles({
    count: 152,
    commandsMax: 16,
    seed: undefined,
    isNaive: false,
    dataFolder: undefined,
    signal: new AbortController().signal,
    say: (line) => said.push(line),
    ...added,
  });
  return { outcome, said };
};

test("150 random lives of subscriptions go as a plain model of the rules says, request by request", long, async () => {
  const { outcome, said } = await run({});
  expect(Object.values(outcome.broken).every((count) => count === 0) ? [] : said).toEqual([]);
  expect(outcome.figures.accepted).toBeGreaterThan(400);
  expect(outcome.figures.refused).toBeGreaterThan(80);
});

test("the same harness tells apart every model that misreads a rule", long, async () => {
  const { outcome } = await run({ isNaive: true, commandsMax: 18, seed: 1 });
  expect(outcome.broken).toEqual(Object.fromEntries(Object.keys(MISREADINGS).map((name) => [name, 1])));
});
