// Deleting a customer or a plan still creates the last invoices, with all credits of the customer, and finalizes them first.

import { type Cast, story } from "./dsl/story.ts";

/** Ten a call, and nothing else. */
async function sellCalls({ given }: Cast): Promise<void> {
  await given.metric("calls", "count");
  await given.plan("api", { monthly: "0.00", metered: { calls: { each: "10.00" } } });
}

story("The last invoice of a deleted customer uses its wallet, which ends only then", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api");
  await office.opensWallet(acme, { granted: "100" });
  await acme.uses("calls", 3, { on: "2024-01-05" });
  await clock.is("2024-01-10 10:00");
  await office.deletesCustomer(acme);
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-10, due 2024-01-10, paid
    2024-01-01 to 2024-01-10
    Api plan                  0.00
    Calls         3 × 10.00  30.00
    Prepaid credits         -30.00
    Total EUR                 0.00`);
  await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
  await then.refused(office.deletesCustomer(acme), "customer_not_found");
});

story("The last invoice of a deleted customer uses its coupon; the rest of the coupon ends", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await given.coupon("small", { amount: "10.00" });
  await given.coupon("large", { amount: "50.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api");
  await acme.gets("small");
  await acme.gets("large");
  await acme.uses("calls", 3, { on: "2024-01-05" });
  await clock.is("2024-01-10 10:00");
  await office.deletesCustomer(acme);
  // 10.00 of the first, 20.00 of the 50.00 of the second.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-10, due 2024-01-10, paid
    2024-01-01 to 2024-01-10
    Api plan                 0.00
    Calls        3 × 10.00  30.00
    Coupon Small           -10.00
    Coupon Large           -20.00
    Total EUR                0.00`);
  await then.couponsOf(acme).read(`
    small  terminated   0.00
    large  terminated  30.00`);
});

story("The last invoice of a deleted customer uses its credit note", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("api");
  await acme.uses("calls", 2, { on: "2024-01-05" });
  await clock.is("2024-02-01");
  await office.credits(acme, { of: { Calls: "12.00" }, credit: "12.00" });
  await acme.uses("calls", 1, { on: "2024-02-05" });
  await clock.is("2024-02-10 10:00");
  await office.deletesCustomer(acme);
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-10, due 2024-02-10, paid
    2024-02-01 to 2024-02-10
    Api plan                               0.00
    Calls                      1 × 10.00  10.00
    Credit note INV-001-001-CN001        -10.00
    Total EUR                              0.00`);
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  2.00 of 12.00");
});

story("Deleting a customer finalizes its draft at once, and the wallet pays for both invoices", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("api");
  await office.opensWallet(acme, { granted: "45" });
  await acme.uses("calls", 3, { on: "2024-01-20" });
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read("INV-DRAFT draft  2024-02-06  30.00");
  await acme.uses("calls", 2, { on: "2024-02-02" });
  await clock.is("2024-02-03 10:00");
  await office.deletesCustomer(acme);
  // January comes first and takes 30.00; 15.00 is left for the 20.00 of the last one.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-03  0.00
    INV-001-002  2024-02-03  5.00`);
  await then.invoiceOf(acme, "INV-001-002").reads(`
    Invoice INV-001-002 of 2024-02-03, due 2024-02-03
    2024-02-01 to 2024-02-03
    Api plan                  0.00
    Calls         2 × 10.00  20.00
    Prepaid credits         -15.00
    Total EUR                 5.00`);
  await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
});

story("Prepaid days on a draft are credited in time for the last invoice of a deleted customer", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.metric("calls", "count");
  await given.plan("team", { monthly: "29.00", paid: "in advance", metered: { calls: { each: "10.00" } } });
  await clock.is("2024-02-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("team");
  await acme.uses("calls", 3, { on: "2024-02-02" });
  await clock.is("2024-02-04 10:00");
  await office.deletesCustomer(acme);
  // February has 29 days: 25 of them, from the 5th on, are credited.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-04  29.00
    INV-001-002  2024-02-04   5.00`);
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-04, due 2024-02-04
    2024-02-01 to 2024-02-04
    Calls                      3 × 10.00   30.00
    Credit note INV-001-001-CN001         -25.00
    Total EUR                               5.00`);
  await then.creditNotesOf(acme).read("INV-001-001-CN001  consumed  0.00 of 25.00");
});

