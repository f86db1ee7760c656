// Credit notes return parts of invoices with their taxes and coupons. The oldest notes pay the next invoices first.

import { story } from "./dsl/story.ts";

story("Four credit notes of one invoice add up to exactly that invoice", async ({ given, clock, office, then }) => {
  await given.organization({ vat: "20 %" });
  for (const [code, amount] of [
    ["first", "68.33"],
    ["second", "68.33"],
    ["third", "57.50"],
    ["fourth", "85.00"],
  ] as const)
    await given.addOn(code, amount);
  await given.plan("basic", { monthly: "500.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.bills(acme, { addOn: "first" }, { addOn: "second" }, { addOn: "third" }, { addOn: "fourth" });
  // 20 % of 279.16 is 55.832.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01
    First      1 × 68.33   68.33
    Second     1 × 68.33   68.33
    Third      1 × 57.50   57.50
    Fourth     1 × 85.00   85.00
    Subtotal              279.16
    VAT 20 %               55.83
    Total EUR             334.99`);
  await office.credits(acme, { of: { First: "68.33" }, credit: "82.00" });
  await office.credits(acme, { of: { Third: "57.50" }, credit: "69.00" });
  await office.credits(acme, { of: { Fourth: "85.00" }, credit: "102.00" });
  // 13.666 would be 13.67, but earlier notes took 13.67, 11.50 and 17.00 of 55.83, so 13.66 is left.
  await office.credits(acme, { of: { Second: "68.33" }, credit: "81.99" });
  await then.creditNotesOf(acme).read(`
    INV-001-001-CN001  available  82.00 of 82.00
    INV-001-001-CN002  available  69.00 of 69.00
    INV-001-001-CN003  available  102.00 of 102.00
    INV-001-001-CN004  available  81.99 of 81.99`);
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan                      500.00
    Subtotal                        500.00
    VAT 20 %                        100.00
    Credit note INV-001-001-CN001   -82.00
    Credit note INV-001-001-CN002   -69.00
    Credit note INV-001-001-CN003  -102.00
    Credit note INV-001-001-CN004   -81.99
    Total EUR                       265.01`);
});

story("The credit of an upgrade is used on the same invoice", async ({ given, clock, then }) => {
  await given.plan("small", { monthly: "31.00", paid: "in advance" });
  await given.plan("large", { monthly: "62.00", paid: "in advance" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("small");
  await clock.is("2024-01-11 10:00");
  await acme.changesTo("large");
  // The 11th belongs to the new plan: 21 of 31 days of each.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-01-11, due 2024-01-11
    2024-01-11 to 2024-01-31
    Large plan                      42.00
    Credit note INV-001-001-CN001  -21.00
    Total EUR                       21.00`);
  await then.creditNotesOf(acme).read("INV-001-001-CN001  consumed  0.00 of 21.00");
});

story("Two upgrades in one month: each returns the days of the plan before it", async ({ given, clock, then }) => {
  await given.plan("small", { monthly: "31.00", paid: "in advance" });
  await given.plan("medium", { monthly: "62.00", paid: "in advance" });
  await given.plan("large", { monthly: "93.00", paid: "in advance" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("small");
  await clock.is("2024-01-11");
  await acme.changesTo("medium");
  await clock.is("2024-01-21");
  await acme.changesTo("large");
  // 11 days at 3.00, less 11 at 2.00.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-003 of 2024-01-21, due 2024-01-21
    2024-01-21 to 2024-01-31
    Large plan                      33.00
    Credit note INV-001-002-CN001  -22.00
    Total EUR                       11.00`);
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  31.00
    INV-001-002  2024-01-11  21.00
    INV-001-003  2024-01-21  11.00`);
});

story("A customer that leaves gets the unused days back, with their taxes", async ({ given, clock, then }) => {
  await given.organization({ vat: "20 %" });
  await given.plan("basic", { monthly: "50.00", paid: "in advance" });
  await clock.is("2023-02-08");
  const acme = await given.customer("acme").subscribesTo("basic");
  await then.invoicesOf(acme).read("INV-001-001  2023-02-08  45.00");
  await acme.leaves();
  // The 8th was used: 20 of 28 days of 50.00 is 35.71428, and 20 % of that is 7.142856.
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  42.85 of 42.85");
});

story("A later price change does not change the credited amount", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00", paid: "in advance" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.changesPlan("basic", { amount: "310.00" });
  await clock.is("2024-01-11 12:00");
  await acme.leaves();
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  20.00 of 20.00");
});

story(
  "A credit note pays invoices until it is used up, the older note first",
  async ({ given, clock, office, then }) => {
    await given.addOn("setup", "100.00");
    await given.plan("basic", { monthly: "40.00" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await office.bills(acme, { addOn: "setup" });
    await office.credits(acme, { of: { Setup: "30.00" }, credit: "30.00" });
    await clock.is("2024-01-02");
    await office.credits(acme, { of: { Setup: "25.00" }, credit: "25.00" });
    await clock.is("2024-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Basic plan                      40.00
    Credit note INV-001-001-CN001  -30.00
    Credit note INV-001-001-CN002  -10.00
    Total EUR                        0.00`);
    await then.creditNotesOf(acme).read(`
    INV-001-001-CN001  consumed   0.00 of 30.00
    INV-001-001-CN002  available  15.00 of 25.00`);
    await clock.is("2024-03-01");
    await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  100.00
    INV-001-002  2024-02-01  0.00
    INV-001-003  2024-03-01  25.00`);
  },
);

story("A credit of half a fee includes half of its coupon and of its tax", async ({ given, clock, office, then }) => {
  await given.organization({ vat: "10 %" });
  await given.plan("basic", { monthly: "100.00" });
  await given.coupon("ten", { amount: "10.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("ten");
  await clock.is("2024-02-01");
  // 50.00 less 5.00, plus 10 % of 45.00. A difference of more than a cent is refused.
  await then.refused(office.credits(acme, { of: { "Basic plan": "50.00" }, credit: "50.00" }), "validation_errors");
  await office.credits(acme, { of: { "Basic plan": "50.00" }, credit: "49.50" });
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  49.50 of 49.50");
});

story("Only paid amounts can be refunded", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "100.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  await then.refused(office.credits(acme, { of: { Setup: "100.00" }, refund: "100.00" }), "validation_errors");
  await office.isPaidBy(acme);
  await office.credits(acme, { of: { Setup: "100.00" }, credit: "40.00", refund: "60.00" });
  await then.creditNotesOf(acme).read("INV-001-001-CN001  refund of 60.00 pending  available  40.00 of 40.00");
});

story("A void returns all credits for later use", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "100.00");
  await given.plan("basic", { monthly: "50.00" });
  await given.coupon("ten", { amount: "10.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "15.00" }, credit: "15.00" });
  await acme.gets("ten");
  await clock.is("2024-02-01");
  const bill = (kind: string, number: string, period: string) => `
    ${kind} ${number} of ${period}
    Basic plan                      50.00
    Coupon Ten                     -10.00
    Credit note INV-001-001-CN001  -15.00
    Total EUR                       25.00`;
  const january = "2024-02-01, due 2024-02-01\n    2024-01-01 to 2024-01-31";
  await then.latestInvoiceOf(acme).reads(bill("Invoice", "INV-001-002", january));
  await office.voids(acme);
  await then.latestInvoiceOf(acme).reads(bill("Voided invoice", "INV-001-002", january));
  await then.couponsOf(acme).read("ten  active  10.00");
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  15.00 of 15.00");
  await clock.is("2024-03-01");
  const february = "2024-03-01, due 2024-03-01\n    2024-02-01 to 2024-02-29";
  await then.latestInvoiceOf(acme).reads(bill("Invoice", "INV-001-003", february));
});

story("The rest of a credit note can be voided; what it paid stays paid", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "100.00");
  await given.plan("basic", { monthly: "40.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "60.00" }, credit: "60.00" });
  await clock.is("2024-02-01");
  await office.voidsNoteOf(acme);
  await then.refused(office.voidsNoteOf(acme), "no_voidable_amount");
  await then.creditNotesOf(acme).read("INV-001-001-CN001  voided  0.00 of 60.00");
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  100.00
    INV-001-002  2024-02-01  0.00
    INV-001-003  2024-03-01  40.00`);
});

