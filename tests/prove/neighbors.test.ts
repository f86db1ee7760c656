// The short form of the campaign: what every attack is answered with. How long others wait is measured by the command, on a machine that does
// nothing else.

import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTACKS } from "../../prove/neighbors/attacks.ts";
import { attackWith, unexpected } from "../../prove/neighbors/campaign.ts";
import { openStage, type Stage } from "../../prove/neighbors/world.ts";

/** A slow machine must reach them, too. */
const LOW_LIMITS = { RATE_LIMIT_EVENTS: "20", RATE_LIMIT_OTHER: "20", RATE_LIMIT_USAGE: "5", RATE_LIMIT_ADDRESS: "10" };
const TRIES_MAX = 20;

const stops: (() => Promise<unknown>)[] = [];
let stage: Stage;

beforeAll(async () => {
  stage = await openStage(stops, { lines: 200, plans: 4 }, LOW_LIMITS);
}, 600_000);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

test.each(ATTACKS)(
  "$name: is refused",
  async (attack) => {
    let isRefused = false;
    for (let tries = 0; tries < TRIES_MAX && !isRefused; tries++) {
      const report = await attackWith(stage, attack.name, 1.2);
      expect(unexpected(attack, report)).toEqual([]);
      isRefused = report.statuses.some(([status]) => status >= 400);
    }
    expect(isRefused).toBe(true);
  },
  120_000,
);
