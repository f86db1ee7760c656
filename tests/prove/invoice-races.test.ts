// The short form of the campaign: as many races, drafts and periods as CI has time for.

import { expect, test } from "vitest";
import { runInvoiceRaces } from "../../prove/invoice-races/campaign.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runInvoiceRaces, { count: 32, drafts: 20, periods: 10 });

const brokenOf = (broken: Readonly<Record<string, number>>) =>
  Object.entries(broken).filter(([, count]) => count !== 0);

test(
  "an event is billed or late, 64 finalizers leave no gap, and two billing jobs bill a period once",
  LONG,
  async () => {
    const { broken, figures, said } = await run({});
    expect({ broken: brokenOf(broken), said: brokenOf(broken).length > 0 ? said : [] }).toEqual({
      broken: [],
      said: [],
    });
    expect(figures).toMatchObject({
      races: 32,
      periodsOfTwoJobs: 10,
      invoices: 62,
      numbered: 62,
      messages: 62,
    });
    expect(figures.eventsLate).toBeGreaterThan(0);
    expect(figures.cuts).toBeGreaterThan(0);
  },
);

test(
  "the same harness finds usage that is not read up to the stored cut, and numbers from a sequence",
  CONTROL,
  async () => {
    const { broken } = await run({ count: 40, drafts: 20, periods: 6, isNaive: true, seed: 1 });
    expect(brokenOf(broken).map(([name]) => name)).toEqual(
      expect.arrayContaining(["eventsInBoth", "eventsInNeither", "numbersMissing"]),
    );
  },
);
