// A plan with the same or a higher yearly price takes effect at once, and its day belongs to it. A cheaper plan waits for the period's end.

import { story } from "./dsl/story.ts";

story("An upgrade in the middle of January: each plan bills its days", async ({ given, clock, then }) => {
  await given.plan("small", { monthly: "100.00" });
  await given.plan("large", { monthly: "200.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("small");
  await clock.is("2024-01-15 10:00");
  await acme.changesTo("large");
  // The 15th belongs to the new plan: 14 of 31 days, 45.1612…
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-15, due 2024-01-15
    2024-01-01 to 2024-01-15
    Small plan    45.16
    Total EUR     45.16`);
  await clock.is("2024-02-01");
  // 17 of 31 days: 109.6774…
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01
    2024-01-15 to 2024-01-31
    Large plan    109.68
    Total EUR     109.68`);
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-15   45.16
    INV-001-002  2024-02-01  109.68
    INV-001-003  2024-03-01  200.00`);
});

story("Two upgrades in a month: every day is billed once", async ({ given, clock, then }) => {
  await given.plan("small", { monthly: "31.00" });
  await given.plan("medium", { monthly: "62.00" });
  await given.plan("large", { monthly: "93.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("small");
  await clock.is("2026-01-11 09:00");
  await acme.changesTo("medium");
  await clock.is("2026-01-21 18:00");
  await acme.changesTo("large");
  await clock.is("2026-02-01");
  // 10 days at 1.00, 10 at 2.00 and 11 at 3.00.
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-11  10.00
    INV-001-002  2026-01-21  20.00
    INV-001-003  2026-02-01  33.00`);
});

story("Prices are compared per year: 3.00 a week is more than 10.00 a month", async ({ given, clock, then }) => {
  await given.plan("by_month", { monthly: "10.00" });
  await given.plan("by_week", { weekly: "3.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("by_month");
  await clock.is("2024-01-10");
  await acme.changesTo("by_week");
  await clock.is("2024-01-22");
  // 156.00 against 120.00 a year. 9 of 31 days of the month, 5 of 7 of the week from Wednesday to Sunday, a whole week.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-10  2.90
    INV-001-002  2024-01-15  2.14
    INV-001-003  2024-01-22  3.00`);
});

story("Usage at the exact instant of an upgrade has the new price", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("old", { monthly: "0.00", metered: { calls: { each: "1.00" } } });
  await given.plan("new", { monthly: "0.00", metered: { calls: { each: "7.00" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await acme.uses("calls", 1, { on: "2024-01-05" });
  await acme.uses("calls", 1, { on: "2024-01-15 09:59:59" });
  await acme.uses("calls", 1, { on: "2024-01-15 10:00" });
  await acme.uses("calls", 1, { on: "2024-01-20" });
  await clock.is("2024-01-15 10:00");
  await acme.changesTo("new");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-15, due 2024-01-15
    2024-01-01 to 2024-01-15
    Old plan                0.00
    Calls       2 × 1.00    2.00
    Total EUR               2.00`);
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01
    2024-01-15 to 2024-01-31
    New plan                 0.00
    Calls       2 × 7.00    14.00
    Total EUR               14.00`);
});

story("Seats that continue in the new plan are billed by it alone", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "0.00", metered: { seats: { each: "1.00" } } });
  await given.plan("new", { monthly: "0.00", metered: { seats: { each: "2.00" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await acme.uses("seats", 10, { on: "2024-01-05" });
  await clock.is("2024-01-15");
  await acme.changesTo("new");
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-15   0.00
    INV-001-002  2024-02-01  20.00`);
});

