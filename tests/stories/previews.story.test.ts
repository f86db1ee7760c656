// A preview is the next invoice of a subscription, with everything billed together, from current data.

import { story } from "./dsl/story.ts";

story("The preview of one of two subscriptions is their common invoice", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("small", { monthly: "31.00", metered: { calls: { each: "2.00" } } });
  await given.plan("large", { monthly: "62.00", paid: "in advance" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("small", { as: "office" });
  await acme.subscribesTo("large", { as: "factory" });
  await acme.uses("calls", 3, { on: "2024-01-05", of: "office" });
  await clock.is("2024-01-20");
  const lines = `
    2024-01-01 to 2024-01-31 for office
    Small plan              31.00
    Calls        3 × 2.00    6.00
    2024-02-01 to 2024-02-29 for factory
    Large plan              62.00
    Total EUR               99.00`;
  await then.nextInvoiceOf(acme, "office").reads(`Preview of 2024-02-01, due 2024-02-01${lines}`);
  await then.nextInvoiceOf(acme, "factory").reads(`Preview of 2024-02-01, due 2024-02-01${lines}`);
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-002 of 2024-02-01, due 2024-02-01${lines}`);
});

story("A week that ends with the month is on the preview of the month", async ({ given, clock, then }) => {
  await given.plan("month", { monthly: "31.00" });
  await given.plan("week", { weekly: "7.00" });
  await clock.is("2024-03-01");
  const acme = await given.customer("acme").subscribesTo("month", { as: "months" });
  await acme.subscribesTo("week", { as: "weeks" });
  await clock.is("2024-03-20");
  await then.nextInvoiceOf(acme, "weeks").reads(`
    Preview of 2024-03-25, due 2024-03-25
    2024-03-18 to 2024-03-24
    Week plan    7.00
    Total EUR    7.00`);
  // 1 April 2024 is a Monday.
  const lines = `
    2024-03-01 to 2024-03-31 for months
    Month plan    31.00
    2024-03-25 to 2024-03-31 for weeks
    Week plan      7.00
    Total EUR     38.00`;
  await then.nextInvoiceOf(acme, "months").reads(`Preview of 2024-04-01, due 2024-04-01${lines}`);
  await clock.is("2024-04-01");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-005 of 2024-04-01, due 2024-04-01${lines}`);
});

story(
  "A subscription that starts before then is included, one that ends before then is not",
  async ({ given, clock, then }) => {
    await given.plan("basic", { monthly: "31.00" });
    await clock.is("2024-01-01");
    const acme = await given.customer("acme").subscribesTo("basic", { as: "first" });
    await acme.subscribesTo("basic", { as: "coming", starts: "2024-01-20" });
    await acme.subscribesTo("basic", { as: "going", ends: "2024-01-10 12:00" });
    await clock.is("2024-01-05");
    // 12 of 31 days
    const together = `
    2024-01-01 to 2024-01-31 for first
    Basic plan    31.00
    2024-01-20 to 2024-01-31 for coming
    Basic plan    12.00
    Total EUR     43.00`;
    await then.nextInvoiceOf(acme, "first").reads(`Preview of 2024-02-01, due 2024-02-01${together}`);
    // 10 of 31 days
    const alone = `
    2024-01-01 to 2024-01-10
    Basic plan    10.00
    Total EUR     10.00`;
    await then.nextInvoiceOf(acme, "going").reads(`Preview of 2024-01-10, due 2024-01-10${alone}`);
    await clock.is("2024-01-11");
    await then.latestInvoiceOf(acme).reads(`Invoice INV-001-001 of 2024-01-10, due 2024-01-10, overdue${alone}`);
    await clock.is("2024-02-01");
    await then.latestInvoiceOf(acme).reads(`Invoice INV-001-002 of 2024-02-01, due 2024-02-01${together}`);
  },
);

