// A charge can price dimensions separately: each event counts in its most specific filter, or in the default.

import { story } from "./dsl/story.ts";

story(
  "The filter with the most keys takes the event; other events have the charge's default price",
  async ({ given, clock, then }) => {
    await given.metric("calls", { sum: "number", filters: { region: ["us", "eu"], tier: ["gold", "silver"] } });
    await given.plan("basic", {
      monthly: "0.00",
      metered: {
        calls: {
          each: "0.50",
          filters: [
            { where: { region: ["us"] }, each: "1.00", called: "United States" },
            { where: { region: ["us"], tier: ["gold"] }, each: "3.00", called: "United States, gold" },
          ],
        },
      },
    });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("calls", 1, { on: "2026-01-10", with: { region: "us", tier: "gold" } });
    await acme.uses("calls", 1, { on: "2026-01-10", with: { region: "us", tier: "silver" } });
    await acme.uses("calls", 1, { on: "2026-01-10", with: { region: "us" } });
    await acme.uses("calls", 1, { on: "2026-01-10", with: { region: "eu", tier: "gold" } });
    await clock.is("2026-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                               0.00
    Calls · United States          2 × 1.00  2.00
    Calls · United States, gold    1 × 3.00  3.00
    Calls                          1 × 0.50  0.50
    Total EUR                                5.50`);
  },
);

story("Every filter has its own tiers", async ({ given, clock, then }) => {
  await given.metric("calls", { sum: "number", filters: { region: ["us", "eu"] } });
  const graduated = ["10 @ 1.00", "rest @ 0.50"];
  await given.plan("basic", {
    monthly: "0.00",
    metered: {
      calls: {
        graduated,
        filters: [
          { where: { region: ["us"] }, graduated },
          { where: { region: ["eu"] }, graduated },
        ],
      },
    },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 12, { on: "2026-01-10", with: { region: "us" } });
  await acme.uses("calls", 4, { on: "2026-01-10", with: { region: "eu" } });
  await acme.uses("calls", 14, { on: "2026-01-10" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                0.00
    Calls · us         12    11.00
      0–10      10 × 1.00    10.00
      over 10    2 × 0.50     1.00
    Calls · eu          4     4.00
      0–10       4 × 1.00     4.00
    Calls              14    12.00
      0–10      10 × 1.00    10.00
      over 10    4 × 0.50     2.00
    Total EUR                27.00`);
});

story("A filter for every known region; usage from elsewhere is shown at no cost", async ({ given, clock, then }) => {
  await given.metric("calls", { sum: "number", filters: { region: ["us", "eu"] } });
  await given.plan("basic", {
    monthly: "0.00",
    metered: {
      calls: {
        each: "0",
        filters: [{ where: { region: ["__ALL_FILTER_VALUES__"] }, each: "2.00", called: "known regions" }],
      },
    },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 3, { on: "2026-01-10", with: { region: "us" } });
  await acme.uses("calls", 4, { on: "2026-01-10", with: { region: "eu" } });
  await acme.uses("calls", 5, { on: "2026-01-10", with: { region: "mars" } });
  await acme.uses("calls", 6, { on: "2026-01-10" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                         0.00
    Calls · known regions   7 × 2.00  14.00
    Calls                  11 × 0.00   0.00
    Total EUR                         14.00`);
});