story("A downgrade waits for the end of the period", async ({ given, clock, then }) => {
  await given.plan("large", { monthly: "62.00" });
  await given.plan("small", { monthly: "31.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("large");
  await clock.is("2026-01-10");
  await acme.changesTo("small");
  await then.invoicesOf(acme).read("");
  await clock.is("2026-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  62.00
    INV-001-002  2026-03-01  31.00`);
});

story(
  "A downgrade from months to years, paid in advance, keeps the day of the start",
  async ({ given, clock, then }) => {
    await given.plan("by_month", { monthly: "129.00", paid: "in advance" });
    await given.plan("by_year", { yearly: "1188.00", paid: "in advance" });
    await clock.is("2023-07-19");
    const acme = await given.customer("acme").subscribesTo("by_month", { anniversary: true });
    await clock.is("2023-11-09 09:00");
    await acme.changesTo("by_year");
    await clock.is("2023-11-19");
    await then.invoicesOf(acme).read(`
    INV-001-001  2023-07-19  129.00
    INV-001-002  2023-08-19  129.00
    INV-001-003  2023-09-19  129.00
    INV-001-004  2023-10-19  129.00
    INV-001-005  2023-11-19  788.75`);
    // The year ends on 18 July, and has a 29 February: 243 of 366 days, 788.7540…
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-005 of 2023-11-19, due 2023-11-19
    2023-11-19 to 2024-07-18
    By year plan    788.75
    Total EUR       788.75`);
  },
);

story("An upgrade replaces a pending downgrade", async ({ given, clock, then }) => {
  await given.plan("medium", { monthly: "62.00" });
  await given.plan("small", { monthly: "31.00" });
  await given.plan("large", { monthly: "93.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("medium");
  await clock.is("2024-01-10");
  await acme.changesTo("small");
  await clock.is("2024-01-15");
  await acme.changesTo("large");
  await clock.is("2024-03-01");
  // 14 days at 2.00, 17 days at 3.00, then a whole month.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-15  28.00
    INV-001-002  2024-02-01  51.00
    INV-001-003  2024-03-01  93.00`);
});

story(
  "An upgrade to a plan paid in advance: the old days and the new ones on one invoice",
  async ({ given, clock, then }) => {
    await given.metric("calls", "count");
    await given.plan("small", { monthly: "100.00", metered: { calls: { each: "0.25" } } });
    await given.plan("large", { monthly: "200.00", paid: "in advance", metered: { calls: { each: "0.20" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("small");
    await acme.uses("calls", 6, { on: "2026-01-08" });
    await acme.uses("calls", 9, { on: "2026-01-22" });
    await clock.is("2026-01-15 10:00");
    await acme.changesTo("large");
    // 14 of 31 days: 45.1612…; 17 of 31 days: 109.6774…
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-15, due 2026-01-15
    2026-01-01 to 2026-01-15
    Small plan               45.16
    Calls         6 × 0.25    1.50
    2026-01-15 to 2026-01-31
    Large plan              109.68
    Total EUR               156.34`);
    await clock.is("2026-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-02-01, due 2026-02-01
    2026-02-01 to 2026-02-28
    Large plan              200.00
    2026-01-15 to 2026-01-31
    Calls         9 × 0.20    1.80
    Total EUR               201.80`);
  },
);

story(
  "A downgrade to a plan paid in advance: the month that ends and the one that begins",
  async ({ given, clock, then }) => {
    await given.metric("calls", "count");
    await given.plan("large", { monthly: "62.00", metered: { calls: { each: "0.25" } } });
    await given.plan("small", { monthly: "31.00", paid: "in advance" });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("large");
    await acme.uses("calls", 4, { on: "2026-01-31 23:59:59" });
    await clock.is("2026-01-10");
    await acme.changesTo("small");
    await clock.is("2026-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Large plan              62.00
    Calls        4 × 0.25    1.00
    2026-02-01 to 2026-02-28
    Small plan              31.00
    Total EUR               94.00`);
  },
);

story(
  "An equal yearly price is an upgrade, and the day of the first start stays the anniversary",
  async ({ given, clock, then }) => {
    await given.plan("by_month", { monthly: "10.00" });
    await given.plan("by_year", { yearly: "120.00", paid: "in advance" });
    await clock.is("2023-06-29");
    const acme = await given.customer("acme").subscribesTo("by_month", { anniversary: true });
    await clock.is("2023-09-28 08:00");
    await acme.changesTo("by_year");
    // 30 of the 31 days from 29 August; 275 of the 366 days to 28 June: 90.1639…
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-003 of 2023-09-28, due 2023-09-28
    2023-08-29 to 2023-09-28
    By month plan     9.68
    2023-09-28 to 2024-06-28
    By year plan     90.16
    Total EUR        99.84`);
  },
);

story("Prorated seats in an upgrade: the day belongs to the new price", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("small", { monthly: "0.00", metered: { seats: { each: "31.00", prorated: true } } });
  await given.plan("large", { monthly: "0.00", metered: { seats: { each: "62.00", prorated: true } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("small");
  await acme.uses("seats", 2, { on: "2026-01-01 00:00" });
  await clock.is("2026-01-11 15:00");
  await acme.changesTo("large");
  await clock.is("2026-02-01");
  // Two seats: 10 days at 1.00, 21 days at 2.00
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-11  20.00
    INV-001-002  2026-02-01  84.00`);
});
