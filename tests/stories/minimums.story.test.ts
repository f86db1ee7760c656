// A charge can have a minimum per period: an extra line bills the difference to its usage over all filters and groups.

import { story } from "./dsl/story.ts";

story(
  "The difference between usage and the minimum is billed; usage above it does not change",
  async ({ given, clock, then }) => {
    await given.metric("cards", "count");
    await given.plan("basic", { monthly: "10.00", metered: { cards: { each: "30.00", atLeast: "50.00" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("cards", 1, { on: "2026-01-20" });
    await acme.uses("cards", 2, { on: "2026-02-20" });
    await clock.is("2026-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                    10.00
    Cards              1 × 30.00  30.00
    Cards · minimum               20.00
    Total EUR                     60.00`);
    await clock.is("2026-03-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-03-01, due 2026-03-01
    2026-02-01 to 2026-02-28
    Basic plan                    10.00
    Cards              2 × 30.00  60.00
    Total EUR                     70.00`);
  },
);

story("A customer that leaves on 25 February owes 25 of 28 days of the minimum", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "8.00", atLeast: "10.00" } } });
  await clock.is("2023-02-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 1, { on: "2023-02-03" });
  await clock.is("2023-02-25 12:00");
  await acme.leaves();
  // 10.00 × 25 / 28 = 8.9285…, less 8.00
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2023-02-25, due 2023-02-25
    2023-02-01 to 2023-02-25
    Basic plan                   0.00
    Calls              1 × 8.00  8.00
    Calls · minimum              0.93
    Total EUR                    8.93`);
});

story(
  "The minimum of a first month is prorated from the day of the start, even without usage",
  async ({ given, clock, then }) => {
    await given.metric("calls", "count");
    await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "1.00", atLeast: "31.00" } } });
    await clock.is("2024-01-16 09:00");
    const acme = await given.customer("acme").subscribesTo("basic");
    await clock.is("2024-02-01");
    // 16 of 31 days
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-16 to 2024-01-31
    Basic plan              0.00
    Calls              0    0.00
    Calls · minimum        16.00
    Total EUR              16.00`);
  },
);

story("The day of an upgrade counts for the minimum of the new plan", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("small", { monthly: "0.00", metered: { calls: { each: "1.00", atLeast: "31.00" } } });
  await given.plan("large", { monthly: "1.00", metered: { calls: { each: "1.00", atLeast: "62.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("small");
  await acme.uses("calls", 4, { on: "2026-01-05" });
  await clock.is("2026-01-11 15:00");
  await acme.changesTo("large");
  // The 11th belongs to the new plan: 10 of 31 days, 10.00, less 4.00
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-11, due 2026-01-11
    2026-01-01 to 2026-01-11
    Small plan                   0.00
    Calls              4 × 1.00  4.00
    Calls · minimum              6.00
    Total EUR                   10.00`);
  await clock.is("2026-02-01");
  // 21 of 31 days: 42.00, and 0.6774… of the plan
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-02-01, due 2026-02-01
    2026-01-11 to 2026-01-31
    Large plan                   0.68
    Calls              0         0.00
    Calls · minimum             42.00
    Total EUR                   42.68`);
});

story("All filters of a charge count toward its minimum", async ({ given, clock, then }) => {
  await given.metric("calls", { sum: "number", filters: { region: ["eu", "us"] } });
  await given.plan("basic", {
    monthly: "0.00",
    metered: {
      calls: {
        each: "0",
        atLeast: "50.00",
        filters: [
          { where: { region: ["eu"] }, each: "1.00" },
          { where: { region: ["us"] }, each: "2.00" },
        ],
      },
    },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 10, { on: "2026-01-20", with: { region: "eu" } });
  await acme.uses("calls", 5, { on: "2026-01-20", with: { region: "us" } });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                     0.00
    Calls · eu         10 × 1.00  10.00
    Calls · us          5 × 2.00  10.00
    Calls                      0   0.00
    Calls · minimum               30.00
    Total EUR                     50.00`);
});
