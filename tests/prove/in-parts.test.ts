import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Outcome } from "../../prove/campaign.ts";
import { continueRecord, type Part, runInParts } from "../../prove/in-parts.ts";
import { shortFormOf } from "./short-form.ts";

const counted = (kills: number, lost: number): Outcome => ({
  seed: 0,
  seconds: 1,
  postgres: "18",
  broken: { lost },
  figures: { kills },
});

test("a campaign in parts that is stopped goes on with the part it was at, and adds up what all of them counted", async ({
  onTestFinished,
}) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "tallystick-parts-"));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const seeds: (number | undefined)[] = [];
  let isStopped = true;
  const parts: Part[] = [3, 4, 5].map((kills) => async ({ seed }) => {
    seeds.push(seed);
    if (kills === 4 && isStopped) throw new Error("stopped");
    return counted(kills, kills === 5 ? 1 : 0);
  });
  const run = (seed?: number) =>
    shortFormOf((options) => runInParts(options, parts), { count: 12, dataFolder })({ seed });

  await expect(run(100)).rejects.toThrow("stopped");
  isStopped = false;
  const { seed, broken, figures, postgres, named } = await run();

  expect({ seed, broken, figures, postgres }).toEqual({
    seed: 100,
    broken: { lost: 1 },
    figures: { kills: 12 },
    postgres: "18",
  });
  expect(seeds).toEqual([100, 101, 101, 102]);
  expect(Object.values(named ?? {})).toEqual([3]);
  await expect(access(join(dataFolder, "part"))).rejects.toThrow("ENOENT");
});

test("a record of two parts is continued elsewhere with the third, and both machines are added up", async ({
  onTestFinished,
}) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "tallystick-parts-"));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const seeds: (number | undefined)[] = [];
  const parts: Part[] = [3, 4, 5].map((kills) => async ({ seed }) => {
    seeds.push(seed);
    return counted(kills, 0);
  });
  const first = await shortFormOf((options) => runInParts(options, parts.slice(0, 2)), { count: 7 })({ seed: 100 });

  await continueRecord(dataFolder, first);
  const whole = await shortFormOf((options) => runInParts(options, parts), { count: 12, dataFolder })({});

  expect(whole).toMatchObject({ seed: 100, broken: { lost: 0 }, figures: { kills: 12 } });
  expect(seeds).toEqual([100, 101, 102]);
  await expect(continueRecord(dataFolder, counted(3, 0))).rejects.toThrow("--fresh");
});
