// Numbers have no gaps, per customer or per organization. A draft has none, an invoice of 0.00 has one.

import { story } from "./dsl/story.ts";

story("Per customer: a draft takes its number at finalization", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "10.00");
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "2 days" }).subscribesTo("basic");
  const bolt = given.customer("bolt");
  await office.bills(acme, { addOn: "setup" });
  await office.bills(bolt, { addOn: "setup" });
  await clock.is("2024-02-01 12:00");
  await office.bills(acme, { addOn: "setup" });
  await clock.is("2024-02-05");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-01-01  10.00
    INV-001-002  2024-02-01  10.00
    INV-001-003  2024-02-03  31.00`);
  await then.invoicesOf(bolt).read("INV-002-001  2024-01-01  10.00");
});

story("Per organization: the month of the invoice, and a continuous count", async ({ given, clock, office, then }) => {
  await given.organization({ numbering: "per_organization", timeZone: "Europe/Paris" });
  await given.addOn("setup", "10.00");
  await clock.is("2026-01-31 23:59:59");
  const acme = given.customer("acme");
  const bolt = given.customer("bolt");
  await office.bills(acme, { addOn: "setup" });
  await office.bills(bolt, { addOn: "setup" });
  await clock.is("2026-02-01");
  await office.bills(acme, { addOn: "setup" });
  await then.invoicesOf(acme).read(`
    INV-202601-001  2026-01-31  10.00
    INV-202602-003  2026-02-01  10.00`);
  await then.invoicesOf(bolt).read("INV-202601-002  2026-01-31  10.00");
});

story(
  "From numbers per customer to per organization: the count continues after all existing invoices",
  async ({ given, clock, office, then }) => {
    await given.addOn("setup", "10.00");
    await clock.is("2026-01-10");
    const acme = given.customer("acme");
    const bolt = given.customer("bolt");
    await office.bills(acme, { addOn: "setup" });
    await office.bills(bolt, { addOn: "setup" });
    await office.numbers("per_organization");
    await clock.is("2026-02-10");
    await office.bills(acme, { addOn: "setup" });
    await then.invoicesOf(acme).read(`
    INV-001-001     2026-01-10  10.00
    INV-202602-003  2026-02-10  10.00`);
  },
);

story("An invoice of 0.00 has a number and is paid", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("free", { monthly: "0.00", metered: { calls: { each: "1.00" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("free");
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01, paid
    2024-01-01 to 2024-01-31
    Free plan    0.00
    Total EUR    0.00`);
});
