// The short form of the campaign: as many kills as CI has time for.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CampaignOptions, isBroken } from "../../prove/campaign.ts";
import { runWorkerKills } from "../../prove/kills/workers/subject.ts";
import { CONTROL, LONG } from "./short-form.ts";

// How soon work is taken over says something on a machine that does nothing else: the whole campaign looks at that.
const options = (added: Partial<CampaignOptions>) => ({
  count: 12,
  seed: 1,
  takenOverWithinSeconds: 300,
  isNaive: false,
  dataFolder: undefined,
  signal: new AbortController().signal,
  say: () => undefined,
  ...added,
});

test.concurrent(
  "12 kills, in a campaign that is stopped and goes on, lose and double nothing",
  LONG,
  async ({ onTestFinished }) => {
    const dataFolder = await mkdtemp(join(tmpdir(), "tallystick-prove-"));
    onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
    const stop = new AbortController();
    const say = (line: string) => {
      if (line === "10 of 12 kills") stop.abort(new Error("stopped half way"));
    };
    await expect(runWorkerKills(options({ dataFolder, signal: stop.signal, say }))).rejects.toThrow("stopped half way");

    const { broken, figures, seed } = await runWorkerKills(options({ dataFolder, seed: undefined }));
    expect(Object.entries(broken).filter(([, count]) => count > 0)).toEqual([]);
    expect(seed).toBe(1);
    expect(figures.kills).toBe(12);
    expect(figures.jobsTakenOver).toBeGreaterThan(0);
  },
);

test.concurrent("the same harness catches a worker that marks first and works after that", CONTROL, async () => {
  const outcome = await runWorkerKills(options({ count: 4, isNaive: true }));
  expect(outcome.figures.kills).toBe(4);
  expect(isBroken(outcome)).toBe(true);
});
