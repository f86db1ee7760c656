import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { PercentagePricing, Pricing, Tier } from "../catalog/index.ts";
import { currency, type Decimal, decimal, exactText, fraction, sumDecimals } from "../money/index.ts";
import { chargeFee } from "./charge-fee.ts";
import { amountDetails, amountFrom, explainAmount, feeAmountFrom, price } from "./index.ts";

const EUR = currency("EUR");

const standard = (amount: string): Pricing => ({ model: "standard", amount: decimal(amount) });

const tier = (from: number, to: number | null, perUnit: string, flat: string): Tier => ({
  from: BigInt(from),
  to: to === null ? null : BigInt(to),
  perUnit: decimal(perUnit),
  flat: decimal(flat),
});

const threeTiers = [tier(0, 10, "10", "2"), tier(11, 20, "5", "3"), tier(21, null, "5", "3")];
const graduated: Pricing = { model: "graduated", tiers: threeTiers };
const adjacent: Pricing = {
  model: "graduated",
  tiers: [tier(0, 10, "10", "2"), tier(10, 20, "5", "3"), tier(20, null, "5", "3")],
};
const volume: Pricing = {
  model: "volume",
  tiers: [tier(0, 100, "2", "10"), tier(101, 200, "1", "0"), tier(201, null, "0.5", "50")],
};
const graduatedPercentage: Pricing = {
  model: "graduated_percentage",
  tiers: [
    { from: 0n, to: 10n, rate: decimal("1"), flat: decimal("200") },
    { from: 11n, to: 20n, rate: decimal("2"), flat: decimal("300") },
    { from: 21n, to: null, rate: decimal("3"), flat: decimal("400") },
  ],
};
const packageOf = (freeUnits: bigint): Pricing => ({
  model: "package",
  amount: decimal("100"),
  freeUnits,
  packageSize: 10n,
});

const percentage = (rate: string, rest: Partial<Record<keyof PercentagePricing, string>> = {}): PercentagePricing => ({
  model: "percentage",
  rate: decimal(rate),
  fixedAmount: decimal(rest.fixedAmount ?? "0"),
  freeEvents: rest.freeEvents === undefined ? null : BigInt(rest.freeEvents),
  freeUnits: rest.freeUnits === undefined ? null : decimal(rest.freeUnits),
  perTransactionMin: rest.perTransactionMin === undefined ? null : decimal(rest.perTransactionMin),
  perTransactionMax: rest.perTransactionMax === undefined ? null : decimal(rest.perTransactionMax),
});

const cost = (pricing: Pricing, units: string): string =>
  exactText(price(pricing, { units: decimal(units), eventsCount: 1n, values: [decimal(units)] }).amount);

const used = (values: readonly string[]) => {
  const list = values.map(decimal);
  return { units: sumDecimals(list), values: list, eventsCount: BigInt(list.length) };
};
const costOf = (pricing: Pricing, values: readonly string[]): string => exactText(price(pricing, used(values)).amount);

describe("standard", () => {
  it.each([
    ["0.5", "7", "3.5"],
    ["0.5", "0", "0"],
    ["0.5", "-3", "0"],
    ["0.012345", "100", "1.2345"],
    ["0.000000000001", "1000000000000", "1"],
    ["1.005", "1", "1.005"],
  ])("at %s, %s units cost %s", (amount, units, total) => expect(cost(standard(amount), units)).toBe(total));
});

describe("graduated", () => {
  it.each([
    ["0", "0"],
    ["-1", "0"],
    ["0.5", "7"],
    ["1", "12"],
    ["10", "102"],
    ["10.5", "107.5"],
    ["11", "110"],
    ["12", "115"],
    ["20", "155"],
    ["20.000001", "158.000005"],
    ["21", "163"],
    ["100", "558"],
  ])("%s units over 0–10 at 10 + 2, 11–20 at 5 + 3, 21 and more at 5 + 3 cost %s", (units, total) => {
    expect(cost(graduated, units)).toBe(total);
    expect(cost(adjacent, units)).toBe(total);
  });

  it("each tier is a line that can be checked", () => {
    expect(explainAmount(price(graduated, { units: decimal("21"), eventsCount: 0n, values: [] }).derivation)).toEqual([
      "0–10: 10 × 10 + 2 = 102",
      "11–20: 10 × 5 + 3 = 53",
      "21 and more: 1 × 5 + 3 = 8",
    ]);
  });

  it("a flat amount of a tier that was never entered is not due", () => {
    const { derivation } = price(graduated, { units: decimal("10"), eventsCount: 0n, values: [] });
    expect(derivation).toMatchObject({ tiers: [{ from: "0", to: "10", units: "10" }] });
  });
});

