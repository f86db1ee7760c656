import { beforeEach, describe, expect, it, test } from "vitest";
import { composeCountedApi } from "../../../testing/count-queries.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const START = Temporal.Instant.from("2026-11-01T12:00:00Z");
let now = START;
const { platform, call, organizations } = await startTallystick({ clock: { now: () => now } });
const other = { key: organizations[1]?.key ?? "" };
beforeEach(() => {
  now = START;
});

const FIXED = {
  name: "Welcome",
  code: "WELCOME",
  coupon_type: "fixed_amount",
  amount_cents: 1000,
  amount_currency: "EUR",
  frequency: "once",
  expiration: "no_expiration",
};
const PERCENTAGE = { coupon_type: "percentage", percentage_rate: "12.5" };
const RECURRING = { frequency: "recurring", frequency_duration: 3 };
const untilInstant = (expiration_at: string) => ({ expiration: "time_limit", expiration_at });

const create = (members: object, options = {}) =>
  call("POST", "/coupons", { coupon: { ...FIXED, ...members } }, options);
const change = (code: string, coupon: object, options = {}) => call("PUT", `/coupons/${code}`, { coupon }, options);
const show = async (code: string, options = {}) =>
  (await call("GET", `/coupons/${code}`, undefined, options)).body.coupon;
const codes = (details: object) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: details,
});
const notFound = (code: string) => ({ status: 404, error: "Not Found", code });
const TWO_LIMITS = {
  status: 405,
  error: "Method Not Allowed",
  code: "only_one_limitation_type_per_coupon_allowed",
};

const makePlan = (code: string, options = {}) =>
  call(
    "POST",
    "/plans",
    {
      plan: { name: code, code, interval: "monthly", amount_cents: 100, amount_currency: "EUR", pay_in_advance: false },
    },
    options,
  );
const makeMetric = (code: string, options = {}) =>
  call("POST", "/billable_metrics", { billable_metric: { name: code, code, aggregation_type: "count_agg" } }, options);

for (const [plan, metric] of [
  ["startup", "calls"],
  ["scale", "seats"],
] as const) {
  now = now.add({ seconds: 1 });
  await makePlan(plan);
  await makeMetric(metric);
}
await makePlan("their-plan", other);
await makeMetric("their-metric", other);

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const SHOWN = {
  svc_id: expect.stringMatching(UUID_V7),
  name: "Welcome",
  description: null,
  coupon_type: "fixed_amount",
  amount_cents: 1000,
  amount_currency: "EUR",
  percentage_rate: null,
  frequency: "once",
  frequency_duration: null,
  reusable: true,
  limited_plans: false,
  plan_codes: [],
  limited_billable_metrics: false,
  billable_metric_codes: [],
  expiration: "no_expiration",
  expiration_at: null,
  created_at: "2026-11-01T12:00:00Z",
  terminated_at: null,
};

it.each([
  ["least", {}, {}],
  ["described", { description: "d", reusable: false }, { description: "d", reusable: false }],
  ["percentage", PERCENTAGE, { ...PERCENTAGE, amount_cents: null, amount_currency: null }],
  [
    "whole percentage",
    { ...PERCENTAGE, percentage_rate: 10 },
    { coupon_type: "percentage", percentage_rate: "10.0", amount_cents: null, amount_currency: null },
  ],
  [
    "finest percentage",
    { ...PERCENTAGE, percentage_rate: "999.99999" },
    { coupon_type: "percentage", percentage_rate: "999.99999", amount_cents: null, amount_currency: null },
  ],
  ["largest", { amount_cents: 9_007_199_254_740_991 }, { amount_cents: 9_007_199_254_740_991 }],
  ["recurring", RECURRING, RECURRING],
  [
    "longest",
    { ...RECURRING, frequency_duration: 2_147_483_647 },
    { frequency: "recurring", frequency_duration: 2_147_483_647 },
  ],
  ["forever", { frequency: "forever", frequency_duration: 3 }, { frequency: "forever" }],
  ["limited", untilInstant("2026-12-31"), untilInstant("2026-12-31T00:00:00Z")],
  ["unlimited", { expiration_at: "2026-12-31" }, {}],
  [
    "plans",
    { applies_to: { plan_codes: ["scale", "startup", "scale"] } },
    { limited_plans: true, plan_codes: ["startup", "scale"] },
  ],
  [
    "metrics",
    { applies_to: { plan_codes: [], billable_metric_codes: ["calls"] } },
    { limited_billable_metrics: true, billable_metric_codes: ["calls"] },
  ],
  ["deprecated", { expiration_date: "2026-12-31" }, {}],
])("a coupon (%s) comes back with every member of the API", async (code, members, shown) => {
  const { status, body } = await create({ code, ...members });
  expect(status).toBe(200);
  expect(body).toEqual({ coupon: { ...SHOWN, code, ...shown } });
  expect((await call("GET", `/coupons/${encodeURIComponent(code)}`)).body).toEqual(body);
});

