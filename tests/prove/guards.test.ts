// The short form of the campaign: every guard is where its entry says, two are really taken away.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGuards } from "../../prove/guards/campaign.ts";
import { GUARDS } from "../../prove/guards/guards.ts";
import { countOf, ROOT } from "../../prove/guards/tree.ts";
import { LONG, shortFormOf } from "./short-form.ts";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const run = shortFormOf(runGuards, { count: 2, only: ["message published once", "address when connecting"] });

test("there are guards of every kind, each with a name of its own", () => {
  expect(GUARDS.length).toBeGreaterThanOrEqual(20);
  expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
});

test.each(GUARDS)("the guard '$name' and its test are where they are said to be", ({ edits, test: named }) => {
  for (const { file, find, replace } of edits) {
    expect(countOf(read(file), find), `${file}: ${find}`).toBe(1);
    expect(replace).not.toBe(find);
  }
  expect(countOf(read(named.file), `"${named.name}"`), named.name).toBe(1);
});

test.concurrent("without a guard the test that is named for it fails", LONG, async () => {
  const { broken, figures, said } = await run({});
  expect({ broken, said }).toMatchObject({
    broken: { guardsNotCaught: 0, guardsNotJudged: 0, testsFailingWithoutMutation: 0 },
  });
  expect(figures).toMatchObject({ guards: 2, caught: 2 });
});

test.concurrent("the same harness says so when nothing was taken away", LONG, async () => {
  const { broken } = await run({ isNaive: true, only: ["address when connecting"] });
  expect(broken).toMatchObject({ guardsNotCaught: 1, guardsNotJudged: 0 });
});
