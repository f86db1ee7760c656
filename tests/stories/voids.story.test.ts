// A voided invoice keeps its number, and its period is not billed again. What is paid is not voided.

import { story } from "./dsl/story.ts";

story("The number of a voided invoice stays used", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2024-02-01");
  await office.voids(acme);
  await then.latestInvoiceOf(acme).reads(`
    Voided invoice INV-001-001 of 2024-02-01, due 2024-02-01
    2024-01-01 to 2024-01-31
    Basic plan    31.00
    Total EUR     31.00`);
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001 voided  2024-02-01  31.00
    INV-001-002         2024-03-01  31.00`);
});

story("Neither what is paid nor a draft is voided, and nothing twice", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme", { grace: "2 days" }).subscribesTo("basic");
  await clock.is("2024-02-01");
  await then.refused(office.voids(acme), "not_voidable");
  await clock.is("2024-02-03");
  await office.isPaidBy(acme);
  await then.refused(office.voids(acme), "not_voidable");
  await clock.is("2024-03-03");
  await office.voids(acme);
  await then.refused(office.voids(acme), "not_voidable");
});

story("An invoice is overdue after its day until it is paid", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "10.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme", { paymentTerm: "5 days" });
  await office.bills(acme, { addOn: "setup" });
  const bill = (state: string) => `
    Invoice INV-001-001 of 2024-01-01, due 2024-01-06${state}
    Setup       1 × 10.00  10.00
    Total EUR              10.00`;
  await clock.is("2024-01-06 23:59:59");
  await then.latestInvoiceOf(acme).reads(bill(""));
  await clock.is("2024-01-07");
  await then.latestInvoiceOf(acme).reads(bill(", overdue"));
  await office.isPaidBy(acme);
  await then.latestInvoiceOf(acme).reads(bill(", paid"));
});

story("A voided invoice is not overdue any more", async ({ given, clock, office, then }) => {
  await given.addOn("setup", "10.00");
  await clock.is("2024-01-01");
  const acme = given.customer("acme");
  await office.bills(acme, { addOn: "setup" });
  await clock.is("2024-01-02");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2024-01-01, due 2024-01-01, overdue
    Setup       1 × 10.00  10.00
    Total EUR              10.00`);
  await office.voids(acme);
  await then.latestInvoiceOf(acme).reads(`
    Voided invoice INV-001-001 of 2024-01-01, due 2024-01-01
    Setup       1 × 10.00  10.00
    Total EUR              10.00`);
});
