// Coupons apply before taxes, credit notes after them, prepaid credits last: each uses what the previous one left.

import { story } from "./dsl/story.ts";

story("All three kinds on one invoice with taxes, and the same on its preview", async (cast) => {
  const { given, clock, office, then } = cast;
  for (const [code, rate] of [
    ["tenth", "10 %"],
    ["fifth", "20 %"],
    ["exempt", "0 %"],
  ] as const)
    await given.tax(code, rate);
  await given.metric("calls", { sum: "count" });
  await given.metric("cards", { sum: "count" });
  const calls = { each: "1.00", taxes: ["exempt"] };
  const cards = { each: "10.00", taxes: ["fifth"], atLeast: "50.00" };
  await given.plan("basic", { monthly: "100.00", taxes: ["tenth"], metered: { calls, cards } });
  await given.addOn("setup", "90.00");
  await given.coupon("ten", { amount: "10.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "50.00" }, credit: "50.00" });
  await acme.gets("ten");
  await office.opensWallet(acme, { granted: "300" });
  await clock.is("2024-01-31");
  await acme.uses("calls", 50, { on: "2024-01-30" });
  await acme.uses("cards", 3, { on: "2024-01-30" });
  // The coupon takes 5 % off each fee: 95.00 are taxed with 10 %, 28.50 and 19.00 with 20 %, 47.50 not at all.
  const bill = (head: string, minimum: string) => `
    ${head} of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Basic plan                                 100.00
    Calls                          50 × 1.00    50.00
    Cards                           3 × 10.00   30.00
    ${minimum}                                  20.00
    Coupon Ten                                 -10.00
    Subtotal                                   190.00
    Exempt 0 %                      on 47.50     0.00
    Fifth 20 %                      on 47.50     9.50
    Tenth 10 %                      on 95.00     9.50
    Taxes                                       19.00
    Credit note INV-001-001-CN001              -50.00
    Prepaid credits                           -159.00
    Total EUR                                    0.00`;
  // A preview has no ids, so a line cannot name the fee whose minimum it is.
  await then.nextInvoiceOf(acme).reads(bill("Preview", "Cards  1 × 20.00"));
  // A preview uses nothing.
  await then.couponsOf(acme).read("ten  active  10.00");
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  50.00 of 50.00");
  await then.walletsOf(acme).read("Prepaid  active  300 credits  300.00");
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(bill("Invoice INV-001-002", "Cards · minimum"));
  await then.couponsOf(acme).read("ten  terminated  0.00");
  await then.creditNotesOf(acme).read("INV-001-001-CN001  consumed  0.00 of 50.00");
  await then.walletsOf(acme).read("Prepaid  active  141 credits  141.00");
});

story("A void returns coupon, credit note and prepaid credits, and the next invoice uses them", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.organization({ vat: "10 %" });
  await given.tax("exempt", "0 %");
  await given.plan("basic", { monthly: "200.00" });
  await given.addOn("setup", "90.00", { taxes: ["exempt"] });
  await given.coupon("ten", { amount: "10.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "50.00" }, credit: "50.00" });
  await acme.gets("ten");
  await office.opensWallet(acme, { rate: "2", granted: "50" });
  await clock.is("2024-02-01");
  // 190.00 plus 10 % is 209.00.
  const bill = (head: string) => `
    ${head}
    Basic plan                      200.00
    Coupon Ten                      -10.00
    Subtotal                        190.00
    VAT 10 %                         19.00
    Credit note INV-001-001-CN001   -50.00
    Prepaid credits                -100.00
    Total EUR                        59.00`;
  const january = "INV-001-002 of 2024-02-01, due 2024-02-01\n    2024-01-01 to 2024-01-31";
  await then.latestInvoiceOf(acme).reads(bill(`Invoice ${january}`));
  await office.voids(acme);
  await then.latestInvoiceOf(acme).reads(bill(`Voided invoice ${january}`));
  await then.refused(office.voids(acme), "not_voidable");
  await then.couponsOf(acme).read("ten  active  10.00");
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  50.00 of 50.00");
  await then.walletsOf(acme).read("Prepaid  active  50 credits  100.00");
  await clock.is("2024-03-01");
  const february = "INV-001-003 of 2024-03-01, due 2024-03-01\n    2024-02-01 to 2024-02-29";
  await then.latestInvoiceOf(acme).reads(bill(`Invoice ${february}`));
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
});

story(
  "An upgrade is paid first by the credited days of the old plan, then by credits",
  async ({ given, clock, office, then }) => {
    await given.organization({ vat: "20 %" });
    await given.plan("small", { monthly: "31.00", paid: "in advance" });
    await given.plan("large", { monthly: "62.00", paid: "in advance" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").subscribesTo("small");
    await office.opensWallet(acme, { granted: "10" });
    await clock.is("2024-01-11 10:00");
    await acme.changesTo("large");
    // 21 days at 2.00 with 20 %, less 21 at 1.00 with 20 %.
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-01-11, due 2024-01-11
    2024-01-11 to 2024-01-31
    Large plan                      42.00
    Subtotal                        42.00
    VAT 20 %                         8.40
    Credit note INV-001-001-CN001  -25.20
    Prepaid credits                -10.00
    Total EUR                       15.20`);
  },
);

story("A draft shows no credits; at finalization it gets the available ones", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "100.00" });
  await given.addOn("setup", "50.00");
  await given.coupon("ten", { amount: "10.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
  await office.bills(acme, { addOn: "setup" });
  await acme.gets("ten");
  await office.opensWallet(acme, { granted: "20" });
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Draft of 2024-02-06, due 2024-02-06
    2024-01-01 to 2024-01-31
    Basic plan  100.00
    Total EUR   100.00`);
  await office.voidsCredits(acme, "5");
  await office.credits(acme, { invoice: "INV-001-001", of: { Setup: "30.00" }, credit: "30.00" });
  await clock.is("2024-02-06");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-06, due 2024-02-06
    2024-01-01 to 2024-01-31
    Basic plan                     100.00
    Coupon Ten                     -10.00
    Credit note INV-001-001-CN001  -30.00
    Prepaid credits                -15.00
    Total EUR                       45.00`);
});

story(
  "If a coupon covers everything, credit notes and credits remain for later",
  async ({ given, clock, office, then }) => {
    await given.plan("basic", { monthly: "40.00" });
    await given.addOn("setup", "50.00");
    await given.coupon("free_month", { share: "100 %" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await office.bills(acme, { addOn: "setup" });
    await office.credits(acme, { of: { Setup: "15.00" }, credit: "15.00" });
    await acme.gets("free_month");
    await office.opensWallet(acme, { granted: "5" });
    await clock.is("2024-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Basic plan          40.00
    Coupon Free month  -40.00
    Total EUR            0.00`);
    await clock.is("2024-03-01");
    await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  50.00
    INV-001-002  2024-02-01   0.00
    INV-001-003  2024-03-01  20.00`);
  },
);

story("What was paid with a credit note and with credits is returned as credit, not as money", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "100.00" });
  await given.addOn("setup", "50.00");
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.bills(acme, { addOn: "setup" });
  await office.credits(acme, { of: { Setup: "25.00" }, credit: "25.00" });
  await office.opensWallet(acme, { granted: "35" });
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  50.00
    INV-001-002  2024-02-01  40.00`);
  await office.isPaidBy(acme);
  // 100.00 less 25.00 and 35.00 were paid in money.
  const all = { of: { "Basic plan": "100.00" } };
  await then.refused(office.credits(acme, { ...all, refund: "41.00", credit: "59.00" }), "validation_errors");
  await office.credits(acme, { ...all, refund: "40.00", credit: "60.00" });
  await then.creditNotesOf(acme).read(`
    INV-001-001-CN001  consumed   0.00 of 25.00
    INV-001-002-CN001  refund of 40.00 pending  available  60.00 of 60.00`);
});

story("The credits of one customer do not pay for another", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "40.00" });
  await given.coupon("ten", { amount: "10.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  const beta = await given.customer("beta").subscribesTo("basic");
  await acme.gets("ten");
  await office.opensWallet(acme, { granted: "500" });
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-01  0.00");
  await then.invoicesOf(beta).read("INV-002-001  2024-02-01  40.00");
  await then.walletsOf(acme).read("Prepaid  active  470 credits  470.00");
});
