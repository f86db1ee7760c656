import { describe, expect, it, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick({ organizations: 3 });
const other = { key: organizations[1]?.key ?? "" };
const third = { key: organizations[2]?.key ?? "" };

type Members = Record<string, unknown>;
const create = (billable_metric: Members, options = {}) =>
  call("POST", "/billable_metrics", { billable_metric }, options);
const change = (code: string, billable_metric: Members, options = {}) =>
  call("PUT", `/billable_metrics/${encodeURIComponent(code)}`, { billable_metric }, options);
const show = (code: string, options = {}) =>
  call("GET", `/billable_metrics/${encodeURIComponent(code)}`, undefined, options);

const sum = (code: string, more: Members = {}) => ({
  name: "Traffic",
  code,
  aggregation_type: "sum_agg",
  field_name: "bytes",
  ...more,
});
const refused = (details: object) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: details,
});
const notFound = { status: 404, error: "Not Found", code: "billable_metric_not_found" };

test("a metric comes back with every member of the API", async () => {
  const members = {
    name: "Storage",
    code: "storage",
    description: "Kept files",
    aggregation_type: "weighted_sum_agg",
    field_name: "gigabytes",
    recurring: true,
    weighted_interval: "seconds",
  };
  const filters = [
    { key: "region", values: ["us", "eu", "us"] },
    { key: "cloud", values: ["b", "a", "B"] },
  ];
  const { status, body } = await create({ ...members, filters, group: { key: "old", values: ["x"] } });
  expect(status).toBe(200);
  expect(body).toEqual({
    billable_metric: {
      ...members,
      svc_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      filters: [
        { key: "region", values: ["eu", "us"] },
        { key: "cloud", values: ["B", "a", "b"] },
      ],
      active_subscriptions_count: 0,
      draft_invoices_count: 0,
      plans_count: 0,
    },
  });
  expect((await show("storage")).body).toEqual(body);
});

it.each([
  ["count_agg", { field_name: null, recurring: false }],
  ["sum_agg", { field_name: "f", recurring: true }],
  ["max_agg", { field_name: "f", recurring: false }],
  ["unique_count_agg", { field_name: "f", recurring: true }],
  ["weighted_sum_agg", { field_name: "f", recurring: true }],
  ["latest_agg", { field_name: "f", recurring: false }],
])("%s keeps the members that apply to it: %j", async (aggregation_type, kept) => {
  const { recurring } = kept;
  const given = { name: "M", code: aggregation_type, aggregation_type, field_name: "f", recurring };
  const { body } = await create({ ...given, weighted_interval: "seconds" });
  expect(body.billable_metric).toMatchObject({ aggregation_type, description: null, filters: [], ...kept });
  expect((await show(aggregation_type)).body).toEqual(body);
});

test("`weighted_interval` is answered as it was sent, whatever the aggregation", async () => {
  const metric = { name: "M", code: "interval", aggregation_type: "sum_agg", field_name: "f" };
  const shown = async (answer: Promise<Answer>) => (await answer).body.billable_metric.weighted_interval;
  expect(await shown(create({ ...metric, weighted_interval: "seconds" }))).toBe("seconds");
  expect(await shown(change("interval", { aggregation_type: "max_agg" }))).toBe("seconds");
  expect(await shown(change("interval", { weighted_interval: null }))).toBeNull();
  expect(await shown(show("interval"))).toBeNull();
  expect((await create({ ...metric, code: "other", weighted_interval: "days" })).body.error_details).toEqual({
    weighted_interval: ["value_is_invalid"],
  });
});

const MANDATORY = ["value_is_mandatory"];
const INVALID = ["value_is_invalid"];
const TOO_LONG = ["value_is_too_long"];
const filter = (key: unknown, values: unknown) => ({ filters: [{ key, values }] });

