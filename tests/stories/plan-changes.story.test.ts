// Seats across a plan change: every day is billed once, by either plan.

import type { ChargeTerms } from "./dsl/given.ts";
import { type Cast, story } from "./dsl/story.ts";

const ARREARS = { each: "10.00" } as const;
const ADVANCE = { each: "10.00", paid: "in advance" } as const;
const BY_DAY = { each: "10.00", prorated: true } as const;
const ADVANCE_BY_DAY = { each: "10.00", paid: "in advance", prorated: true } as const;

/** Ten seats from January 2, 2026 on a monthly plan, and another plan from January 15 on. */
async function changeOn15th({ given, clock }: Cast, before: ChargeTerms, after: ChargeTerms) {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "0.00", metered: { seats: before } });
  await given.plan("new", { monthly: "0.00", metered: { seats: after } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-01-15 10:00");
  await acme.changesTo("new");
  return acme;
}

story("From arrears to advance: January is billed with the change, February in advance", async (scene) => {
  const { clock, then } = scene;
  const acme = await changeOn15th(scene, ARREARS, ADVANCE);
  await clock.is("2026-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-15  100.00
    INV-001-002  2026-02-01  100.00`);
});

story("From arrears to advance by the day: each plan bills its days at the change", async (scene) => {
  const { clock, then } = scene;
  const acme = await changeOn15th(scene, BY_DAY, ADVANCE_BY_DAY);
  // Days 2 to 14: 10 × 13/31 = 4.19355 units, 41.94. Days 15 to 31: 10 × 17/31 = 5.48388 units, 54.84.
  await then.invoicesOf(acme).read("INV-001-001  2026-01-15  96.78");
  await clock.is("2026-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-15   96.78
    INV-001-002  2026-02-01  100.00`);
});

story("From advance to arrears: the prepaid January is not billed again", async (scene) => {
  const { clock, then } = scene;
  const acme = await changeOn15th(scene, ADVANCE, ARREARS);
  await clock.is("2026-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  100.00
    INV-001-002  2026-01-15    0.00
    INV-001-003  2026-02-01    0.00
    INV-001-004  2026-03-01  100.00`);
});

story("From advance to arrears: a price agreed after the change does not bill January again", async (scene) => {
  const { clock, office, then } = scene;
  const acme = await changeOn15th(scene, ADVANCE, ARREARS);
  await clock.is("2026-01-20");
  await office.agreesWith(acme, { amount: "5.00" });
  await then.currentUsageOf(acme).reads("seats  10.0  0.00");
  await clock.is("2026-02-02");
  await then.currentUsageOf(acme).reads("seats  10.0  100.00");
  await clock.is("2026-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  100.00
    INV-001-002  2026-01-15    0.00
    INV-001-003  2026-02-01    2.74
    INV-001-004  2026-03-01  105.00`);
});

story("From advance to arrears: seats beyond the prepaid ones are billed", async (scene) => {
  const { clock, then } = scene;
  const acme = await changeOn15th(scene, ADVANCE, ARREARS);
  await then.currentUsageOf(acme).reads("seats  10.0  0.00");
  await acme.uses("seats", 3, { on: "2026-01-20" });
  await then.currentUsageOf(acme).reads("seats  13.0  30.00");
  await clock.is("2026-02-01");
  // The price of 13 less the price of 10
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  100.00
    INV-001-002  2026-01-15    0.00
    INV-001-003  2026-02-01   30.00`);
});

story("From advance to arrears by the day: prepaid days are credited and billed in arrears", async (scene) => {
  const { clock, then } = scene;
  const acme = await changeOn15th(scene, ADVANCE_BY_DAY, BY_DAY);
  // Paid: 10 × 30/31 = 9.67742 units. Of its 30 days 17 are credited: 96.7742 × 17/30 = 54.8387…
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  54.84 of 54.84");
  await clock.is("2026-03-01");
  await then.invoiceOf(acme, "INV-001-003").reads(`
    Invoice INV-001-003 of 2026-02-01, due 2026-02-01, paid
    2026-01-15 to 2026-01-31
    New plan                                          0.00
    Seats                          10 × 5.48388      54.84
    Credit note INV-001-001-CN001                   -54.84
    Total EUR                                         0.00`);
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02   96.77
    INV-001-002  2026-01-15    0.00
    INV-001-003  2026-02-01    0.00
    INV-001-004  2026-03-01  100.00`);
});

