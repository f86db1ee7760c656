import { describe, expect, it, test } from "vitest";
import type { Aggregation, ChargeModel } from "./index.ts";
import { parsePricing, toPricingProperties } from "./pricing-properties.ts";

const SUM: Aggregation = { type: "sum", field: "v", isRecurring: false };

const parse = (model: ChargeModel, properties: unknown, aggregation = SUM) =>
  parsePricing(model, properties, { aggregation });
const codesOf = (model: ChargeModel, properties: unknown, aggregation = SUM) => {
  const parsed = parse(model, properties, aggregation);
  return parsed.ok ? [] : parsed.error.properties;
};
/** What the API shows after it took the properties. */
const shown = (model: ChargeModel, properties: unknown) => {
  const parsed = parse(model, properties);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return toPricingProperties(parsed.value.pricing, parsed.value.groupedBy);
};

const TIER = { per_unit_amount: "1", flat_amount: "0" };
const tiers = (...bounds: [unknown, unknown][]) =>
  bounds.map(([from_value, to_value]) => ({ from_value, to_value, ...TIER }));

describe("amounts", () => {
  it.each([
    ["0", "0"],
    ["10", "10"],
    ["0.50", "0.5"],
    ["007", "7"],
    ["1.2345", "1.2345"],
    ["0.0000000000000000000000000000000000000001", "0.0000000000000000000000000000000000000001"],
    ["1234567890123456789012345678901234567890", "1234567890123456789012345678901234567890"],
    ["12345678901234567890.12345678901234567890123", "12345678901234567890.12345678901234567890123"],
  ])("%s is kept exactly", (amount, exact) => {
    expect(shown("standard", { amount })).toEqual({ amount: exact });
  });

  it.each([
    5,
    0,
    0.1,
    null,
    undefined,
    "",
    "abc",
    "-1",
    "-0",
    "+1",
    " 1",
    "1 ",
    "1,0",
    "1e5",
    "1E-2",
    ".5",
    "1.",
    "1.2.3",
    "0x10",
    "١٢٣",
    "NaN",
    "Infinity",
    "1".repeat(41),
    `0.${"0".repeat(40)}1`,
    true,
    ["1"],
    { amount: "1" },
  ])("%j is none", (amount) => {
    expect(codesOf("standard", { amount, grouped_by: [] })).toEqual(["invalid_amount"]);
  });
});

describe("no properties", () => {
  it.each<[ChargeModel, object]>([
    ["standard", { amount: "0" }],
    ["package", { amount: "0", free_units: 0, package_size: 1 }],
    ["percentage", { rate: "0", fixed_amount: "0" }],
    ["graduated", { graduated_ranges: [{ from_value: 0, to_value: null, per_unit_amount: "0", flat_amount: "0" }] }],
    ["volume", { volume_ranges: [{ from_value: 0, to_value: null, per_unit_amount: "0", flat_amount: "0" }] }],
    [
      "graduated_percentage",
      { graduated_percentage_ranges: [{ from_value: 0, to_value: null, rate: "0", flat_amount: "0" }] },
    ],
  ])("of %s mean that nothing costs anything", (model, properties) => {
    expect(shown(model, undefined)).toEqual(properties);
    expect(shown(model, null)).toEqual(properties);
    expect(shown(model, {})).toEqual(properties);
  });

  it.each([[], "amount", 1, [{ amount: "1" }]])("%j are not properties", (properties) => {
    expect(codesOf("standard", properties)).toEqual(["value_is_invalid"]);
  });
});

test("members that do not belong to the model are dropped", () => {
  expect(shown("standard", { amount: "1", rate: "x", package_size: 0, graduated_ranges: [], other: 1 })).toEqual({
    amount: "1",
  });
});