/** Changes that make the metric of `sum` invalid. */
const FAULTS: [Members, Record<string, string[]>][] = [
  [{ name: null }, { name: MANDATORY }],
  [{ name: " " }, { name: MANDATORY }],
  [{ name: 1 }, { name: INVALID }],
  [{ name: "n".repeat(256) }, { name: TOO_LONG }],
  [{ code: null }, { code: MANDATORY }],
  [{ code: "" }, { code: MANDATORY }],
  [{ code: "c".repeat(256) }, { code: TOO_LONG }],
  [{ description: {} }, { description: INVALID }],
  [{ description: "d".repeat(10_001) }, { description: TOO_LONG }],
  [{ aggregation_type: null }, { aggregation_type: MANDATORY }],
  [{ aggregation_type: "median_agg" }, { aggregation_type: INVALID }],
  [{ aggregation_type: "custom_agg" }, { aggregation_type: INVALID }],
  [{ field_name: null }, { field_name: MANDATORY }],
  [{ field_name: " " }, { field_name: MANDATORY }],
  [{ field_name: ["f"] }, { field_name: INVALID }],
  [{ recurring: "true" }, { recurring: INVALID }],
  [{ aggregation_type: "weighted_sum_agg" }, { weighted_interval: MANDATORY }],
  [{ aggregation_type: "weighted_sum_agg", weighted_interval: "minutes" }, { weighted_interval: INVALID }],
  [{ aggregation_type: "count_agg", recurring: true }, { recurring: ["not_compatible_with_aggregation_type"] }],
  [{ aggregation_type: "max_agg", recurring: true }, { recurring: ["not_compatible_with_aggregation_type"] }],
  [{ aggregation_type: "latest_agg", recurring: true }, { recurring: ["not_compatible_with_aggregation_type"] }],
  [{ filters: {} }, { filters: INVALID }],
  [{ filters: ["region"] }, { filters: INVALID }],
  [filter(null, ["a"]), { key: MANDATORY }],
  [filter("", ["a"]), { key: MANDATORY }],
  [filter("region", null), { values: MANDATORY }],
  [filter("region", []), { values: MANDATORY }],
  [filter("region", "eu"), { values: INVALID }],
  [filter("region", ["eu", 1]), { values: INVALID }],
  [filter("region", ["eu", ""]), { values: INVALID }],
  [filter("region", ["__ALL_FILTER_VALUES__"]), { values: INVALID }],
  [
    {
      filters: [
        { key: "region", values: ["eu"] },
        { key: "region", values: ["us"] },
      ],
    },
    { key: ["value_already_exist"] },
  ],
  [
    { name: "", code: "", aggregation_type: "max_agg", field_name: "", recurring: true, filters: [{}] },
    {
      name: MANDATORY,
      code: MANDATORY,
      field_name: MANDATORY,
      recurring: ["not_compatible_with_aggregation_type"],
      key: MANDATORY,
      values: MANDATORY,
    },
  ],
];

describe("invalid members", () => {
  it.each(FAULTS)("%j is refused with %j in a new metric", async (wrong, details) => {
    expect((await create(sum("wrong", wrong))).body).toMatchObject(refused(details));
    expect((await show("wrong")).status).toBe(404);
  });

  it.each(FAULTS)("%j is refused with %j in a change, and changes nothing", async (wrong, details) => {
    await create(sum("right"));
    const { body } = await show("right");
    expect((await change("right", wrong)).body).toMatchObject(refused(details));
    expect((await show("right")).body).toEqual(body);
  });

  test("missing members are reported", async () => {
    expect((await create({})).body).toMatchObject(
      refused({ name: MANDATORY, code: MANDATORY, aggregation_type: MANDATORY }),
    );
    expect((await create({ name: "M", code: "m", aggregation_type: "latest_agg" })).body).toEqual(
      refused({ field_name: MANDATORY }),
    );
  });

  test("a payload without its envelope is 400", async () => {
    const missing = { status: 400, error: "BadRequest: param is missing or the value is empty: billable_metric" };
    expect((await call("POST", "/billable_metrics", sum("bare"))).body).toEqual(missing);
    expect((await call("POST", "/billable_metrics", { billable_metric: [] })).body).toEqual(missing);
    expect((await call("PUT", "/billable_metrics/storage", { billable_metric: null })).body).toEqual(missing);
  });
});

test("a code is unique in an organization, and free again after the delete", async () => {
  const first = (await create(sum("unique"))).body;
  expect((await create(sum("unique"))).body).toMatchObject(refused({ code: ["value_already_exist"] }));
  expect((await create(sum("unique", { name: "Theirs" }), other)).status).toBe(200);
  expect((await call("DELETE", "/billable_metrics/unique")).body).toEqual(first);
  expect((await show("unique")).body).toMatchObject(notFound);
  expect((await show("unique", other)).body.billable_metric.name).toBe("Theirs");
  const second = (await create(sum("unique"))).body;
  expect(second.billable_metric.svc_id).not.toBe(first.billable_metric.svc_id);
});

