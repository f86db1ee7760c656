// Nothing reprices what has ended, unless it is asked to: a fee in arrears has the price in force when its period ends, a fee in
// advance the price in force when its period begins.

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
  "Applied to drafts, an edit reprices the draft and what it is finalized with",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number" });
    await given.plan("basic", { monthly: "31.00", metered: { calls: { each: "0.10" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
    await acme.uses("calls", 100, { on: "2026-01-10" });
    await clock.is("2026-02-02");
    await office.changesPlan("basic", { amount: "50.00", metered: { calls: { each: "0.20" } }, appliesTo: "drafts" });
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  70.00");
    // A later edit that is not applied to drafts changes nothing of it.
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

story("A refresh after an edit takes late usage at the old price", async ({ given, clock, office, then }) => {
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

story("An agreed amount is for what ends after the agreement", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
  await clock.is("2026-02-02");
  await office.agreesWith(acme, { amount: "20.00" });
  await office.refreshes(acme);
  await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  31.00");
  await clock.is("2026-03-02");
  // A second agreement, when the plan is the customer's own already.
  await office.agreesWith(acme, { amount: "10.00" });
  await office.refreshes(acme);
  await clock.is("2026-03-06");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-06  31.00
    INV-001-002  2026-03-06  20.00`);
});

story("An agreed amount that is applied to drafts", async ({ given, clock, office, then }) => {
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
  "An edit inside a period is for all of its usage, and for the fee in advance from the next period on",
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
  "An edit at the very instant of the boundary is for what begins there",
  async ({ given, clock, office, then }) => {
    await given.metric("calls", { sum: "number" });
    await given.plan("basic", { monthly: "31.00", paid: "in advance", metered: { calls: { each: "0.10" } } });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("basic");
    await acme.uses("calls", 100, { on: "2026-01-10" });
    await clock.is("2026-02-01");
    // What January used has ended, and the fee of February is on the draft already.
    await office.changesPlan("basic", { amount: "62.00", metered: { calls: { each: "0.20" } } });
    await office.refreshes(acme);
    // Somebody who begins at that instant, after the edit.
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
  "A value that leaves the metric during the grace period stays in its filter",
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

story("An edit before three months go by is for all of them", async ({ given, clock, office, then }) => {
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

story("An event that is billed at once has the price of when it came", async ({ given, clock, office, then }) => {
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

story("Taxes of a draft follow, prices do not", async ({ given, clock, office, then }) => {
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
  "Whatever becomes of the new plan at the instant of an upgrade, the last bill of the old one stays",
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
    // 17 of 31 days of what was agreed
    await then.invoicesOf(acme).read(`
    INV-001-001  2026-01-24  14.00
    INV-001-002  2026-02-10  17.00`);
  },
);