describe("refusals", () => {
  it.each([
    [{ name: undefined }, { name: ["value_is_mandatory"] }],
    [{ name: "" }, { name: ["value_is_mandatory"] }],
    [{ name: "x".repeat(256) }, { name: ["value_is_too_long"] }],
    [{ code: " " }, { code: ["value_is_mandatory"] }],
    [{ description: 1 }, { description: ["value_is_invalid"] }],
    [{ coupon_type: undefined }, { coupon_type: ["value_is_mandatory"] }],
    [{ coupon_type: "free" }, { coupon_type: ["value_is_invalid"] }],
    [{ amount_cents: undefined }, { amount_cents: ["value_is_mandatory"] }],
    [{ amount_cents: 0 }, { amount_cents: ["value_is_out_of_range"] }],
    [{ amount_cents: "1000" }, { amount_cents: ["value_is_invalid"] }],
    [{ amount_currency: undefined }, { amount_currency: ["value_is_mandatory"] }],
    [{ amount_currency: "ZZZ" }, { amount_currency: ["value_is_invalid"] }],
    [{ coupon_type: "percentage" }, { percentage_rate: ["value_is_mandatory"] }],
    [{ ...PERCENTAGE, percentage_rate: "x" }, { percentage_rate: ["value_is_invalid"] }],
    [{ ...PERCENTAGE, percentage_rate: "0" }, { percentage_rate: ["value_is_out_of_range"] }],
    [{ ...PERCENTAGE, percentage_rate: "1000" }, { percentage_rate: ["value_is_out_of_range"] }],
    [{ ...PERCENTAGE, percentage_rate: "1.000001" }, { percentage_rate: ["value_is_out_of_range"] }],
    [{ frequency: undefined }, { frequency: ["value_is_mandatory"] }],
    [{ frequency: "daily" }, { frequency: ["value_is_invalid"] }],
    [{ frequency: "recurring" }, { frequency_duration: ["value_is_mandatory"] }],
    [{ ...RECURRING, frequency_duration: 0 }, { frequency_duration: ["value_is_out_of_range"] }],
    [{ ...RECURRING, frequency_duration: 2_147_483_648 }, { frequency_duration: ["value_is_out_of_range"] }],
    [{ expiration: undefined }, { expiration: ["value_is_mandatory"] }],
    [{ expiration: "never" }, { expiration: ["value_is_invalid"] }],
    [{ expiration: "time_limit" }, { expiration_at: ["value_is_mandatory"] }],
    [untilInstant("soon"), { expiration_at: ["invalid_date"] }],
    [untilInstant("2026-11-01T12:00:00Z"), { expiration_at: ["invalid_date"] }],
    [untilInstant("2020-01-01T00:00:00Z"), { expiration_at: ["invalid_date"] }],
    [{ reusable: "yes" }, { reusable: ["value_is_invalid"] }],
    [{ applies_to: ["startup"] }, { applies_to: ["value_is_invalid"] }],
    [{ applies_to: { plan_codes: "startup" } }, { plan_codes: ["value_is_invalid"] }],
    [{ applies_to: { billable_metric_codes: [1] } }, { billable_metric_codes: ["value_is_invalid"] }],
    [
      { name: null, coupon_type: "free", frequency: "daily", expiration: "never" },
      {
        name: ["value_is_mandatory"],
        coupon_type: ["value_is_invalid"],
        frequency: ["value_is_invalid"],
        expiration: ["value_is_invalid"],
      },
    ],
  ])("%j is refused with %j, and nothing is made or changed", async (members, details) => {
    const refused = await create({ code: "refused", ...members });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject(codes(details));
    expect((await call("GET", "/coupons/refused")).body).toMatchObject(notFound("coupon_not_found"));

    const before = await show("least");
    const wrong = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? null]));
    expect((await change("least", wrong)).body).toEqual(codes(details));
    expect(await show("least")).toEqual(before);
  });

  it.each([
    [{ plan_codes: ["startup", "unknown"] }, notFound("plans_not_found")],
    [{ plan_codes: ["their-plan"] }, notFound("plans_not_found")],
    [{ billable_metric_codes: ["calls", "unknown"] }, notFound("billable_metrics_not_found")],
    [{ billable_metric_codes: ["their-metric"] }, notFound("billable_metrics_not_found")],
    [{ plan_codes: ["startup"], billable_metric_codes: ["calls"] }, TWO_LIMITS],
    [{ plan_codes: ["unknown"], billable_metric_codes: ["unknown"] }, TWO_LIMITS],
  ])("a limit to %j is refused, and nothing is made or changed", async (applies_to, refusal) => {
    const refused = await create({ code: "refused", applies_to });
    expect(refused.status).toBe(refusal.status);
    expect(refused.body).toMatchObject(refusal);
    expect((await call("GET", "/coupons/refused")).status).toBe(404);
    const before = await show("plans");
    expect((await change("plans", { name: "New", applies_to })).body).toEqual(refusal);
    expect(await show("plans")).toEqual(before);
  });

  test("a body without its envelope is refused", async () => {
    expect((await call("POST", "/coupons", { wrong: FIXED })).body).toMatchObject({
      status: 400,
      error: "BadRequest: param is missing or the value is empty: coupon",
    });
  });

  test("what does not exist answers 404 on every verb", async () => {
    const none = notFound("coupon_not_found");
    expect((await call("GET", "/coupons/none")).body).toEqual(none);
    expect((await change("none", { name: "x" })).body).toEqual(none);
    expect((await change("none", { name: null })).body).toEqual(none);
    expect((await call("DELETE", "/coupons/none")).body).toEqual(none);
  });
});

