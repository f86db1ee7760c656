// The charge models, each as its bill shows it.

import { story } from "./dsl/story.ts";

story("Graduated: each call costs the price of its tier", async ({ given, clock, then }) => {
  await given.organization({ timeZone: "Europe/Paris", vat: "20 %" });
  await given.metric("api_calls", { sum: "count", called: "API calls" });
  await given.plan("scale", {
    monthly: "50.00",
    metered: { api_calls: { graduated: ["100 @ 0.10", "1000 @ 0.05", "rest @ 0.01"] } },
  });
  await clock.is("2026-02-01");
  const acme = await given.customer("acme").subscribesTo("scale");
  await acme.uses("api_calls", 1500, { from: "2026-02-01", to: "2026-02-20" });
  const lines = `
    2026-02-01 to 2026-02-28
    Scale plan                 50.00
    API calls          1 500   60.00
      0–100       100 × 0.10   10.00
      101–1 000   900 × 0.05   45.00
      over 1 000  500 × 0.01    5.00
    Subtotal                  110.00
    VAT 20 %                   22.00
    Total EUR                 132.00`;
  await then.nextInvoiceOf(acme).reads(`Preview of 2026-03-01, due 2026-03-01${lines}`);
  await clock.is("2026-03-01");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-001 of 2026-03-01, due 2026-03-01${lines}`);
});

story("Graduated with a flat amount per tier, which is not charged without usage", async ({ given, clock, then }) => {
  await given.metric("units", { sum: "number" });
  await given.plan("basic", {
    monthly: "0.00",
    metered: { units: { graduated: ["10 @ 10.00 + 2.00", "20 @ 5.00 + 3.00", "rest @ 5.00 + 3.00"] } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("units", 21, { on: "2026-01-10" });
  await acme.uses("units", "10.5", { on: "2026-02-10" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                        0.00
    Units                     21    163.00
      0–10     10 × 10.00 + 2.00    102.00
      11–20     10 × 5.00 + 3.00     53.00
      over 20    1 × 5.00 + 3.00      8.00
    Total EUR                       163.00`);
  await clock.is("2026-04-01");
  // The half unit is in the second tier: 102.00 + 2.50 + 3.00.
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  163.00
    INV-001-002  2026-03-01  107.50
    INV-001-003  2026-04-01    0.00`);
});

story("Volume: all units cost the price of the total's tier", async ({ given, clock, then }) => {
  await given.metric("units", { sum: "number" });
  await given.plan("basic", {
    monthly: "0.00",
    metered: { units: { volume: ["100 @ 2.00 + 10.00", "200 @ 1.00", "rest @ 0.50 + 50.00"] } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("units", 300, { on: "2026-01-10" });
  await acme.uses("units", 100, { on: "2026-02-10" });
  await acme.uses("units", "100.5", { on: "2026-03-10" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                           0.00
    Units                       300    200.00
      all units  300 × 0.50 + 50.00    200.00
    Total EUR                          200.00`);
  await clock.is("2026-04-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  200.00
    INV-001-002  2026-03-01  210.00
    INV-001-003  2026-04-01  100.50`);
});

story("Packages: each started package is charged, after the free units", async ({ given, clock, then }) => {
  await given.metric("units", { sum: "number" });
  await given.plan("basic", { monthly: "0.00", metered: { units: { packages: "10 for 100.00", free: 10 } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("units", 121, { on: "2026-01-10" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                          0.00
    Units                      121  1 200.00
      free                      10      0.00
      packages of 10   12 × 100.00  1 200.00
    Total EUR                       1 200.00`);
});

story("Percentage of payments, with free events and a free amount", async ({ given, clock, then }) => {
  await given.metric("payments", { sum: "amount" });
  await given.plan("basic", {
    monthly: "0.00",
    metered: { payments: { percentage: "1.3 %", fixed: "2.00", freeEvents: 3, freeAmount: "250" } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("payments", 50, { on: "2026-01-10" });
  await acme.uses("payments", 100, { on: "2026-01-11" });
  await acme.uses("payments", 250, { on: "2026-01-12" });
  await acme.uses("payments", 400, { on: "2026-01-13" });
  await clock.is("2026-02-01");
  // The first 250 are free, and so are the two payments below that.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                0.00
    Payments           800   11.15
      free             250    0.00
      1.3 %            550    7.15
      per event   2 × 2.00    4.00
    Total EUR                11.15`);
});

story("Percentage with a minimum and a maximum per transaction", async ({ given, clock, then }) => {
  await given.metric("payments", { sum: "amount" });
  await given.plan("basic", {
    monthly: "0.00",
    metered: { payments: { percentage: "2.99 %", least: "1.75", most: "12.00" } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("payments", 10, { on: "2026-01-10" });
  await acme.uses("payments", 80, { on: "2026-01-11" });
  await acme.uses("payments", 10_000, { on: "2026-01-12" });
  await clock.is("2026-02-01");
  // 1.75 instead of 0.299, 2.392, and 12.00 instead of 299.00: 16.142
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                             0.00
    Payments                    10 090    16.14
      2.99 %                    10 090  301.691
      least and most per event         -285.549
    Total EUR                             16.14`);
});

story("Graduated percentage: a rate and a flat amount for each tier", async ({ given, clock, then }) => {
  await given.metric("volume", { sum: "amount" });
  await given.plan("basic", {
    monthly: "0.00",
    metered: { volume: { graduatedPercentage: ["10 @ 1 % + 200.00", "20 @ 2 % + 300.00", "rest @ 3 % + 400.00"] } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("volume", 21, { on: "2026-01-10" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                        0.00
    Volume                     21   900.33
      0–10      10 × 1 % + 200.00   200.10
      11–20     10 × 2 % + 300.00   300.20
      over 20    1 × 3 % + 400.00   400.03
    Total EUR                       900.33`);
});

story("The highest and the last value of a month", async ({ given, clock, then }) => {
  await given.metric("peak", { max: "number" });
  await given.metric("level", { latest: "number" });
  await given.plan("basic", { monthly: "0.00", metered: { peak: { each: "1.00" }, level: { each: "10.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  for (const metric of ["peak", "level"]) {
    await acme.uses(metric, 3, { on: "2026-01-10 10:00" });
    await acme.uses(metric, 7, { on: "2026-01-10 11:00" });
    await acme.uses(metric, 11, { on: "2026-01-10 10:30" });
  }
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan               0.00
    Peak        11 × 1.00   11.00
    Level       7 × 10.00   70.00
    Total EUR               81.00`);
});
