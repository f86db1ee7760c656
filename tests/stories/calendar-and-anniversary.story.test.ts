// Calendar periods begin on the first days of the calendar, anniversary periods on the day of the start. Neither has gaps or overlaps.

import { story } from "./dsl/story.ts";

story("The same start by the calendar and by the anniversary", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "310.00" });
  await clock.is("2026-01-20 09:30");
  const calendar = await given.customer("calendar").subscribesTo("basic");
  const anniversary = await given.customer("anniversary").subscribesTo("basic", { anniversary: true });
  await clock.is("2026-03-20");
  // 12 of 31 days
  await then.invoicesOf(calendar).read(`
    INV-001-001  2026-02-01  120.00
    INV-001-002  2026-03-01  310.00`);
  await then.invoicesOf(anniversary).read(`
    INV-002-001  2026-02-20  310.00
    INV-002-002  2026-03-20  310.00`);
});

story("From the 31st: the last day of shorter months, and the 31st again", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "310.00" });
  await clock.is("2023-01-31");
  const acme = await given.customer("acme").subscribesTo("basic", { anniversary: true });
  await clock.is("2023-05-31");
  await then.invoicesOf(acme).read(`
    INV-001-001  2023-02-28  310.00
    INV-001-002  2023-03-31  310.00
    INV-001-003  2023-04-30  310.00
    INV-001-004  2023-05-31  310.00`);
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-004 of 2023-05-31, due 2023-05-31
    2023-04-30 to 2023-05-30
    Basic plan    310.00
    Total EUR     310.00`);
});

story("The last day of a quarter and of a year, paid in advance", async ({ given, clock, then }) => {
  await given.plan("by_quarter", { quarterly: "920.00", paid: "in advance" });
  await given.plan("by_year", { yearly: "3650.00", paid: "in advance" });
  await clock.is("2023-12-31 08:00");
  const quarter = await given.customer("quarter").subscribesTo("by_quarter");
  const year = await given.customer("year").subscribesTo("by_year");
  await clock.is("2024-01-01");
  // 1 of 92 days, 1 of 365 days; then a whole quarter, and a year of 366 days.
  await then.invoicesOf(quarter).read(`
    INV-001-001  2023-12-31   10.00
    INV-001-002  2024-01-01  920.00`);
  await then.invoicesOf(year).read(`
    INV-002-001  2023-12-31     10.00
    INV-002-002  2024-01-01  3 650.00`);
});

story(
  "Calendar weeks begin on Monday, anniversary weeks on the weekday of the start",
  async ({ given, clock, then }) => {
    await given.plan("basic", { weekly: "10.00" });
    await clock.is("2024-05-15 10:00");
    const calendar = await given.customer("calendar").subscribesTo("basic");
    const anniversary = await given.customer("anniversary").subscribesTo("basic", { anniversary: true });
    await clock.is("2024-05-27");
    // From Wednesday to Sunday: 5 of 7 days
    await then.invoicesOf(calendar).read(`
    INV-001-001  2024-05-20   7.14
    INV-001-002  2024-05-27  10.00`);
    await then.invoicesOf(anniversary).read("INV-002-001  2024-05-22  10.00");
  },
);

story(
  "A year with a 29 February has 366 days, even if it begins in the middle of January",
  async ({ given, clock, then }) => {
    await given.plan("basic", { yearly: "366.00" });
    await clock.is("2024-01-15");
    const acme = await given.customer("acme").subscribesTo("basic", { anniversary: true });
    await clock.is("2024-07-14 23:00");
    await acme.leaves();
    // 17 + 29 + 31 + 30 + 31 + 30 + 14 days at 1.00
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-07-14, due 2024-07-14
    2024-01-15 to 2024-07-14
    Basic plan    182.00
    Total EUR     182.00`);
  },
);

story("Two calendar subscriptions of a customer share an invoice", async ({ given, clock, then }) => {
  await given.plan("small", { monthly: "31.00" });
  await given.plan("large", { monthly: "62.00" });
  await clock.is("2024-01-10");
  const acme = await given.customer("acme").subscribesTo("small", { as: "office" });
  await acme.subscribesTo("large", { as: "factory" });
  await clock.is("2024-02-01");
  // 22 of 31 days
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-10 to 2024-01-31 for office
    Small plan    22.00
    2024-01-10 to 2024-01-31 for factory
    Large plan    44.00
    Total EUR     66.00`);
});

story("Missed months are billed one by one", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2023-11-15");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2024-04-01");
  // 16 of 30 days first
  await then.invoicesOf(acme).read(`
    INV-001-001  2023-12-01  16.00
    INV-001-002  2024-01-01  30.00
    INV-001-003  2024-02-01  30.00
    INV-001-004  2024-03-01  30.00
    INV-001-005  2024-04-01  30.00`);
});
