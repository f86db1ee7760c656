import { describe, expect, it, test } from "vitest";
import {
  ALL_FILTER_VALUES,
  filtersAfterMetricUpdate,
  isRecurring,
  type MetricDefinition,
  metricAfterUpdate,
  parseMetric,
} from "./index.ts";
import { faultsIn } from "./testing/faults-in.ts";

const SUM = { name: "Storage", code: "storage", aggregation_type: "sum_agg", field_name: "gb" };

const faultsOf = (input: object) => faultsIn(parseMetric(input as Record<string, unknown>));
const accepted = (input: object): MetricDefinition => {
  const parsed = parseMetric(input as Record<string, unknown>);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

describe("aggregation", () => {
  it.each([
    [{ aggregation_type: "count_agg", field_name: undefined }, { type: "count" }],
    [{ aggregation_type: "count_agg", field_name: "gb", recurring: false }, { type: "count" }],
    [{}, { type: "sum", field: "gb", isRecurring: false }],
    [{ recurring: true }, { type: "sum", field: "gb", isRecurring: true }],
    [{ recurring: null }, { type: "sum", field: "gb", isRecurring: false }],
    [{ aggregation_type: "max_agg" }, { type: "max", field: "gb" }],
    [{ aggregation_type: "latest_agg" }, { type: "latest", field: "gb" }],
    [
      { aggregation_type: "unique_count_agg", recurring: true },
      { type: "unique_count", field: "gb", isRecurring: true },
    ],
    [
      { aggregation_type: "weighted_sum_agg", weighted_interval: "seconds" },
      { type: "weighted_sum", field: "gb", isRecurring: false },
    ],
    [{ weighted_interval: "seconds" }, { type: "sum", field: "gb", isRecurring: false }],
  ])("%j aggregates as %j", (members, aggregation) => {
    expect(accepted({ ...SUM, ...members }).aggregation).toEqual(aggregation);
  });

  it("only a recurring one carries over periods", () => {
    expect(isRecurring(accepted({ ...SUM, recurring: true }).aggregation)).toBe(true);
    expect(isRecurring(accepted(SUM).aggregation)).toBe(false);
    expect(isRecurring(accepted({ ...SUM, aggregation_type: "max_agg" }).aggregation)).toBe(false);
  });
});

it.each([
  [{ aggregation_type: "median_agg" }, { aggregation_type: ["value_is_invalid"] }],
  [{ aggregation_type: "custom_agg" }, { aggregation_type: ["value_is_invalid"] }],
  [{ aggregation_type: "toString" }, { aggregation_type: ["value_is_invalid"] }],
  [{ aggregation_type: null }, { aggregation_type: ["value_is_mandatory"] }],
  [{ field_name: null }, { field_name: ["value_is_mandatory"] }],
  [{ field_name: " " }, { field_name: ["value_is_mandatory"] }],
  [{ field_name: 7 }, { field_name: ["value_is_invalid"] }],
  [{ name: null }, { name: ["value_is_mandatory"] }],
  [{ code: null }, { code: ["value_is_mandatory"] }],
  [{ code: "x".repeat(256) }, { code: ["value_is_too_long"] }],
  [{ description: 1 }, { description: ["value_is_invalid"] }],
  [{ recurring: "yes" }, { recurring: ["value_is_invalid"] }],
  [{ aggregation_type: "count_agg", recurring: true }, { recurring: ["not_compatible_with_aggregation_type"] }],
  [{ aggregation_type: "max_agg", recurring: true }, { recurring: ["not_compatible_with_aggregation_type"] }],
  [{ aggregation_type: "latest_agg", recurring: true }, { recurring: ["not_compatible_with_aggregation_type"] }],
  [
    { aggregation_type: "max_agg", recurring: true, field_name: "" },
    { field_name: ["value_is_mandatory"], recurring: ["not_compatible_with_aggregation_type"] },
  ],
  [{ aggregation_type: "weighted_sum_agg" }, { weighted_interval: ["value_is_mandatory"] }],
  [{ aggregation_type: "weighted_sum_agg", weighted_interval: "days" }, { weighted_interval: ["value_is_invalid"] }],
  [{ filters: "region" }, { filters: ["value_is_invalid"] }],
  [{ filters: ["region"] }, { filters: ["value_is_invalid"] }],
  [{ filters: [{ values: ["us"] }] }, { key: ["value_is_mandatory"] }],
  [{ filters: [{ key: "region" }] }, { values: ["value_is_mandatory"] }],
  [{ filters: [{ key: "region", values: [] }] }, { values: ["value_is_mandatory"] }],
  [{ filters: [{ key: "region", values: "us" }] }, { values: ["value_is_invalid"] }],
  [{ filters: [{ key: "region", values: ["us", 1] }] }, { values: ["value_is_invalid"] }],
  [{ filters: [{ key: "region", values: [""] }] }, { values: ["value_is_invalid"] }],
  [{ filters: [{ key: "region", values: [ALL_FILTER_VALUES] }] }, { values: ["value_is_invalid"] }],
  [
    {
      filters: [
        { key: "region", values: ["us"] },
        { key: "region", values: ["eu"] },
      ],
    },
    { key: ["value_already_exist"] },
  ],
])("%j is refused with %j", (members, faults) => {
  expect(faultsOf({ ...SUM, ...members })).toEqual(faults);
});

test("all faults are reported at once", () => {
  expect(faultsOf({ filters: [{}], aggregation_type: "sum_agg" })).toEqual({
    name: ["value_is_mandatory"],
    code: ["value_is_mandatory"],
    field_name: ["value_is_mandatory"],
    key: ["value_is_mandatory"],
    values: ["value_is_mandatory"],
  });
});

test("values of a filter are sorted and unique", () => {
  expect(accepted({ ...SUM, filters: [{ key: "region", values: ["us", "eu", "us"] }] }).filters).toEqual([
    { key: "region", values: ["eu", "us"] },
  ]);
});

describe("update", () => {
  const current = accepted({ ...SUM, description: "d", filters: [{ key: "region", values: ["us"] }] });
  const after = (change: Record<string, unknown>, isAttached: boolean) => {
    const updated = metricAfterUpdate(current, change, isAttached);
    return updated.ok ? updated.value : updated.error;
  };

  it("changes the members that are present", () => {
    expect(after({ aggregation_type: "max_agg", code: "peak" }, false)).toEqual({
      ...current,
      code: "peak",
      aggregation: { type: "max", field: "gb" },
    });
  });

  it("reports members that are inconsistent afterwards", () => {
    expect(after({ aggregation_type: "weighted_sum_agg" }, false)).toEqual({
      weighted_interval: ["value_is_mandatory"],
    });
    expect(after({ name: null }, false)).toEqual({ name: ["value_is_mandatory"] });
  });

  it("of a metric in a plan changes name, description and filters only, and ignores the rest", () => {
    const change = {
      name: "Disk",
      description: null,
      filters: [{ key: "tier", values: ["gold"] }],
      code: "disk",
      aggregation_type: "nonsense",
      field_name: "tb",
      recurring: true,
    };
    expect(after(change, true)).toEqual({
      ...current,
      name: "Disk",
      description: null,
      filters: [{ key: "tier", values: ["gold"] }],
    });
  });

  it("replaces the list of filters, and leaves it alone for null", () => {
    expect(after({ filters: [] }, true)).toEqual({ ...current, filters: [] });
    expect(after({ filters: null }, true)).toEqual(current);
  });
});

describe("filters of charges when their metric's filters change", () => {
  const metric = {
    filters: [
      { key: "region", values: ["eu", "us"] },
      { key: "tier", values: ["gold"] },
    ],
  };
  it.each([
    ["a value that is still allowed stays", { region: ["us"] }, [{ region: ["us"] }]],
    ["a removed value leaves the filter", { region: ["us", "asia"] }, [{ region: ["us"] }]],
    ["a filter without values is removed", { region: ["asia"] }, []],
    ["a filter that can match no event is removed", { region: ["us"], tier: ["silver"] }, []],
    ["a removed key removes its filter", { zone: ["a"], region: ["us"] }, []],
    ["every value of a key stays every value", { tier: [ALL_FILTER_VALUES] }, [{ tier: [ALL_FILTER_VALUES] }]],
    ["every value of a removed key is removed", { zone: [ALL_FILTER_VALUES] }, []],
  ])("%s", (_, values: Record<string, string[]>, left) => {
    expect(filtersAfterMetricUpdate([{ id: "f", values }], metric)).toEqual(
      left.map((values) => ({ id: "f", values })),
    );
  });
});
