// The short form of the campaign. How long others wait is measured by the command, on a machine that does nothing else.

import { expect, test } from "vitest";
import { runSignIns } from "../../prove/sign-ins/campaign.ts";
import { LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runSignIns, { count: 500, sizes: { accounts: 20, addresses: 4 }, timesOthers: false });

test("of many guesses no more are compared than the limits allow, over all processes", LONG, async () => {
  const { broken, figures } = await run({});
  expect(broken).toMatchObject({ overLimitOfEmail: 0, overLimitOfNetwork: 0, answeredOtherwise: 0 });
  expect(figures.refused).toBeGreaterThan(0);
  expect(figures.compared).toBeGreaterThan(0);
});

test("the same harness notices that there are no limits", LONG, async () => {
  const { broken } = await run({ count: 150, sizes: { accounts: 2, addresses: 1 }, isNaive: true });
  expect(broken.overLimitOfEmail).toBeGreaterThan(0);
  expect(broken.overLimitOfNetwork).toBeGreaterThan(0);
});
