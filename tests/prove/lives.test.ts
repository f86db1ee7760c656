// The short form of the campaign. Its 30 random lives come to CI once 5,000 were recorded without a difference.

import { expect, test } from "vitest";
import { runLives } from "../../prove/lives/campaign.ts";
import { LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runLives, { count: 1 });

test("a life is lived again by its seed and number, and the sums over its documents are right", LONG, async () => {
  const [first, again] = [await run({ seed: 7, life: 3 }), await run({ seed: 7, life: 3 })];
  expect({ broken: first.broken, said: first.said }).toMatchObject({
    broken: Object.fromEntries(Object.keys(first.broken).map((name) => [name, 0])),
  });
  expect(again.figures).toEqual(first.figures);
});
