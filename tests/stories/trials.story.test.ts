// During a trial the plan fee is free, but usage is not. Billing after the trial counts from the day on which it ends.

import { story } from "./dsl/story.ts";

story(
  "A trial of a plan paid in advance: billed at its end, for the rest of the month",
  async ({ given, clock, then }) => {
    await given.plan("premium", { monthly: "50000.00", paid: "in advance", trial: "10 days" });
    await clock.is("2023-03-05 12:12");
    const acme = await given.customer("acme").subscribesTo("premium");
    await clock.is("2023-03-15 12:11:59");
    await then.invoicesOf(acme).read("");
    await clock.is("2023-03-15 12:12");
    // From the day of the end on: 17 of 31 days, 27 419.3548…
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2023-03-15, due 2023-03-15
    2023-03-05 to 2023-03-31
    Premium plan    27 419.35
    Total EUR       27 419.35`);
    await clock.is("2023-04-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2023-04-01, due 2023-04-01
    2023-04-01 to 2023-04-30
    Premium plan    50 000.00
    Total EUR       50 000.00`);
  },
);

story(
  "A trial longer than the first month: an invoice of 0.00, then the rest of the second",
  async ({ given, clock, then }) => {
    await given.plan("basic", { monthly: "29.00", trial: "30 days" });
    await clock.is("2024-01-20");
    const acme = await given.customer("acme").subscribesTo("basic");
    await clock.is("2024-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01, paid
    2024-01-20 to 2024-01-31
    Basic plan    0.00
    Total EUR     0.00`);
    await clock.is("2024-03-01");
    // The trial ended on 19 February: 11 of 29 days.
    await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01   0.00
    INV-001-002  2024-03-01  11.00`);
  },
);

story("A plan change does not restart the trial", async ({ given, clock, then }) => {
  await given.plan("small", { monthly: "31.00", trial: "10 days" });
  await given.plan("large", { monthly: "62.00", trial: "10 days" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("small");
  await clock.is("2024-01-05");
  await acme.changesTo("large");
  await clock.is("2024-02-01");
  // The trial of ten days ended on 11 January, ten days after the first start: 21 of 31 days.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-05   0.00
    INV-001-002  2024-02-01  42.00`);
});

story("Usage in a trial is billed", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "30.00", trial: "31 days", metered: { calls: { each: "0.50" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 12, { from: "2026-01-03", to: "2026-01-29" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                 0.00
    Calls         12 × 0.50    6.00
    Total EUR                  6.00`);
});
