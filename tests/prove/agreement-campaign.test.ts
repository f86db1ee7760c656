import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runAgreement } from "../../prove/agreement/campaign.ts";
import { COMPARISONS } from "../../prove/agreement/comparisons.ts";
import { NAIVE_COMPARISONS } from "../../prove/agreement/naive.ts";
import type { CampaignOptions } from "../../prove/campaign.ts";

const options = (added: Partial<CampaignOptions>): CampaignOptions => ({
  count: 20,
  seed: 7,
  isNaive: false,
  dataFolder: undefined,
  signal: new AbortController().signal,
  say: () => undefined,
  ...added,
});

test("the harness finds every one of the usual mistakes", async () => {
  const { broken } = await runAgreement(options({ isNaive: true, count: 2000 }));
  expect(Object.keys(broken)).toEqual(NAIVE_COMPARISONS.map(({ name }) => name));
  expect(Object.entries(broken).filter(([, differing]) => differing === 0)).toEqual([]);
});

test("a campaign that is stopped goes on with its seed and counts every case once", async ({ onTestFinished }) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "tallystick-prove-"));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const stop = new AbortController();
  const say = (line: string) => {
    if (line.startsWith("filter")) stop.abort(new Error("stopped half way"));
  };
  await expect(runAgreement(options({ dataFolder, signal: stop.signal, say }))).rejects.toThrow("stopped half way");
  await expect(runAgreement(options({ dataFolder, seed: 8 }))).rejects.toThrow("begun with the seed 7");

  const { seed, figures, broken } = await runAgreement(options({ dataFolder, seed: undefined }));
  expect(seed).toBe(7);
  expect(figures).toEqual(Object.fromEntries(COMPARISONS.map(({ name }) => [name, 20])));
  expect(Object.values(broken).every((differing) => differing === 0)).toBe(true);
});