story("A pending downgrade is on the preview with both plans", async ({ given, clock, then }) => {
  await given.plan("large", { monthly: "62.00" });
  await given.plan("small", { monthly: "29.00", paid: "in advance" });
  await given.plan("other", { monthly: "5.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("large");
  await acme.subscribesTo("other", { as: "other" });
  await clock.is("2024-01-10");
  await acme.changesTo("small");
  const lines = `
    2024-01-01 to 2024-01-31
    Large plan    62.00
    2024-02-01 to 2024-02-29
    Small plan    29.00
    Total EUR     91.00`;
  await then.nextInvoiceOf(acme).reads(`Preview of 2024-02-01, due 2024-02-01${lines}`);
  // A plan change has its own invoice.
  const other = `
    2024-01-01 to 2024-01-31
    Other plan    5.00
    Total EUR     5.00`;
  await then.nextInvoiceOf(acme, "other").reads(`Preview of 2024-02-01, due 2024-02-01${other}`);
  await clock.is("2024-02-01");
  await then.invoiceOf(acme, "INV-001-001").reads(`Invoice INV-001-001 of 2024-02-01, due 2024-02-01${lines}`);
  await then.invoiceOf(acme, "INV-001-002").reads(`Invoice INV-001-002 of 2024-02-01, due 2024-02-01${other}`);
});

story("A pending downgrade is on the preview with the seats that its plan bills in advance", async (scene) => {
  const { given, clock, then } = scene;
  await given.metric("seats", { sum: "number", recurring: true });
  await given.plan("large", { monthly: "62.00", metered: { seats: { each: "10.00" } } });
  await given.plan("small", { monthly: "0.00", metered: { seats: { each: "7.00", paid: "in advance" } } });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("large");
  await clock.is("2024-01-10");
  await acme.uses("seats", 3, { on: "2024-01-10" });
  await acme.changesTo("small");
  const lines = `
    2024-01-01 to 2024-01-31
    Large plan              62.00
    Seats       3 × 10.00   30.00
    2024-02-01 to 2024-02-29
    Seats        3 × 7.00   21.00
    Total EUR              113.00`;
  await then.nextInvoiceOf(acme).reads(`Preview of 2024-02-01, due 2024-02-01${lines}`);
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-001 of 2024-02-01, due 2024-02-01${lines}`);
});

story("The end of a trial comes before the end of the month", async ({ given, clock, then }) => {
  await given.plan("premium", { monthly: "31.00", paid: "in advance", trial: "10 days" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("premium");
  await clock.is("2024-01-05");
  // 21 of 31 days
  const lines = `
    2024-01-01 to 2024-01-31
    Premium plan    21.00
    Total EUR       21.00`;
  await then.nextInvoiceOf(acme).reads(`Preview of 2024-01-11, due 2024-01-11${lines}`);
  await clock.is("2024-01-11");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-001 of 2024-01-11, due 2024-01-11${lines}`);
});

story("A plan changed before it began is previewed with its start", async ({ given, clock, then }) => {
  await given.plan("small", { monthly: "31.00", paid: "in advance" });
  await given.plan("large", { monthly: "62.00", paid: "in advance" });
  await clock.is("2024-01-01 05:00");
  const acme = await given.customer("acme").subscribesTo("small", { starts: "2024-01-01 09:00" });
  await acme.changesTo("large");
  const lines = `
    2024-01-01 to 2024-01-31
    Large plan                        62.00
    Credit note INV-001-001-CN001    -31.00
    Total EUR                         31.00`;
  await then.nextInvoiceOf(acme).reads(`Preview of 2024-01-01, due 2024-01-01${lines}`);
  await clock.is("2024-01-01 09:00");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-002 of 2024-01-01, due 2024-01-01${lines}`);
});

story("A commitment on a preview counts the fees of invoices that come before", async ({ given, clock, then }) => {
  await given.metric("seats", { sum: "number", recurring: true });
  const seats = { each: "1.00", paid: "in advance" } as const;
  await given.plan("month", { monthly: "31.00" });
  await given.plan("week", { weekly: "7.00", paid: "in advance", commitment: "20.00", metered: { seats } });
  await clock.is("2024-03-01");
  const acme = await given.customer("acme").subscribesTo("month", { as: "months" });
  await acme.subscribesTo("week", { as: "weeks" });
  await acme.uses("seats", 3, { on: "2024-03-01", of: "weeks" });
  await clock.is("2024-03-05");
  // The week from 25 March costs 7.00 and 3.00 for its seats, on an invoice of that day.
  const lines = `
    2024-03-01 to 2024-03-31 for months
    Month plan                    31.00
    2024-04-01 to 2024-04-07 for weeks
    Week plan                      7.00
    Seats               3 × 1.00   3.00
    2024-03-25 to 2024-03-31 for weeks
    Minimum commitment            10.00
    Total EUR                     51.00`;
  await then.nextInvoiceOf(acme, "months").reads(`Preview of 2024-04-01, due 2024-04-01${lines}`);
  await clock.is("2024-04-01");
  await then.latestInvoiceOf(acme).reads(`Invoice INV-001-007 of 2024-04-01, due 2024-04-01${lines}`);
});
