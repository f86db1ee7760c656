import fc from "fast-check";
import { expect, it, test } from "vitest";
import type { Pricing } from "../catalog/index.ts";
import { decimal, exactText, sum } from "../money/index.ts";
import { amountFrom, amountParts, price } from "./index.ts";
import { priceProrated } from "./prorated.ts";

const tiers = [
  { from: 0n, to: 10n, perUnit: decimal("10"), flat: decimal("2") },
  { from: 11n, to: null, perUnit: decimal("5.5"), flat: decimal("0") },
];
const percentTiers = [
  { from: 0n, to: 10n, rate: decimal("1"), flat: decimal("200") },
  { from: 11n, to: null, rate: decimal("2.5"), flat: decimal("0") },
];
const PRICINGS: Record<string, Pricing> = {
  graduated: { model: "graduated", tiers },
  volume: { model: "volume", tiers },
  package: { model: "package", amount: decimal("3"), freeUnits: 5n, packageSize: 10n },
  percentage: {
    model: "percentage",
    rate: decimal("1.3"),
    fixedAmount: decimal("0.2"),
    freeUnits: decimal("7"),
    freeEvents: 2n,
    perTransactionMin: decimal("0.1"),
    perTransactionMax: decimal("0.9"),
  },
  graduated_percentage: { model: "graduated_percentage", tiers: percentTiers },
};

const used = (values: readonly string[]) => ({
  units: values.reduce((total, value) => total.plus(decimal(value)), decimal("0")),
  eventsCount: BigInt(values.length),
  values: values.map(decimal),
});

it.each(Object.entries(PRICINGS))("the parts of a %s price add up to it, whatever was used", (_, pricing) => {
  const value = fc.integer({ min: 0, max: 99_999 }).map((hundredths) => (hundredths / 100).toFixed(2));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 8 }), (values) => {
      const { amount, derivation } = price(pricing, used(values));
      const parts = amountParts(derivation);
      if (!amount.isZero()) expect(parts.length).toBeGreaterThan(0);
      expect(exactText(sum(parts.map((part) => part.amount)))).toBe(exactText(amount));
    }),
  );
});

test("a standard price needs no parts: its units and its unit price say it all", () => {
  expect(amountParts(price({ model: "standard", amount: decimal("2") }, used(["3"])).derivation)).toEqual([]);
});

test("a prorated price is shown by the days of its units", () => {
  const use = { fullUnits: decimal("2"), proratedUnits: decimal("1.4"), periodDays: 30 };
  const changes = [
    { units: decimal("1"), days: 30 },
    { units: decimal("1"), days: 12 },
  ];
  for (const pricing of [
    { model: "standard", amount: decimal("30") },
    { model: "graduated", tiers },
    { model: "volume", tiers },
  ] as const) {
    const { derivation } = priceProrated(pricing, { ...use, changes });
    const parts = amountParts(derivation);
    expect(parts.length).toBeGreaterThan(0);
    expect(exactText(sum(parts.map((part) => part.amount)))).toBe(exactText(amountFrom(derivation)));
  }
});

test("parts that would not add up are not shown: more was taken away than was there", () => {
  const changes = [
    { units: decimal("1"), days: 1 },
    { units: decimal("-2"), days: 30 },
    { units: decimal("1"), days: 1 },
  ];
  const use = { fullUnits: decimal("0"), proratedUnits: decimal("0"), periodDays: 30, changes };
  const graduated = priceProrated({ model: "graduated", tiers: [{ ...tiers[0], to: null }] as never }, use);
  const parts = amountParts(graduated.derivation);
  expect(exactText(sum(parts.map((part) => part.amount)))).toBe(parts.length === 0 ? "0" : exactText(graduated.amount));
});