story(
  "Credits that a void returns to a deleted customer are lost: coupon, credit note and wallet have ended",
  async (cast) => {
    const { given, clock, office, then } = cast;
    await sellCalls(cast);
    await given.coupon("ten", { amount: "10.00" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").subscribesTo("api");
    await acme.uses("calls", 1, { on: "2024-01-05" });
    await clock.is("2024-02-01");
    await office.credits(acme, { of: { Calls: "5.00" }, credit: "5.00" });
    await acme.gets("ten");
    await office.opensWallet(acme, { granted: "8" });
    await acme.uses("calls", 3, { on: "2024-02-05" });
    await clock.is("2024-02-10 10:00");
    await office.deletesCustomer(acme);
    const bill = (head: string) => `
    ${head} INV-001-002 of 2024-02-10, due 2024-02-10
    2024-02-01 to 2024-02-10
    Api plan                               0.00
    Calls                      3 × 10.00  30.00
    Coupon Ten                           -10.00
    Credit note INV-001-001-CN001         -5.00
    Prepaid credits                       -8.00
    Total EUR                              7.00`;
    await then.latestInvoiceOf(acme).reads(bill("Invoice"));
    await office.voids(acme);
    await then.latestInvoiceOf(acme).reads(bill("Voided invoice"));
    await then.couponsOf(acme).read("ten  terminated  10.00");
    await then.creditNotesOf(acme).read("INV-001-001-CN001  voided  0.00 of 5.00");
    await then.walletsOf(acme).read("Prepaid  terminated  0 credits  0.00");
  },
);

story("Deleting a plan ends its subscriptions and finalizes their drafts at once", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("api");
  await acme.uses("calls", 3, { on: "2024-01-20" });
  await clock.is("2024-02-01");
  await acme.uses("calls", 2, { on: "2024-02-02" });
  await clock.is("2024-02-03 10:00");
  // Late, but finalization recomputes the draft with current data.
  await acme.uses("calls", 1, { on: "2024-01-31" });
  await office.deletesPlan("api");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-03  40.00
    INV-001-002  2024-02-03  20.00`);
  await then.invoiceOf(acme, "INV-001-002").reads(`
    Invoice INV-001-002 of 2024-02-03, due 2024-02-03
    2024-02-01 to 2024-02-03
    Api plan                0.00
    Calls       2 × 10.00  20.00
    Total EUR              20.00`);
});

story("Deleting a plan also deletes the plans derived from it", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic", { amount: "62.00" });
  await clock.is("2024-02-01");
  await then.invoicesOf(acme).read("INV-DRAFT draft  2024-02-06  62.00");
  await clock.is("2024-02-02 10:00");
  await office.deletesPlan("basic");
  // 2 of 29 days of 62.00: 4.2758…
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-02  62.00
    INV-001-002  2024-02-02   4.28`);
});

story("Deleting a plan bills a subscriber with a grace period at once, and no drafts of other plans", async (cast) => {
  const { given, clock, office, then } = cast;
  await sellCalls(cast);
  await given.plan("other", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("api");
  const other = await given.customer("other", { grace: "5 days" }).subscribesTo("other");
  // This customer left the plan before, and its last invoice is still a draft.
  const gone = await given.customer("gone", { grace: "40 days" }).subscribesTo("api");
  await acme.uses("calls", 2, { on: "2024-01-20" });
  await gone.uses("calls", 1, { on: "2024-01-20" });
  await clock.is("2024-01-31 10:00");
  await gone.leaves();
  await clock.is("2024-02-01");
  await clock.is("2024-02-03 10:00");
  await office.finalizes(acme);
  await office.deletesPlan("api");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-03  20.00
    INV-001-002  2024-02-03   0.00`);
  await then.invoicesOf(gone).read("INV-003-001  2024-02-03  10.00");
  await then.invoicesOf(other).read("INV-DRAFT draft  2024-02-06  31.00");
});
