// Coupons apply when an invoice is finalized, before taxes: first those for metrics, then for plans, then for everything.

import { story } from "./dsl/story.ts";

story("A coupon larger than the invoice continues on the next one", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "60.00" });
  await given.coupon("welcome", { amount: "100.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("welcome");
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Basic plan        60.00
    Coupon Welcome   -60.00
    Total EUR          0.00`);
  await then.couponsOf(acme).read("welcome  active  40.00");
  await clock.is("2024-03-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-03-01, due 2024-03-01
    2024-02-01 to 2024-02-29
    Basic plan        60.00
    Coupon Welcome   -40.00
    Total EUR         20.00`);
  await then.couponsOf(acme).read("welcome  terminated  0.00");
});

story("Three coupons of three kinds on one invoice, in any order of application", async (cast) => {
  const { given, clock, then } = cast;
  await given.organization({ vat: "20 %" });
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "100.00", metered: { calls: { each: "1.00" } } });
  await given.coupon("five", { amount: "5.00" });
  await given.coupon("tenth", { share: "10 %", plans: ["basic"] });
  await given.coupon("free_calls", { amount: "20.00", metrics: ["calls"] });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  for (const coupon of ["five", "tenth", "free_calls"]) await acme.gets(coupon);
  await acme.uses("calls", 50, { on: "2024-01-10" });
  await clock.is("2024-02-01");
  // 20.00 of 50.00 for calls; 10 % of the remaining 100.00 and 30.00 of the plan; 5.00 of the rest.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan                    100.00
    Calls              50 × 1.00   50.00
    Coupon Free calls             -20.00
    Coupon Tenth                  -13.00
    Coupon Five                    -5.00
    Subtotal                      112.00
    VAT 20 %                       22.40
    Total EUR                     134.40`);
});

story("A percentage for two invoices applies to two, each rounded once", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "33.33" });
  await given.coupon("half", { share: "50 %", lasts: { invoices: 2 } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("half");
  await clock.is("2024-02-01");
  // 16.665 is half a cent: rounded away from zero.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan     33.33
    Coupon Half   -16.67
    Total EUR      16.66`);
  await then.couponsOf(acme).read("half  active  1 invoices");
  await clock.is("2024-04-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01  16.66
    INV-001-002  2024-03-01  16.66
    INV-001-003  2024-04-01  33.33`);
  await then.couponsOf(acme).read("half  terminated  0 invoices");
});

story("An amount for every invoice never exceeds the invoice", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "7.00" });
  await given.coupon("partner", { amount: "10.00", lasts: "forever" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("partner");
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01  0.00
    INV-001-002  2024-03-01  0.00`);
  await then.couponsOf(acme).read("partner  active");
});

story("One customer has an agreed coupon amount", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "60.00" });
  await given.coupon("welcome", { amount: "10.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("welcome", { amount: "25.00" });
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan        60.00
    Coupon Welcome   -25.00
    Total EUR         35.00`);
});

story("The part of a coupon that no fee of its metric used remains for later", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "10.00", metered: { calls: { each: "1.00" } } });
  await given.coupon("calls_once", { share: "100 %", metrics: ["calls"] });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("calls_once");
  await clock.is("2024-02-01");
  await then.couponsOf(acme).read("calls_once  active");
  await acme.uses("calls", 3, { on: "2024-02-01" });
  await clock.is("2024-03-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-03-01, due 2024-03-01
    2024-02-01 to 2024-02-29
    Basic plan                   10.00
    Calls              3 × 1.00   3.00
    Coupon Calls once            -3.00
    Total EUR                    10.00`);
  await then.couponsOf(acme).read("calls_once  terminated");
});

story("A draft uses no coupon; the first finalized invoice does", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await given.coupon("welcome", { amount: "20.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "40 days" }).subscribesTo("basic");
  await acme.gets("welcome");
  await clock.is("2024-03-01");
  await then.couponsOf(acme).read("welcome  active  20.00");
  // The latest draft, of February, is finalized first.
  await office.finalizes(acme);
  await clock.is("2024-03-12");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-03-01  11.00
    INV-001-002  2024-03-12  31.00`);
});

story("Two coupons of a customer cannot cover the same plan", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await given.coupon("one", { amount: "1.00", plans: ["basic"] });
  await given.coupon("other", { amount: "2.00", plans: ["basic"] });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("one");
  await then.refused(acme.gets("other"), "plan_overlapping");
});

story("An amount for three invoices covers three, even if one of them is smaller", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await given.coupon("starter", { amount: "10.00", lasts: { invoices: 3 } });
  await clock.is("2024-01-25");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.gets("starter");
  await clock.is("2024-05-01");
  // Seven days of January at 1.00 each are covered; the remaining 3.00 are not kept.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01   0.00
    INV-001-002  2024-03-01  21.00
    INV-001-003  2024-04-01  21.00
    INV-001-004  2024-05-01  31.00`);
  await then.couponsOf(acme).read("starter  terminated  0 invoices");
});

story("Coupons are spread over fees exactly, and taxes are rounded once", async ({ given, clock, then }) => {
  await given.tax("tenth", "10 %");
  await given.tax("fifth", "20 %");
  const prices = { a: "10.00", b: "20.00", c: "30.00", d: "10.00", e: "20.00", f: "30.00" };
  const charge = (metric: keyof typeof prices) => ({
    [metric]: { each: prices[metric], taxes: [prices[metric] === "20.00" ? "fifth" : "tenth"] },
  });
  for (const metric of Object.keys(prices)) await given.metric(metric, "count");
  const plan = { monthly: "40.00", taxes: ["tenth"] };
  await given.plan("one", { ...plan, metered: { ...charge("a"), ...charge("b"), ...charge("c") } });
  await given.plan("two", { ...plan, metered: { ...charge("d"), ...charge("e"), ...charge("f") } });
  await given.coupon("calls", { amount: "20.00", metrics: ["a", "b"] });
  await given.coupon("second", { amount: "10.00", plans: ["two"] });
  await given.coupon("all", { amount: "5.00" });
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await acme.subscribesTo("one", { as: "1" });
  await acme.subscribesTo("two", { as: "2" });
  for (const coupon of ["calls", "second", "all"]) await acme.gets(coupon);
  for (const metric of ["a", "b", "c"]) await acme.uses(metric, 1, { on: "2024-01-10", of: "1" });
  for (const metric of ["d", "e", "f"]) await acme.uses(metric, 1, { on: "2024-01-10", of: "2" });
  await clock.is("2024-02-01");
  // 20.00 of 30.00 leaves 3.3333 and 6.6667 of A and B. 10.00 of 100.00 leaves nine tenths of each fee of the second plan. 5.00 of the
  // remaining 170.00 takes a 34th of each. With 20 %: 33/34 of 6.6667 and 18.00 is 23.9412. With 10 %: the rest, 141.0588.
  // Taxes: 14.10588 plus 4.78824 is 18.89412, not the 18.90 of 14.11 and 4.79.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31 for 1
    One plan                     40.00
    A               1 × 10.00    10.00
    B               1 × 20.00    20.00
    C               1 × 30.00    30.00
    2024-01-01 to 2024-01-31 for 2
    Two plan                     40.00
    D               1 × 10.00    10.00
    E               1 × 20.00    20.00
    F               1 × 30.00    30.00
    Coupon Calls                -20.00
    Coupon Second               -10.00
    Coupon All                   -5.00
    Subtotal                    165.00
    Fifth 20 %      on 23.94      4.79
    Tenth 10 %      on 141.06    14.11
    Taxes                        18.89
    Total EUR                   183.89`);
});
