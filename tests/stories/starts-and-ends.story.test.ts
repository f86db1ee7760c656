// A subscription can start before or after its creation, and end automatically or manually. Its last day is billed.

import { story } from "./dsl/story.ts";

story("A start in the future is billed on its day", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00", paid: "in advance" });
  await clock.is("2024-01-10");
  const acme = await given.customer("acme").subscribesTo("basic", { starts: "2024-01-20" });
  await clock.is("2024-01-19 23:59:59");
  await then.invoicesOf(acme).read("");
  await clock.is("2024-01-20");
  // 12 of 31 days
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-20, due 2024-01-20
    2024-01-20 to 2024-01-31
    Basic plan    12.00
    Total EUR     12.00`);
});

story(
  "A start in the past: past months are not billed, the current one is billed in full",
  async ({ given, clock, then }) => {
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2024-03-15");
    const acme = await given.customer("acme").subscribesTo("basic", { starts: "2024-01-10" });
    await then.invoicesOf(acme).read("");
    await clock.is("2024-04-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-04-01, due 2024-04-01
    2024-03-01 to 2024-03-31
    Basic plan    31.00
    Total EUR     31.00`);
  },
);

story("A customer that leaves a quarter on 20 June pays until that evening", async ({ given, clock, then }) => {
  await given.plan("basic", { quarterly: "910.00" });
  await clock.is("2024-05-20");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2024-06-20 16:00");
  await acme.leaves();
  await clock.is("2024-10-02");
  await then.invoicesOf(acme).read("INV-001-001  2024-06-20  320.00");
  // 32 of 91 days
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-06-20, due 2024-06-20, overdue
    2024-05-20 to 2024-06-20
    Basic plan    320.00
    Total EUR     320.00`);
});

story("An end on the second day", async ({ given, clock, then }) => {
  await given.organization({ timeZone: "Europe/Paris" });
  await given.plan("basic", { monthly: "10.00" });
  await clock.is("2022-09-05 10:00");
  const acme = await given.customer("acme").subscribesTo("basic", { anniversary: true, ends: "2022-09-06 12:00" });
  await clock.is("2022-10-10");
  // 2 of 30 days
  await then.invoicesOf(acme).read("INV-001-001  2022-09-06  0.67");
});

story("An end as the next period would begin closes the last one", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "10.00" });
  await clock.is("2022-09-05 10:00");
  const acme = await given.customer("acme").subscribesTo("basic", { anniversary: true, ends: "2022-10-05" });
  await clock.is("2022-12-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2022-10-05, due 2022-10-05, overdue
    2022-09-05 to 2022-10-04
    Basic plan    10.00
    Total EUR     10.00`);
  await then.invoicesOf(acme).read("INV-001-001  2022-10-05  10.00");
});

story("A returning customer starts over", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2024-01-10");
  await acme.leaves();
  await clock.is("2024-01-21");
  await acme.subscribesTo("basic");
  await clock.is("2024-02-01");
  // 10 days, then 11
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-10  10.00
    INV-001-002  2024-02-01  11.00`);
});

story("A customer that leaves on the day of the start pays that day", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2026-01-07 09:00");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2026-01-07 10:00");
  await acme.leaves();
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-07, due 2026-01-07
    2026-01-07 to 2026-01-07
    Basic plan    1.00
    Total EUR     1.00`);
});

story("A customer that leaves after midnight has started a new month", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "28.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2026-02-01 00:01");
  await acme.leaves();
  // 1 of 28 days
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  28.00
    INV-001-002  2026-02-01   1.00`);
});

story("The first second counts: usage with whole seconds, sent at once, is billed", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "2.00" } } });
  await clock.is("2024-01-10 10:00:00.734");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 1, { on: "2024-01-10 10:00:00" });
  await acme.uses("calls", 1, { on: "2024-01-10 09:59:59" });
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-01  2.00");
});

story(
  "A subscription that follows another one in the same second begins where that one ended",
  async ({ given, clock, then }) => {
    await given.metric("calls", "count");
    await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "1.00" } } });
    await clock.is("2024-01-10");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("calls", 3, { on: "2024-01-20 10:00:00" });
    await clock.is("2024-01-20 10:00:00.4");
    await acme.leaves();
    await clock.is("2024-01-20 10:00:00.7");
    await acme.subscribesTo("basic");
    await acme.uses("calls", 1, { on: "2024-01-20 10:00:00.4" });
    // In the time of the first one, whose last invoice is finalized.
    await acme.uses("calls", 5, { on: "2024-01-20 10:00:00" });
    await clock.is("2024-02-01");
    await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-20  3.00
    INV-001-002  2024-02-01  1.00`);
  },
);