describe("package", () => {
  const PACKAGE = { amount: "100", free_units: 10, package_size: 10 };
  it("is shown as it was given", () => expect(shown("package", PACKAGE)).toEqual(PACKAGE));
  it("1.0 is a whole number in JSON", () => {
    expect(shown("package", JSON.parse('{"amount":"1","free_units":1.0,"package_size":2.0}'))).toEqual({
      amount: "1",
      free_units: 1,
      package_size: 2,
    });
  });
  it.each([
    [{ free_units: -1 }, ["invalid_free_units"]],
    [{ free_units: 1.5 }, ["invalid_free_units"]],
    [{ free_units: "1" }, ["invalid_free_units"]],
    [{ free_units: undefined }, ["invalid_free_units"]],
    [{ free_units: 2 ** 53 }, ["invalid_free_units"]],
    [{ package_size: 0 }, ["invalid_package_size"]],
    [{ package_size: -1 }, ["invalid_package_size"]],
    [{ package_size: null }, ["invalid_package_size"]],
    [{ package_size: 0.5 }, ["invalid_package_size"]],
    [{ amount: 1, free_units: -1, package_size: 0 }, ["invalid_amount", "invalid_free_units", "invalid_package_size"]],
  ])("%j is refused with %j", (members, codes) => {
    expect(codesOf("package", { ...PACKAGE, ...members })).toEqual(codes);
  });
});

describe("percentage", () => {
  it("is shown with the limits that it has", () => {
    const all = {
      rate: "1.3",
      fixed_amount: "2",
      free_units_per_events: 3,
      free_units_per_total_aggregation: "250",
      per_transaction_min_amount: "1.75",
      per_transaction_max_amount: "1.75",
    };
    expect(shown("percentage", all)).toEqual(all);
    expect(shown("percentage", { rate: "150", fixed_amount: null, free_units_per_events: null })).toEqual({
      rate: "150",
      fixed_amount: "0",
    });
  });
  it.each([
    [{ rate: "x" }, ["invalid_rate"]],
    [{ rate: 1 }, ["invalid_rate"]],
    [{ rate: undefined }, ["invalid_rate"]],
    [{ rate: "-1" }, ["invalid_rate"]],
    [{ fixed_amount: "x" }, ["invalid_fixed_amount"]],
    [{ fixed_amount: 2 }, ["invalid_fixed_amount"]],
    [{ free_units_per_events: 0 }, ["invalid_free_units_per_events"]],
    [{ free_units_per_events: "3" }, ["invalid_free_units_per_events"]],
    [{ free_units_per_total_aggregation: 250 }, ["invalid_free_units_per_total_aggregation"]],
    [{ free_units_per_total_aggregation: "-1" }, ["invalid_free_units_per_total_aggregation"]],
    [{ per_transaction_min_amount: "x" }, ["invalid_amount"]],
    [{ per_transaction_max_amount: 12 }, ["invalid_amount"]],
    [
      { per_transaction_min_amount: "3", per_transaction_max_amount: "2" },
      ["per_transaction_max_lower_than_per_transaction_min"],
    ],
    [
      { per_transaction_min_amount: "10", per_transaction_max_amount: "9.99" },
      ["per_transaction_max_lower_than_per_transaction_min"],
    ],
  ])("%j is refused with %j", (members, codes) => {
    expect(codesOf("percentage", { rate: "1", ...members })).toEqual(codes);
  });
});

