import { afterAll, expect, test } from "vitest";
import { composeCountedApi } from "../../../testing/count-queries.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, call, organizations } = await startTallystick();
const [mine = { key: "" }, theirs = { key: "" }] = organizations;
const counted = await composeCountedApi(platform);
afterAll(() => counted.app.close());

async function countQueriesOfList(): Promise<{ plans: number; queries: number }> {
  const { body, queries } = await counted.get("/plans", mine.key);
  return { plans: (body.plans as object[]).length, queries };
}

/** Each has everything that a plan can have, so that every query of a page finds something. */
async function makePlans(numbers: readonly number[]): Promise<void> {
  const { body } = await call("POST", "/billable_metrics", {
    billable_metric: {
      name: "Calls",
      code: `calls ${numbers[0]}`,
      aggregation_type: "count_agg",
      filters: [{ key: "region", values: ["eu"] }],
    },
  });
  const charge = {
    billable_metric_id: body.billable_metric.svc_id,
    charge_model: "standard",
    filters: [{ values: { region: ["eu"] } }],
    tax_codes: ["vat"],
  };
  for (const number of numbers) {
    const { status } = await call("POST", "/plans", {
      plan: {
        name: `Plan ${number}`,
        code: `plan ${number}`,
        interval: "monthly",
        amount_cents: number,
        amount_currency: "EUR",
        pay_in_advance: false,
        tax_codes: ["vat"],
        minimum_commitment: { amount_cents: 1, tax_codes: ["vat"] },
        charges: [charge, charge],
      },
    });
    expect(status).toBe(200);
  }
}

const upTo = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index);

test("a page of one plan and a page of fifty take the same number of queries", async () => {
  for (const code of ["vat", "city"])
    await call("POST", "/taxes", { tax: { name: code, code, rate: "10", applied_to_organization: code === "city" } });
  await makePlans([1]);
  const one = await countQueriesOfList();
  await makePlans(upTo(49, 2));
  expect(one.queries).toBeGreaterThan(3);
  expect(one.queries).toBeLessThanOrEqual(13);
  expect(await countQueriesOfList()).toEqual({ plans: 50, queries: one.queries });
});

test("the list is newest first, in pages, without deleted plans and those of other organizations", async () => {
  const names = async (query: string) => {
    const { body } = await call("GET", `/plans${query}`);
    const { next_cursor: _, ...meta } = body.meta;
    return { meta, codes: body.plans.map(({ code }: { code: string }) => code) };
  };
  expect((await names("")).codes).toEqual(upTo(50).map((number) => `plan ${51 - number}`));
  await call("DELETE", "/plans/plan%2049");
  expect(await names("?per_page=2&page=1")).toEqual({
    codes: ["plan 50", "plan 48"],
    meta: { current_page: 1, next_page: 2, prev_page: null, total_pages: 25, total_count: 49 },
  });
  expect(await names("?per_page=2&page=25")).toEqual({
    codes: ["plan 1"],
    meta: { current_page: 25, next_page: null, prev_page: 24, total_pages: 25, total_count: 49 },
  });
  expect((await names("?page=3")).codes).toEqual([]);
  expect((await call("GET", "/plans", undefined, { key: theirs.key })).body).toEqual({
    plans: [],
    meta: { current_page: 0, next_page: null, prev_page: null, total_pages: 0, total_count: 0, next_cursor: null },
  });
});

test("a plan in the list is shown as in a single response", async () => {
  const { body } = await call("GET", "/plans?per_page=3");
  for (const plan of body.plans)
    expect((await call("GET", `/plans/${encodeURIComponent(plan.code)}`)).body.plan).toEqual(plan);
});

test("a page of plans that are too large for one answer is refused, and says how many fit", async () => {
  const asThem = { key: theirs.key };
  const metric = { name: "Calls", code: "calls", aggregation_type: "count_agg" };
  const { body } = await call("POST", "/billable_metrics", { billable_metric: metric }, asThem);
  const graduated_ranges = upTo(1000, 0).map((from) => ({
    from_value: from === 0 ? 0 : 10 * from + 1,
    to_value: from === 999 ? null : 10 * from + 10,
    flat_amount: "0",
    per_unit_amount: "0.123456789",
  }));
  const charge = {
    billable_metric_id: body.billable_metric.svc_id,
    charge_model: "graduated",
    properties: { graduated_ranges },
  };
  const terms = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  for (const code of ["a", "b", "c", "d", "e", "f", "g"]) {
    const plan = { name: code, code, ...terms, charges: [charge, charge, charge, charge] };
    expect((await call("POST", "/plans", { plan }, asThem)).status).toBe(200);
  }
  const refused = await call("GET", "/plans?per_page=1000", undefined, asThem);
  expect(refused.status).toBe(422);
  expect(refused.help.errors).toMatchObject([{ path: "per_page", code: "too_many_items" }]);
  const [, fitting] = /about (\d+) per page/.exec(refused.help.errors[0].message) ?? [];
  const page = await call("GET", `/plans?per_page=${fitting}`, undefined, asThem);
  expect(page.body.plans).toHaveLength(Number(fitting));
});
