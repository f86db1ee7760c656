// An ended period is not repriced without a request. A fee in arrears has the price in force when its period ends, a fee in advance the
// price in force when its period begins.

import { story } from "./dsl/story.ts";

story(
  "A plan edited during the grace period leaves the draft at the old price",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number" });
    await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "0.10" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
    await acme.uses("calls", 100, { on: "2026-01-10" });
    await clock.is("2026-02-02");
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  41.00");
    await office.changesPlan("basic", { amount: "50.00", metered: { calls: { each: "0.20" } } });
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  41.00");
    await clock.is("2026-02-06");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-06, due 2026-02-06
    2026-01-01 to 2026-01-31
    Basic plan                31.00
    Calls         100 × 0.10  10.00
    Total EUR                 41.00`);
    // February ends with the new price.
    await acme.uses("calls", 100, { on: "2026-02-10" });
    await clock.is("2026-03-06");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-03-06, due 2026-03-06
    2026-02-01 to 2026-02-28
    Basic plan                50.00
    Calls         100 × 0.20  20.00
    Total EUR                 70.00`);
  },
);

story(
  "An edit that applies to drafts reprices the draft and its finalization",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number" });
    await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "0.10" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
    await acme.uses("calls", 100, { on: "2026-01-10" });
    await clock.is("2026-02-02");
    await office.changesPlan("basic", { amount: "50.00", metered: { calls: { each: "0.20" } }, appliesTo: "drafts" });
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  70.00");
    // A later edit that does not apply to drafts does not change it.
    await office.changesPlan("basic", { amount: "80.00" });
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  70.00");
    await clock.is("2026-02-06");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-06, due 2026-02-06
    2026-01-01 to 2026-01-31
    Basic plan                50.00
    Calls         100 × 0.20  20.00
    Total EUR                 70.00`);
  },
);

story("A refresh after an edit bills late usage at the old price", async ({ given, clock, office, then }) => {
  await given.metric("calls", { sum: "number" });
  await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "0.10" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
  await clock.is("2026-02-02");
  await office.changesPlan("basic", { metered: { calls: { each: "0.20" } } });
  await acme.uses("calls", 100, { on: "2026-01-10" });
  await office.refreshes(acme);
  await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  41.00");
  await office.finalizes(acme);
  await then.invoicesOf(acme).read("INV-001-001  2026-02-02  41.00");
});

story("An agreed amount applies to periods that end after the agreement", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
  await clock.is("2026-02-02");
  await office.agreesWith(acme, { amount: "20.00" });
  await office.refreshes(acme);
  await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  31.00");
  await clock.is("2026-03-02");
  // A second agreement, when the customer already has its own plan.
  await office.agreesWith(acme, { amount: "10.00" });
  await office.refreshes(acme);
  await clock.is("2026-03-06");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-06  31.00
    INV-001-002  2026-03-06  20.00`);
});

story("An agreed amount that applies to drafts", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
  const bolt = await given.customer("bolt", { grace: "5 days" }).subscribesTo("basic");
  await clock.is("2026-02-02");
  await office.agreesWith(acme, { amount: "20.00", appliesTo: "drafts" });
  await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  20.00");
  await then.invoicesOf(bolt).read("INV-DRAFT draft  2026-02-06  31.00");
  await clock.is("2026-02-06");
  await then.invoicesOf(acme).read("INV-001-001  2026-02-06  20.00");
  await then.invoicesOf(bolt).read("INV-002-001  2026-02-06  31.00");
});