describe.each<[ChargeModel, string]>([
  ["graduated", "graduated_ranges"],
  ["volume", "volume_ranges"],
  ["graduated_percentage", "graduated_percentage_ranges"],
])("ranges of %s", (model, name) => {
  const codes = (ranges: unknown) => codesOf(model, { [name]: ranges });
  const range = (from_value: unknown, to_value: unknown) => ({ from_value, to_value, ...TIER, rate: "1" });

  it.each([undefined, null, [], "0-10", {}])("%j are missing", (ranges) => {
    expect(codesOf(model, { [name]: ranges, grouped_by: [] })).toEqual([`missing_${name}`]);
  });

  it.each([
    ["one without end", [[0, null]]],
    [
      "three that join",
      [
        [0, 10],
        [11, 20],
        [21, null],
      ],
    ],
    [
      "bounds as 10.0",
      [
        [0, 10.0],
        [11.0, null],
      ],
    ],
  ])("%s", (_, bounds) => {
    expect(codes(bounds.map(([from, to]) => range(from, to)))).toEqual([]);
  });

  it.each([
    ["a first one that does not begin at 0", [[1, null]]],
    ["a first one without beginning", [[undefined, null]]],
    [
      "a gap",
      [
        [0, 10],
        [12, null],
      ],
    ],
    [
      "an overlap",
      [
        [0, 10],
        [9, null],
      ],
    ],
    [
      "a gap after the second",
      [
        [0, 10],
        [11, 20],
        [22, null],
      ],
    ],
    [
      "an end that is the beginning",
      [
        [0, 10],
        [11, 11],
        [12, null],
      ],
    ],
    [
      "an end below the beginning",
      [
        [0, 10],
        [11, 5],
        [6, null],
      ],
    ],
    [
      "an empty first one",
      [
        [0, 0],
        [1, null],
      ],
    ],
    [
      "no end in the middle",
      [
        [0, null],
        [11, null],
      ],
    ],
    [
      "a last one with an end",
      [
        [0, 10],
        [11, 20],
      ],
    ],
    ["one with an end", [[0, 10]]],
    [
      "a fractional bound",
      [
        [0, 10.5],
        [11.5, null],
      ],
    ],
    [
      "a bound as text",
      [
        [0, "10"],
        [11, null],
      ],
    ],
    [
      "a bound beyond what JSON keeps exactly",
      [
        [0, 2 ** 53],
        [2 ** 53 + 2, null],
      ],
    ],
    [
      "a negative bound",
      [
        [0, -1],
        [0, null],
      ],
    ],
    [
      "the right ranges in the wrong order",
      [
        [11, null],
        [0, 10],
      ],
    ],
  ])("%s is refused", (_, bounds) => {
    expect(codes(bounds.map(([from, to]) => range(from, to)))).toEqual([`invalid_${name}`]);
  });

  it.each([[null], ["0"], [[0, 10]]])("%j is not a range", (item) => {
    expect(codes([item])).toEqual([`invalid_${name}`]);
  });

  it("faults of bounds and of prices are reported together, each code once", () => {
    const bad = { ...range(0, null), flat_amount: 1, per_unit_amount: "x" };
    expect(codes([bad, bad])).toEqual([`invalid_${name}`, "invalid_amount"]);
  });

  it("a flat amount is mandatory", () => {
    expect(codes([{ ...range(0, null), flat_amount: undefined }])).toEqual(["invalid_amount"]);
  });
});

test("ranges of graduated may touch: the next begins where the one before ends", () => {
  const touching = tiers([0, 10], [10, 20], [20, null]);
  expect(shown("graduated", { graduated_ranges: touching })).toEqual({ graduated_ranges: touching });
  expect(shown("graduated", { graduated_ranges: tiers([0, 10], [10, 20], [21, null]) })).toBeDefined();
  expect(codesOf("volume", { volume_ranges: touching })).toEqual(["invalid_volume_ranges"]);
  const shares = touching.map((range) => ({ ...range, rate: "1" }));
  expect(codesOf("graduated_percentage", { graduated_percentage_ranges: shares })).toEqual([
    "invalid_graduated_percentage_ranges",
  ]);
});

test("a rate of a range is text of 0 or more", () => {
  const range = { from_value: 0, to_value: null, rate: 1, flat_amount: "0" };
  expect(codesOf("graduated_percentage", { graduated_percentage_ranges: [range] })).toEqual(["invalid_rate"]);
});

test.each<[ChargeModel, string[]]>([
  ["percentage", ["invalid_value"]],
  ["graduated_percentage", ["invalid_value"]],
  ["standard", []],
  ["graduated", []],
])("%s of the latest value is refused with %j", (model, codes) => {
  expect(codesOf(model, undefined, { type: "latest", field: "v" } as never)).toEqual(codes);
});

describe("grouped_by", () => {
  it.each<[ChargeModel, object]>([
    ["standard", { amount: "1" }],
    ["percentage", { rate: "1", fixed_amount: "0" }],
    ["volume", { volume_ranges: tiers([0, null]) }],
  ])("is taken by %s", (model, properties) => {
    expect(shown(model, { ...properties, grouped_by: ["workspace", "region", "workspace"] })).toEqual({
      ...properties,
      grouped_by: ["workspace", "region"],
    });
    expect(shown(model, { ...properties, grouped_by: [] })).toEqual(properties);
    expect(shown(model, { ...properties, grouped_by: null })).toEqual(properties);
  });
  it.each(["workspace", [""], [1], [null], {}])("%j is refused", (grouped_by) => {
    expect(codesOf("standard", { amount: "1", grouped_by })).toEqual(["invalid_type"]);
  });
});
