// A purchase of credits follows its payment: after a bounce its credits leave the wallet, and they return when it is paid after all.

import { story } from "./dsl/story.ts";

story("A bounced payment removes the rest of its credits; paid again, they return", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "80.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "100" });
  await office.isPaidBy(acme);
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  100.00
    INV-001-002  2024-02-01    0.00`);
  await then.lotsOf(acme).read("purchased  20.00 of 100.00");
  await office.isNotPaidBy(acme, "INV-001-001");
  // 100.00 is due again, 80.00 is spent, and the other 20.00 leaves.
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  await then.lotsOf(acme).read("purchased  0.00 of 100.00");
  await then.invoiceOf(acme, "INV-001-001").reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01, not paid, overdue
    Prepaid     100 × 1.00  100.00
    Total EUR               100.00`);
  await office.isPaidBy(acme, "INV-001-001");
  await then.walletsOf(acme).read("Prepaid  active  20 credits  20.00");
  await then.movementsOf(acme).read(`
    2024-01-01  purchased  +100
    2024-02-01  invoiced    -80
    2024-02-01  voided      -20
    2024-02-01  purchased   +20`);
  await then.lotsOf(acme).read(`
    purchased  20.00 of 100.00
    purchased   0.00 of 20.00`);
  await clock.is("2024-03-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-003 of 2024-03-01, due 2024-03-01
    2024-02-01 to 2024-02-29
    Basic plan        80.00
    Prepaid credits  -20.00
    Total EUR         60.00`);
});

story("Paid, bounced, paid, pending, paid: each payment counts once, and so does each bounce", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "100", granted: "5" });
  const purchase = "INV-001-001";
  await office.isPaidBy(acme, purchase);
  await office.isNotPaidBy(acme, purchase);
  await office.isNotPaidBy(acme, purchase);
  await office.awaitsPaymentOf(acme, purchase);
  await then.walletsOf(acme).read("Prepaid  active  5 credits  5.00");
  await office.isPaidBy(acme, purchase);
  await office.isPaidBy(acme, purchase);
  await then.walletsOf(acme).read("Prepaid  active  105 credits  105.00");
  await clock.is("2024-02-01");
  // 5.00 was granted: 25.00 of the 30.00 is purchased.
  await then.lotsOf(acme).read(`
    purchased  75.00 of 100.00
    granted     0.00 of 5.00
    purchased   0.00 of 100.00`);
  await office.awaitsPaymentOf(acme, purchase);
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  await office.isPaidBy(acme, purchase);
  await then.walletsOf(acme).read("Prepaid  active  75 credits  75.00");
  await then.movementsOf(acme).read(`
    2024-01-01  purchased  +100
    2024-01-01  granted      +5
    2024-01-01  voided     -100
    2024-01-01  purchased  +100
    2024-02-01  invoiced    -30
    2024-02-01  voided      -75
    2024-02-01  purchased   +75`);
});

story("Granted credits are used before purchased ones, then the oldest first; voided credits too", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "12.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "10" });
  await office.isPaidBy(acme);
  await clock.is("2024-01-02");
  await office.grantsCredits(acme, "5");
  await clock.is("2024-01-03");
  await office.grantsCredits(acme, "6");
  await office.sellsCredits(acme, "20");
  await office.isPaidBy(acme, "INV-001-002");
  await clock.is("2024-02-01");
  // 5.00 and 6.00 were granted; the last 1.00 is from the older purchase.
  await then.lotsOf(acme).read(`
    purchased   9.00 of 10.00
    granted     0.00 of 5.00
    granted     0.00 of 6.00
    purchased  20.00 of 20.00`);
  await office.grantsCredits(acme, "2");
  await office.voidsCredits(acme, "4.5");
  await then.lotsOf(acme).read(`
    purchased   6.50 of 10.00
    granted     0.00 of 5.00
    granted     0.00 of 6.00
    purchased  20.00 of 20.00
    granted     0.00 of 2.00`);
  await then.walletsOf(acme).read("Prepaid  active  26.5 credits  26.50");
});

story("A void returns credits to the lots that they came from", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "20", granted: "6" });
  await office.isPaidBy(acme);
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  20.00
    INV-001-002  2024-02-01   5.00`);
  await office.voids(acme);
  await then.movementsOf(acme).read(`
    2024-01-01  purchased  +20
    2024-01-01  granted     +6
    2024-02-01  invoiced   -26
    2024-02-01  granted    +26`);
  await then.lotsOf(acme).read(`
    purchased  20.00 of 20.00
    granted     6.00 of 6.00
    granted     0.00 of 26.00`);
  // The purchased credits are back, so all of them can be refunded.
  await office.credits(acme, { invoice: "INV-001-001", of: { Prepaid: "20.00" }, refund: "20.00" });
  await then.walletsOf(acme).read("Prepaid  active  6 credits  6.00");
});

story("Credits that a void returns to a bounced purchase leave the wallet at once", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "90.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "80" });
  await office.isPaidBy(acme);
  await clock.is("2024-02-01");
  await office.isNotPaidBy(acme, "INV-001-001");
  await then.refused(office.voids(acme, "INV-001-001"), "not_voidable");
  await office.voids(acme, "INV-001-002");
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  await office.isPaidBy(acme, "INV-001-001");
  await then.walletsOf(acme).read("Prepaid  active  80 credits  80.00");
  await then.movementsOf(acme).read(`
    2024-01-01  purchased  +80
    2024-02-01  invoiced   -80
    2024-02-01  granted    +80
    2024-02-01  voided     -80
    2024-02-01  purchased  +80`);
});

