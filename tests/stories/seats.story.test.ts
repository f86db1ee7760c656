// Recurring usage: seats and storage, in full or prorated by day.

import { story } from "./dsl/story.ts";

story("A running total is billed every month, changed or not", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("team", { monthly: "0.00", metered: { seats: { each: "1.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("team");
  await acme.uses("seats", 10, { on: "2026-01-10" });
  await acme.uses("seats", -4, { on: "2026-03-10" });
  await clock.is("2026-04-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  10.00
    INV-001-002  2026-03-01  10.00
    INV-001-003  2026-04-01   6.00`);
});

story("A prorated seat: the day of its removal is billed", async ({ given, clock, then }) => {
  await given.metric("seats", { unique: "user", recurring: true });
  await given.plan("team", { monthly: "0.00", metered: { seats: { each: "30.00", prorated: true } } });
  await clock.is("2025-09-01");
  const acme = await given.customer("acme").subscribesTo("team");
  await acme.adds("seats", "anna", { on: "2025-09-10" });
  await acme.removes("seats", "anna", { on: "2025-10-12" });
  await clock.is("2025-11-01");
  // 21 of 30 days; 12 of 31 days: 11.6129…
  await then.invoicesOf(acme).read(`
    INV-001-001  2025-10-01  21.00
    INV-001-002  2025-11-01  11.61`);
});

story("A prorated number of seats: the day of a removal is not billed", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("team", { monthly: "0.00", metered: { seats: { each: "30.00", prorated: true } } });
  await clock.is("2025-09-01");
  const acme = await given.customer("acme").subscribesTo("team");
  await acme.uses("seats", 1, { on: "2025-09-10" });
  await acme.uses("seats", -1, { on: "2025-10-12" });
  await clock.is("2025-11-01");
  // 21 of 30 days; 11 of 31 days: 10.6451…
  await then.invoicesOf(acme).read(`
    INV-001-001  2025-10-01  21.00
    INV-001-002  2025-11-01  10.65`);
});

story("Prorated tiers: each change counts for the remaining days", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("team", {
    monthly: "0.00",
    metered: { seats: { graduated: ["5 @ 10.00 + 100.00", "15 @ 5.00 + 50.00", "rest @ 2.00"], prorated: true } },
  });
  await clock.is("2025-09-01");
  const acme = await given.customer("acme").subscribesTo("team");
  await acme.uses("seats", 2, { on: "2025-09-10" });
  await acme.uses("seats", 5, { on: "2025-09-16" });
  await acme.uses("seats", -6, { on: "2025-09-20" });
  await acme.uses("seats", 10, { on: "2025-09-25" });
  await acme.uses("seats", 4, { on: "2025-09-26" });
  await clock.is("2025-10-01");
  // 20 × 21/30 + 40 × 15/30 - 50 × 11/30 + 70 × 6/30 + 20 × 5/30 = 33.00, and the flat amounts of two tiers: 150.00
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2025-10-01, due 2025-10-01
    2025-09-01 to 2025-09-30
    Team plan              0.00
    Seats      15 × 12.20  183.00
    Total EUR              183.00`);
});

story("Storage by the second, carried into the next month", async ({ given, clock, then }) => {
  await given.metric("storage", { weighted: "gigabytes", recurring: true });
  await given.plan("disk", { monthly: "0.00", metered: { storage: { each: "1.00" } } });
  await clock.is("2023-03-05");
  const acme = await given.customer("acme").subscribesTo("disk");
  await acme.uses("storage", 2500, { on: "2023-03-05 00:00" });
  await acme.uses("storage", -2000, { on: "2023-04-04 00:00" });
  await acme.uses("storage", -200, { on: "2023-04-06 00:00" });
  await clock.is("2023-04-01");
  // 2 500 on 27 of 31 days
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2023-04-01, due 2023-04-01
    2023-03-05 to 2023-03-31
    Disk plan                           0.00
    Storage    2 177.41935… × 1.00  2 177.42
    Total EUR                       2 177.42`);
  await clock.is("2023-05-01");
  // 2 500 on 3 days, 500 on 2 and 300 on 25, of 30
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2023-05-01, due 2023-05-01
    2023-04-01 to 2023-04-30
    Disk plan                       0.00
    Storage    533.33333… × 1.00  533.33
    Total EUR                     533.33`);
});

story("Each user counts once a month, with any number of events", async ({ given, clock, then }) => {
  await given.metric("users", { unique: "user" });
  await given.plan("team", { monthly: "0.00", metered: { users: { each: "5.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("team");
  await acme.adds("users", "anna", { on: "2026-01-10" });
  await acme.adds("users", "anna", { on: "2026-01-11" });
  await acme.adds("users", "bert", { on: "2026-01-12" });
  await acme.adds("users", "bert", { on: "2026-02-12" });
  await clock.is("2026-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  10.00
    INV-001-002  2026-03-01   5.00`);
});

story(
  "Storage by the second from the middle of a month; a metered metric carries nothing over",
  async ({ given, clock, then }) => {
    await given.metric("storage", { weighted: "gigabytes" });
    await given.plan("disk", { monthly: "0.00", metered: { storage: { each: "1.00" } } });
    await clock.is("2026-04-01");
    const acme = await given.customer("acme").subscribesTo("disk");
    await acme.uses("storage", 30, { on: "2026-04-16 00:00" });
    await clock.is("2026-06-01");
    // 30 on 15 of 30 days
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-05-01  15.00
    INV-001-002  2026-06-01   0.00`);
  },
);

story("A user that was removed before being added counts from the addition on", async ({ given, clock, then }) => {
  await given.metric("users", { unique: "user" });
  await given.plan("team", { monthly: "0.00", metered: { users: { each: "5.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("team");
  await acme.adds("users", "anna", { on: "2026-01-02" });
  await acme.adds("users", "anna", { on: "2026-01-03" });
  await acme.removes("users", "bert", { on: "2026-01-04" });
  await acme.removes("users", "anna", { on: "2026-01-05" });
  await acme.adds("users", "bert", { on: "2026-01-06" });
  await acme.adds("users", "carl", { on: "2026-01-07" });
  await clock.is("2026-02-01");
  // Bert and Carl
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Team plan              0.00
    Users      2 × 5.00   10.00
    Total EUR             10.00`);
});

story("Prorated volume: the tier by the seats, the amount by their days", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("team", {
    monthly: "0.00",
    metered: { seats: { volume: ["100 @ 2.00 + 10.00", "rest @ 0.50 + 50.00"], prorated: true } },
  });
  await clock.is("2026-04-01");
  const acme = await given.customer("acme").subscribesTo("team");
  await acme.uses("seats", 300, { on: "2026-04-10" });
  await clock.is("2026-05-01");
  // 300 seats on 21 of 30 days are 210, at 0.50; the flat amount is not prorated.
  await then.invoicesOf(acme).read("INV-001-001  2026-05-01  155.00");
});
