// When a subscription ends, unused days that were paid in advance are credited, refunded or kept, and its usage is billed or not.

import { story } from "./dsl/story.ts";

story("A customer that leaves gets its unused days back in money", async ({ given, clock, office, then }) => {
  await given.tax("vat", "20 %");
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "31.00", paid: "in advance", metered: { calls: { each: "2.00" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { taxes: ["vat"] }).subscribesTo("basic", { unused: "refund" });
  await then.invoicesOf(acme).read("INV-001-001  2024-01-01  37.20");
  await office.isPaidBy(acme);
  await acme.uses("calls", 3, { on: "2024-01-05" });
  await clock.is("2024-01-10 12:00");
  await acme.leaves();
  // 21 of 31 days are 21.00, and 4.20 of taxes. The last invoice is not lowered by what is refunded.
  await then.creditNotesOf(acme).read("INV-001-001-CN001  refund of 25.20 pending");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-01-10, due 2024-01-10
    2024-01-01 to 2024-01-10
    Calls         3 × 2.00  6.00
    Subtotal                6.00
    Vat 20 %                1.20
    Total EUR               7.20`);
});

story(
  "Only what was paid in money is refunded: what a wallet paid is credited",
  async ({ given, clock, office, then }) => {
    await given.plan("basic", { monthly: "31.00", paid: "in advance" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").exists();
    await office.opensWallet(acme, { granted: "15.00" });
    await acme.subscribesTo("basic");
    await office.isPaidBy(acme);
    await clock.is("2024-01-10 12:00");
    await acme.leaves("acme", { unused: "refund" });
    // 21.00 come back. 16.00 of the 31.00 were paid in money.
    await then.creditNotesOf(acme).read("INV-001-001-CN001  refund of 16.00 pending  available  5.00 of 5.00");
  },
);

story(
  "A customer that leaves may forfeit what it paid, and still pays what it used",
  async ({ given, clock, then }) => {
    await given.metric("calls", "count");
    await given.plan("basic", { monthly: "31.00", paid: "in advance", metered: { calls: { each: "2.00" } } });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("calls", 3, { on: "2024-01-05" });
    await clock.is("2024-01-10 12:00");
    await acme.leaves("acme", { unused: "skip" });
    await then.creditNotesOf(acme).read("");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-01-10, due 2024-01-10
    2024-01-01 to 2024-01-10
    Calls         3 × 2.00  6.00
    Total EUR               6.00`);
  },
);

story("An end without a last invoice bills the months before it, and nothing since", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "2.00" } } });
  await clock.is("2024-01-01");
  const ends = { ends: "2024-02-15", lastInvoice: "skip" } as const;
  const acme = await given.customer("acme").subscribesTo("basic", ends);
  await acme.uses("calls", 1, { on: "2024-01-31" });
  await clock.is("2024-02-10");
  await acme.uses("calls", 5, { on: "2024-02-09" });
  await then.refused(then.nextInvoiceOf(acme).reads(""), "nothing_to_invoice");
  await clock.is("2024-03-15");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-01  33.00");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01, overdue
    2024-01-01 to 2024-01-31
    Basic plan              31.00
    Calls         1 × 2.00   2.00
    Total EUR               33.00`);
  await then.eventsOf(acme).read(`
    2024-01-31  billed
    2024-02-09  skipped_at_end
    2024-02-09  skipped_at_end
    2024-02-09  skipped_at_end
    2024-02-09  skipped_at_end
    2024-02-09  skipped_at_end`);
});