story(
  "An edit inside a period applies to all of its usage, and to the fee in advance from the next period on",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number" });
    await given.plan("basic", { monthly: "31.00", paid: "in advance", metered: { calls: { each: "0.10" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("calls", 100, { on: "2026-01-10" });
    await clock.is("2026-01-15");
    await office.changesPlan("basic", { amount: "62.00", metered: { calls: { each: "0.20" } } });
    await then.invoicesOf(acme).read("INV-001-001  2026-01-01  31.00");
    await clock.is("2026-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-02-01, due 2026-02-01
    2026-02-01 to 2026-02-28
    Basic plan                62.00
    2026-01-01 to 2026-01-31
    Calls         100 × 0.20  20.00
    Total EUR                 82.00`);
  },
);

story(
  "An edit at the exact boundary applies to the period that begins there",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number" });
    await given.plan("basic", { monthly: "31.00", paid: "in advance", metered: { calls: { each: "0.10" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("basic");
    await acme.uses("calls", 100, { on: "2026-01-10" });
    await clock.is("2026-02-01");
    // The usage of January has ended, and the fee of February is already on the draft.
    await office.changesPlan("basic", { amount: "62.00", metered: { calls: { each: "0.20" } } });
    await office.refreshes(acme);
    // A customer that starts at that instant, after the edit.
    const bolt = await given.customer("bolt").subscribesTo("basic");
    await acme.uses("calls", 50, { on: "2026-02-10" });
    await then.invoicesOf(bolt).read("INV-002-001  2026-02-01  62.00");
    await clock.is("2026-03-04");
    // 62.00 in advance for March, 50 calls of February at 0.20
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-04  31.00
    INV-001-002  2026-02-04  41.00
    INV-001-003  2026-03-04  72.00`);
  },
);

story("An edit and then an end, at one instant: the end has the new price", async ({ given, clock, office, then }) => {
  await given.metric("calls", { sum: "number" });
  await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "0.10" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("basic");
  await acme.uses("calls", 100, { on: "2026-01-10" });
  await clock.is("2026-01-16 12:00");
  await office.changesPlan("basic", { metered: { calls: { each: "0.20" } } });
  await acme.leaves();
  await office.changesPlan("basic", { metered: { calls: { each: "0.30" } } });
  await office.refreshes(acme);
  // 16 of 31 days, 100 calls at 0.20
  await then.latestInvoiceOf(acme).reads(`
    Draft of 2026-01-19, due 2026-01-19
    2026-01-01 to 2026-01-16
    Basic plan                16.00
    Calls         100 × 0.20  20.00
    Total EUR                 36.00`);
});

story(
  "A value that is removed from the metric during the grace period stays in its filter",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number", filters: { region: ["eu", "us"] } });
    await given.plan("basic", {
      monthly: "0.00",
      metered: {
        calls: {
          each: "0.00",
          filters: [
            { where: { region: ["us"] }, each: "1.00", called: "United States" },
            { where: { region: ["__ALL_FILTER_VALUES__"] }, each: "3.00", called: "Elsewhere" },
          ],
        },
      },
    });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("basic");
    await acme.uses("calls", 2, { on: "2026-01-10", with: { region: "us" } });
    await acme.uses("calls", 5, { on: "2026-01-10", with: { region: "eu" } });
    await clock.is("2026-02-02");
    await office.changesMetric("calls", { region: ["ap"] });
    await office.refreshes(acme);
    await clock.is("2026-02-04");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-04, due 2026-02-04
    2026-01-01 to 2026-01-31
    Basic plan                         0.00
    Calls · United States  2 × 1.00    2.00
    Calls · Elsewhere      5 × 3.00   15.00
    Total EUR                         17.00`);
  },
);

story(
  "A charge whose metric is deleted during the grace period is still billed",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number" });
    await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "0.10" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("basic");
    await acme.uses("calls", 100, { on: "2026-01-10" });
    await clock.is("2026-02-02");
    await acme.uses("calls", 100, { on: "2026-02-01" });
    await office.deletesMetric("calls");
    await office.refreshes(acme);
    await clock.is("2026-03-04");
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-04  41.00
    INV-001-002  2026-03-04  31.00`);
  },
);

story("An edit before an advance of three months applies to all of them", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "40 days" }).subscribesTo("basic");
  await clock.is("2026-02-10");
  await office.changesPlan("basic", { amount: "50.00" });
  await clock.is("2026-05-20");
  // January ended before the edit, and is finalized on 13 March.
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-03-13  31.00
    INV-001-002  2026-04-10  50.00
    INV-001-003  2026-05-11  50.00
    INV-DRAFT draft  2026-06-10  50.00`);
});

story("An event in advance has the price at its arrival", async ({ given, clock, office, then }) => {
  await given.metric("calls", { sum: "number" });
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "0.10", paid: "in advance" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2026-01-10 12:00");
  await acme.uses("calls", 100, { on: "2026-01-10" });
  await office.changesPlan("basic", { metered: { calls: { each: "0.20", paid: "in advance" } } });
  await acme.uses("calls", 100, { on: "2026-01-10" });
  await clock.is("2026-01-11");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-10  10.00
    INV-001-002  2026-01-10  20.00`);
});

story("A draft follows tax changes, but not price changes", async ({ given, clock, office, then }) => {
  await given.organization({ vat: "20 %", grace: "5 days" });
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2026-02-02");
  await office.changesPlan("basic", { amount: "50.00" });
  await office.changesTax("vat", "10 %");
  await clock.is("2026-02-06");
  // 31.00 and 3.10
  await then.invoicesOf(acme).read("INV-001-001  2026-02-06  34.10");
});

story(
  "Edits of the new plan at the instant of an upgrade do not change the last bill of the old one",
  async ({ given, clock, office, then }) => {
    await given.metric("seats", { sum: "number", recurring: true });
    await given.plan("small", { monthly: "31.00", metered: { seats: { each: "1.00" } } });
    await given.plan("large", { monthly: "62.00", metered: { seats: { each: "2.00" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "9 days" }).subscribesTo("small");
    await acme.uses("seats", 3, { on: "2026-01-02" });
    await clock.is("2026-01-15");
    await acme.changesTo("large");
    // 14 of 31 days; the seats are the new plan's.
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-01-24  14.00");
    await office.changesPlan("small", { amount: "99.00" });
    await office.changesPlan("large", { metered: {} });
    await office.agreesWith(acme, { amount: "31.00" });
    await office.refreshes(acme);
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-01-24  14.00");
    await clock.is("2026-02-10");
    // 17 of 31 days of the agreed amount
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-24  14.00
    INV-001-002  2026-02-10  17.00`);
  },
);
