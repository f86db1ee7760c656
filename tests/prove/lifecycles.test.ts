// The short form of the campaign: many short lives, other ones in every run.

import { expect, test } from "vitest";
import { runLifecycles } from "../../prove/lifecycles/campaign.ts";
import { MISREADINGS } from "../../prove/lifecycles/misreadings.ts";
import { shortFormOf } from "./short-form.ts";

const long = { timeout: 600_000 };

const run = shortFormOf(runLifecycles, { count: 25, commandsMax: 16 });

test("25 random lives of subscriptions go as a plain model of the rules says, request by request", long, async () => {
  const { said, ...outcome } = await run({});
  expect(Object.values(outcome.broken).every((count) => count === 0) ? [] : said).toEqual([]);
  expect(outcome.figures.accepted).toBeGreaterThan(25);
  expect(outcome.figures.refused).toBeGreaterThan(0);
});

test("the same harness tells apart every model that misreads a rule", long, async () => {
  const outcome = await run({ count: 80, isNaive: true, commandsMax: 18, seed: 12 });
  expect(outcome.broken).toEqual(Object.fromEntries(Object.keys(MISREADINGS).map((name) => [name, 1])));
});
