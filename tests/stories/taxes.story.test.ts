// The most specific level with taxes applies: charge, commitment, plan, customer, organization. Taxes of an invoice are rounded once.

import { story } from "./dsl/story.ts";

story(
  "A tax of the charge overrides that of the plan, which overrides the customer's",
  async ({ given, clock, then }) => {
    await given.tax("low", "5 %");
    await given.tax("middle", "10 %");
    await given.tax("high", "20 %");
    await given.metric("calls", "count");
    await given.metric("exports", "count");
    await given.plan("basic", {
      monthly: "31.00",
      taxes: ["middle"],
      metered: { calls: { each: "10.00", taxes: ["low"] }, exports: { each: "20.00" } },
    });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme", { taxes: ["high"] }).subscribesTo("basic");
    await acme.uses("calls", 1, { on: "2024-01-05" });
    await acme.uses("exports", 1, { on: "2024-01-05" });
    await clock.is("2024-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan                 31.00
    Calls           1 × 10.00  10.00
    Exports         1 × 20.00  20.00
    Subtotal                   61.00
    Low 5 %          on 10.00   0.50
    Middle 10 %      on 51.00   5.10
    Taxes                       5.60
    Total EUR                  66.60`);
  },
);

story("The organization's tax applies to customers without their own", async ({ given, clock, then }) => {
  await given.organization({ vat: "15 %" });
  await given.tax("reduced", "10 %");
  await given.plan("basic", { monthly: "10.00", paid: "in advance" });
  await clock.is("2024-01-01");
  const plain = await given.customer("plain").subscribesTo("basic");
  const special = await given.customer("special", { taxes: ["reduced"] }).subscribesTo("basic");
  await then.latestInvoiceOf(plain).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01
    2024-01-01 to 2024-01-31
    Basic plan    10.00
    Subtotal      10.00
    VAT 15 %       1.50
    Total EUR     11.50`);
  await then.latestInvoiceOf(special).reads(`
    Invoice INV-002-001 of 2024-01-01, due 2024-01-01
    2024-01-01 to 2024-01-31
    Basic plan      10.00
    Subtotal        10.00
    Reduced 10 %     1.00
    Total EUR       11.00`);
});

story("Half a cent of tax on each of three lines is two cents, not three", async ({ given, clock, office, then }) => {
  await given.organization({ vat: "10 %" });
  await given.addOn("pin", "0.05");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "pin" }, { addOn: "pin" }, { addOn: "pin" });
  // 10 % of 0.15 is 0.015.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01
    Pin          1 × 0.05    0.05
    Pin          1 × 0.05    0.05
    Pin          1 × 0.05    0.05
    Subtotal                 0.15
    VAT 10 %                 0.02
    Total EUR                0.17`);
});

story("Two taxes apply to the same amount, and their sum is rounded once", async ({ given, clock, then }) => {
  await given.tax("gst", "5 %", { called: "GST" });
  await given.tax("qst", "5 %", { called: "QST" });
  await given.plan("tiny", { monthly: "0.30", paid: "in advance" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme", { taxes: ["gst", "qst"] }).subscribesTo("tiny");
  // 0.015 each, 0.03 together
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-01, due 2026-01-01
    2026-01-01 to 2026-01-31
    Tiny plan             0.30
    Subtotal              0.30
    GST 5 %      on 0.30  0.02
    QST 5 %      on 0.30  0.02
    Taxes                 0.03
    Total EUR             0.33`);
});

story("A new rate applies to the next invoice; the last one keeps its rate", async ({ given, clock, office, then }) => {
  await given.organization({ vat: "20 %" });
  await given.plan("basic", { monthly: "100.00" });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2026-02-01");
  await office.changesTax("vat", "21 %");
  await then.invoicesOf(acme).read("INV-001-001  2026-02-01  120.00");
  await clock.is("2026-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2026-02-01  120.00
    INV-001-002  2026-03-01  121.00`);
});

story("A minimum is taxed like its charge, a commitment like the plan", async ({ given, clock, then }) => {
  await given.tax("none", "0 %");
  await given.tax("reduced", "10 %");
  await given.tax("standard", "20 %");
  await given.metric("usage", "count");
  await given.metric("cards", "count");
  await given.plan("basic", {
    monthly: "100.00",
    taxes: ["reduced"],
    commitment: "250.00",
    metered: {
      usage: { each: "50.00", taxes: ["none"] },
      cards: { each: "30.00", atLeast: "50.00", taxes: ["standard"] },
    },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("usage", 1, { on: "2026-01-10" });
  await acme.uses("cards", 1, { on: "2026-01-10" });
  await clock.is("2026-02-01");
  // 10 % of 100.00 and 50.00, 20 % of 30.00 and 20.00
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                     100.00
    Usage               1 × 50.00   50.00
    Cards               1 × 30.00   30.00
    Cards · minimum                 20.00
    Minimum commitment              50.00
    Subtotal                       250.00
    None 0 %             on 50.00    0.00
    Reduced 10 %        on 150.00   15.00
    Standard 20 %        on 50.00   10.00
    Taxes                           25.00
    Total EUR                      275.00`);
});