describe("an update", () => {
  test("changes the members that are present, and no others", async () => {
    await create({ code: "update", description: "kept", ...RECURRING, ...untilInstant("2027-01-01T00:00:00Z") });
    const before = await show("update");
    const { body } = await change("update", { amount_cents: 5, reusable: false });
    expect(body.coupon).toEqual({ ...before, amount_cents: 5, reusable: false });
    expect(await show("update")).toEqual(body.coupon);
    expect((await change("update", { description: null })).body.coupon.description).toBeNull();
  });

  test("may turn an amount into a percentage and back, with the members that each needs", async () => {
    await create({ code: "turn" });
    const before = await show("turn");
    expect((await change("turn", { coupon_type: "percentage" })).body).toEqual(
      codes({ percentage_rate: ["value_is_mandatory"] }),
    );
    expect((await change("turn", PERCENTAGE)).body.coupon).toEqual({
      ...before,
      ...PERCENTAGE,
      amount_cents: null,
      amount_currency: null,
    });
    expect((await change("turn", { coupon_type: "fixed_amount", amount_cents: 7 })).body).toEqual(
      codes({ amount_currency: ["value_is_mandatory"] }),
    );
    expect(
      (await change("turn", { coupon_type: "fixed_amount", amount_cents: 7, amount_currency: "JPY" })).body.coupon,
    ).toEqual({ ...before, amount_cents: 7, amount_currency: "JPY" });
  });

  test("replaces the limit as a whole, from one kind to the other, and null removes it", async () => {
    await create({ code: "limit", applies_to: { plan_codes: ["startup"] } });
    const after = async (members: object) => {
      const { limited_plans, plan_codes, limited_billable_metrics, billable_metric_codes } = (
        await change("limit", members)
      ).body.coupon;
      return [limited_plans, plan_codes, limited_billable_metrics, billable_metric_codes];
    };
    expect(await after({ name: "New" })).toEqual([true, ["startup"], false, []]);
    expect(await after({ applies_to: { plan_codes: ["scale"] } })).toEqual([true, ["scale"], false, []]);
    expect(await after({ applies_to: { billable_metric_codes: ["seats", "calls"] } })).toEqual([
      false,
      [],
      true,
      ["calls", "seats"],
    ]);
    expect(await after({ applies_to: { plan_codes: [] } })).toEqual([false, [], false, []]);
    expect(await after({ applies_to: { plan_codes: ["scale"] } })).toEqual([true, ["scale"], false, []]);
    expect(await after({ applies_to: null })).toEqual([false, [], false, []]);
  });

  test("may change the code to one that is free", async () => {
    await create({ code: "code" });
    expect((await change("code", { code: "least" })).body).toEqual(codes({ code: ["value_already_exist"] }));
    expect((await change("code", { code: "code" })).status).toBe(200);
    expect((await change("code", { code: "new code" })).body.coupon.code).toBe("new code");
    expect((await call("GET", "/coupons/code")).body).toMatchObject(notFound("coupon_not_found"));
  });

  test("at the same time as another keeps both changes", async () => {
    await create({ code: "busy" });
    for (let round = 1; round <= 10; round++) {
      const [name, description] = [`name ${round}`, `description ${round}`];
      const plan_codes = [round % 2 === 0 ? "scale" : "startup"];
      await Promise.all([change("busy", { name }), change("busy", { description, applies_to: { plan_codes } })]);
      expect(await show("busy")).toMatchObject({ name, description, plan_codes });
    }
  });
});

