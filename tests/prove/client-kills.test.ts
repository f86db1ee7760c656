// The short form of the campaign: as many records as CI has time for.

import { expect, test } from "vitest";
import { runClientKills } from "../../prove/kills/client/campaign.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const prove = shortFormOf(runClientKills, { count: 3, recordsPerKill: 1_000 });

test("3 SIGKILLs of a process that records usage with the client lose no event and double none", LONG, async () => {
  const { broken, figures } = await prove({});
  expect(broken).toEqual({ lost: 0, storedTwice: 0, storedUnknown: 0, filesLeft: 0 });
  expect(figures).toMatchObject({ kills: 3, killsWithUnsent: 3 });
  expect(figures.resolved).toBeGreaterThan(3_000);
  expect((figures.stored ?? 0) - (figures.resolved ?? 0)).toBe(figures.storedUnresolved);
  expect(figures.storedUnresolved).toBeLessThanOrEqual(3);
});

test("the same harness catches a client without a spool", CONTROL, async () => {
  const { broken } = await prove({ count: 1, isNaive: true });
  expect(broken.lost).toBeGreaterThan(0);
});
