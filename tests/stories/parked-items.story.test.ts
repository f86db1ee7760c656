// An item that cannot be billed is parked alone: no other customer and no later period waits for it.

import { story } from "./dsl/story.ts";

const TIERS = (first: string) => ({
  graduated_ranges: [
    { from_value: 0, to_value: 10, per_unit_amount: first, flat_amount: "0" },
    { from_value: 11, to_value: null, per_unit_amount: "1.00", flat_amount: "0" },
  ],
});

story(
  "An event in advance above the amount limit is parked, and all others are billed",
  async ({ given, clock, then }) => {
    await given.metric("transfers", { sum: "amount" });
    await given.plan("pay", { monthly: "0.00", metered: { transfers: { each: "1.00", paid: "in advance" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("pay");
    const globex = await given.customer("globex").subscribesTo("pay");
    await acme.uses("transfers", "2", { on: "2026-01-03" });
    // The largest amount is 90 071 992 547 409.91, one cent less.
    await acme.uses("transfers", "90071992547409.92", { on: "2026-01-04" });
    await acme.uses("transfers", "3", { on: "2026-01-05" });
    await globex.uses("transfers", "5", { on: "2026-01-06" });
    await clock.is("2026-01-10");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-03  2.00
    INV-001-002  2026-01-05  3.00`);
    await then.invoicesOf(globex).read("INV-002-001  2026-01-06  5.00");
    await then.parkedItems().read(`
    event  parked  1  An amount is at most 9007199254740991 minor units; the amount of a fee would be 9007199254740992.`);
    await then.eventsOf(acme).read(`
    2026-01-03  billed
    2026-01-04  open
    2026-01-05  billed`);
  },
);

story("The largest amount is billed", async ({ given, clock, then }) => {
  await given.metric("transfers", { sum: "amount" });
  await given.plan("pay", { monthly: "0.00", metered: { transfers: { each: "1.00", paid: "in advance" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("pay");
  await acme.uses("transfers", "90071992547409.91", { on: "2026-01-04" });
  await clock.is("2026-01-10");
  await then.invoicesOf(acme).read("INV-001-001  2026-01-04  90 071 992 547 409.91");
});

story("A retried event is priced as if it were accepted then", async ({ given, clock, office, then }) => {
  await given.metric("seats", { sum: "number" });
  await given.plan("team", {
    monthly: "0.00",
    metered: { seats: { graduated: ["10 @ 20000000000000.00", "rest @ 1.00"], paid: "in advance" } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("team");
  // 8 × 20 000 000 000 000.00 exceeds the limit; 2 × 20 000 000 000 000.00 does not.
  await acme.uses("seats", "8", { on: "2026-01-03" });
  await acme.uses("seats", "2", { on: "2026-01-04" });
  await clock.is("2026-01-10");
  await office.retriesParked();
  await then.parkedItems().read(`
    event  parked  2  An amount is at most 9007199254740991 minor units; the amount of a fee would be 16000000000000000.`);
  await office.reprices("team", TIERS("2.00"));
  // Billed units 3 to 5: 3 × 2.00
  await acme.uses("seats", "3", { on: "2026-01-11" });
  await clock.is("2026-01-12");
  // Units 6 to 13: 5 × 2.00 + 3 × 1.00
  await office.retriesParked();
  // Unit 14
  await acme.uses("seats", "1", { on: "2026-01-12" });
  await clock.is("2026-01-13");
  await then.parkedItems().read(`
    event  retried  3  An amount is at most 9007199254740991 minor units; the amount of a fee would be 16000000000000000.`);
  await then.invoicesOf(acme).read(`
    INV-001-003  2026-01-03                 13.00
    INV-001-001  2026-01-04  40 000 000 000 000.00
    INV-001-002  2026-01-11                  6.00
    INV-001-004  2026-01-12                  1.00`);
});

story(
  "A skipped event is never billed, and does not count for later events",
  async ({ given, clock, office, then }) => {
    await given.metric("seats", { sum: "number" });
    await given.plan("team", {
      monthly: "0.00",
      metered: { seats: { graduated: ["10 @ 20000000000000.00", "rest @ 1.00"], paid: "in advance" } },
    });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("team");
    await acme.uses("seats", "8", { on: "2026-01-03" });
    await clock.is("2026-01-10");
    await office.skipsParked();
    await office.reprices("team", TIERS("2.00"));
    // Billed units 1 to 12: 10 × 2.00 + 2 × 1.00
    await acme.uses("seats", "12", { on: "2026-01-11" });
    await clock.is("2026-01-12");
    await then.invoicesOf(acme).read("INV-001-001  2026-01-11  22.00");
    await then.eventsOf(acme).read(`
    2026-01-03  skipped_by_operator
    2026-01-11  billed`);
  },
);

story(
  "Only the invoice above the amount limit waits, and takes its number when it is created",
  async ({ given, clock, office, then }) => {
    await given.organization({ vat: "20 %" });
    await given.metric("transfers", { sum: "amount" });
    await given.plan("pay", { monthly: "0.00", metered: { transfers: { each: "1.00" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("pay");
    const globex = await given.customer("globex").subscribesTo("pay");
    // With 20 % taxes 96 000 000 000 000.00
    await acme.uses("transfers", "80000000000000", { on: "2026-01-05" });
    await globex.uses("transfers", "5", { on: "2026-01-05" });
    await acme.uses("transfers", "7", { on: "2026-02-05" });
    await clock.is("2026-03-01");
    await then.invoicesOf(globex).read(`
    INV-002-001  2026-02-01  6.00
    INV-002-002  2026-03-01  0.00`);
    await then.invoicesOf(acme).read("INV-001-001  2026-03-01  8.40");
    await then.parkedItems().read(`
    invoice  parked  1  An amount is at most 9007199254740991 minor units; a fee with its taxes would be 9600000000000000.`);
    await office.changesTax("vat", "10 %");
    await office.retriesParked();
    await then.invoicesOf(acme).read(`
    INV-001-002  2026-02-01  88 000 000 000 000.00
    INV-001-001  2026-03-01                   8.40`);
  },
);

story("A skipped invoice is never created; the next period is billed", async ({ given, clock, office, then }) => {
  await given.metric("transfers", { sum: "amount" });
  await given.plan("pay", { monthly: "1.00", metered: { transfers: { each: "1.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("pay");
  await acme.uses("transfers", "90071992547409.92", { on: "2026-01-05" });
  await clock.is("2026-02-01");
  await office.skipsParked();
  await acme.uses("transfers", "7", { on: "2026-02-05" });
  await clock.is("2026-03-01");
  await then.invoicesOf(acme).read("INV-001-001  2026-03-01  8.00");
  await then.eventsOf(acme).read(`
    2026-01-05  skipped_by_operator
    2026-02-05  billed`);
});

story("A quantity of 19 digits is ignored, in arrears and in advance", async ({ given, clock, then }) => {
  await given.metric("calls", { sum: "number" });
  await given.metric("peak", { max: "number" });
  await given.metric("transfers", { sum: "amount" });
  await given.plan("pay", {
    monthly: "0.00",
    metered: {
      calls: { each: "0.01" },
      peak: { each: "1.00" },
      transfers: { each: "0.0000000001", paid: "in advance" },
    },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("pay");
  await acme.uses("calls", `1${"0".repeat(30)}`, { on: "2026-01-03" });
  await acme.uses("calls", "200", { on: "2026-01-04" });
  await acme.uses("peak", "1000000000000000000", { on: "2026-01-05" });
  await acme.uses("peak", "4", { on: "2026-01-06" });
  await acme.uses("transfers", "1000000000000000000", { on: "2026-01-07" });
  // 999 999 999 999 999 999 × 0.0000000001 = 99 999 999.9999…
  await acme.uses("transfers", "999999999999999999", { on: "2026-01-08" });
  await clock.is("2026-02-01");
  await then.eventsOf(acme).read(`
    2026-01-03  invalid_property
    2026-01-04  billed
    2026-01-05  invalid_property
    2026-01-06  billed
    2026-01-07  invalid_property
    2026-01-08  billed`);
  // 200 × 0.01 + 4 × 1.00
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-08  100 000 000.00
    INV-001-002  2026-02-01          6.00`);
  await then.parkedItems().read("");
});
