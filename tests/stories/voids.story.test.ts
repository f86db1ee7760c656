// A voided invoice keeps its number, and its period is not billed again. A paid invoice cannot be voided.

import { story } from "./dsl/story.ts";

story("The number of a voided invoice stays used", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2024-02-01");
  await office.voids(acme);
  await then.latestInvoiceOf(acme).reads(`
    Voided invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan    31.00
    Total EUR     31.00`);
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001 voided  2024-02-01  31.00
    INV-001-002         2024-03-01  31.00`);
});

story(
  "Neither a paid invoice nor a draft can be voided, and no invoice twice",
  async ({ given, clock, office, then }) => {
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme", { grace: "2 days" }).subscribesTo("basic");
    await clock.is("2024-02-01");
    await then.refused(office.voids(acme), "not_voidable");
    await clock.is("2024-02-03");
    await office.isPaidBy(acme);
    await then.refused(office.voids(acme), "not_voidable");
    await clock.is("2024-03-03");
    await office.voids(acme);
    await then.refused(office.voids(acme), "not_voidable");
  },
);

story("An invoice is overdue after its due day until it is paid", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "10.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme", { paymentTerm: "5 days" });
  await office.bills(acme, { addOn: "setup" });
  const bill = (state: string) => `
    Invoice INV-001-001 of 2024-01-01, due 2024-01-06${state}
    Setup       1 × 10.00  10.00
    Total EUR              10.00`;
  await clock.is("2024-01-06 23:59:59");
  await then.latestInvoiceOf(acme).reads(bill(""));
  await clock.is("2024-01-07");
  await then.latestInvoiceOf(acme).reads(bill(", overdue"));
  await office.isPaidBy(acme);
  await then.latestInvoiceOf(acme).reads(bill(", paid"));
});

story("A voided invoice is no longer overdue", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "10.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  await clock.is("2024-01-02");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01, overdue
    Setup       1 × 10.00  10.00
    Total EUR              10.00`);
  await office.voids(acme);
  await then.latestInvoiceOf(acme).reads(`
    Voided invoice INV-001-001 of 2024-01-01, due 2024-01-01
    Setup       1 × 10.00  10.00
    Total EUR              10.00`);
});

story("An invoice whose credit note was spent cannot be voided, even if the rest of the note is void", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.addOn("setup", "50.00");
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "50.00" }, credit: "50.00" });
  await clock.is("2024-02-01");
  await office.voidsNoteOf(acme);
  await then.creditNotesOf(acme).read("INV-001-001-CN001  voided  0.00 of 50.00");
  // 30.00 of it paid for January.
  await then.refused(office.voids(acme, "INV-001-001"), "not_voidable");
});

story("An invoice whose credit note was voided unspent can be voided", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "50.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "50.00" }, credit: "50.00" });
  await then.refused(office.voids(acme), "not_voidable");
  await office.voidsNoteOf(acme);
  await office.voids(acme);
  await then.invoicesOf(acme).read("INV-001-001 voided  2024-01-01  50.00");
});

story(
  "A refund prevents the void of an invoice until it fails, even if the credit of its note is void",
  async (cast) => {
    const { given, clock, office, then } = cast;
    await given.addOn("setup", "50.00");
    await clock.is("2024-01-01");
    const acme = given.customer("acme");
    await office.bills(acme, { addOn: "setup" });
    await office.isPaidBy(acme);
    await office.credits(acme, { of: { Setup: "30.00" }, credit: "10.00", refund: "20.00" });
    await office.isNotPaidBy(acme);
    await office.voidsNoteOf(acme);
    await then.creditNotesOf(acme).read("INV-001-001-CN001  refund of 20.00 pending  voided  0.00 of 10.00");
    await then.refused(office.voids(acme), "not_voidable");
    await office.failsToRefund(acme);
    await office.voids(acme);
    await then.invoicesOf(acme).read("INV-001-001 voided  2024-01-01  50.00");
  },
);

story("A credit note does not change the amount due of its own invoice", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "50.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "50.00" }, credit: "50.00" });
  await clock.is("2024-01-02");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01, overdue
    Setup       1 × 50.00  50.00
    Total EUR              50.00`);
  // All of it is due, so all of it can be written off.
  await office.writesOff(acme, { amount: "50.00" });
});
