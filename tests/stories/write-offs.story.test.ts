// An amount that will never be paid is written off: it is no longer due, and the invoice stays.

import { story } from "./dsl/story.ts";

story("A written-off debt is never overdue again", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "10.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  const bill = (state: string, rest = "") => `
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01${state}
    Setup        1 × 10.00  10.00
    Total EUR               10.00${rest}`;
  await clock.is("2024-01-02");
  await then.latestInvoiceOf(acme).reads(bill(", overdue"));
  await office.writesOff(acme, { amount: "4.00" });
  const some = "\n    Written off  4.00";
  await then.latestInvoiceOf(acme).reads(bill(", overdue", some));
  await then.refused(office.writesOff(acme, { amount: "6.01" }), "validation_errors");
  await then.refused(office.voids(acme), "not_voidable");
  await office.writesOff(acme);
  const all = "\n    Written off  10.00";
  await then.latestInvoiceOf(acme).reads(bill("", all));
  await then.refused(office.writesOff(acme), "not_due");
  await office.isNotPaidBy(acme);
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(bill(", not paid", all));
});

story(
  "An amount that is written off before its due date never becomes overdue",
  async ({ given, clock, office, then }) => {
    await given.addOn("setup", "10.00");
    await clock.is("2024-01-01");
    const acme = given.customer("acme", { paymentTerm: "5 days" });
    await office.bills(acme, { addOn: "setup" });
    await office.writesOff(acme);
    await clock.is("2024-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-06
    Setup        1 × 10.00  10.00
    Total EUR               10.00
    Written off  10.00`);
  },
);

story("Drafts, paid and void invoices cannot be written off", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "2 days" }).subscribesTo("basic");
  await clock.is("2024-02-01");
  await then.refused(office.writesOff(acme), "not_due");
  await clock.is("2024-02-03");
  await office.isPaidBy(acme);
  await then.refused(office.writesOff(acme), "not_due");
  await office.isNotPaidBy(acme);
  await office.voids(acme);
  await then.refused(office.writesOff(acme), "not_due");
});

story("Credits of a bounced, written-off purchase return if it is paid after all", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "80.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "100" });
  await office.isPaidBy(acme);
  await clock.is("2024-02-01");
  await office.isNotPaidBy(acme, "INV-001-001");
  await office.writesOff(acme, { invoice: "INV-001-001" });
  await then.invoiceOf(acme, "INV-001-001").reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01, not paid
    Prepaid      100 × 1.00  100.00
    Total EUR                100.00
    Written off  100.00`);
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  // The write-off is reversed: 100.00 was paid, so the unspent part is back.
  await office.isPaidBy(acme, "INV-001-001");
  await then.walletsOf(acme).read("Prepaid  active  20 credits  20.00");
  await then.movementsOf(acme).read(`
    2024-01-01  purchased  +100
    2024-02-01  invoiced    -80
    2024-02-01  voided      -20
    2024-02-01  purchased   +20`);
});

story("A purchase that is written off in part grants the paid part", async ({ given, clock, office, then }) => {
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.opensWallet(acme, { paid: "100" });
  await office.writesOff(acme, { amount: "40.00" });
  await office.isPaidBy(acme);
  await then.walletsOf(acme).read("Prepaid  active  60 credits  60.00");
  await office.isNotPaidBy(acme);
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  await office.isPaidBy(acme);
  await then.walletsOf(acme).read("Prepaid  active  60 credits  60.00");
  const refund = (amount: string) => office.credits(acme, { of: { Prepaid: amount }, refund: amount });
  await then.refused(refund("60.01"), "validation_errors");
  await refund("60.00");
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
});

story("Of an invoice that is written off in part, only the paid part is refunded", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.addOn("setup", "100.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  await office.writesOff(acme, { amount: "60.00" });
  await office.isPaidBy(acme);
  await then.refused(office.credits(acme, { of: { Setup: "50.00" }, refund: "50.00" }), "validation_errors");
  await office.credits(acme, { of: { Setup: "40.00" }, refund: "40.00" });
  await then.creditNotesOf(acme).read("INV-001-001-CN001  refund of 40.00 pending");
});