story("A purchase can be voided only while it is unspent and unpaid", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "100" });
  const purchase = "INV-001-001";
  await office.isPaidBy(acme, purchase);
  await then.refused(office.voids(acme, purchase), "not_voidable");
  await clock.is("2024-02-01");
  await office.isNotPaidBy(acme, purchase);
  // 30.00 is spent and must be paid.
  await then.refused(office.voids(acme, purchase), "not_voidable");
  await office.isPaidBy(acme, purchase);
  await office.awaitsPaymentOf(acme, "INV-001-002");
  await office.voids(acme, "INV-001-002");
  await office.isNotPaidBy(acme, purchase);
  await office.voids(acme, purchase);
  await then.refused(office.isPaidBy(acme, purchase), "update_on_voided_invoice");
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  await then.invoicesOf(acme).read(`
    INV-001-001 voided  2024-01-01  100.00
    INV-001-002 voided  2024-02-01    0.00`);
});

story("Only the rest of the purchase itself is refunded, whatever else is in the wallet", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "7.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "10" });
  await office.isPaidBy(acme);
  await clock.is("2024-02-01");
  await office.grantsCredits(acme, "50");
  const refund = (amount: string) =>
    office.credits(acme, { invoice: "INV-001-001", of: { Prepaid: amount }, refund: amount });
  await then.refused(refund("3.01"), "validation_errors");
  await refund("3.00");
  await then.lotsOf(acme).read(`
    purchased   0.00 of 10.00
    granted    50.00 of 50.00`);
  await then.walletsOf(acme).read("Prepaid  active  50 credits  50.00");
});

story("Ending a wallet voids its unpaid purchases", async ({ given, clock, office, then }) => {
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.opensWallet(acme, { paid: "40", granted: "3" });
  await office.sellsCredits(acme, "50");
  await office.isPaidBy(acme, "INV-001-001");
  await office.isNotPaidBy(acme, "INV-001-002");
  await office.endsWallet(acme);
  await then.invoicesOf(acme).read(`
    INV-001-001         2024-01-01  40.00
    INV-001-002 voided  2024-01-01  50.00`);
  await then.refused(office.isPaidBy(acme, "INV-001-002"), "update_on_voided_invoice");
  // It was paid while the wallet was active. Its rest is lost, however its payment ends.
  await office.isNotPaidBy(acme, "INV-001-001");
  await office.isPaidBy(acme, "INV-001-001");
  await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
  await then.creditNotesOf(acme).read("");
});

story("Expiry of a wallet voids its pending purchase; nothing becomes overdue or is bought later", async (cast) => {
  const { given, clock, office, then } = cast;
  await clock.is("2024-01-01");
  const acme = given.customer("acme", { paymentTerm: "30 days" });
  await office.opensWallet(acme, { paid: "40", expires: "2024-01-10" });
  await clock.is("2024-02-10");
  await then.latestInvoiceOf(acme).reads(`
    Voided invoice INV-001-001 of 2024-01-01, due 2024-01-31
    Prepaid     40 × 1.00  40.00
    Total EUR              40.00`);
  await then.movementsOf(acme).read("2024-01-01  purchased  failed  +40");
  await then.refused(office.isPaidBy(acme), "update_on_voided_invoice");
});

story("A payment for an ended wallet grants nothing and is refunded", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "80.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "100" });
  await office.isPaidBy(acme);
  await office.sellsCredits(acme, "50");
  await office.writesOff(acme, { invoice: "INV-001-002", amount: "10.00" });
  await clock.is("2024-02-01");
  await office.isNotPaidBy(acme, "INV-001-001");
  // 80.00 of the first purchase is spent, a part of the second is written off: neither can be voided.
  await office.endsWallet(acme);
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  100.00
    INV-001-002  2024-01-01   50.00
    INV-001-003  2024-02-01    0.00`);
  await office.isPaidBy(acme, "INV-001-001");
  await office.isPaidBy(acme, "INV-001-002");
  await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
  // 100.00 was paid for the spent 80.00; 40.00 was paid for nothing.
  await then.creditNotesOf(acme).read(`
    INV-001-001-CN001  refund of 20.00 pending
    INV-001-002-CN001  refund of 40.00 pending`);
  await office.isNotPaidBy(acme, "INV-001-001");
  await office.isPaidBy(acme, "INV-001-001");
  await then.creditNotesOf(acme).read(`
    INV-001-001-CN001  refund of 20.00 pending
    INV-001-002-CN001  refund of 40.00 pending`);
});

story("Deleting a customer voids its unpaid purchases", async ({ given, clock, office, then }) => {
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.opensWallet(acme, { paid: "40" });
  await office.deletesCustomer(acme);
  await then.invoicesOf(acme).read("INV-001-001 voided  2024-01-01  40.00");
});

story("A threshold rule counts a bounced purchase that may still be paid, but not a failed one", async (cast) => {
  const { given, clock, office, then } = cast;
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.opensWallet(acme, { paid: "50", granted: "12", fills: { at: "12", paid: "30" } });
  await clock.is("2024-01-02");
  // 12 and the pending 50.
  await then.movementsOf(acme).read(`
    2024-01-01  purchased  pending  +50
    2024-01-01  granted             +12`);
  await office.isPaidBy(acme, "INV-001-001");
  await clock.is("2024-01-03");
  await office.awaitsPaymentOf(acme, "INV-001-001");
  await clock.is("2024-01-04");
  await then.invoicesOf(acme).read("INV-001-001  2024-01-01  50.00");
  await office.isNotPaidBy(acme, "INV-001-001");
  await clock.is("2024-01-05");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  50.00
    INV-001-002  2024-01-04  30.00`);
});
