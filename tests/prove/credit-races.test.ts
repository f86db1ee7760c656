// The short form of the campaign: 500 operations, other ones in every run.

import { expect, test } from "vitest";
import { runCreditRaces } from "../../prove/credit-races/campaign.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runCreditRaces, { count: 500 });

test(
  "whatever 32 clients do to the same credits at once, what is left is what is left one after the other",
  LONG,
  async () => {
    const { broken, figures, said } = await run({});
    const found = Object.entries(broken).filter(([, count]) => count !== 0);
    expect({ found, said: found.length > 0 ? said : [] }).toEqual({ found: [], said: [] });
    const {
      paymentsRepeatedTenTimes: paymentsPublishedTenTimes,
      walletUses,
      couponUses,
      noteUses,
      invoicesVoided,
    } = figures;
    for (const happened of [paymentsPublishedTenTimes, walletUses, couponUses, noteUses, invoicesVoided])
      expect(happened).toBeGreaterThan(0);
  },
);

test("the same harness notices that no transaction locks the customer", CONTROL, async () => {
  const { broken } = await run({ count: 300, seed: 1, isNaive: true });
  const { invoicesDiffer = 0, notesDiffer = 0, walletsDiffer = 0, couponsDiffer = 0, impossible = 0 } = broken;
  // Which of them it comes to is chance, that it comes to some is not.
  expect(invoicesDiffer + notesDiffer + walletsDiffer + couponsDiffer + impossible).toBeGreaterThan(0);
});
