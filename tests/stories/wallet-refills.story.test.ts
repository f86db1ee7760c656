// The ongoing balance is what a wallet would hold if open usage were billed now. Depletion is published and triggers top-ups.

import { story } from "./dsl/story.ts";

/** A month costs its usage: 1.00 per unit. */
const metered = { monthly: "0.00", metered: { units: { each: "1.00" } } };

story("The ongoing balance is what usage and its taxes leave of a wallet", async ({ given, clock, office, then }) => {
  await given.organization({ vat: "20 %" });
  await given.metric("units", { sum: "count" });
  await given.plan("basic", metered);
  await clock.is("2024-01-10");
  const acme = await given.customer("acme").subscribesTo("basic", { starts: "2024-01-01" });
  await office.opensWallet(acme, { granted: "100" });
  await acme.uses("units", 30, { on: "2024-01-09" });
  await clock.is("2024-01-11");
  // 30.00 plus 20 %.
  await then.ongoingBalancesOf(acme).read("Prepaid  64.00");
  await then.walletsOf(acme).read("Prepaid  active  100 credits  100.00");
  await clock.is("2024-02-01");
  await then.walletsOf(acme).read("Prepaid  active  64 credits  64.00");
  await then.ongoingBalancesOf(acme).read("Prepaid  64.00");
});

story("Depletion of a wallet is published once, and again only after it was filled", async (cast) => {
  const { given, clock, office, then } = cast;
  await given.metric("units", { sum: "count" });
  await given.plan("basic", metered);
  await clock.is("2024-01-02");
  const acme = await given.customer("acme").subscribesTo("basic", { starts: "2024-01-01" });
  await office.opensWallet(acme, { granted: "10" });
  await acme.uses("units", 9, { on: "2024-01-01" });
  await clock.is("2024-01-03");
  await acme.uses("units", 1, { on: "2024-01-02" });
  await clock.is("2024-01-04");
  await acme.uses("units", 1, { on: "2024-01-03" });
  await clock.is("2024-01-05");
  await then.ongoingBalancesOf(acme).read("Prepaid  -1.00");
  await office.grantsCredits(acme, "5");
  await clock.is("2024-01-06");
  await acme.uses("units", 6, { on: "2024-01-05" });
  await clock.is("2024-01-07");
  // 9.00 of 10.00 is no depletion, and usage after the 10th publishes nothing again. Then there is 15.00, less 17.00.
  await then.depletionsOf(acme).read(`
    2024-01-03  Prepaid   0.00
    2024-01-06  Prepaid  -2.00`);
});

story("A wallet buys at a threshold, and pending purchases count", async ({ given, clock, office, then }) => {
  await given.metric("units", { sum: "count" });
  await given.plan("basic", metered);
  await clock.is("2024-01-02");
  const acme = await given.customer("acme").subscribesTo("basic", { starts: "2024-01-01" });
  await office.opensWallet(acme, { granted: "20", fills: { at: "10", paid: "50" } });
  const use = async (units: number, on: string, next: string) => {
    await acme.uses("units", units, { on });
    await clock.is(next);
  };
  await use(9, "2024-01-01", "2024-01-03");
  // 11 is above. 8 is not: 50 are bought. 7 plus those 50 is.
  await use(3, "2024-01-02", "2024-01-04");
  await use(1, "2024-01-03", "2024-01-05");
  await then.movementsOf(acme).read(`
    2024-01-02  granted                          +20
    2024-01-03  purchased by threshold  pending  +50`);
  await then.ongoingBalancesOf(acme).read("Prepaid  7.00");
  await office.isPaidBy(acme);
  // 70 less 59 is 11; the next one makes it 10.
  await use(46, "2024-01-04", "2024-01-06");
  await use(1, "2024-01-05", "2024-01-07");
  await then.movementsOf(acme).read(`
    2024-01-02  granted                          +20
    2024-01-03  purchased by threshold           +50
    2024-01-06  purchased by threshold  pending  +50`);
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-03  50.00
    INV-001-002  2024-01-06  50.00`);
});

story("A wallet buys up to its target", async ({ given, clock, office, then }) => {
  await given.metric("units", { sum: "count" });
  await given.plan("basic", metered);
  await clock.is("2024-01-02");
  const acme = await given.customer("acme").subscribesTo("basic", { starts: "2024-01-01" });
  await office.opensWallet(acme, { granted: "20", fills: { at: "10", upTo: "200" } });
  await acme.uses("units", 12, { on: "2024-01-01" });
  await clock.is("2024-01-03");
  // 200 less 8.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-02, due 2024-01-02, overdue
    Prepaid     192 × 1.00  192.00
    Total EUR               192.00`);
  await office.isPaidBy(acme);
  await clock.is("2024-01-04");
  await then.ongoingBalancesOf(acme).read("Prepaid  200.00");
});

story("A wallet of 31 January is topped up on the last days of shorter months", async (cast) => {
  const { given, clock, office, then } = cast;
  await clock.is("2024-01-31 10:00");
  const acme = given.customer("acme");
  await office.opensWallet(acme, { granted: "1", fills: { every: "monthly", paid: "10", granted: "2" } });
  await clock.is("2024-04-30");
  await office.isPaidBy(acme, "INV-001-002");
  await then.movementsOf(acme).read(`
    2024-01-31  granted                          +1
    2024-02-29  purchased by interval  pending  +10
    2024-02-29  granted by interval              +2
    2024-03-31  purchased by interval           +10
    2024-03-31  granted by interval              +2
    2024-04-30  purchased by interval  pending  +10
    2024-04-30  granted by interval              +2`);
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-29  10.00
    INV-001-002  2024-03-31  10.00
    INV-001-003  2024-04-30  10.00`);
  // 1, three times 2, and the 10 paid ones.
  await then.walletsOf(acme).read("Prepaid  active  17 credits  17.00");
});

story("On the day of an invoice a wallet is topped up after it has paid", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await office.opensWallet(acme, { granted: "25", fills: { every: "monthly", granted: "25" } });
  await clock.is("2024-03-01");
  // 25 of 30 are there each time, not 50.
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01  5.00
    INV-001-002  2024-03-01  5.00`);
  await then.walletsOf(acme).read("Prepaid  active  25 credits  25.00");
});
