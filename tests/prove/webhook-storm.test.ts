// The short form of the campaign: as many webhooks as CI has time for, given up sooner.

import { expect, test } from "vitest";
import { runWebhookStorm, type Weather } from "../../prove/webhook-storm/campaign.ts";

/** What else a machine of CI does must not decide: the delay is measured by the command, on a machine that does nothing else. */
const SQUALL: Weather = { webhooksPerSecond: 400, delaySecondsMax: 60, retryDelaysSeconds: "1,1,2" };

test("2,000 webhooks, three of ten to endpoints that hang, fail or reset: all are delivered or given up, and memory is bounded", {
  timeout: 600_000,
}, async () => {
  const { broken, figures } = await runWebhookStorm(
    {
      count: 2_000,
      seed: 1,
      isNaive: false,
      dataFolder: undefined,
      signal: new AbortController().signal,
      say: () => undefined,
    },
    SQUALL,
  );
  expect(Object.entries(broken).filter(([, count]) => count > 0)).toEqual([]);
  const { webhooks = 0, delivered = 0, givenUp = 0 } = figures;
  expect(webhooks).toBeGreaterThanOrEqual(2_000);
  expect(delivered + givenUp).toBe(webhooks);
  expect(delivered).toBeGreaterThanOrEqual(0.7 * 2_000);
  expect(givenUp).toBeGreaterThan(0);
});
