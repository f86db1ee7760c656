// The short form of the campaign: as many kills as CI has time for.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CampaignOptions } from "../../prove/campaign.ts";
import { runEventKills } from "../../prove/kills/events/campaign.ts";
import { CONTROL, LONG } from "./short-form.ts";

const options = (added: Partial<CampaignOptions>): CampaignOptions & { eventsPerKill: number } => ({
  count: 10,
  eventsPerKill: 400,
  seed: 1,
  isNaive: false,
  dataFolder: undefined,
  signal: new AbortController().signal,
  say: () => undefined,
  ...added,
});

test.concurrent(
  "10 kills of the API, 2 of Postgres and 5 cut connections, in a campaign that is stopped and goes on, lose and double no event",
  LONG,
  async ({ onTestFinished }) => {
    const dataFolder = await mkdtemp(join(tmpdir(), "tallystick-prove-"));
    onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
    const stop = new AbortController();
    const say = (line: string) => {
      if (line === "5 of 10 kills") stop.abort(new Error("stopped half way"));
    };
    await expect(runEventKills(options({ dataFolder, signal: stop.signal, say }))).rejects.toThrow("stopped half way");

    const { broken, figures, seed } = await runEventKills(options({ dataFolder, seed: undefined }));
    expect(Object.entries(broken).filter(([, count]) => count > 0)).toEqual([]);
    expect(seed).toBe(1);
    expect(figures).toMatchObject({
      apiKills: 10,
      postgresKills: 2,
      cuts: 5,
      events: 4_000,
      stored: 4_000,
      new: 4_000,
    });
    expect(figures.apiKillsInFlight).toBeGreaterThan(0);
    expect(figures.conflict).toBeGreaterThan(0);
    // A database that is away for a moment is no fault of the request.
    expect(figures).toMatchObject({ answers500: 0 });
    expect(figures.answers503).toBeGreaterThan(0);
  },
);

test.concurrent("the same harness catches an API that answers before the commit", CONTROL, async () => {
  const { broken, figures } = await runEventKills(options({ count: 3, isNaive: true }));
  expect(figures.apiKills).toBe(3);
  expect(broken.lost).toBeGreaterThan(0);
});
