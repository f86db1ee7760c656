// An event belongs to the period of its timestamp. It is billed while that period's invoice is open; recurring usage is billed later too.

import { story } from "./dsl/story.ts";

story(
  "Late usage is on the draft after a refresh, and always on the invoice",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", "count");
    await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "2.00" } } });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("basic");
    await clock.is("2024-02-01 12:00");
    await acme.uses("calls", 1, { on: "2024-01-31 23:00" });
    await then.invoicesOf(acme).read("INV-DRAFT draft  2024-02-04  31.00");
    await office.refreshes(acme);
    await then.invoicesOf(acme).read("INV-DRAFT draft  2024-02-04  33.00");
    await acme.uses("calls", 1, { on: "2024-01-30" });
    await clock.is("2024-02-04");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-04, due 2024-02-04
    2024-01-01 to 2024-01-31
    Basic plan               31.00
    Calls         2 × 2.00    4.00
    Total EUR                35.00`);
  },
);

story("Usage that arrives after its invoice is finalized is on no invoice", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "2.00" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 3, { on: "2024-01-15" });
  await clock.is("2024-02-01");
  await acme.uses("calls", 5, { on: "2024-01-31" });
  await acme.uses("calls", 1, { on: "2024-02-10" });
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01  6.00
    INV-001-002  2024-03-01  2.00`);
});

story("Late seats are billed from the next invoice on", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("basic", { monthly: "0.00", metered: { seats: { each: "3.00" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("seats", 10, { on: "2024-01-15" });
  await clock.is("2024-02-01");
  await acme.uses("seats", 5, { on: "2024-01-20" });
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01  30.00
    INV-001-002  2024-03-01  45.00`);
});

story("Usage that arrives early waits for its period", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "1.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 2, { on: "2026-01-31" });
  await acme.uses("calls", 7, { on: "2026-02-28" });
  await clock.is("2026-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  2.00
    INV-001-002  2026-03-01  7.00`);
});

story("Repeated events are billed once", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "1.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 4, { on: "2026-01-10" });
  await acme.repeatsLastUse();
  await clock.is("2026-02-01");
  await then.invoicesOf(acme).read("INV-001-001  2026-02-01  4.00");
});

story("Usage before the start and after the end is not billed", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "1.00" } } });
  await clock.is("2026-01-10 09:00");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 100, { on: "2026-01-10 08:59:59" });
  await acme.uses("calls", 1, { on: "2026-01-10 09:00" });
  await acme.uses("calls", 2, { on: "2026-01-20 16:59:59" });
  await acme.uses("calls", 40, { on: "2026-01-20 17:00" });
  await clock.is("2026-01-20 17:00");
  await acme.leaves();
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-20, due 2026-01-20
    2026-01-10 to 2026-01-20
    Basic plan              0.00
    Calls        3 × 1.00   3.00
    Total EUR               3.00`);
});
