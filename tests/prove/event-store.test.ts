// The campaign runs its short form beside each store; here: that it would notice what is wrong, and goes on.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CampaignOptions } from "../../prove/campaign.ts";
import { runEventStore } from "../../prove/event-store/campaign.ts";
import { MISTAKES } from "../../prove/event-store/mistakes.ts";

const long = { timeout: 600_000 };

const options = (added: Partial<CampaignOptions>): CampaignOptions => ({
  count: 50 * MISTAKES.length,
  seed: 7,
  isNaive: true,
  dataFolder: undefined,
  signal: new AbortController().signal,
  say: () => undefined,
  ...added,
});

test("the harness finds every one of the usual mistakes in a store", long, async () => {
  const { broken } = await runEventStore(options({}));
  expect(Object.keys(broken)).toEqual(MISTAKES.map(({ name }) => name));
  expect(Object.entries(broken).filter(([, sets]) => sets === 0)).toEqual([]);
});

test("a campaign that is stopped goes on and tries every set once", long, async ({ onTestFinished }) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "tallystick-prove-"));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const count = 20 * MISTAKES.length;
  const whole = await runEventStore(options({ count }));
  const stop = new AbortController();
  const say = (line: string) => {
    if (line.includes(" of ")) stop.abort(new Error("stopped half way"));
  };
  const stopped = runEventStore(options({ count, dataFolder, signal: stop.signal, say }));
  await expect(stopped).rejects.toThrow("stopped half way");
  const { figures, broken } = await runEventStore(options({ count, dataFolder, seed: undefined }));
  expect({ figures, broken }).toEqual({ figures: whole.figures, broken: whole.broken });
});