test("what does not exist answers 404 on every verb", async () => {
  await create(sum("theirs"), other);
  for (const code of ["none", "theirs"]) {
    expect((await show(code)).body).toMatchObject(notFound);
    expect((await change(code, { name: "New" })).body).toMatchObject(notFound);
    expect((await call("DELETE", `/billable_metrics/${code}`)).body).toMatchObject(notFound);
  }
});

test("the groups of a metric no longer exist: filters replaced them", async () => {
  await create(sum("grouped"));
  const { status, body } = await call("GET", "/billable_metrics/grouped/groups");
  expect(status).toBe(404);
  expect(body).toMatchObject({ status: 404, error: "Not Found", code: "resource_not_found" });
});

describe("a metric that no plan uses", () => {
  test("an update changes the members that are present, and no others", async () => {
    const { body } = await create(sum("change", { description: "kept", filters: [{ key: "k", values: ["v"] }] }));
    const { svc_id, created_at } = body.billable_metric;
    expect((await change("change", { name: "New" })).body.billable_metric).toEqual({
      ...body.billable_metric,
      name: "New",
    });
    const changed = await change("change", {
      code: "changed",
      aggregation_type: "unique_count_agg",
      field_name: "user",
      recurring: true,
      description: null,
    });
    expect(changed.body.billable_metric).toMatchObject({
      svc_id,
      created_at,
      name: "New",
      code: "changed",
      aggregation_type: "unique_count_agg",
      field_name: "user",
      recurring: true,
      description: null,
      filters: [{ key: "k", values: ["v"] }],
    });
    expect((await show("changed")).body).toEqual(changed.body);
    expect((await show("change")).body).toMatchObject(notFound);
  });

  test("a count needs no field, and loses an existing one", async () => {
    await create(sum("to count"));
    const { body } = await change("to count", { aggregation_type: "count_agg" });
    expect(body.billable_metric).toMatchObject({ aggregation_type: "count_agg", field_name: null });
    expect((await change("to count", { aggregation_type: "max_agg" })).body).toEqual(
      refused({ field_name: MANDATORY }),
    );
  });

  test("a code that is taken is refused", async () => {
    await create(sum("taken"));
    await create(sum("taker"));
    expect((await change("taker", { code: "taken" })).body).toMatchObject(refused({ code: ["value_already_exist"] }));
    expect((await change("taker", { code: "taker" })).status).toBe(200);
  });

  test("the list of filters replaces the old one; null leaves it unchanged, an empty one clears it", async () => {
    const old = [
      { key: "region", values: ["eu", "us"] },
      { key: "cloud", values: ["a"] },
    ];
    const filters = async (members: Members) => (await change("filtered", members)).body.billable_metric.filters;
    await create(sum("filtered", { filters: old }));
    expect(await filters({ filters: null })).toEqual(old);
    expect(await filters({ filters: [{ key: "region", values: ["us", "asia"] }] })).toEqual([
      { key: "region", values: ["asia", "us"] },
    ]);
    expect(await filters({ filters: [] })).toEqual([]);
  });
});

test("a code may hold any character, also dots and slashes", async () => {
  const code = "api.calls/v2 — é %";
  await create(sum(code));
  expect((await show(code)).body.billable_metric.code).toBe(code);
});

test("two simultaneous changes both take effect", async () => {
  await create(sum("busy"));
  const changes = [{ name: "New" }, { description: "New" }, { field_name: "new" }, { recurring: true }];
  const answers = await Promise.all(changes.map((members) => change("busy", members)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await show("busy")).body.billable_metric).toMatchObject(Object.assign({}, ...changes));
});

test("the list is newest first, in pages, of one organization", async () => {
  for (const code of ["a", "b", "c"]) await create(sum(code), third);
  const { body } = await call("GET", "/billable_metrics", undefined, third);
  const codes = body.billable_metrics.map((metric: { code: string }) => metric.code);
  expect(codes).toEqual(["c", "b", "a"]);
  expect(body.billable_metrics[0]).toEqual((await show("c", third)).body.billable_metric);
  expect(body.meta).toMatchObject({
    current_page: 1,
    next_page: null,
    prev_page: null,
    total_pages: 1,
    total_count: 3,
  });
  const second = (await call("GET", "/billable_metrics?per_page=2&page=2", undefined, third)).body;
  expect(second.billable_metrics).toEqual(body.billable_metrics.slice(2));
  expect(second.meta).toMatchObject({ prev_page: 1, total_pages: 2, total_count: 3 });
  await call("DELETE", "/billable_metrics/b", undefined, third);
  expect((await call("GET", "/billable_metrics", undefined, third)).body.meta.total_count).toBe(2);
});