story("From advance to advance: the prepaid month stays paid", async (scene) => {
  const { clock, then } = scene;
  const acme = await changeOn15th(scene, ADVANCE, { ...ADVANCE, each: "20.00" });
  await clock.is("2026-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  100.00
    INV-001-002  2026-01-15    0.00
    INV-001-003  2026-02-01  200.00`);
});

story("On the first day of a month the new plan is billed like a renewal", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "0.00", metered: { seats: ARREARS } });
  await given.plan("new", { monthly: "0.00", metered: { seats: ADVANCE } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await acme.uses("seats", 10, { on: "2026-01-02" });
  await clock.is("2026-02-01 10:00");
  await acme.changesTo("new");
  await clock.is("2026-03-01");
  // January in arrears, February at once, March in advance
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  100.00
    INV-001-002  2026-02-01  100.00
    INV-001-003  2026-03-01  100.00`);
});

story("From a month to a year: the days after the prepaid month are billed at once", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("month", { monthly: "0.00", metered: { seats: ADVANCE } });
  await given.plan("year", { yearly: "0.00", metered: { seats: { each: "120.00", paid: "in advance" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("month");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-01-15 10:00");
  await acme.changesTo("year");
  await clock.is("2027-01-01");
  // 1 February to 31 December: 10 × 334/365 = 9.15069 units at 120.00 are 1 098.0828.
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02    100.00
    INV-001-002  2026-01-15  1 098.08
    INV-001-003  2027-01-01  1 200.00`);
});

story("From a year to a month: the prepaid days after this month are credited", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("year", { yearly: "0.00", metered: { seats: { each: "120.00", paid: "in advance" } } });
  await given.plan("month", { monthly: "0.00", metered: { seats: ADVANCE } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("year");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-01-15 10:00");
  await acme.changesTo("month");
  // 334 of 365 days of 1 200.00: 1 098.0821…
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  1 098.08 of 1 098.08");
  await clock.is("2026-02-01");
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  998.08 of 1 098.08");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  1 200.00
    INV-001-002  2026-01-15      0.00
    INV-001-003  2026-02-01      0.00`);
});

story(
  "A prepaid year, two yearly plans in arrears, then months: the days after January are credited once",
  async (scene) => {
    const { given, clock, then } = scene;
    await given.metric("seats", { sum: "number", recurring: true });
    await given.plan("prepaid", { yearly: "0.00", metered: { seats: { each: "120.00", paid: "in advance" } } });
    await given.plan("year", { yearly: "0.00", metered: { seats: { each: "120.00" } } });
    await given.plan("days", { yearly: "0.00", metered: { seats: { each: "120.00", prorated: true } } });
    await given.plan("month", { monthly: "0.00", metered: { seats: ARREARS } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("prepaid");
    await clock.is("2026-01-02 12:00");
    await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
    for (const [day, plan] of [
      ["10", "year"],
      ["15", "days"],
      ["20", "month"],
    ] as const) {
      await clock.is(`2026-01-${day} 10:00`);
      await acme.changesTo(plan);
      await then.currentUsageOf(acme).reads("seats  10.0  0.00");
    }
    // February is billed in arrears, and the credit pays for it.
    await clock.is("2026-03-01");
    await then.creditNotesOf(acme).read("INV-001-001-CN001  available  998.08 of 1 098.08");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  1 200.00
    INV-001-002  2026-01-10      0.00
    INV-001-003  2026-01-15      0.00
    INV-001-004  2026-01-20      0.00
    INV-001-005  2026-02-01      0.00
    INV-001-006  2026-03-01      0.00`);
  },
);

/** Ten seats from January 2, no seats in the plan from the 10th on, and again in the one from the 20th on. */
async function pauseSeats({ given, clock }: Cast, before: ChargeTerms, after: ChargeTerms) {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "0.00", metered: { seats: before } });
  await given.plan("without", { monthly: "0.00" });
  await given.plan("new", { monthly: "0.00", metered: { seats: after } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-01-10 10:00");
  await acme.changesTo("without");
  await clock.is("2026-01-20 10:00");
  await acme.changesTo("new");
  await clock.is("2026-02-01");
  return acme;
}

story(
  "Seats paid for January, in no plan for ten days: the plan that includes them again does not bill January",
  async (scene) => {
    const acme = await pauseSeats(scene, ADVANCE, ARREARS);
    await scene.then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  100.00
    INV-001-002  2026-01-10    0.00
    INV-001-003  2026-01-20    0.00
    INV-001-004  2026-02-01    0.00`);
  },
);

story(
  "Seats billed in full in arrears, in no plan for ten days: the plan that includes them again bills additions",
  async (scene) => {
    const acme = await pauseSeats(scene, ARREARS, ARREARS);
    await scene.then.invoicesOf(acme).read(`
    INV-001-001  2026-01-10  100.00
    INV-001-002  2026-01-20    0.00
    INV-001-003  2026-02-01    0.00`);
  },
);

story("Seats paid by the day, in no plan for ten days: the rest is credited and billed in arrears", async (scene) => {
  const acme = await pauseSeats(scene, ADVANCE_BY_DAY, BY_DAY);
  // Days 20 to 31: 96.7742 × 12/30 = 38.71 are credited and pay for the same days.
  await scene.then.creditNotesOf(acme).read("INV-001-001-CN001  consumed  0.00 of 38.71");
  await scene.then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  96.77
    INV-001-002  2026-01-10   0.00
    INV-001-003  2026-01-20   0.00
    INV-001-004  2026-02-01   0.00`);
});

story("A plan replaced in its first second credits nothing of what the next plan bills", async (scene) => {
  const { given, clock, then } = scene;
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("month", { monthly: "0.00", metered: { seats: ADVANCE_BY_DAY } });
  await given.plan("week", { weekly: "0.00", metered: { seats: ADVANCE_BY_DAY } });
  await clock.is("2026-01-01 10:00");
  const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("month");
  await acme.changesTo("week");
  await clock.is("2026-01-05 12:00");
  await acme.uses("seats", 10, { on: "2026-01-05 12:00" });
  await clock.is("2026-01-12 12:00");
  await then.creditNotesOf(acme).read("");
  await then.invoicesOf(acme).read(`
    INV-001-001      2026-01-04    0.00
    INV-001-002      2026-01-05  100.00
    INV-001-003      2026-01-08    0.00
    INV-DRAFT draft  2026-01-15  100.00`);
});

story("An unpaid standalone fee is replaced by one for the days before the change", async (scene) => {
  const { clock, then } = scene;
  const acme = await changeOn15th(scene, { ...ADVANCE_BY_DAY, invoiced: false }, BY_DAY);
  // 13 of 30 days are left of 96.77: 96.7742 × 13/30 = 41.9354…
  await then.uninvoicedFeesOf(acme).read("seats  41.94  pending");
  await clock.is("2026-02-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-15   0.00
    INV-001-002  2026-02-01  54.84`);
});

story("A paid standalone fee does not change", async ({ given, clock, office, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "0.00", metered: { seats: { ...ADVANCE_BY_DAY, invoiced: false } } });
  await given.plan("new", { monthly: "0.00", metered: { seats: BY_DAY } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-01-03");
  await office.isPaidForFeesBy(acme);
  await clock.is("2026-01-15 10:00");
  await acme.changesTo("new");
  // 54.84 must be refunded manually.
  await then.uninvoicedFeesOf(acme).read("seats  96.77  succeeded");
});

story("Units that were removed before the change are not credited", async ({ given, clock, then }) => {
  await given.organization({ vat: "20 %" });
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "0.00", metered: { seats: ADVANCE_BY_DAY } });
  await given.plan("new", { monthly: "0.00", metered: { seats: BY_DAY } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-01-10 12:00");
  await acme.uses("seats", -4, { on: "2026-01-10 12:00" });
  await clock.is("2026-01-15 10:00");
  await acme.changesTo("new");
  // Six of ten units for 17 of 30 days: 96.7742 × 0.6 × 17/30 = 32.9032…, and 20 % of it, 6.5806…
  await then.creditNotesOf(acme).read("INV-001-001-CN001  available  39.48 of 39.48");
  await clock.is("2026-02-01");
  // 6 × 17/31 = 3.29033 units: 32.90 and 6.58
  await then.creditNotesOf(acme).read("INV-001-001-CN001  consumed  0.00 of 39.48");
});

story("A commitment costs the same in advance and in arrears when it ends early", async ({ given, clock, then }) => {
  await given.plan("arrears", { monthly: "100.00", commitment: "150.00" });
  await given.plan("advance", { monthly: "100.00", commitment: "150.00", paid: "in advance" });
  await clock.is("2026-01-01");
  const late = await given.customer("late").subscribesTo("arrears");
  const early = await given.customer("early").subscribesTo("advance");
  await clock.is("2026-01-16 10:00");
  await late.leaves();
  await early.leaves();
  await clock.is("2026-01-17");
  // 16 of 31 days: 77.42 of the commitment, 51.61 of the plan
  await then.invoicesOf(late).read("INV-001-001  2026-01-16  77.42");
  // 100.00 less the credited 48.39, plus 25.81: the credit note pays for that.
  await then.invoicesOf(early).read(`
    INV-002-001  2026-01-01  100.00
    INV-002-002  2026-01-16    0.00`);
  await then.creditNotesOf(early).read("INV-002-001-CN001  available  22.58 of 48.39");
});

story("Prepaid days on a draft are credited with one note at its finalization", async ({ given, clock, then }) => {
  await given.organization({ vat: "20 %" });
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "31.00", paid: "in advance", metered: { seats: ADVANCE_BY_DAY } });
  await given.plan("new", { monthly: "62.00", paid: "in advance", metered: { seats: BY_DAY } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("old");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-03-02");
  await clock.is("2026-03-04 10:00");
  await acme.changesTo("new");
  await clock.is("2026-03-07");
  // 28 of 31 days of the plan and of the seats: 28.00 and 90.3225…, and 20 %
  await then.creditNotesOf(acme).read("INV-001-004-CN001  available  141.98 of 141.98");
  await clock.is("2026-04-10");
  // The note pays 67.20 for the new plan from 4 March on. April: 62.00 and 90.32 of seats, and 20 %, less 74.78
  await then.creditNotesOf(acme).read("INV-001-004-CN001  consumed  0.00 of 141.98");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  116.12
    INV-001-002  2026-01-06   37.20
    INV-001-003  2026-02-06  157.20
    INV-001-004  2026-03-06  157.20
    INV-001-005  2026-03-09    0.00
    INV-001-006  2026-04-06  108.00`);
});

story("Three plans in one month: neither of the others bills prepaid seats again", async ({ given, clock, then }) => {
  await given.metric("seats", { unique: "user", recurring: true });
  await given.plan("a", { monthly: "0.00", metered: { seats: ADVANCE } });
  await given.plan("b", { monthly: "0.00", metered: { seats: { each: "10.00" } } });
  await given.plan("c", { monthly: "0.00", metered: { seats: ADVANCE } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("a");
  await clock.is("2026-01-02 12:00");
  await acme.adds("seats", "anna", { on: "2026-01-02 12:00" });
  await clock.is("2026-01-10 10:00");
  await acme.changesTo("b");
  await acme.adds("seats", "bert", { on: "2026-01-12" });
  await clock.is("2026-01-20 10:00");
  await acme.changesTo("c");
  await clock.is("2026-02-01");
  // anna 10.00 on 2 January; b bills bert at the change: 10.00; c renews 20.00 on 1 February
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  10.00
    INV-001-002  2026-01-10   0.00
    INV-001-003  2026-01-20  10.00
    INV-001-004  2026-02-01  20.00`);
});

story(
  "Filters and groups across a plan change in a month with a daylight saving change",
  async ({ given, clock, then }) => {
    await given.organization({ timeZone: "America/New_York" });
    await given.metric("seats", { sum: "number", recurring: true, filters: { tier: ["gold", "silver"] } });
    const priced = { by: ["team"], filters: [{ each: "31.00", where: { tier: ["gold"] } }], each: "3.10" } as const;
    await given.plan("old", { monthly: "0.00", metered: { seats: { ...priced, prorated: true } } });
    await given.plan("new", { monthly: "0.00", metered: { seats: { ...priced, paid: "in advance", prorated: true } } });
    await clock.is("2026-03-01");
    const acme = await given.customer("acme").subscribesTo("old");
    await acme.uses("seats", 2, { on: "2026-03-01 00:00", with: { tier: "gold", team: "a" } });
    await acme.uses("seats", 5, { on: "2026-03-01 00:00", with: { tier: "silver", team: "b" } });
    await clock.is("2026-03-11 10:00");
    await acme.changesTo("new");
    // 10 of 31 days: 20.00 and 5.00; 21 days: 42.00 and 10.50
    await then.invoicesOf(acme).read("INV-001-001  2026-03-11  77.50");
    await clock.is("2026-04-01");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-03-11  77.50
    INV-001-002  2026-04-01  77.50`);
  },
);

story("A commitment is compared with fees and seats after credits", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", {
    monthly: "31.00",
    commitment: "310.00",
    paid: "in advance",
    metered: { seats: ADVANCE_BY_DAY },
  });
  await given.plan("new", { monthly: "62.00", metered: { seats: BY_DAY } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await clock.is("2026-01-01 12:00");
  await acme.uses("seats", 3, { on: "2026-01-01 12:00" });
  await clock.is("2026-01-11 10:00");
  await acme.changesTo("new");
  // Commitment 100.00 for 10 days; plan 31.00 - 21.00 = 10.00; seats 30.00 - 20.32 = 9.68; true-up 80.32, paid by both notes (21.00, 20.32): 39.00
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-01  31.00
    INV-001-002  2026-01-01  30.00
    INV-001-003  2026-01-11  39.00`);
});

/** Like `changeOn15th`, but at the instant of the change some seats arrive before it and some after it. */
async function seatsWithTheChange(
  { given, clock }: Cast,
  [before, after]: readonly [ChargeTerms, ChargeTerms],
  seats: { before?: number; after?: number },
) {
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("old", { monthly: "0.00", metered: { seats: before } });
  await given.plan("new", { monthly: "0.00", metered: { seats: after } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("old");
  await clock.is("2026-01-02 12:00");
  await acme.uses("seats", 10, { on: "2026-01-02 12:00" });
  await clock.is("2026-01-15 10:00");
  if (seats.before) await acme.uses("seats", seats.before, { on: "2026-01-15 10:00" });
  await acme.changesTo("new");
  if (seats.after) await acme.uses("seats", seats.after, { on: "2026-01-15 10:00" });
  return acme;
}

story(
  "From advance to arrears: seats that were paid in the second of the change are not billed again",
  async (scene) => {
    const { clock, then } = scene;
    const acme = await seatsWithTheChange(scene, [ADVANCE, ARREARS], { before: 5 });
    await clock.is("2026-03-01");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  100.00
    INV-001-002  2026-01-15   50.00
    INV-001-003  2026-01-15    0.00
    INV-001-004  2026-02-01    0.00
    INV-001-005  2026-03-01  150.00`);
  },
);

story(
  "From advance to arrears: within one second, seats before the change are paid and seats after it are billed",
  async (scene) => {
    const { clock, then } = scene;
    const acme = await seatsWithTheChange(scene, [ADVANCE, ARREARS], { before: 5, after: 3 });
    await clock.is("2026-03-01");
    // The price of 18 less the price of 15
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-02  100.00
    INV-001-002  2026-01-15   50.00
    INV-001-003  2026-01-15    0.00
    INV-001-004  2026-02-01   30.00
    INV-001-005  2026-03-01  180.00`);
  },
);

story(
  "From arrears to advance: seats sent just before the change, in the same second, are billed with the old plan",
  async (scene) => {
    const { clock, then } = scene;
    const acme = await seatsWithTheChange(scene, [ARREARS, ADVANCE], { before: 5 });
    await clock.is("2026-02-01");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-15  150.00
    INV-001-002  2026-02-01  150.00`);
  },
);

story("From arrears to advance: within one second, each seat is billed by the plan at its arrival", async (scene) => {
  const { clock, then } = scene;
  const acme = await seatsWithTheChange(scene, [ARREARS, { ...ADVANCE, each: "20.00" }], { before: 5, after: 3 });
  await clock.is("2026-02-01");
  // 15 seats at 10.00 with the old plan, 3 at 20.00 on arrival, and 18 in advance
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-15  150.00
    INV-001-002  2026-01-15   60.00
    INV-001-003  2026-02-01  360.00`);
});

story(
  "From arrears to advance by the day: the new plan bills its days of seats that arrived in that second",
  async (scene) => {
    const { clock, then } = scene;
    const acme = await seatsWithTheChange(scene, [BY_DAY, ADVANCE_BY_DAY], { before: 5, after: 3 });
    await clock.is("2026-02-01");
    // Days 2 to 14 of 10 seats: 41.94. Days 15 to 31 of 15: 8.22581 units, 82.26. Of 3 more: 1.64517 units, 16.45.
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-15  124.20
    INV-001-002  2026-01-15   16.45
    INV-001-003  2026-02-01  180.00`);
  },
);

story(
  "From arrears to advance: seats removed in the second of the change are billed when they return",
  async (scene) => {
    const { clock, then } = scene;
    const acme = await seatsWithTheChange(scene, [ARREARS, ADVANCE], { before: -4 });
    await clock.is("2026-01-20");
    await acme.uses("seats", 4, { on: "2026-01-20" });
    await clock.is("2026-02-01");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-15   60.00
    INV-001-002  2026-01-20   40.00
    INV-001-003  2026-02-01  100.00`);
  },
);
