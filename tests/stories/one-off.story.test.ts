// Add-ons are billed at once by request: units at a price, rounded once, never a draft.

import { story } from "./dsl/story.ts";

story("Fractional units, and a price agreed for this invoice", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "20.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(
    acme,
    { addOn: "setup", units: "2.5" },
    { addOn: "setup", units: "1.5", each: "3.33" },
    { addOn: "setup" },
  );
  // 1.5 × 3.33 is 4.995.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01
    Setup       2.5 × 20.00  50.00
    Setup        1.5 × 3.33   5.00
    Setup         1 × 20.00  20.00
    Total EUR                75.00`);
});

story(
  "The taxes of a line override those of the add-on, which override the customer's",
  async ({ given, clock, office, then }) => {
    await given.tax("low", "5 %");
    await given.tax("middle", "10 %");
    await given.tax("high", "20 %");
    await given.addOn("setup", "100.00", { taxes: ["middle"] });
    await given.addOn("training", "100.00");
    await clock.is("2026-01-01");
    const acme = given.customer("acme", { taxes: ["high"] });
    await office.bills(acme, { addOn: "setup", taxes: ["low"] }, { addOn: "setup" }, { addOn: "training" });
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-01, due 2026-01-01
    Setup          1 × 100.00  100.00
    Setup          1 × 100.00  100.00
    Training       1 × 100.00  100.00
    Subtotal                   300.00
    High 20 %       on 100.00   20.00
    Low 5 %         on 100.00    5.00
    Middle 10 %     on 100.00   10.00
    Taxes                       35.00
    Total EUR                  335.00`);
  },
);

story("One-off invoices have no grace period", async ({ given, clock, office, then }) => {
  await given.organization({
    timeZone: "Asia/Tokyo",
    currency: "JPY",
    vat: "10 %",
    grace: "5 days",
    paymentTerm: "14 days",
  });
  await given.addOn("setup", "1999");
  await clock.is("2026-01-31 23:30");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  // 199.9 yen of tax
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-01-31, due 2026-02-14
    Setup       1 × 1 999  1 999
    Subtotal               1 999
    VAT 10 %                 200
    Total JPY              2 199`);
});