story("The days of a fee on a draft are credited at finalization", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00", paid: "in advance" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
  await clock.is("2024-01-03 12:00");
  await acme.leaves();
  await then.creditNotesOf(acme).read("");
  await clock.is("2024-01-06");
  // The 3rd was used: 28 of 31 days.
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  28.00 of 28.00");
});

story("The total of a credit note is its amount plus its taxes", async ({ given, clock, then }) => {
  await given.organization({ vat: "25 %" });
  await given.plan("large", { monthly: "200.00", paid: "in advance" });
  await given.plan("small", { monthly: "160.00", paid: "in advance" });
  await clock.is("2024-04-01");
  const acme = await given.customer("acme").subscribesTo("large");
  const beta = await given.customer("beta").subscribesTo("small");
  await acme.leaves();
  await beta.leaves();
  // The 1st was used: 29 of 30 days. 193.333 plus 48.333 is 241.667, but 193.33 and 48.33 are shown.
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  241.66 of 241.66");
  // 154.667 plus 38.667 is 193.333, but 154.67 and 38.67 are shown.
  await then.creditNotesOf(beta).read("INV-002-001-CN001  available  193.34 of 193.34");
});

story("Days that a coupon paid for are not credited", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00", paid: "in advance" });
  await given.coupon("free_month", { share: "100 %" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").exists();
  await acme.gets("free_month");
  await acme.subscribesTo("basic");
  await then.invoicesOf(acme).read("INV-001-001  2024-01-01  0.00");
  await clock.is("2024-01-11 12:00");
  await acme.leaves();
  await then.creditNotesOf(acme).read("");
});