describe("volume", () => {
  it.each([
    ["0", "0"],
    ["-5", "0"],
    ["0.01", "10.02"],
    ["100", "210"],
    ["100.5", "100.5"],
    ["101", "101"],
    ["200", "200"],
    ["200.01", "150.005"],
    ["201", "150.5"],
    ["300", "200"],
  ])("%s units over 0–100 at 2 + 10, 101–200 at 1, 201 and more at 0.5 + 50 cost %s", (units, total) =>
    expect(cost(volume, units)).toBe(total),
  );

  it("says which tier took all units", () => {
    const explain = (units: string) =>
      explainAmount(price(volume, { units: decimal(units), eventsCount: 0n, values: [] }).derivation);
    expect(explain("300")).toEqual(["all in 201 and more: 300 × 0.5 + 50 = 200"]);
    expect(explain("0")).toEqual(["nothing used"]);
  });
});

describe("package", () => {
  it.each([
    ["121", 0n, "1300"],
    ["121", 10n, "1200"],
    ["121", 130n, "0"],
    ["121", 121n, "0"],
    ["120", 0n, "1200"],
    ["120.000001", 0n, "1300"],
    ["0", 0n, "0"],
    ["-20", 0n, "0"],
    ["19", 0n, "200"],
    ["20", 0n, "200"],
    ["21", 0n, "300"],
  ])("%s units with %s free in packages of 10 at 100 cost %s", (units, free, total) =>
    expect(cost(packageOf(free), units)).toBe(total),
  );

  it("says how many packages", () =>
    expect(
      explainAmount(price(packageOf(10n), { units: decimal("121"), eventsCount: 0n, values: [] }).derivation),
    ).toEqual(["121 units, 10 free, in packages of 10: 12 × 100 = 1200"]));
});

