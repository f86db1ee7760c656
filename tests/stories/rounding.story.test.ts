// Each fee is rounded once, half away from zero. Nothing is rounded before.

import { story } from "./dsl/story.ts";

story("Half a cent is rounded up", async ({ given, clock, then }) => {
  await given.plan("tiny", { monthly: "0.61" });
  await clock.is("2023-02-15");
  const acme = await given.customer("acme").subscribesTo("tiny");
  await clock.is("2023-03-01");
  // 14 of 28 days: 0.305
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2023-03-01, due 2023-03-01
    2023-02-15 to 2023-02-28
    Tiny plan    0.31
    Total EUR    0.31`);
});

story("Prices with fractions of a cent are multiplied first and rounded last", async ({ given, clock, then }) => {
  await given.metric("calls", { sum: "number" });
  await given.metric("checks", { sum: "number" });
  await given.metric("bytes", { sum: "number" });
  await given.plan("basic", {
    monthly: "0.00",
    metered: { calls: { each: "0.012345" }, checks: { each: "1.005" }, bytes: { each: "0.0000001" } },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 100, { on: "2026-01-10" });
  await acme.uses("checks", 1, { on: "2026-01-10" });
  await acme.uses("bytes", 123_456_789, { on: "2026-01-10" });
  await clock.is("2026-02-01");
  // 1.2345, 1.005 and 12.3456789
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                             0.00
    Calls                  100 × 0.012345  1.23
    Checks                     1 × 1.005   1.01
    Bytes        123 456 789 × 0.0000001  12.35
    Total EUR                             14.59`);
});

story("Yen have no decimals, dinars three", async ({ given, clock, then }) => {
  await given.organization({ currency: "KWD", vat: "5 %" });
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.100", metered: { calls: { each: "1.2345" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 1, { on: "2026-01-10" });
  await clock.is("2026-02-01");
  // 1.2345 → 1.235; 5 % of 1.335 is 0.06675.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                0.100
    Calls        1 × 1.2345   1.235
    Subtotal                  1.335
    VAT 5 %                   0.067
    Total KWD                 1.402`);
});

story("Half a yen is rounded up", async ({ given, clock, then }) => {
  await given.organization({ currency: "JPY" });
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "3100", metered: { calls: { each: "1234.5" } } });
  await clock.is("2026-01-21");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 1, { on: "2026-01-25" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-21 to 2026-01-31
    Basic plan                1 100
    Calls        1 × 1 234.5  1 235
    Total JPY                 2 335`);
});

story("A negative amount is billed as 0", async ({ given, clock, then }) => {
  await given.metric("balance", { sum: "number" });
  await given.plan("basic", { monthly: "10.00", metered: { balance: { each: "1.00" } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("balance", 5, { on: "2026-01-10" });
  await acme.uses("balance", -8, { on: "2026-01-11" });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan       10.00
    Balance      0    0.00
    Total EUR        10.00`);
});
