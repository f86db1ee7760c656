// The catalog as files: from a sandbox to another organization.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { serve } from "../../client/src/testing/serve.ts";
import { openCli } from "./testing/run-cli.ts";

const service = await serve();
const [source, target] = service.organizations.map(({ key }) => service.open({ key }));
if (!source || !target) throw new Error("there are two organizations");
const { cli, folder } = openCli();
const files = join(folder, "pricing");
const pricing = (command: string, profile: string, ...args: string[]) =>
  cli(["pricing", command, files, "--profile", profile, ...args]);

beforeAll(async () => {
  for (const [index, profile] of ["sandbox", "live"].entries()) {
    const key = service.organizations[index]?.key ?? "";
    await cli(["login", "--url", service.url, "--key", key, "--profile", profile]);
  }
  await source.taxes.create({ code: "vat", name: "VAT", rate: "20.50" });
  await source.billableMetrics.create({
    ...{ code: "tokens", name: "Tokens", aggregation_type: "sum_agg", field_name: "count" },
    filters: [{ key: "model", values: ["large", "small"] }],
  });
  await source.billableMetrics.create({ code: "calls/second", name: "Calls", aggregation_type: "count_agg" });
  await source.addOns.create({
    ...{ code: "set_up", name: "Set-up", amount_cents: 10_000, amount_currency: "EUR" },
    tax_codes: ["vat"],
  });
  const range = { from_value: 0, to_value: null, per_unit_amount: "0.50", flat_amount: "0" };
  await source.plans.create({
    ...{ code: "api", name: "API", interval: "monthly", amount_cents: 4900, amount_currency: "EUR" },
    pay_in_advance: false,
    trial_period: 14,
    tax_codes: ["vat"],
    minimum_commitment: { amount_cents: 100_000, tax_codes: ["vat"] },
    charges: [
      {
        ...{ billable_metric_code: "tokens", charge_model: "standard", properties: { amount: "0.002" } },
        filters: [{ values: { model: ["large"] }, properties: { amount: "0.01" } }],
        tax_codes: ["vat"],
      },
      { billable_metric_code: "calls/second", charge_model: "graduated", properties: { graduated_ranges: [range] } },
      {
        billable_metric_code: "calls/second",
        charge_model: "standard",
        properties: { amount: "1" },
        pay_in_advance: true,
      },
    ],
  });
  await source.coupons.create({
    ...{ code: "tenth", name: "A tenth", coupon_type: "percentage", percentage_rate: "10", frequency: "forever" },
    ...{ expiration: "time_limit", expiration_at: "2099-12-31T23:59:59Z", applies_to: { plan_codes: ["api"] } },
  });
  await source.coupons.create({
    ...{ code: "five", name: "Five", coupon_type: "fixed_amount", amount_cents: 500, amount_currency: "EUR" },
    ...{ frequency: "recurring", frequency_duration: 3, expiration: "no_expiration" },
  });
});

test("the whole catalog goes from one organization to another, and a second push changes nothing", async () => {
  expect(await pricing("pull", "sandbox")).toMatchObject({ code: 0, out: `7 files written to ${files}` });
  expect(readdirSync(join(files, "billable_metrics"))).toEqual(["calls%2Fsecond.json", "tokens.json"]);
  expect(JSON.parse(readFileSync(join(files, "plans/api.json"), "utf8"))).toMatchObject({
    code: "api",
    minimum_commitment: { amount_cents: 100_000, tax_codes: ["vat"] },
  });
  expect(await pricing("diff", "sandbox")).toMatchObject({ code: 0, out: "No differences" });

  const differing = await pricing("diff", "live");
  expect([differing.code, differing.out.split("\n")]).toEqual([
    1,
    [
      "taxes/vat",
      "billable_metrics/calls/second",
      "billable_metrics/tokens",
      "add_ons/set_up",
      "plans/api",
      "coupons/five",
      "coupons/tenth",
    ].map((path) => `+ ${path}`),
  ]);
  const unconfirmed = await pricing("push", "live");
  expect(unconfirmed).toMatchObject({ code: 2, err: expect.stringContaining("add --yes") });
  expect(await target.taxes.list()).toMatchObject({ items: [] });

  const pushed = await pricing("push", "live", "--yes");
  expect(pushed.err).not.toContain("Not taken");
  expect([pushed.code, pushed.out]).toEqual([0, expect.stringMatching(/^7 changes applied to /)]);
  expect(await pricing("diff", "live")).toMatchObject({ code: 0, out: "No differences" });
  const before = await target.plans.get("api");
  expect(await pricing("push", "live", "--yes")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/ has it all already\.$/),
  });
  expect(await target.plans.get("api")).toEqual(before);
});

test("a change of a file is shown member by member, and charges keep their ids", async () => {
  const file = join(files, "plans/api.json");
  const plan = JSON.parse(readFileSync(file, "utf8"));
  const before = await target.plans.get("api");
  plan.name = "API access";
  plan.charges.reverse();
  plan.charges[2].properties.amount = "0.0025";
  // As by default, in words.
  plan.charges[2].prorated = false;
  delete plan.trial_period;
  writeFileSync(file, JSON.stringify(plan));

  const { code, out } = await pricing("diff", "live");
  expect([code, out.split("\n")]).toEqual([
    1,
    [
      '~ plans/api name: "API" → "API access"',
      "~ plans/api trial_period: 14 → (default)",
      '~ plans/api charges.tokens/standard.properties.amount: "0.002" → "0.0025"',
    ],
  ]);
  expect(await pricing("push", "live", "--yes", "--json")).toMatchObject({ code: 0 });
  const after = await target.plans.get("api");
  expect(after).toMatchObject({ name: "API access", trial_period: 0 });
  const ids = (charges: typeof after.charges) => charges.map(({ svc_id }) => svc_id).sort();
  expect(ids(after.charges)).toEqual(ids(before.charges));
  expect(await pricing("diff", "live")).toMatchObject({ code: 0 });
});

test("what the service ignores is reported, and what it refuses fails with its sentence", async () => {
  const file = join(files, "billable_metrics/tokens.json");
  const metric = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...metric, field_name: "sum" }));
  const ignored = await pricing("push", "live", "--yes");
  expect(ignored.code).toBe(1);
  expect(ignored.err).toMatch(/Not taken by the service: ~ billable_metrics\/tokens field_name|field_name/);

  writeFileSync(file, JSON.stringify({ ...metric, fieldname: "count" }));
  const refused = await pricing("push", "live", "--yes");
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("fieldname") });
  writeFileSync(file, JSON.stringify(metric));
});

test("objects without a file stay, files without an object are named, and damaged ones too", async () => {
  await target.taxes.create({ code: "old", name: "Old", rate: "1" });
  expect(await pricing("diff", "live")).toMatchObject({
    code: 0,
    out: expect.stringContaining("taxes/old: only on the service"),
  });
  writeFileSync(join(files, "taxes/mine.json"), '{"code":"mine","name":"Mine","rate":"1.0"}');
  expect(await pricing("pull", "sandbox")).toMatchObject({
    err: expect.stringContaining("mine.json is not on the service"),
  });
  writeFileSync(join(files, "taxes/mine.json"), "{");
  expect(await pricing("diff", "live")).toMatchObject({ code: 1, err: expect.stringContaining("mine.json: ") });
  mkdirSync(join(folder, "empty"));
  expect(await cli(["pricing", "push", join(folder, "empty"), "--profile", "live"])).toMatchObject({ code: 2 });
});