describe("percentage", () => {
  const payments = ["50", "100", "250", "400"];
  const both = { fixedAmount: "2", freeEvents: "3", freeUnits: "250" };

  it("free events and a free amount together: 550 at 1.3 % and two fixed amounts", () => {
    const priced = price(percentage("1.3", both), used(payments));
    expect(exactText(priced.amount)).toBe("11.15");
    expect(explainAmount(priced.derivation)).toEqual([
      "800 less 250 free: 550 × 1.3 % = 7.15",
      "4 events less 2 free: 2 × 2 = 4",
    ]);
  });

  it.each([
    ["only a rate", percentage("1.3", {}), payments, "10.4"],
    ["rate 0 leaves the fixed amounts of paid events", percentage("0", both), payments, "4"],
    ["rate 0 without allowances leaves every fixed amount", percentage("0", { fixedAmount: "2" }), payments, "8"],
    ["free events only", percentage("1", { fixedAmount: "2", freeEvents: "3" }), payments, "6"],
    ["more free events than events", percentage("1", { fixedAmount: "2", freeEvents: "9" }), payments, "0"],
    ["free amount only", percentage("1", { fixedAmount: "2", freeUnits: "250" }), payments, "9.5"],
    [
      "the free amount exactly reached by an event",
      percentage("1", { fixedAmount: "2", freeUnits: "150" }),
      payments,
      "12.5",
    ],
    ["everything free by amount", percentage("1", { fixedAmount: "2", freeUnits: "800" }), payments, "2"],
    ["a free amount above the total", percentage("1", { fixedAmount: "2", freeUnits: "801" }), payments, "0"],
    [
      "a first event above the free amount does not undo free events",
      percentage("1", { fixedAmount: "2", freeEvents: "2", freeUnits: "10" }),
      payments,
      "11.9",
    ],
    [
      "both allowances: fewer free events than the free amount would allow",
      percentage("1", { fixedAmount: "2", freeEvents: "1", freeUnits: "250" }),
      payments,
      "13.5",
    ],
    [
      "a free amount of 0 is none",
      percentage("1", { fixedAmount: "2", freeEvents: "3", freeUnits: "0" }),
      payments,
      "6",
    ],
    ["no event", percentage("1", { fixedAmount: "2" }), [], "0"],
    ["events worth nothing pay no fixed amount", percentage("1", { fixedAmount: "2" }), ["0", "0"], "0"],
    ["events worth nothing pay no least amount", percentage("1", { perTransactionMin: "3" }), ["0", "0"], "0"],
    ["a total below zero", percentage("1", { fixedAmount: "2" }), ["5", "-9"], "0"],
    ["a total below zero with limits", percentage("1", { perTransactionMin: "3" }), ["5", "-9"], "0"],
  ])("%s", (_, pricing, values, total) => expect(costOf(pricing, values)).toBe(total));

  const limits = { perTransactionMin: "1.75", perTransactionMax: "12" };
  const small = ["10", "80", "10000"];

  it.each([
    ["minimum and maximum per transaction", percentage("2.99", limits), small, "16.142"],
    ["with a fixed amount", percentage("2.99", { ...limits, fixedAmount: "2" }), small, "18.691"],
    ["with two free events", percentage("2.99", { ...limits, freeEvents: "2" }), small, "12"],
    ["with a free amount", percentage("2.99", { ...limits, freeUnits: "30" }), small, "13.794"],
    [
      "a free amount exactly reached still pays the minimum",
      percentage("2.99", { ...limits, freeUnits: "90" }),
      small,
      "13.75",
    ],
    ["only a minimum", percentage("2.99", { perTransactionMin: "1.75" }), small, "303.142"],
    ["only a maximum", percentage("2.99", { perTransactionMax: "12" }), small, "14.691"],
    [
      "both allowances: the events end first",
      percentage("2.99", { ...limits, freeEvents: "1", freeUnits: "1000" }),
      small,
      "14.392",
    ],
    [
      "both allowances: the amount ends first",
      percentage("2.99", { ...limits, freeEvents: "2", freeUnits: "30" }),
      small,
      "13.794",
    ],
    ["more free events than events", percentage("2.99", { ...limits, freeEvents: "4" }), small, "0"],
    ["a free amount of 0 is none", percentage("2.99", { ...limits, freeEvents: "2", freeUnits: "0" }), small, "12"],
    [
      "one percent, fixed 0.5, between 1.75 and 2",
      percentage("1", { fixedAmount: "0.5", perTransactionMin: "1.75", perTransactionMax: "2" }),
      ["100", "1000", "10000"],
      "5.75",
    ],
  ])("%s", (_, pricing, values, total) => expect(costOf(pricing, values)).toBe(total));

  it("says what the limits per transaction changed", () => {
    const { derivation } = price(percentage("2.99", limits), used(small));
    expect(explainAmount(derivation)).toEqual([
      "10090 less 0 free: 10090 × 2.99 % = 301.691",
      "limits per transaction: -285.549",
    ]);
    expect(explainAmount(price(percentage("0", { perTransactionMin: "3" }), used(["1"])).derivation)).toEqual([
      "1 less 0 free: 1 × 0 % = 0",
      "limits per transaction: +3",
    ]);
  });
});

describe("graduated percentage", () => {
  it.each([
    ["0", "0"],
    ["1", "200.01"],
    ["10", "200.1"],
    ["11", "500.12"],
    ["12", "500.14"],
    ["21", "900.33"],
  ])("%s units over 1 % + 200, 2 % + 300, 3 % + 400 cost %s", (units, total) =>
    expect(cost(graduatedPercentage, units)).toBe(total),
  );

  it("each tier is a line", () =>
    expect(
      explainAmount(price(graduatedPercentage, { units: decimal("11"), eventsCount: 0n, values: [] }).derivation),
    ).toEqual(["0–10: 10 × 1 % + 200 = 200.1", "11–20: 1 × 2 % + 300 = 300.02"]));
});

