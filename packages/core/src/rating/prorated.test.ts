import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Tier } from "../catalog/index.ts";
import { ceilTo, decimal, exactText, Fraction, fraction, roundTo, sum, sumDecimals } from "../money/index.ts";
import { amountDetails, amountFrom, explainAmount } from "./index.ts";
import { priceProrated } from "./prorated.ts";

const tier = (from: number, to: number | null, perUnit: string, flat: string): Tier => ({
  from: BigInt(from),
  to: to === null ? null : BigInt(to),
  perUnit: decimal(perUnit),
  flat: decimal(flat),
});

const use = (periodDays: number, changes: readonly (readonly [units: string, days: number])[]) => {
  const list = changes.map(([units, days]) => ({ units: decimal(units), days }));
  const weighed = sum(
    list.map(({ units, days }) => fraction(units).times(new Fraction(BigInt(days), BigInt(periodDays)))),
  );
  return {
    fullUnits: sumDecimals(list.map(({ units }) => units)),
    proratedUnits: ceilTo(weighed, 5),
    changes: list,
    periodDays,
  };
};

const cents = (amount: Fraction): string => roundTo(amount, 2).toFixed(2);

describe("standard, prorated", () => {
  const seat = { model: "standard" as const, amount: decimal("30") };

  it.each([
    ["added on 10 September", 30, [["1", 21]], "21.00"],
    [
      "carried into October and removed on the 12th, that day included",
      31,
      [
        ["1", 12],
        ["-1", 0],
      ],
      "11.61",
    ],
    [
      "a sum gives the day of removal back",
      31,
      [
        ["1", 31],
        ["-1", 20],
      ],
      "10.65",
    ],
    ["taken away before it was there: nothing", 31, [["-1", 20]], "0.00"],
    [
      "more taken away at the end than was there: nothing",
      31,
      [
        ["1", 31],
        ["-2", 1],
      ],
      "0.00",
    ],
  ] as const)("a seat at 30 a month, %s", (_, days, changes, total) =>
    expect(cents(priceProrated(seat, use(days, changes)).amount)).toBe(total),
  );

  it("is explained by full and prorated units", () =>
    expect(explainAmount(priceProrated(seat, use(30, [["1", 21]])).derivation)).toEqual([
      "1 units, by days 0.7 × 30 = 21",
    ]));
});

describe("volume, prorated", () => {
  const tiers = [tier(0, 100, "2", "10"), tier(101, 200, "1", "0"), tier(201, null, "0.5", "50")];
  const volume = { model: "volume" as const, tiers };
  const of = (fullUnits: string, proratedUnits: string) =>
    priceProrated(volume, {
      fullUnits: decimal(fullUnits),
      proratedUnits: decimal(proratedUnits),
      changes: [],
      periodDays: 30,
    });

  it.each([
    ["210", "198.6", "149.3"],
    ["90", "78", "166"],
    ["210", "138", "119"],
    ["0", "0", "0"],
    ["0", "0.4", "10.8"],
    ["1", "0", "10"],
    ["-3", "0.4", "0"],
    ["-3", "-0.4", "0"],
  ])(
    "%s full units choose the tier, %s prorated ones are priced: %s with its whole flat amount",
    (full, prorated, total) => expect(exactText(of(full, prorated).amount)).toBe(total),
  );

  it("shows the flat amount in its text", () =>
    expect(explainAmount(of("210", "198.6").derivation)).toEqual(["210 units, by days 198.6 × 0.5 + 50 = 149.3"]));
});

