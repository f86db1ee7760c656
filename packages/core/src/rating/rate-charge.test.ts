import { describe, expect, it } from "vitest";
import type { Charge, Metric } from "../catalog/index.ts";
import { currency, decimal, minor } from "../money/index.ts";
import { splitUsage, type UsageEvent } from "../usage/index.ts";
import { explainAmount, isBillable, looksAtValues, rateBuckets, rateCharge } from "./index.ts";

const EUR = currency("EUR");
const day = (text: string) => Temporal.PlainDate.from(text);

const march = {
  from: Temporal.Instant.from("2024-03-01T00:00:00Z"),
  to: Temporal.Instant.from("2024-04-01T00:00:00Z"),
  timeZone: "UTC",
  firstDay: day("2024-03-01"),
  lastDay: day("2024-03-31"),
  periodDays: 31,
};
const context = { window: march, currency: EUR };

const calls: Metric = {
  code: "calls",
  aggregation: { type: "count" },
  filters: [
    { key: "region", values: ["us", "eu"] },
    { key: "tier", values: ["gold", "silver"] },
  ],
};
const at = (amount: string, groupedBy: readonly string[] = []) => ({
  pricing: { model: "standard" as const, amount: decimal(amount) },
  groupedBy,
});
const arrears = (minAmount = 0n) => ({ type: "arrears" as const, minAmountMinor: minor(minAmount) });

const charge = (rest: Partial<Charge>): Charge => ({
  id: "charge",
  metric: calls,
  price: at("0.5"),
  filters: [],
  timing: arrears(),
  isProrated: false,
  ...rest,
});

const events = (...properties: readonly Readonly<Record<string, string>>[]): UsageEvent[] =>
  properties.map((given, index) => ({
    at: Temporal.Instant.from("2024-03-05T12:00:00Z"),
    position: BigInt(index),
    properties: given,
  }));

describe("filters", () => {
  const filtered = charge({
    filters: [
      { id: "A", values: { region: ["us"] }, price: at("1") },
      { id: "B", values: { region: ["us"], tier: ["gold"] }, price: at("3") },
    ],
  });
  const sent = events(
    { region: "us", tier: "gold" },
    { region: "us", tier: "silver" },
    { region: "us" },
    { region: "eu", tier: "gold" },
  );

  it("each price counts its own events, and they add up to 5.50", () => {
    const { fees, trueUp } = rateCharge(filtered, splitUsage(filtered, sent, march), context);
    const shown = fees.map(({ filterId, units, amountMinor }) => [filterId, units.toFixed(), amountMinor]);
    expect(new Map(shown.map(([id, ...rest]) => [id, rest]))).toEqual(
      new Map([
        ["A", ["2", 200n]],
        ["B", ["1", 300n]],
        [null, ["1", 50n]],
      ]),
    );
    expect(trueUp).toBeNull();
  });

  it("usage shows a filter without events, an invoice does not", () => {
    const buckets = splitUsage(filtered, events({ region: "eu" }), march);
    expect(rateBuckets(filtered, buckets, context)).toHaveLength(3);
    expect(rateCharge(filtered, buckets, context).fees.map(({ filterId }) => filterId)).toEqual([null]);
  });
});

describe("groups", () => {
  it("are rounded one by one: 1.5 and 1.5 cents are 4, both together 3", () => {
    const sent = events({ workspace: "a" }, { workspace: "b" });
    const grouped = charge({ price: at("0.015", ["workspace"]) });
    const apart = rateCharge(grouped, splitUsage(grouped, sent, march), context).fees;
    expect(apart.map(({ group, amountMinor }) => [group.workspace, amountMinor]).toSorted()).toEqual([
      ["a", 2n],
      ["b", 2n],
    ]);
    const together = charge({ price: at("0.015") });
    expect(rateCharge(together, splitUsage(together, sent, march), context).fees.map((fee) => fee.amountMinor)).toEqual(
      [3n],
    );
  });
});