describe("a limit whose plans or metrics are deleted", () => {
  it.each([
    ["plans", makePlan, "plan_codes", "limited_plans"],
    ["billable_metrics", makeMetric, "billable_metric_codes", "limited_billable_metrics"],
  ] as const)("still limits (%s), even after another update", async (resource, make, member, flag) => {
    const [kept, gone] = [`kept ${resource}`, `gone ${resource}`];
    for (const code of [kept, gone]) expect((await make(code)).status).toBe(200);
    const code = `outlives-${resource}`;
    await create({ code, applies_to: { [member]: [kept, gone] } });
    const remove = (each: string) => call("DELETE", `/${resource}/${encodeURIComponent(each)}`);

    await remove(gone);
    expect(await show(code)).toMatchObject({ [flag]: true, [member]: [kept] });
    await remove(kept);
    expect(await show(code)).toMatchObject({ [flag]: true, [member]: [] });
    expect((await change(code, { name: "New" })).body.coupon).toMatchObject({
      name: "New",
      [flag]: true,
      [member]: [],
    });

    // A new plan or metric with the code of the deleted one is a different one.
    await make(kept);
    expect(await show(code)).toMatchObject({ [flag]: true, [member]: [] });
    expect((await change(code, { applies_to: { [member]: [gone] } })).body.code).toBe(`${resource}_not_found`);
    expect((await change(code, { applies_to: {} })).body.coupon).toMatchObject({ [flag]: false, [member]: [] });
  });
});

describe("expiry", () => {
  const EXPIRY = "2026-11-05T00:00:00.25Z";
  const SHOWN_EXPIRY = "2026-11-05T00:00:00Z";
  const terminatedAt = async (code: string) => {
    const listed = (await call("GET", "/coupons")).body.coupons.find((each: { code: string }) => each.code === code);
    expect(await show(code)).toEqual(listed);
    return listed.terminated_at;
  };

  test("terminates a coupon at that instant, not before, without any job", async () => {
    await create({ code: "expires", ...untilInstant(EXPIRY) });
    expect(await terminatedAt("expires")).toBeNull();
    now = Temporal.Instant.from(EXPIRY).subtract({ microseconds: 1 });
    expect(await terminatedAt("expires")).toBeNull();
    now = Temporal.Instant.from(EXPIRY);
    expect(await terminatedAt("expires")).toBe(SHOWN_EXPIRY);
    now = Temporal.Instant.from("2030-01-01T00:00:00Z");
    expect(await terminatedAt("expires")).toBe(SHOWN_EXPIRY);
    expect(await terminatedAt("least")).toBeNull();
  });

  test("does not block a new name, and the shown value may be sent back", async () => {
    await create({ code: "echo", ...untilInstant(EXPIRY) });
    now = Temporal.Instant.from(EXPIRY).add({ hours: 1 });
    expect((await change("echo", { name: "New" })).body.coupon.terminated_at).toBe(SHOWN_EXPIRY);
    const shown = await show("echo");
    expect((await change("echo", { ...shown, description: "sent back" })).body.coupon).toEqual({
      ...shown,
      description: "sent back",
    });
    expect((await change("echo", { expiration_at: "2026-11-04T00:00:00Z" })).body).toEqual(
      codes({ expiration_at: ["invalid_date"] }),
    );
    now = Temporal.Instant.from(EXPIRY).subtract({ microseconds: 1 });
    expect(await terminatedAt("echo")).toBeNull();
  });

  test("can be moved or removed, which makes the coupon valid again", async () => {
    await create({ code: "moved", ...untilInstant(EXPIRY) });
    now = Temporal.Instant.from("2026-12-01T00:00:00Z");
    expect((await change("moved", { expiration_at: "2026-12-24T00:00:00Z" })).body.coupon).toMatchObject({
      expiration_at: "2026-12-24T00:00:00Z",
      terminated_at: null,
    });
    now = Temporal.Instant.from("2026-12-25T00:00:00Z");
    expect(await terminatedAt("moved")).toBe("2026-12-24T00:00:00Z");
    expect((await change("moved", { expiration: "no_expiration" })).body.coupon).toMatchObject({
      expiration: "no_expiration",
      expiration_at: null,
      terminated_at: null,
    });
  });

  test("keeps the code taken until the coupon is deleted", async () => {
    await create({ code: "taken", ...untilInstant(EXPIRY) });
    now = Temporal.Instant.from("2026-12-01T00:00:00Z");
    expect((await create({ code: "taken" })).body).toEqual(codes({ code: ["value_already_exist"] }));
    expect((await call("DELETE", "/coupons/taken")).body.coupon.terminated_at).toBe(SHOWN_EXPIRY);
    expect((await create({ code: "taken" })).body.coupon.terminated_at).toBeNull();
  });
});

