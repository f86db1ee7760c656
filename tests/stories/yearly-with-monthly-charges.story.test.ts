// A yearly plan can bill its usage monthly, while its amount stays yearly.

import { story } from "./dsl/story.ts";

story("In advance: usage every month, the amount at the start and with the year", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", {
    yearly: "3650.00",
    paid: "in advance",
    chargesMonthly: true,
    metered: { calls: { each: "1.00" } },
  });
  await clock.is("2023-11-15");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 1, { on: "2023-11-20" });
  await acme.uses("calls", 1, { on: "2023-12-20" });
  await acme.uses("calls", 1, { on: "2023-12-31 23:59:59" });
  await acme.uses("calls", 1, { on: "2024-01-01 00:00" });
  await clock.is("2024-01-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-003 of 2024-01-01, due 2024-01-01
    2024-01-01 to 2024-12-31
    Basic plan              3 650.00
    2023-12-01 to 2023-12-31
    Calls        2 × 1.00       2.00
    Total EUR               3 652.00`);
  await clock.is("2024-02-01");
  // 47 of 365 days first
  await then.invoicesOf(acme).read(`
    INV-001-001  2023-11-15    470.00
    INV-001-002  2023-12-01      1.00
    INV-001-003  2024-01-01  3 652.00
    INV-001-004  2024-02-01      1.00`);
});

story("In arrears with a commitment: the monthly usage counts when the year closes", async ({ given, clock, then }) => {
  await given.metric("units", { sum: "number" });
  await given.plan("basic", {
    yearly: "120.00",
    chargesMonthly: true,
    commitment: "1000.00",
    metered: { units: { each: "1.00" } },
  });
  await clock.is("2025-11-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("units", 10, { on: "2025-11-20" });
  await acme.uses("units", 30, { on: "2025-12-20" });
  await clock.is("2025-12-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2025-12-01, due 2025-12-01
    2025-11-01 to 2025-11-30
    Units        10 × 1.00   10.00
    Total EUR                10.00`);
  await clock.is("2026-01-01");
  // 61 of 365 days: 20.0547… of the plan, and 167.1232… of the commitment, of which 60.05 is used.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-01-01, due 2026-01-01
    2025-11-01 to 2025-12-31
    Basic plan                      20.05
    2025-12-01 to 2025-12-31
    Units                30 × 1.00  30.00
    2025-11-01 to 2025-12-31
    Minimum commitment             107.07
    Total EUR                      157.12`);
});

story("By anniversary: months from the day of the start", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { yearly: "365.00", chargesMonthly: true, metered: { calls: { each: "1.00" } } });
  await clock.is("2025-01-31");
  const acme = await given.customer("acme").subscribesTo("basic", { anniversary: true });
  await acme.uses("calls", 1, { on: "2025-02-27" });
  await acme.uses("calls", 2, { on: "2025-02-28" });
  await acme.uses("calls", 4, { on: "2025-03-31" });
  await clock.is("2025-03-31");
  await then.invoicesOf(acme).read(`
    INV-001-001  2025-02-28  1.00
    INV-001-002  2025-03-31  2.00`);
  await clock.is("2025-04-09 12:00");
  await acme.leaves();
  // 69 days from 31 January to 9 April
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-003 of 2025-04-09, due 2025-04-09
    2025-01-31 to 2025-04-09
    Basic plan              69.00
    2025-03-31 to 2025-04-09
    Calls        4 × 1.00    4.00
    Total EUR               73.00`);
});
