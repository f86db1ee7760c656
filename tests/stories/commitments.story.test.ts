// A plan can have a minimum commitment for a period: the difference to its fee and usage is billed when the period closes.

import { story } from "./dsl/story.ts";

story("A commitment is prorated in the first month", async ({ given, clock, then }) => {
  await given.plan("enterprise", { monthly: "100.00", commitment: "10000.00" });
  await clock.is("2024-02-28");
  const acme = await given.customer("acme").subscribesTo("enterprise");
  await clock.is("2024-03-01");
  // 2 of 29 days: 689.66 of the commitment, of which the plan is 6.90
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-03-01, due 2024-03-01
    2024-02-28 to 2024-02-29
    Enterprise plan         6.90
    Minimum commitment    682.76
    Total EUR             689.66`);
  await clock.is("2024-04-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-04-01, due 2024-04-01
    2024-03-01 to 2024-03-31
    Enterprise plan          100.00
    Minimum commitment     9 900.00
    Total EUR             10 000.00`);
});

story("A plan paid in advance settles the commitment of a month with the next one", async ({ given, clock, then }) => {
  await given.metric("units", { sum: "number" });
  await given.plan("enterprise", {
    monthly: "100.00",
    paid: "in advance",
    commitment: "300.00",
    metered: { units: { each: "1.00" } },
  });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("enterprise");
  await acme.uses("units", 5, { on: "2024-01-10" });
  await then.invoicesOf(acme).read("INV-001-001  2024-01-01  100.00");
  await clock.is("2024-02-01");
  // January cost 105.00 of the 300.00.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01
    2024-02-01 to 2024-02-29
    Enterprise plan               100.00
    2024-01-01 to 2024-01-31
    Units               5 × 1.00    5.00
    Minimum commitment            195.00
    Total EUR                     300.00`);
});

story("Usage above the commitment leaves no difference", async ({ given, clock, then }) => {
  await given.metric("units", { sum: "number" });
  await given.plan("enterprise", { monthly: "50.00", commitment: "60.00", metered: { units: { each: "1.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("enterprise");
  await acme.uses("units", 9, { on: "2026-01-10" });
  await acme.uses("units", 11, { on: "2026-02-10" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Enterprise plan               50.00
    Units               9 × 1.00   9.00
    Minimum commitment             1.00
    Total EUR                     60.00`);
  await clock.is("2026-03-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-03-01, due 2026-03-01
    2026-02-01 to 2026-02-28
    Enterprise plan               50.00
    Units              11 × 1.00  11.00
    Total EUR                     61.00`);
});

story("A customer that leaves owes the commitment of the days until then", async ({ given, clock, then }) => {
  await given.metric("units", { sum: "number" });
  await given.plan("enterprise", { monthly: "62.00", commitment: "155.00", metered: { units: { each: "1.00" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("enterprise");
  await acme.uses("units", 25, { on: "2024-01-10" });
  await clock.is("2024-01-20 10:00");
  await acme.leaves();
  // 20 of 31 days: 100.00 of the commitment, 40.00 of the plan
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-20, due 2024-01-20
    2024-01-01 to 2024-01-20
    Enterprise plan                40.00
    Units               25 × 1.00  25.00
    Minimum commitment             35.00
    Total EUR                     100.00`);
});

story("A preview equals the bill, also with a commitment", async ({ given, clock, then }) => {
  await given.organization({ vat: "10 %" });
  await given.metric("units", { sum: "number" });
  await given.plan("enterprise", {
    monthly: "100.00",
    paid: "in advance",
    commitment: "300.00",
    metered: { units: { each: "1.00" } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("enterprise");
  await acme.uses("units", 50, { from: "2026-01-02", to: "2026-01-06" });
  await clock.is("2026-01-20");
  const lines = `
    2026-02-01 to 2026-02-28
    Enterprise plan                100.00
    2026-01-01 to 2026-01-31
    Units               50 × 1.00   50.00
    Minimum commitment             150.00
    Subtotal                       300.00
    VAT 10 %                        30.00
    Total EUR                      330.00`;
  await then.nextInvoiceOf(acme).reads(`Preview of 2026-02-01, due 2026-02-01${lines}`);
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-002 of 2026-02-01, due 2026-02-01${lines}`);
});
