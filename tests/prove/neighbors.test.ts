// The short form of the campaign: what every attack is answered with. How long others wait is measured by the command, on a machine that does
// nothing else.

import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTACKS } from "../../prove/neighbors/attacks.ts";
import { attackWith, unexpected } from "../../prove/neighbors/campaign.ts";
import { openStage, type Stage } from "../../prove/neighbors/world.ts";

const stops: (() => Promise<unknown>)[] = [];
let stage: Stage;

beforeAll(async () => {
  stage = await openStage(stops, { lines: 200, plans: 4 });
}, 600_000);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

test.each(ATTACKS)("$name: is refused at the latest after a second", async (attack) => {
  const report = await attackWith(stage, attack.name, 1.2);
  expect(unexpected(attack, report)).toEqual([]);
  expect(report.statuses.some(([status]) => status >= 400)).toBe(true);
});
