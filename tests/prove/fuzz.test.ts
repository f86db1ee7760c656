// The short form of the campaign: a thousand requests, the same choices in every run; the campaign itself makes other ones.

import { expect, test } from "vitest";
import { runFuzz } from "../../prove/fuzz/campaign.ts";
import { FAULTS } from "../../prove/fuzz/naive.ts";
import { shortFormOf } from "./short-form.ts";

const long = { timeout: 600_000 };

const run = shortFormOf(runFuzz, { count: 1000, seed: 1 });

test(
  "a thousand requests of two organizations: nothing breaks, leaks or answers otherwise than described",
  long,
  async () => {
    const { said, broken, figures } = await run({});
    expect(Object.values(broken).every((count) => count === 0) ? [] : said).toEqual([]);
    expect(figures["answered 200"]).toBeGreaterThan(400);
    expect(figures["answered 422"]).toBeGreaterThan(80);
    expect(figures["answered 404"]).toBeGreaterThan(30);
  },
);

test("the same harness finds each service that is wrong on purpose", long, async () => {
  const { broken } = await run({ count: 1500, isNaive: true });
  const found = FAULTS.filter(({ foundBy }) => (broken[foundBy] ?? 0) > 0);
  expect(found.map(({ thinks }) => thinks)).toEqual(FAULTS.map(({ thinks }) => thinks));
});
