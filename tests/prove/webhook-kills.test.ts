// The short form of the campaign: as many kills as CI has time for.

import { expect, test } from "vitest";
import { runWebhookKills } from "../../prove/kills/webhooks/subject.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runWebhookKills, { count: 3, seed: 1 });

test("3 kills lose no webhook: each arrives, in the same bytes every time, with all its signatures", LONG, async () => {
  const { broken, figures } = await run({});
  expect(Object.entries(broken).filter(([, count]) => count > 0)).toEqual([]);
  expect(figures.kills).toBe(3);
  expect(figures.deliveries).toBeGreaterThan(20);
});

test("the same harness misses what a worker loses that marks first and sends after that", CONTROL, async () => {
  const { broken, figures } = await run({ count: 6, isNaive: true });
  expect(figures.received).toBeGreaterThan(20);
  expect(broken.notReceived).toBeGreaterThan(0);
});