describe("a fee", () => {
  const feeOf = (pricing: Pricing, units: string, code = "EUR") =>
    chargeFee(
      price(pricing, { units: decimal(units), eventsCount: 1n, values: [decimal(units)] }),
      { units: decimal(units), eventsCount: 3n },
      currency(code),
    );

  it("is rounded once, and keeps what it was before", () => {
    const fee = feeOf(standard("0.012345"), "100");
    expect(fee).toMatchObject({ amountMinor: 123n, eventsCount: 3n });
    expect(exactText(fee.preciseAmountMinor)).toBe("123.45");
    expect(fee.preciseUnitAmount.toFixed()).toBe("0.012345");
    expect(explainAmount(fee.derivation.pricing)).toEqual(["100 × 0.012345 = 1.2345"]);
    expect(fee.derivation).toMatchObject({ exact: "1.2345", amountMinor: "123", currency: "EUR" });
  });

  it.each([
    ["1234.5", "1", "JPY", 1235n],
    ["10.5", "1", "JPY", 11n],
    ["1.2345", "1", "KWD", 1235n],
    ["0.015", "1", "EUR", 2n],
    ["0.015", "2", "EUR", 3n],
  ])("%s × %s %s is %s in minor units", (amount, units, code, cents) =>
    expect(feeOf(standard(amount), units, code).amountMinor).toBe(cents),
  );

  it("of a negative quantity is 0 units and 0", () => {
    const fee = feeOf(graduated, "-4");
    expect(fee.units.toFixed()).toBe("0");
    expect(fee.amountMinor).toBe(0n);
    expect(fee.preciseUnitAmount.toFixed()).toBe("0");
  });

  it("shows what a unit came to: of packages, a paid unit", () => {
    expect(feeOf(graduated, "12").preciseUnitAmount.toFixed()).toBe("9.583333333333333");
    expect(feeOf(packageOf(10n), "121").preciseUnitAmount.toFixed()).toBe("10.810810810810811");
    expect(feeOf(packageOf(130n), "121").preciseUnitAmount.toFixed()).toBe("0");
  });
});

describe("amount details", () => {
  const details = (pricing: Pricing, values: readonly string[]) =>
    amountDetails(price(pricing, used(values)).derivation);

  it("of a standard price are none", () => expect(details(standard("1"), ["5"])).toEqual({}));

  it("of graduated tiers are its ranges", () =>
    expect(details(graduated, ["12"])).toEqual({
      graduated_ranges: [
        {
          units: "10",
          from_value: 0,
          to_value: 10,
          flat_unit_amount: "2",
          per_unit_amount: "10",
          per_unit_total_amount: "100",
          total_with_flat_amount: "102",
        },
        {
          units: "2",
          from_value: 11,
          to_value: 20,
          flat_unit_amount: "3",
          per_unit_amount: "5",
          per_unit_total_amount: "10",
          total_with_flat_amount: "13",
        },
      ],
    }));

  it("of the tier without an end have none", () =>
    expect(details(graduated, ["21"])).toMatchObject({
      graduated_ranges: [{}, {}, { from_value: 21, to_value: null }],
    }));

  it("of graduated percentages name the rate", () =>
    expect(details(graduatedPercentage, ["21"])).toMatchObject({
      graduated_percentage_ranges: [
        { rate: "1", per_unit_total_amount: "0.1", total_with_flat_amount: "200.1", flat_unit_amount: "200" },
        { rate: "2", from_value: 11, to_value: 20, units: "10" },
        { rate: "3", from_value: 21, to_value: null, units: "1" },
      ],
    }));

  it("of a volume are its tier", () => {
    expect(details(volume, ["300"])).toEqual({
      flat_unit_amount: "50",
      per_unit_amount: "0.5",
      per_unit_total_amount: "150",
    });
    expect(details(volume, [])).toEqual({});
  });

  it("of packages are free and paid units", () => {
    expect(details(packageOf(10n), ["121"])).toEqual({
      free_units: "10",
      paid_units: "111",
      per_package_size: 10,
      per_package_unit_amount: "100",
    });
    expect(details(packageOf(130n), ["121"])).toMatchObject({ paid_units: "0" });
  });

  it("of percentages are all their parts", () =>
    expect(
      details(
        percentage("2.99", { perTransactionMin: "1.75", perTransactionMax: "12", fixedAmount: "2", freeEvents: "1" }),
        ["10", "80", "10000"],
      ),
    ).toEqual({
      units: "10090",
      free_units: "10",
      paid_units: "10080",
      free_events: 1,
      paid_events: 2,
      rate: "2.99",
      per_unit_total_amount: "301.392",
      fixed_fee_unit_amount: "2",
      fixed_fee_total_amount: "4",
      min_max_adjustment_total_amount: "-289",
    }));
});

