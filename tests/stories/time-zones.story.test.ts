// Days are the customer's local days: midnight there decides the period of usage, the time of billing, and the date on the invoice.

import { story } from "./dsl/story.ts";

story("Usage around midnight in New York", async ({ given, clock, then }) => {
  await given.organization({ timeZone: "America/New_York" });
  await given.metric("units", { sum: "number" });
  await given.plan("basic", { monthly: "0.00", metered: { units: { each: "1.00" } } });
  await clock.is("2024-05-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("units", 1, { on: "2024-05-31 23:59:59" });
  await acme.uses("units", 10, { on: "2024-06-01 00:00" });
  await acme.uses("units", 100, { on: "2024-06-01 00:00:01" });
  await clock.is("2024-06-01 03:59:59 Z");
  await then.invoicesOf(acme).read("");
  await clock.is("2024-06-01 04:00 Z");
  await then.invoicesOf(acme).read("INV-001-001  2024-06-01  1.00");
  await clock.is("2024-07-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-07-01, due 2024-07-01
    2024-06-01 to 2024-06-30
    Basic plan                  0.00
    Units         110 × 1.00  110.00
    Total EUR                 110.00`);
});

story(
  "An organization's customers in Tokyo and Los Angeles: each at its own midnight",
  async ({ given, clock, then }) => {
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2026-01-01 08:00");
    const tokyo = await given.customer("tokyo", { timeZone: "Asia/Tokyo" }).subscribesTo("basic");
    const angeles = await given.customer("angeles", { timeZone: "America/Los_Angeles" }).subscribesTo("basic");
    await clock.is("2026-01-31 14:59:59");
    await then.invoicesOf(tokyo).read("");
    await clock.is("2026-01-31 15:00");
    await then.invoicesOf(tokyo).read("INV-001-001  2026-02-01  31.00");
    await clock.is("2026-02-01 07:59:59");
    await then.invoicesOf(angeles).read("");
    await clock.is("2026-02-01 08:00");
    await then.invoicesOf(angeles).read("INV-002-001  2026-02-01  31.00");
  },
);

story("A start at night counts for the customer's local day, not London's", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00", paid: "in advance" });
  await clock.is("2026-01-20 23:30");
  const tokyo = await given.customer("tokyo", { timeZone: "Asia/Tokyo" }).subscribesTo("basic");
  const london = await given.customer("london").subscribesTo("basic");
  // In Tokyo it is the 21st: 11 of 31 days, not 12.
  await then.latestInvoiceOf(tokyo).reads(`
    Invoice INV-001-001 of 2026-01-21, due 2026-01-21
    2026-01-21 to 2026-01-31
    Basic plan    11.00
    Total EUR     11.00`);
  await then.latestInvoiceOf(london).reads(`
    Invoice INV-002-001 of 2026-01-20, due 2026-01-20
    2026-01-20 to 2026-01-31
    Basic plan    12.00
    Total EUR     12.00`);
});

story("A week with a day of 23 hours in Auckland has seven days", async ({ given, clock, then }) => {
  await given.organization({ timeZone: "Pacific/Auckland" });
  await given.plan("weekly", { weekly: "70.00", paid: "in advance" });
  await clock.is("2024-09-25 12:00");
  const acme = await given.customer("acme").subscribesTo("weekly");
  // Wednesday to Sunday, on which clocks go forward: 5 of 7 days.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-09-25, due 2024-09-25
    2024-09-25 to 2024-09-29
    Weekly plan    50.00
    Total EUR      50.00`);
  await clock.is("2024-09-29 10:59:59 Z");
  await then.invoicesOf(acme).read("INV-001-001  2024-09-25  50.00");
  await clock.is("2024-09-29 11:00 Z");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-09-30, due 2024-09-30
    2024-09-30 to 2024-10-06
    Weekly plan    70.00
    Total EUR      70.00`);
});

story("A day without midnight in Havana begins at one o'clock", async ({ given, clock, then }) => {
  await given.organization({ timeZone: "America/Havana" });
  await given.plan("basic", { monthly: "310.00" });
  await clock.is("2024-02-10 12:00");
  const acme = await given.customer("acme").subscribesTo("basic", { anniversary: true });
  await clock.is("2024-03-10 04:59:59 Z");
  await then.invoicesOf(acme).read("");
  await clock.is("2024-03-10 05:00 Z");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-03-10, due 2024-03-10
    2024-02-10 to 2024-03-09
    Basic plan    310.00
    Total EUR     310.00`);
});

