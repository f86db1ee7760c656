import { describe, expect, it } from "vitest";
import type { Charge, ChargeFilter } from "../catalog/index.ts";
import { currency, decimal, minor } from "../money/index.ts";
import { splitUsage, type UsageEvent } from "../usage/index.ts";
import { type ChargeUsage, chargeUsage, rateBuckets, type UsageSum } from "./index.ts";

const day = (text: string) => Temporal.PlainDate.from(text);
const march = {
  from: Temporal.Instant.from("2024-03-01T00:00:00Z"),
  to: Temporal.Instant.from("2024-04-01T00:00:00Z"),
  timeZone: "UTC",
  firstDay: day("2024-03-01"),
  lastDay: day("2024-03-31"),
  periodDays: 31,
};
const at = (amount: string, groupedBy: readonly string[] = []) => ({
  pricing: { model: "standard" as const, amount: decimal(amount) },
  groupedBy,
});
const charge = (rest: Partial<Charge>): Charge => ({
  id: "charge",
  metric: { code: "calls", aggregation: { type: "count" }, filters: [{ key: "region", values: ["us", "eu"] }] },
  price: at("0.015"),
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
  ...rest,
});
const filter = (id: string, region: string, groupedBy: readonly string[] = []): ChargeFilter => ({
  id,
  values: { region: [region] },
  price: at("1", groupedBy),
});

function usageOf(of: Charge, ...properties: readonly Readonly<Record<string, string>>[]): ChargeUsage {
  const events = properties.map(
    (given, index): UsageEvent => ({
      at: march.from,
      position: BigInt(index),
      properties: given,
    }),
  );
  return chargeUsage(of, rateBuckets(of, splitUsage(of, events, march), { window: march, currency: currency("EUR") }));
}

const figures = ({ units, eventsCount, amountMinor }: UsageSum) => [units.toFixed(), eventsCount, amountMinor];

describe("the usage of a charge", () => {
  it("without filters and groups is one sum", () => {
    const usage = usageOf(charge({}), {}, {});
    expect(figures(usage)).toEqual(["2", 2n, 3n]);
    expect([usage.filters, usage.groups]).toEqual([[], []]);
  });

  it("by groups: each is rounded by itself, 2 + 2 cents", () => {
    const usage = usageOf(charge({ price: at("0.015", ["workspace"]) }), { workspace: "b" }, { workspace: "a" });
    expect(figures(usage)).toEqual(["2", 2n, 4n]);
    expect(usage.groups.map(({ group, ...sums }) => [group, ...figures(sums)])).toEqual([
      [{ workspace: "a" }, "1", 1n, 2n],
      [{ workspace: "b" }, "1", 1n, 2n],
    ]);
    expect(usage.groups[0]?.filters).toEqual([]);
  });

  it("lists every filter, used or not, and what no filter takes last", () => {
    const usage = usageOf(charge({ filters: [filter("US", "us"), filter("EU", "eu")] }), { region: "eu" }, {});
    expect(usage.filters.map(({ filterId, ...sums }) => [filterId, ...figures(sums)])).toEqual([
      ["US", "0", 0n, 0n],
      ["EU", "1", 1n, 100n],
      [null, "1", 1n, 2n],
    ]);
  });

  it("by filters and groups: a filter adds up its groups, a group the filters it has", () => {
    const grouped = charge({
      price: at("0", ["team"]),
      filters: [filter("US", "us", ["team"]), filter("EU", "eu", ["team"])],
    });
    const usage = usageOf(
      grouped,
      { region: "us", team: "a" },
      { region: "us", team: "b" },
      { region: "eu", team: "a" },
    );
    expect(usage.filters.map(({ filterId, amountMinor }) => [filterId, amountMinor])).toEqual([
      ["US", 200n],
      ["EU", 100n],
      [null, 0n],
    ]);
    expect(
      usage.groups.map(({ group, filters, ...sums }) => [group, figures(sums), filters.map((of) => of.filterId)]),
    ).toEqual([
      [{ team: "a" }, ["2", 2n, 200n], ["US", "EU"]],
      [{ team: "b" }, ["1", 1n, 100n], ["US"]],
    ]);
  });

  it("without any usage shows one group of zeros", () => {
    const usage = usageOf(charge({ price: at("1", ["team"]) }));
    expect(usage.groups.map(({ group, ...sums }) => [group, ...figures(sums)])).toEqual([
      [{ team: null }, "0", 0n, 0n],
    ]);
  });

  it("keeps events without the property as a group of their own", () => {
    const usage = usageOf(charge({ price: at("1", ["team"]) }), {}, { team: "a" });
    expect(usage.groups.map(({ group, amountMinor }) => [group, amountMinor])).toEqual([
      [{ team: "a" }, 100n],
      [{ team: null }, 100n],
    ]);
  });
});
