// The short form of the campaign: some random lives, other ones in every run.

import { expect, test } from "vitest";
import { runInvoiceProperties } from "../../prove/invoice-properties/campaign.ts";
import { shortFormOf } from "./short-form.ts";

const long = { timeout: 600_000 };

const run = shortFormOf(runInvoiceProperties, { count: 6 });

test(
  "usage and preview at the end of a period are its invoice, its parts add up, and every event has one status",
  long,
  async () => {
    const { broken, figures, said } = await run({});
    const found = Object.entries(broken).filter(([, count]) => count !== 0);
    expect({ found, said: found.length > 0 ? said : [] }).toEqual({ found: [], said: [] });
    expect(figures.invoicesWithUsage).toBeGreaterThan(0);
  },
);

test("the same harness notices an event that comes between the look and the invoice", long, async () => {
  const { broken } = await run({ count: 8, seed: 1, isNaive: true });
  expect(broken.usageDiffers).toBeGreaterThan(0);
  expect(broken.previewDiffers).toBeGreaterThan(0);
  expect(broken.statusesDiffer).toBeGreaterThan(0);
});