story("The repeated hour before midnight in Cairo belongs to October, both times", async ({ given, clock, then }) => {
  await given.organization({ timeZone: "Africa/Cairo" });
  await given.metric("units", { sum: "number" });
  await given.plan("basic", { monthly: "0.00", metered: { units: { each: "1.00" } } });
  await clock.is("2024-10-02");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("units", 1, { on: "2024-10-31 20:30 Z" });
  await acme.uses("units", 2, { on: "2024-10-31 21:30 Z" });
  await acme.uses("units", 10, { on: "2024-10-31 22:00 Z" });
  await clock.is("2024-10-31 21:59:59 Z");
  await then.invoicesOf(acme).read("");
  await clock.is("2024-10-31 22:00 Z");
  await then.invoicesOf(acme).read("INV-001-001  2024-11-01  3.00");
  await clock.is("2024-12-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-11-01   3.00
    INV-001-002  2024-12-01  10.00`);
});

story(
  "A customer that moves to New York ends the current month in its old zone, and the next one there",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", "count");
    await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "1.00" } } });
    await clock.is("2026-02-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("calls", 1, { on: "2026-02-01 02:00" });
    await acme.uses("calls", 2, { on: "2026-02-28 23:59:59" });
    await acme.uses("calls", 4, { on: "2026-03-01 00:00" });
    await acme.uses("calls", 8, { on: "2026-04-01 03:59:59" });
    await acme.uses("calls", 16, { on: "2026-04-01 04:00" });
    await clock.is("2026-02-10");
    await office.changesCustomer(acme, { timeZone: "America/New_York" });
    await clock.is("2026-03-01");
    // When February ends in London it is still the 28th in New York.
    await then.invoicesOf(acme).read("INV-001-001  2026-02-28  34.00");
    await clock.is("2026-04-01 03:59:59");
    await then.invoicesOf(acme).read("INV-001-001  2026-02-28  34.00");
    await clock.is("2026-04-01 04:00");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-28  34.00
    INV-001-002  2026-04-01  43.00`);
  },
);

story(
  "A customer that moves to Tokyo has a shorter month after the current one; every call is billed once",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", "count");
    await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "1.00" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("calls", 1, { on: "2026-01-31 14:59:59" });
    await acme.uses("calls", 2, { on: "2026-01-31 15:00" });
    await acme.uses("calls", 4, { on: "2026-02-28 14:59:59" });
    await acme.uses("calls", 8, { on: "2026-02-28 15:00" });
    await clock.is("2026-01-15");
    await office.changesCustomer(acme, { timeZone: "Asia/Tokyo" });
    await clock.is("2026-02-01");
    await then.invoicesOf(acme).read("INV-001-001  2026-02-01  34.00");
    await clock.is("2026-02-28 15:00");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  34.00
    INV-001-002  2026-03-01  35.00`);
  },
);

story(
  "An upgrade on a day that was billed in the old zone bills from the next day on, the plan as well as its seats",
  async ({ given, clock, office, then }) => {
    const seats = { each: "10.00", paid: "in advance" } as const;
    await given.metric("seats", { sum: "number", recurring: true });
    await given.plan("small", { monthly: "31.00", paid: "in advance", metered: { seats } });
    await given.plan("large", { monthly: "62.00", paid: "in advance", metered: { seats } });
    await clock.is("2026-02-01");
    const acme = await given.customer("acme").subscribesTo("small");
    await acme.uses("seats", 3, { on: "2026-02-01" });
    await clock.is("2026-02-10");
    await office.changesCustomer(acme, { timeZone: "America/New_York" });
    // February is over in London: March is paid. In New York it is still the evening of 28 February.
    await clock.is("2026-03-01 02:00");
    await acme.changesTo("large");
    await then.latestInvoiceOf(acme).reads(`
      Invoice INV-001-004 of 2026-02-28, due 2026-02-28
      2026-02-28 to 2026-03-31
      Large plan                        62.00
      Credit note INV-001-003-CN001    -31.00
      Total EUR                         31.00`);
    await acme.uses("seats", 2, { on: "2026-03-01 02:00" });
    await clock.is("2026-04-01 04:00");
    // The three seats of March stay paid, and two more are added for it.
    await then.invoicesOf(acme).read(`
      INV-001-001  2026-02-01   31.00
      INV-001-002  2026-02-01   30.00
      INV-001-003  2026-02-28   61.00
      INV-001-004  2026-02-28   31.00
      INV-001-005  2026-02-28   20.00
      INV-001-006  2026-04-01  112.00`);
  },
);