describe("of every model", () => {
  const cents = fc
    .nat(10_000_000)
    .map((value) => `${Math.floor(value / 1000)}.${String(value % 1000).padStart(3, "0")}`);
  const amounts = cents.map(decimal);
  const tiers = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 4 }),
      fc.array(amounts, { minLength: 10, maxLength: 10 }),
    )
    .map(([ends, prices]) => {
      const sorted = ends.toSorted((a, b) => a - b);
      return [...sorted, null].map((to, index) => ({
        from: index === 0 ? 0n : BigInt(sorted[index - 1] ?? 0) + 1n,
        to: to === null ? null : BigInt(to),
        perUnit: prices[index * 2] as Decimal,
        rate: prices[index * 2] as Decimal,
        flat: prices[index * 2 + 1] as Decimal,
      }));
    });
  const optional = fc.option(amounts);
  const pricings: fc.Arbitrary<Pricing> = fc.oneof(
    amounts.map((amount) => ({ model: "standard" as const, amount })),
    tiers.map((list) => ({ model: "graduated" as const, tiers: list })),
    tiers.map((list) => ({ model: "volume" as const, tiers: list })),
    tiers.map((list) => ({ model: "graduated_percentage" as const, tiers: list })),
    fc.record({
      model: fc.constant("package" as const),
      amount: amounts,
      freeUnits: fc.bigInt(0n, 300n),
      packageSize: fc.bigInt(1n, 50n),
    }),
    fc
      .record({
        model: fc.constant("percentage" as const),
        rate: amounts,
        fixedAmount: amounts,
        freeEvents: fc.option(fc.bigInt(1n, 5n)),
        freeUnits: optional,
        perTransactionMin: optional,
        perTransactionMax: optional,
      })
      .filter(({ perTransactionMin: min, perTransactionMax: max }) => !min || !max || min.lte(max)),
  );
  const values = fc.array(cents, { maxLength: 8 });

  test("the amount can be recomputed from the stored derivation alone", () => {
    fc.assert(
      fc.property(pricings, values, (pricing, list) => {
        const priced = price(pricing, used(list));
        const stored = JSON.parse(JSON.stringify(priced.derivation));
        expect(exactText(amountFrom(stored))).toBe(exactText(priced.amount));
        const fee = chargeFee(priced, used(list), EUR);
        expect(feeAmountFrom(JSON.parse(JSON.stringify(fee.derivation)))).toBe(fee.amountMinor);
        expect(fee.derivation.amountMinor).toBe(String(fee.amountMinor));
      }),
    );
  });

  test("nothing used costs nothing, and no price is negative", () => {
    fc.assert(
      fc.property(pricings, values, (pricing, list) => {
        expect(price(pricing, used([])).amount.isZero()).toBe(true);
        expect(price(pricing, used(list)).amount.isBelow(0n)).toBe(false);
      }),
    );
  });

  test("more usage never costs less, except where a volume tier is cheaper by design", () => {
    const growing = pricings.filter(({ model }) => model !== "volume");
    fc.assert(
      fc.property(growing, values, cents, (pricing, list, more) => {
        const before = price(pricing, used(list)).amount;
        expect(price(pricing, used([...list, more])).amount.isBelow(before)).toBe(false);
      }),
    );
  });

  test("tiers split the quantity without loss", () => {
    fc.assert(
      fc.property(tiers, cents, (list, units) => {
        const { derivation } = price(
          { model: "graduated", tiers: list },
          { units: decimal(units), eventsCount: 0n, values: [] },
        );
        const inTiers = derivation.model === "graduated" ? derivation.tiers.map((step) => decimal(step.units)) : [];
        expect(sumDecimals(inTiers).eq(units)).toBe(true);
      }),
    );
  });

  test("inside a volume tier more usage never costs less", () => {
    fc.assert(
      fc.property(amounts, amounts, cents, cents, (perUnit, flat, one, more) => {
        const single: Pricing = { model: "volume", tiers: [{ from: 0n, to: null, perUnit, flat }] };
        const before = price(single, { units: decimal(one), eventsCount: 0n, values: [] }).amount;
        const units = decimal(one).plus(more);
        expect(price(single, { units, eventsCount: 0n, values: [] }).amount.isBelow(before)).toBe(false);
        expect(before.equals(decimal(one).eq("0") ? 0n : fraction(perUnit).times(decimal(one)).plus(flat))).toBe(true);
      }),
    );
  });
});
