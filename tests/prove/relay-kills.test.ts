// The short form of the campaign: as many kills as CI has time for.

import { expect, test } from "vitest";
import { runRelayKills } from "../../prove/kills/relay/subject.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runRelayKills, { count: 3, seed: 1, eventsPerKill: 10_000 });

test(
  "kills of the relay and the engine leave every event in ClickHouse once, and so does a rebuild",
  LONG,
  async () => {
    const { broken, figures } = await run({});
    expect(Object.entries(broken).filter(([, count]) => count > 0)).toEqual([]);
    expect(figures).toMatchObject({ kills: 3, engineKills: 1, events: 30_000 });
  },
);

test("the same harness finds what is in twice when batches have no token", CONTROL, async () => {
  const { broken } = await run({ count: 8, isNaive: true });
  expect(broken.doubled).toBeGreaterThan(0);
});
