// The short forms of the campaigns of frozen workers: as many as CI has time for.

import { expect, test } from "vitest";
import { invoiceFreezes } from "../../prove/kills/invoices/subject.ts";
import { relayFreezes } from "../../prove/kills/relay/subject.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

test.concurrent(
  "billing workers that are frozen past their transaction and thawed leave one whole invoice of each period",
  LONG,
  async () => {
    const { broken, figures, said } = await shortFormOf(invoiceFreezes.run, { count: 2, seed: 1 })({});
    const found = Object.entries(broken).filter(([, count]) => count !== 0);
    expect({ found, said: found.length > 0 ? said : [] }).toEqual({ found: [], said: [] });
    expect(figures).toMatchObject({ kills: 2, periods: 20, invoices: 20, messages: 20 });
  },
);

test.concurrent("the same harness finds what a thawed relay without tokens has sent twice", CONTROL, async () => {
  const { broken } = await shortFormOf(relayFreezes.run, { count: 6, seed: 1, isNaive: true })({});
  expect(broken.doubled).toBeGreaterThan(0);
});