describe("graduated, prorated", () => {
  const graduated = {
    model: "graduated" as const,
    tiers: [tier(0, 5, "10", "100"), tier(6, 15, "5", "50"), tier(16, null, "2", "0")],
  };
  const walk = [
    ["2", 21],
    ["5", 15],
    ["-6", 11],
    ["10", 6],
    ["4", 5],
  ] as const;

  it.each([
    [1, "114.00"],
    [2, "184.00"],
    [3, "165.67"],
    [4, "179.67"],
    [5, "183.00"],
  ])("a September of changes: after %i of them %s", (count, total) =>
    expect(cents(priceProrated(graduated, use(30, walk.slice(0, count))).amount)).toBe(total),
  );

  it("each change and each flat amount is a line", () =>
    expect(explainAmount(priceProrated(graduated, use(30, walk.slice(0, 3))).derivation)).toEqual([
      "2 units: (20 − 0) × 21/30 days = 14",
      "5 units: (60 − 20) × 15/30 days = 20",
      "-6 units: (10 − 60) × 11/30 days = -18.3333333333…",
      "flat amount 100",
      "flat amount 50",
    ]));

  it("units given back on the day they came cost only the flat amounts of the tiers they reached", () =>
    expect(
      exactText(
        priceProrated(
          graduated,
          use(30, [
            ["6", 10],
            ["-6", 10],
          ]),
        ).amount,
      ),
    ).toBe("150"));

  it("when more is given back than was charged only flat amounts remain", () =>
    expect(
      exactText(
        priceProrated(
          graduated,
          use(30, [
            ["1", 1],
            ["5", 1],
            ["-6", 30],
          ]),
        ).amount,
      ),
    ).toBe("150"));

  it("a total below zero costs nothing at all", () => {
    const { amount, derivation } = priceProrated(
      graduated,
      use(30, [
        ["6", 30],
        ["-7", 1],
      ]),
    );
    expect(exactText(amount)).toBe("0");
    expect(exactText(amountFrom(derivation))).toBe("0");
    expect(explainAmount(derivation)).toEqual(["the total is below zero"]);
  });

  it("a flat amount of 0 is no line", () =>
    expect(explainAmount(priceProrated(graduated, use(30, [["16", 30]])).derivation)).toEqual([
      "16 units: (102 − 0) × 30/30 days = 102",
      "flat amount 100",
      "flat amount 50",
    ]));

  it("no change costs nothing", () => expect(exactText(priceProrated(graduated, use(30, [])).amount)).toBe("0"));

  it("a removal from a unique count frees its place in the tiers without a refund", () => {
    const seats = [
      ["1", 30],
      ["1", 30],
      ["1", 30],
      ["1", 30],
      ["1", 30],
      ["-1", 0],
      ["1", 15],
    ] as const;
    expect(exactText(priceProrated(graduated, use(30, seats)).amount)).toBe("155");
  });

  it("has no details beyond its text", () => {
    expect(amountDetails(priceProrated(graduated, use(30, walk)).derivation)).toEqual({});
    const seat = { model: "standard" as const, amount: decimal("30") };
    expect(amountDetails(priceProrated(seat, use(30, walk)).derivation)).toEqual({});
  });
});

describe("of every prorated price", () => {
  const price = fc.nat(100_000).map((value) => decimal(`${value}e-2`));
  const changes = fc.array(
    fc.tuple(fc.integer({ min: -500, max: 1500 }), fc.nat(30)).map(([units, days]) => [`${units}e-1`, days] as const),
    { maxLength: 8 },
  );
  const tiers = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 3 }),
      fc.array(price, { minLength: 8, maxLength: 8 }),
    )
    .map(([ends, prices]) => {
      const sorted = ends.toSorted((a, b) => a - b);
      return [...sorted, null].map((to, index) => ({
        from: index === 0 ? 0n : BigInt(sorted[index - 1] ?? 0) + 1n,
        to: to === null ? null : BigInt(to),
        perUnit: prices[index * 2] ?? decimal("0"),
        flat: prices[index * 2 + 1] ?? decimal("0"),
      }));
    });

  test("the amount can be recomputed from the stored derivation alone, and is never negative", () => {
    fc.assert(
      fc.property(tiers, changes, fc.constantFrom("graduated", "volume", "standard"), (list, steps, model) => {
        const pricing =
          model === "standard"
            ? { model, amount: list[0]?.perUnit ?? decimal("0") }
            : ({ model, tiers: list } as const);
        const priced = priceProrated(pricing as Parameters<typeof priceProrated>[0], use(30, steps));
        const stored = JSON.parse(JSON.stringify(priced.derivation));
        expect(exactText(amountFrom(stored))).toBe(exactText(priced.amount));
        expect(priced.amount.isBelow(0n)).toBe(false);
      }),
    );
  });

  test("units there for the whole period cost what they cost unprorated", () => {
    fc.assert(
      fc.property(tiers, fc.integer({ min: 1, max: 9999 }), (list, units) => {
        const full = use(30, [[`${units}e-1`, 30]]);
        const graduated = priceProrated({ model: "graduated", tiers: list }, full).amount;
        const inTwoSteps = use(30, [
          ["0.1", 30],
          [`${units - 1}e-1`, 30],
        ]);
        expect(priceProrated({ model: "graduated", tiers: list }, inTwoSteps).amount.equals(graduated)).toBe(true);
      }),
    );
  });
});
