// Prepaid credits: purchased ones count after payment, granted ones at once. They pay what coupons and credit notes leave.

import { story } from "./dsl/story.ts";

story("A wallet that is used up on an invoice leaves the rest to be paid", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "61.70" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { rate: "2", granted: "25" });
  await then.walletsOf(acme).read("Prepaid  active  25 credits  50.00");
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan        61.70
    Prepaid credits  -50.00
    Total EUR         11.70`);
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01  11.70
    INV-001-002  2024-03-01  61.70`);
  await then.movementsOf(acme).read(`
    2024-01-01  granted   +25
    2024-02-01  invoiced  -25`);
});

story(
  "An invoice uses fractions of a credit, and never more than its total",
  async ({ given, clock, office, then }) => {
    await given.plan("basic", { monthly: "12.34" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await office.opensWallet(acme, { rate: "2", granted: "25" });
    await clock.is("2024-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Basic plan        12.34
    Prepaid credits  -12.34
    Total EUR          0.00`);
    // 12.34 at 2.00 each is 6.17 of 25 credits.
    await then.movementsOf(acme).read(`
    2024-01-01  granted   +25
    2024-02-01  invoiced  -6.17`);
    await then.walletsOf(acme).read("Prepaid  active  18.83 credits  37.66");
  },
);

story("Granted credits count at once, purchased ones when their invoice is paid, and once", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.organization({ vat: "20 %" });
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "20", granted: "5" });
  // Money for money: no taxes.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01
    Prepaid     20 × 1.00  20.00
    Total EUR              20.00`);
  await then.walletsOf(acme).read("Prepaid  active  5 credits  5.00");
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan       30.00
    Subtotal         30.00
    VAT 20 %          6.00
    Prepaid credits  -5.00
    Total EUR        31.00`);
  await then.movementsOf(acme).read(`
    2024-01-01  purchased  pending  +20
    2024-01-01  granted             +5
    2024-02-01  invoiced            -5`);
  // Reported as paid twice, then failed, then paid: a settled purchase stays settled.
  await office.isPaidBy(acme, "INV-001-001");
  await office.isPaidBy(acme, "INV-001-001");
  await office.isNotPaidBy(acme, "INV-001-001");
  await office.isPaidBy(acme, "INV-001-001");
  await then.walletsOf(acme).read("Prepaid  active  20 credits  20.00");
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  20.00
    INV-001-002  2024-02-01  31.00
    INV-001-003  2024-03-01  16.00`);
});

story("A purchase whose payment failed may be paid later; a voided one adds nothing", async (cast) => {
  const { given, clock, office, then } = cast;
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.opensWallet(acme, { paid: "10" });
  await office.isNotPaidBy(acme);
  await then.movementsOf(acme).read("2024-01-01  purchased  failed  +10");
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
  await office.isPaidBy(acme);
  await office.sellsCredits(acme, "7");
  await office.voids(acme, "INV-001-002");
  await then.movementsOf(acme).read(`
    2024-01-01  purchased          +10
    2024-01-01  purchased  failed   +7`);
  await then.walletsOf(acme).read("Prepaid  active  10 credits  10.00");
});

story("Several wallets pay by priority, those of the same priority by age", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "61.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { called: "Main", granted: "30" });
  await clock.is("2024-01-02");
  await office.opensWallet(acme, { called: "Reserve", granted: "40" });
  await clock.is("2024-01-03");
  await office.opensWallet(acme, { called: "Promotion", rate: "2", granted: "5", priority: 1 });
  await clock.is("2024-02-01");
  // 10.00 from the promotion, 30.00 from the older one, and 21.00 from the other.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Basic plan        61.00
    Prepaid credits  -61.00
    Total EUR          0.00`);
  await then.walletsOf(acme).read(`
    Main       active   0 credits   0.00
    Reserve    active  19 credits  19.00
    Promotion  active   0 credits   0.00`);
});

story("The rest of a wallet is lost when it expires, also for the invoice of that moment", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "40.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { granted: "100", expires: "2024-03-01" });
  await clock.is("2024-02-29 23:59:59");
  await then.walletsOf(acme).read("Prepaid  active  60 credits  60.00");
  await clock.is("2024-03-01");
  await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01   0.00
    INV-001-002  2024-03-01  40.00`);
});

story("Postponing an expiry in time keeps the credits", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "40.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { granted: "100", expires: "2024-01-20" });
  await clock.is("2024-01-19 23:59:59");
  await office.movesExpiryOf(acme, "2024-02-02");
  await clock.is("2024-02-02");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-01  0.00");
  await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
});

