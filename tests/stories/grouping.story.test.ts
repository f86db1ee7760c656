// Usage can be billed separately by event properties: each group is counted, priced and rounded separately.

import { story } from "./dsl/story.ts";

story("Each workspace is rounded separately", async ({ given, clock, then }) => {
  await given.metric("calls", "count");
  await given.plan("basic", { monthly: "0.00", metered: { calls: { each: "0.015", by: ["workspace"] } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 1, { on: "2026-01-10", with: { workspace: "a" } });
  await acme.uses("calls", 1, { on: "2026-01-10", with: { workspace: "b" } });
  await clock.is("2026-02-01");
  // Rounded together they would be 0.03.
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                        0.00
    Calls · workspace a    1 × 0.015  0.02
    Calls · workspace b    1 × 0.015  0.02
    Total EUR                         0.04`);
});

story(
  "Every group has its own free units and packages; an empty and a missing value are one group",
  async ({ given, clock, then }) => {
    await given.metric("jobs", { sum: "number" });
    await given.plan("basic", {
      monthly: "0.00",
      metered: { jobs: { packages: "10 for 1.00", free: 5, by: ["workspace"] } },
    });
    await clock.is("2026-01-01");
    const acme = await given.customer("acme").subscribesTo("basic");
    await acme.uses("jobs", 12, { on: "2026-01-10", with: { workspace: "a" } });
    await acme.uses("jobs", 20, { on: "2026-01-11", with: { workspace: "b" } });
    await acme.uses("jobs", 2, { on: "2026-01-12" });
    await acme.uses("jobs", 4, { on: "2026-01-12", with: { workspace: "" } });
    await clock.is("2026-02-01");
    await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                      0.00
    Jobs · workspace a          12  1.00
      free                       5  0.00
      packages of 10      1 × 1.00  1.00
    Jobs · workspace b          20  2.00
      free                       5  0.00
      packages of 10      2 × 1.00  2.00
    Jobs · no workspace          6  1.00
      free                       5  0.00
      packages of 10      1 × 1.00  1.00
    Total EUR                       4.00`);
  },
);

story("With two properties, every pair is a line", async ({ given, clock, then }) => {
  await given.metric("hours", { sum: "number" });
  await given.plan("basic", { monthly: "0.00", metered: { hours: { each: "0.10", by: ["region", "size"] } } });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("hours", 10, { on: "2026-01-10", with: { region: "eu", size: "l" } });
  await acme.uses("hours", 20, { on: "2026-01-11", with: { region: "eu", size: "m" } });
  await acme.uses("hours", "0.5", { on: "2026-01-12", with: { region: "us", size: "l" } });
  await acme.uses("hours", 5, { on: "2026-01-13", with: { region: "eu", size: "l" } });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                                0.00
    Hours · region eu · size l     15 × 0.10  1.50
    Hours · region eu · size m     20 × 0.10  2.00
    Hours · region us · size l    0.5 × 0.10  0.05
    Total EUR                                 3.55`);
});

story("Groups inside filters: each combination has its own tiers", async ({ given, clock, then }) => {
  await given.metric("calls", { sum: "number", filters: { region: ["eu", "us"] } });
  await given.plan("basic", {
    monthly: "0.00",
    metered: {
      calls: {
        each: "1.00",
        by: ["team"],
        filters: [{ where: { region: ["eu"] }, each: "3.00" }],
      },
    },
  });
  await clock.is("2026-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await acme.uses("calls", 2, { on: "2026-01-10", with: { region: "eu", team: "a" } });
  await acme.uses("calls", 4, { on: "2026-01-10", with: { region: "eu", team: "b" } });
  await acme.uses("calls", 8, { on: "2026-01-10", with: { region: "us", team: "a" } });
  await clock.is("2026-02-01");
  await then.latestInvoiceOf(acme).reads(`
    Invoice INV-001-001 of 2026-02-01, due 2026-02-01
    2026-01-01 to 2026-01-31
    Basic plan                         0.00
    Calls · eu · team a    2 × 3.00    6.00
    Calls · eu · team b    4 × 3.00   12.00
    Calls · team a         8 × 1.00    8.00
    Total EUR                         26.00`);
});