test("a code is unique in an organization, and free again after the delete", async () => {
  await create({ code: "unique", applies_to: { plan_codes: ["startup"] } });
  const before = await show("unique");
  expect((await create({ code: "unique" })).body).toEqual(codes({ code: ["value_already_exist"] }));
  expect((await create({ code: "unique" }, other)).status).toBe(200);
  expect((await call("DELETE", "/coupons/unique")).body.coupon).toEqual(before);
  expect((await call("GET", "/coupons/unique")).body).toMatchObject(notFound("coupon_not_found"));
  expect((await change("unique", { name: "x" })).body).toMatchObject(notFound("coupon_not_found"));
  expect((await call("DELETE", "/coupons/unique")).body).toMatchObject(notFound("coupon_not_found"));
  const again = (await create({ code: "unique" })).body.coupon;
  expect(again).toMatchObject({ limited_plans: false, plan_codes: [] });
  expect(again.svc_id).not.toBe(before.svc_id);
  expect((await show("unique", other)).svc_id).not.toBe(again.svc_id);
});

test("plans and metrics are those of the caller's organization, where both have the code", async () => {
  await makePlan("startup", other);
  const { status, body } = await create({ code: "twin", applies_to: { plan_codes: ["startup"] } }, other);
  expect(status).toBe(200);
  expect(body.coupon.plan_codes).toEqual(["startup"]);
  await call("DELETE", "/plans/startup", undefined, other);
  expect((await show("twin", other)).plan_codes).toEqual([]);
  expect((await show("plans")).plan_codes).toEqual(["startup", "scale"]);
});

test("the list is newest first, in pages", async () => {
  // After everything that was created above.
  now = Temporal.Instant.from("2031-01-01T00:00:00Z");
  const made: string[] = [];
  for (const code of ["first", "second", "third"]) {
    now = now.add({ seconds: 1 });
    made.unshift((await create({ code, applies_to: { billable_metric_codes: ["calls"] } })).body.coupon.code);
  }
  const all = (await call("GET", "/coupons")).body;
  const total = all.meta.total_count;
  expect(all.coupons.length).toBe(total);
  expect(all.coupons.slice(0, 3).map(({ code }: { code: string }) => code)).toEqual(made);
  expect(all.coupons[0]).toEqual(await show("third"));
  const { body } = await call("GET", "/coupons?per_page=1&page=2");
  expect(body.coupons).toEqual(all.coupons.slice(1, 2));
  expect(body.meta).toMatchObject({
    current_page: 2,
    next_page: 3,
    prev_page: 1,
    total_pages: total,
    total_count: total,
  });
});

test("a page of many takes no more queries than a page of one", async () => {
  // After everything that was created above.
  now = Temporal.Instant.from("2032-01-01T00:00:00Z");
  const LIMITS = [{ plan_codes: ["startup", "scale"] }, { billable_metric_codes: ["calls"] }, null];
  for (let index = 0; index < 30; index++)
    expect((await create({ code: `page ${index}`, applies_to: LIMITS[index % LIMITS.length] })).status).toBe(200);
  const counted = await composeCountedApi(platform);
  const page = async (size: number) => {
    const { body, queries } = await counted.get(`/coupons?per_page=${size}`, organizations[0]?.key ?? "");
    return { shown: (body.coupons as object[]).length, queries };
  };
  const one = await page(1);
  expect(one).toEqual({ shown: 1, queries: expect.any(Number) });
  expect(one.queries).toBeGreaterThan(2);
  expect(await page(30)).toEqual({ shown: 30, queries: one.queries });
  await counted.app.close();
});
