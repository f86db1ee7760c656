// The short form of the campaign: as many kills as CI has time for, 10 due periods for each.

import { expect, test } from "vitest";
import { runInvoiceKills } from "../../prove/kills/invoices/subject.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runInvoiceKills, { count: 12 });

const brokenOf = (broken: Readonly<Record<string, number>>) =>
  Object.entries(broken).filter(([, count]) => count !== 0);

test(
  "12 kills of billing workers leave 120 periods with one whole invoice each, numbered without a gap",
  LONG,
  async () => {
    const { broken, figures, said } = await run({});
    expect({ broken: brokenOf(broken), said: brokenOf(broken).length > 0 ? said : [] }).toEqual({
      broken: [],
      said: [],
    });
    expect(figures).toMatchObject({ kills: 12, periods: 120, invoices: 120, messages: 120 });
    expect(figures.killsInTransactions).toBeGreaterThan(0);
  },
);

test("the same harness finds what a worker leaves out that marks first and works after that", CONTROL, async () => {
  const { broken } = await run({ count: 4, isNaive: true });
  expect(broken.invoicesMissing).toBeGreaterThan(0);
});