describe("the minimum of a charge", () => {
  it("is billed in addition to the fee of the default price", () => {
    const thirty = charge({ price: at("30"), timing: arrears(5000n) });
    const { fees, trueUp } = rateCharge(thirty, splitUsage(thirty, events({}), march), context);
    expect(fees.map(({ amountMinor }) => amountMinor)).toEqual([3000n]);
    expect(trueUp?.amountMinor).toBe(2000n);
  });

  it("keeps a default fee of 0 as its parent, and no empty filter", () => {
    const silent = charge({
      timing: arrears(5000n),
      filters: [{ id: "A", values: { region: ["us"] }, price: at("1") }],
    });
    const { fees, trueUp } = rateCharge(silent, splitUsage(silent, [], march), context);
    expect(fees.map(({ filterId, amountMinor }) => [filterId, amountMinor])).toEqual([[null, 0n]]);
    expect(trueUp?.amountMinor).toBe(5000n);
  });

  it("counts the days of the window", () => {
    const half = { ...march, firstDay: day("2024-03-16") };
    const silent = charge({ timing: arrears(3100n) });
    const rated = rateCharge(silent, splitUsage(silent, [], half), { window: half, currency: EUR });
    expect(rated.trueUp?.amountMinor).toBe(1600n);
  });

  it("does not exist in advance", () => {
    const inAdvance = charge({ timing: { type: "in_advance", invoicing: "invoice_each" } });
    expect(rateCharge(inAdvance, splitUsage(inAdvance, [], march), context)).toEqual({ fees: [], trueUp: null });
  });
});

describe("a prorated charge", () => {
  const seats: Metric = {
    code: "seats",
    aggregation: { type: "sum", field: "v", isRecurring: true },
    filters: [],
  };
  const sent: UsageEvent[] = [
    { at: Temporal.Instant.from("2024-03-10T15:00:00Z"), position: 1n, properties: { v: "1" } },
  ];

  it("shows full units and prices prorated ones", () => {
    const seat = charge({ metric: seats, price: at("30"), isProrated: true });
    const [fee] = rateCharge(seat, splitUsage(seat, sent, march), context).fees;
    expect(fee?.units.toFixed()).toBe("1");
    expect(fee?.amountMinor).toBe(2129n);
    expect(fee && explainAmount(fee.derivation.pricing)).toEqual(["1 units, by days 0.70968 × 30 = 21.2904"]);
    expect(fee?.derivation).toMatchObject({ exact: "21.2904", amountMinor: "2129" });
    expect(fee?.preciseUnitAmount.toFixed()).toBe("21.2904");
  });

  it.each(["volume", "graduated"] as const)("takes %s prices too", (model) => {
    const tiers = [{ from: 0n, to: null, perUnit: decimal("30"), flat: decimal("1") }];
    const tiered = charge({ metric: seats, price: { pricing: { model, tiers }, groupedBy: [] }, isProrated: true });
    expect(rateCharge(tiered, splitUsage(tiered, sent, march), context).fees[0]?.amountMinor).toBe(2229n);
  });

  it("of a model that cannot be prorated is an internal error", () => {
    const packages = {
      pricing: { model: "package" as const, amount: decimal("1"), freeUnits: 0n, packageSize: 1n },
      groupedBy: [],
    };
    const wrong = charge({ metric: seats, price: packages, isProrated: true });
    expect(() => rateBuckets(wrong, splitUsage(wrong, sent, march), context)).toThrow("never prorated");
  });
});

describe("a fee is billable", () => {
  it.each([
    ["with an amount", "0", 1n, 0n, true],
    ["with units alone", "0.1", 0n, 0n, true],
    ["with events alone", "0", 0n, 1n, true],
    ["with nothing", "0", 0n, 0n, false],
  ] as const)("%s", (...[, units, amount, count, billable]) => {
    const fee = { units: decimal(units), amountMinor: minor(amount), eventsCount: count };
    expect(isBillable(fee as Parameters<typeof isBillable>[0])).toBe(billable);
  });
});

it("only a percentage with limits or allowances, or in advance, uses single events, even if only a filter has it", () => {
  const percentage = {
    pricing: {
      model: "percentage" as const,
      rate: decimal("1"),
      fixedAmount: decimal("0"),
      freeEvents: null,
      freeUnits: null,
      perTransactionMin: null,
      perTransactionMax: null,
    },
    groupedBy: [],
  };
  expect(looksAtValues(charge({}))).toBe(false);
  expect(looksAtValues(charge({ price: percentage }))).toBe(false);
  expect(looksAtValues(charge({ price: percentage, timing: { type: "in_advance", invoicing: "invoice_each" } }))).toBe(
    true,
  );
  const limited = { ...percentage, pricing: { ...percentage.pricing, perTransactionMax: decimal("12") } };
  const withFree = { ...percentage, pricing: { ...percentage.pricing, freeEvents: 2n } };
  expect(looksAtValues(charge({ price: limited }))).toBe(true);
  expect(looksAtValues(charge({ price: withFree }))).toBe(true);
  expect(looksAtValues(charge({ filters: [{ id: "us", values: { region: ["us"] }, price: limited }] }))).toBe(true);
});
