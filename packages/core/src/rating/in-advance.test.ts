import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { PercentagePricing, Pricing } from "../catalog/index.ts";
import { type Decimal, decimal, exactText, NOTHING, sum } from "../money/index.ts";
import { priceNext, priceNextProrated } from "./in-advance.ts";
import { amountDetails, amountFrom, chargedAtStart, explainAmount, price, priceSoFar } from "./index.ts";

const standard = (amount: string): Pricing => ({ model: "standard", amount: decimal(amount) });
const graduated: Pricing = {
  model: "graduated",
  tiers: [
    { from: 0n, to: 5n, perUnit: decimal("0.02"), flat: decimal("0.01") },
    { from: 6n, to: null, perUnit: decimal("0.01"), flat: decimal("0.01") },
  ],
};
const percentage: PercentagePricing = {
  model: "percentage",
  rate: decimal("1"),
  fixedAmount: decimal("0.5"),
  freeEvents: null,
  freeUnits: null,
  perTransactionMin: null,
  perTransactionMax: null,
};
const packages: Pricing = { model: "package", amount: decimal("100"), freeUnits: 0n, packageSize: 10n };

/** The price of each of several charged quantities, one after the other. */
function prices(pricing: Pricing, charged: readonly string[], carried = "0"): string[] {
  let soFar = chargedAtStart(pricing, decimal(carried));
  return charged.map((units) => {
    const next = priceNext(pricing, soFar, decimal(units));
    soFar = JSON.parse(JSON.stringify(next.soFar));
    return exactText(next.amount);
  });
}

describe("an event billed at once costs the difference it makes", () => {
  it.each([
    ["a sum at 1: 10, a decrease, 4 above the maximum", standard("1"), ["10", "0", "4"], ["10", "0", "4"]],
    ["a unique count at 12", standard("12"), ["1", "0", "0", "1", "0"], ["12", "0", "0", "12", "0"]],
    [
      "graduated: the first flat amount once, the second when its tier is entered",
      graduated,
      ["3", "1", "2"],
      ["0.07", "0.02", "0.04"],
    ],
    [
      "percentage between limits",
      { ...percentage, perTransactionMin: decimal("1.75"), perTransactionMax: decimal("2") },
      ["100", "1000", "10000"],
      ["1.75", "2", "2"],
    ],
    [
      "percentage with a fixed amount: an event without charged units pays none",
      percentage,
      ["100", "0", "10"],
      ["1.5", "0", "0.6"],
    ],
    ["percentage with one free event", { ...percentage, freeEvents: 1n }, ["100", "10"], ["0", "0.6"]],
    ["percentage with a free amount", { ...percentage, freeUnits: decimal("150") }, ["100", "100"], ["0", "1"]],
    ["a package is paid by the event that opens it", packages, ["19", "1", "1"], ["200", "0", "100"]],
    [
      "two units free, three events of one instant",
      {
        model: "graduated",
        tiers: [
          { from: 0n, to: 2n, perUnit: decimal("0"), flat: decimal("0") },
          { from: 3n, to: null, perUnit: decimal("2"), flat: decimal("0") },
        ],
      },
      ["1", "1", "1"],
      ["0", "0", "2"],
    ],
  ] as [string, Pricing, string[], string[]][])("%s", (_, pricing, charged, expected) =>
    expect(prices(pricing, charged)).toEqual(expected),
  );

  it("a recurring metric begins its period with what the renewal billed", () => {
    expect(prices(graduated, ["1"], "5")).toEqual(["0.02"]);
    expect(prices(standard("1"), ["3"], "-5")).toEqual(["3"]);
    expect(prices({ ...percentage, freeEvents: 1n }, ["10"], "5")).toEqual(["0.6"]);
    expect(prices({ ...percentage, freeEvents: 1n }, ["10"], "0")).toEqual(["0"]);
  });

  it("shows both prices, and the details of the later one", () => {
    const soFar = chargedAtStart(graduated, decimal("4"));
    const { derivation } = priceNext(graduated, soFar, decimal("2"));
    expect(explainAmount(derivation)).toEqual([
      "with this event: 0–5: 5 × 0.02 + 0.01 = 0.11",
      "with this event: 6 and more: 1 × 0.01 + 0.01 = 0.02",
      "without it: 0–5: 4 × 0.02 + 0.01 = 0.09",
    ]);
    expect(amountDetails(derivation)).toMatchObject({ graduated_ranges: [{ units: "5" }, { units: "1" }] });
  });

  it("a state of another price is refused", () => {
    const tally = chargedAtStart(percentage, decimal("1"));
    expect(() => priceSoFar(graduated, tally)).toThrow("cannot be priced as graduated");
    expect(() => priceNext(graduated, tally, decimal("1"))).toThrow("cannot be priced as graduated");
  });
});

describe("units that came inside a period weigh the days that are left", () => {
  it.each([
    ["1", 21, 30, "21"],
    ["1", 1, 31, "0.9678"],
    ["2", 31, 31, "60"],
  ])("at 30 a period, %s units with %i of %i days left cost %s", (charged, left, ofPeriod, total) => {
    const { amount, derivation } = priceNextProrated(decimal("30"), decimal(charged), { left, ofPeriod });
    expect(exactText(amount)).toBe(total);
    expect(amountFrom(derivation).equals(amount)).toBe(true);
  });
});

test("the fees of single events sum to the price of all of them", () => {
  const units = fc.nat(100_000).map((value) => decimal(`${value}e-2`));
  const pricing = fc.oneof(
    fc.constantFrom<Pricing>(graduated, packages, standard("0.333")),
    fc.record({
      model: fc.constant("percentage" as const),
      rate: units,
      fixedAmount: units,
      freeEvents: fc.option(fc.bigInt(1n, 4n)),
      freeUnits: fc.option(units),
      perTransactionMin: fc.option(fc.constant(decimal("3"))),
      perTransactionMax: fc.option(fc.constant(decimal("40"))),
    }),
  );
  fc.assert(
    fc.property(
      pricing,
      fc.array(
        units.filter((value) => value.gt("0")),
        { maxLength: 12 },
      ),
      (model, list) => {
        let soFar = chargedAtStart(model, decimal("0"));
        let fees = NOTHING;
        for (const charged of list) {
          const next = priceNext(model, soFar, charged);
          expect(amountFrom(JSON.parse(JSON.stringify(next.derivation))).equals(next.amount)).toBe(true);
          fees = fees.plus(next.amount);
          soFar = next.soFar;
        }
        const all = list.reduce((one: Decimal, other) => one.plus(other), decimal("0"));
        expect(fees.equals(price(model, { units: all, eventsCount: BigInt(list.length), values: list }).amount)).toBe(
          true,
        );
        expect(priceSoFar(model, soFar).amount.equals(sum([fees]))).toBe(true);
      },
    ),
  );
});
