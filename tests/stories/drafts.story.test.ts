// With a grace period an invoice is first a draft: it can change, has no number, and is finalized as its local day begins.

import { story } from "./dsl/story.ts";

story("Three days of grace in Paris: a draft on 1 July, an invoice on the 4th", async ({ given, clock, then }) => {
  await given.organization({ timeZone: "Europe/Paris", grace: "3 days", paymentTerm: "30 days" });
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2024-06-01 10:00");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2024-07-01");
  await then.latestInvoiceOf(acme).reads(`
    Draft of 2024-07-04, due 2024-08-03
    2024-06-01 to 2024-06-30
    Basic plan    30.00
    Total EUR     30.00`);
  await clock.is("2024-07-03 23:59:59");
  await then.invoicesOf(acme).read("INV-DRAFT draft  2024-07-04  30.00");
  await clock.is("2024-07-04");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-07-04, due 2024-08-03
    2024-06-01 to 2024-06-30
    Basic plan    30.00
    Total EUR     30.00`);
});

story("In Los Angeles the 4th of July begins seven hours after that of London", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "30.00" });
  await clock.is("2024-06-01 12:00");
  const acme = await given.customer("acme", { timeZone: "America/Los_Angeles", grace: "3 days" }).subscribesTo("basic");
  await clock.is("2024-07-04 06:59:59");
  await then.invoicesOf(acme).read("INV-DRAFT draft  2024-07-04  30.00");
  await clock.is("2024-07-04 07:00");
  await then.invoicesOf(acme).read("INV-001-001  2024-07-04  30.00");
});

story("Finalized manually: issued today, due from today", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "10 days", paymentTerm: "30 days" }).subscribesTo("basic");
  await clock.is("2024-02-02 12:00");
  await then.latestInvoiceOf(acme).reads(`
    Draft of 2024-02-11, due 2024-03-12
    2024-01-01 to 2024-01-31
    Basic plan    31.00
    Total EUR     31.00`);
  await office.finalizes(acme);
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-02, due 2024-03-03
    2024-01-01 to 2024-01-31
    Basic plan    31.00
    Total EUR     31.00`);
  await then.refused(office.finalizes(acme), "invoice_not_found");
  await clock.is("2024-02-15");
  await then.invoicesOf(acme).read("INV-001-001  2024-02-02  31.00");
});

story(
  "A draft follows taxes, and price edits that apply to drafts, until it is finalized",
  async ({ given, clock, office, then }) => {
    await given.organization({ vat: "20 %", grace: "5 days" });
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await clock.is("2026-02-02");
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  37.20");
    await office.changesPlan("basic", { amount: "50.00", appliesTo: "drafts" });
    await office.changesTax("vat", "10 %");
    await office.refreshes(acme);
    await then.latestInvoiceOf(acme).reads(`
    Draft of 2026-02-06, due 2026-02-06
    2026-01-01 to 2026-01-31
    Basic plan    50.00
    Subtotal      50.00
    VAT 10 %       5.00
    Total EUR     55.00`);
    await office.changesTax("vat", "30 %");
    await clock.is("2026-02-06");
    await office.changesTax("vat", "40 %");
    await then.invoicesOf(acme).read("INV-001-001  2026-02-06  65.00");
  },
);

story(
  "A shorter grace period finalizes drafts that are past it, and moves the others",
  async ({ given, clock, office, then }) => {
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
    const bolt = await given.customer("bolt", { grace: "9 days" }).subscribesTo("basic");
    await clock.is("2026-02-04 12:00");
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  31.00");
    await office.changesCustomer(acme, { grace: "2 days" });
    await then.invoicesOf(acme).read("INV-001-001  2026-02-04  31.00");
    await office.changesCustomer(bolt, { grace: "6 days" });
    await then.invoicesOf(bolt).read("INV-DRAFT draft  2026-02-07  31.00");
    await clock.is("2026-02-07");
    await then.invoicesOf(bolt).read("INV-002-001  2026-02-07  31.00");
  },
);

story(
  "A customer's own grace period overrides the organization's, even one of 0 days",
  async ({ given, clock, then }) => {
    await given.organization({ grace: "5 days" });
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2026-01-01");
    const hasty = await given.customer("hasty", { grace: "0 days" }).subscribesTo("basic");
    const plain = await given.customer("plain").subscribesTo("basic");
    await clock.is("2026-02-01");
    await then.invoicesOf(hasty).read("INV-001-001  2026-02-01  31.00");
    await then.invoicesOf(plain).read("INV-DRAFT draft  2026-02-06  31.00");
  },
);

story("Later changes do not change the periods of a draft", async ({ given, clock, office, then }) => {
  await given.plan("small", { monthly: "28.00" });
  await given.plan("large", { monthly: "56.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "3 days" }).subscribesTo("small");
  await clock.is("2026-02-02");
  await office.refreshes(acme);
  await acme.changesTo("large");
  await then.invoicesOf(acme).read(`
    INV-DRAFT draft  2026-02-04  28.00
    INV-DRAFT draft  2026-02-05   1.00`);
  await clock.is("2026-03-04");
  // 1 of 28 days at the old price, 27 at the new one
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-04  28.00
    INV-001-002  2026-02-05   1.00
    INV-001-003  2026-03-04  54.00`);
});

story(
  "A customer's own payment term overrides the organization's; a new one applies to later invoices",
  async ({ given, clock, office, then }) => {
    await given.organization({ paymentTerm: "30 days" });
    await given.plan("basic", { monthly: "31.00", paid: "in advance" });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { paymentTerm: "7 days" }).subscribesTo("basic");
    const bolt = await given.customer("bolt").subscribesTo("basic");
    await then.latestInvoiceOf(bolt).reads(`
    Invoice INV-002-001 of 2026-01-01, due 2026-01-31
    2026-01-01 to 2026-01-31
    Basic plan    31.00
    Total EUR     31.00`);
    await office.changesCustomer(acme, { paymentTerm: "14 days" });
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-01, due 2026-01-08
    2026-01-01 to 2026-01-31
    Basic plan    31.00
    Total EUR     31.00`);
    await clock.is("2026-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-002 of 2026-02-01, due 2026-02-15
    2026-02-01 to 2026-02-28
    Basic plan    31.00
    Total EUR     31.00`);
  },
);

story("A new payment term moves the due date of a draft", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { grace: "3 days", paymentTerm: "30 days" }).subscribesTo("basic");
  await clock.is("2026-02-02");
  await office.changesCustomer(acme, { paymentTerm: "10 days" });
  await then.latestInvoiceOf(acme).reads(`
    Draft of 2026-02-04, due 2026-02-14
    2026-01-01 to 2026-01-31
    Basic plan    31.00
    Total EUR     31.00`);
});

story(
  "A draft follows a price edit that applies to drafts, without a manual refresh",
  async ({ given, clock, office, then }) => {
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme", { grace: "5 days" }).subscribesTo("basic");
    await clock.is("2026-02-02");
    await office.changesPlan("basic", { amount: "50.00", appliesTo: "drafts" });
    await clock.is("2026-02-02 01:00");
    await then.invoicesOf(acme).read("INV-DRAFT draft  2026-02-06  50.00");
  },
);