story("An ended wallet pays nothing, takes nothing and is not topped up", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "40.00" });
  await clock.is("2024-01-15");
  const acme = await given.customer("acme").subscribesTo("basic", { anniversary: true });
  await office.opensWallet(acme, { granted: "50", fills: { every: "weekly", granted: "5" } });
  await clock.is("2024-02-10");
  await office.endsWallet(acme);
  await then.refused(office.grantsCredits(acme, "10"), "validation_errors");
  await clock.is("2024-02-15");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-15  40.00");
  await then.movementsOf(acme).read(`
    2024-01-15  granted              +50
    2024-01-22  granted by interval   +5
    2024-01-29  granted by interval   +5
    2024-02-05  granted by interval   +5`);
  await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
});

story("A void returns credits to the wallets that they came from, unless those have ended", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { called: "First", granted: "10", priority: 1 });
  await office.opensWallet(acme, { called: "Second", granted: "11", priority: 2 });
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-01  10.00");
  await office.endsWallet(acme, "First");
  await office.voids(acme);
  await then.walletsOf(acme).read(`
    First   terminated   0 credits   0.00
    Second  active      11 credits  11.00`);
  await then.movementsOf(acme, "Second").read(`
    2024-01-01  granted   +11
    2024-02-01  invoiced  -11
    2024-02-01  granted   +11`);
});

story("Neither add-ons nor purchases of credits are paid with credits", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "10.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.opensWallet(acme, { granted: "100" });
  await office.bills(acme, { addOn: "setup" });
  await office.sellsCredits(acme, "20");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  10.00
    INV-001-002  2024-01-01  20.00`);
  await then.walletsOf(acme).read("Prepaid  active  100 credits  100.00");
});

story("Credits are worth whole cents: the value is rounded", async (cast) => {
  const { given, clock, office, then } = cast;
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  // 10 × 0.333 = 3.33. 5 × 0.001 = 0.005, half a cent: rounded to one cent, which is 10 credits.
  await office.opensWallet(acme, { called: "Thirds", rate: "0.333", granted: "10" });
  await office.opensWallet(acme, { called: "Thousandths", rate: "0.001", granted: "5" });
  // 4 × 0.001 would be 0.00.
  await then.refused(office.grantsCredits(acme, "4", "Thousandths"), "validation_errors");
  await then.walletsOf(acme).read(`
    Thirds       active  10 credits  3.33
    Thousandths  active  10 credits  0.01`);
});

story("Credits can be voided manually up to the balance", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "20.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { granted: "10" });
  await office.voidsCredits(acme, "3");
  await then.refused(office.voidsCredits(acme, "7.01"), "validation_errors");
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-01  13.00");
  await then.movementsOf(acme).read(`
    2024-01-01  granted   +10
    2024-01-01  voided     -3
    2024-02-01  invoiced   -7`);
});

story("A purchase is refunded up to what is left of it", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "4.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { paid: "10" });
  await office.isPaidBy(acme);
  await clock.is("2024-02-01");
  const purchase = { invoice: "INV-001-001" };
  await then.refused(
    office.credits(acme, { ...purchase, of: { Prepaid: "7.00" }, refund: "7.00" }),
    "validation_errors",
  );
  await office.credits(acme, { ...purchase, of: { Prepaid: "6.00" }, refund: "6.00" });
  await then.creditNotesOf(acme).read("INV-001-001-CN001  refund of 6.00 pending");
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0.00");
});

story("A draft uses no credits; at finalization it uses the available ones", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("basic");
  await office.opensWallet(acme, { granted: "20" });
  await clock.is("2024-02-01");
  await then.walletsOf(acme).read("Prepaid  active  20 credits  20.00");
  await office.grantsCredits(acme, "5");
  await clock.is("2024-02-02");
  // The ongoing balance already includes the 31.00.
  await then.ongoingBalancesOf(acme).read("Prepaid  -6.00");
  await clock.is("2024-02-04");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-04, due 2024-02-04
    2024-01-01 to 2024-01-31
    Basic plan        31.00
    Prepaid credits  -25.00
    Total EUR          6.00`);
  await then.ongoingBalancesOf(acme).read("Prepaid  0.00");
});

story("A currency without cents", async ({ given, clock, office, then }) => {
  await given.organization({ currency: "JPY" });
  await given.plan("basic", { monthly: "1000" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  // 101 × 1.5 = 151.5: 152 yen, which is 101.3333… credits.
  await office.opensWallet(acme, { rate: "1.5", granted: "101" });
  await then.walletsOf(acme).read("Prepaid  active  101.33333 credits  152");
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan       1 000
    Prepaid credits   -152
    Total JPY          848`);
  await then.walletsOf(acme).read("Prepaid  active  0 credits  0");
});
