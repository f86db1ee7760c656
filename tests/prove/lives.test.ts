// The short form of the campaign: 30 lives, other ones in every run.

import { expect, test } from "vitest";
import { runLives } from "../../prove/lives/campaign.ts";
import { LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runLives, { count: 30 });

test("whatever happens in 30 lives, the sums over all documents of a customer are right", LONG, async () => {
  const { broken, figures, said } = await run({});
  const found = Object.entries(broken).filter(([, count]) => count !== 0);
  expect({ found, said: found.length > 0 ? said : [] }).toEqual({ found: [], said: [] });
  expect(figures.lives).toBe(30);
  expect(figures.accepted).toBeGreaterThan(300);
});

test("a life is lived again by its seed and number", LONG, async () => {
  const [first, again] = [await run({ seed: 7, life: 3 }), await run({ seed: 7, life: 3 })];
  expect(again.figures).toEqual(first.figures);
});
