// The oracle against examples that were computed by hand, and against itself in the few places where that says something.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../../prove/oracle/cases.ts";
import {
  oracleAggregate,
  oracleCommitment,
  oracleCreditNote,
  oracleFilter,
  oracleInAdvance,
  oracleInvoice,
  oracleMinimum,
  oraclePeriods,
  oraclePrice,
  oracleProrated,
  oracleSubscriptionFee,
} from "../../prove/oracle/index.ts";

/** Ranges as a price list writes them: "0-10 at 10 + 2; 11- at 5 + 3". */
const tiers = (list: string) =>
  list.split("; ").map((line) => {
    const [, from = "", to = "", price = "", flat_amount = ""] = /^(\d+)-(\d*) at (\S+) \+ (\S+)$/.exec(line) ?? [];
    return { from_value: Number(from), to_value: to === "" ? null : Number(to), price, flat_amount };
  });

const amounts = (list: string) => tiers(list).map(({ price, ...range }) => ({ ...range, per_unit_amount: price }));

const rates = (list: string) => tiers(list).map(({ price, ...range }) => ({ ...range, rate: price }));

const sumOf = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n);

/** With 2 decimals, for reading. */
const near = ({ n, d }: { n: bigint; d: bigint }): string => (Number((n * 100_000n) / d) / 100_000).toFixed(2);

type Pricing = Pick<Parameters<typeof oraclePrice>[0], "model" | "properties">;

type Priced = [pricing: Pricing, units: string, digits: number, cents: bigint];

const graduatedBy = (list: string) => ({
  model: "graduated" as const,
  properties: { graduated_ranges: amounts(list) },
});
const graduated = graduatedBy("0-10 at 10 + 2; 11-20 at 5 + 3; 21- at 5 + 3");
const adjacent = graduatedBy("0-10 at 10 + 2; 10-20 at 5 + 3; 20- at 5 + 3");
const volume = {
  model: "volume" as const,
  properties: { volume_ranges: amounts("0-100 at 2 + 10; 101-200 at 1 + 0; 201- at 0.5 + 50") },
};
const graduatedPercentage = {
  model: "graduated_percentage" as const,
  properties: { graduated_percentage_ranges: rates("0-10 at 1 + 200; 11-20 at 2 + 300; 21- at 3 + 400") },
};
const standard = (amount: string) => ({ model: "standard" as const, properties: { amount } });
const packages = (free_units: number) => ({
  model: "package" as const,
  properties: { amount: "100", free_units, package_size: 10 },
});

const withThreeTiers = (pricing: Pricing): Priced[] => [
  [pricing, "0", 2, 0n],
  [pricing, "1", 2, 1200n],
  [pricing, "10", 2, 10_200n],
  [pricing, "10.5", 2, 10_750n],
  [pricing, "11", 2, 11_000n],
  [pricing, "12", 2, 11_500n],
  [pricing, "21", 2, 16_300n],
];

describe("price", () => {
  it.each<Priced>([
    [standard("0.012345"), "100", 2, 123n],
    [standard("1234.5"), "1", 0, 1235n],
    [standard("1.2345"), "1", 3, 1235n],
    [standard("10.5"), "1", 0, 11n],
    [standard("0.5"), "7", 2, 350n],
    [standard("0.015"), "1", 2, 2n],
    [standard("0.015"), "2", 2, 3n],
    [standard("1"), "-3", 2, 0n],
    ...[graduated, adjacent].flatMap(withThreeTiers),
    [volume, "0", 2, 0n],
    [volume, "100", 2, 21000n],
    [volume, "100.5", 2, 10050n],
    [volume, "101", 2, 10100n],
    [volume, "300", 2, 20000n],
    [packages(0), "121", 2, 130_000n],
    [packages(10), "121", 2, 120_000n],
    [packages(130), "121", 2, 0n],
    [packages(0), "19", 2, 20_000n],
    [packages(0), "20", 2, 20_000n],
    [packages(0), "21", 2, 30_000n],
    [graduatedPercentage, "1", 2, 20001n],
    [graduatedPercentage, "10", 2, 20010n],
    [graduatedPercentage, "11", 2, 50012n],
    [graduatedPercentage, "12", 2, 50014n],
    [graduatedPercentage, "21", 2, 90033n],
  ])("%j for %s units, %i digits: %i", (pricing, units, digits, cents) => {
    expect(oraclePrice({ ...pricing, units, values: [units], digits }).cents).toBe(cents);
  });

  const free = { free_units_per_events: 3, free_units_per_total_aggregation: "250" };
  const limits = { per_transaction_min_amount: "1.75", per_transaction_max_amount: "12" };
  it.each([
    [{ rate: "1.3", fixed_amount: "2", ...free }, ["50", "100", "250", "400"], "11.15"],
    [{ rate: "0", fixed_amount: "2", ...free }, ["50", "100", "250", "400"], "4.00"],
    [{ rate: "0", fixed_amount: "2" }, ["50", "100", "250", "400"], "8.00"],
    [{ rate: "1.3", fixed_amount: "2", free_units_per_total_aggregation: "150" }, ["50", "100"], "2.00"],
    [{ rate: "2.99", ...limits }, ["10", "80", "10000"], "16.14"],
    [{ rate: "2.99", fixed_amount: "2", ...limits }, ["10", "80", "10000"], "18.69"],
    [{ rate: "2.99", free_units_per_events: 2, ...limits }, ["10", "80", "10000"], "12.00"],
    [{ rate: "2.99", free_units_per_total_aggregation: "30", ...limits }, ["10", "80", "10000"], "13.79"],
    [{ rate: "2.99", free_units_per_total_aggregation: "90", ...limits }, ["10", "80", "10000"], "13.75"],
  ])("%j of %j: %s", (properties, values, amount) => {
    const units = String(sumOf(values.map(BigInt)));
    expect(near(oraclePrice({ model: "percentage", properties, units, values, digits: 2 }).exact)).toBe(amount);
  });

  it("is, unit by unit, the price of the tier that each unit falls into", () => {
    fc.assert(
      fc.property(cases.price, fc.nat({ max: 60 }), (c, units) => {
        const ranges = c.properties.graduated_ranges;
        fc.pre(ranges !== undefined);
        const scaled = (text = "0") =>
          BigInt(text.replace(".", "") + "0".repeat(12 - (text.split(".")[1] ?? "").length));
        const isIn = (unit: number, to: number | null) => to === null || unit <= to;
        const tierOf = (unit: number) => ranges.findIndex(({ to_value }) => isIn(unit, to_value));
        const tiersOfUnits = Array.from({ length: units }, (_, unit) => tierOf(unit + 1));
        const flats = ranges.filter((_, index) => index <= (tiersOfUnits.at(-1) ?? -1));
        const amount = sumOf([
          ...tiersOfUnits.map((tier) => scaled(ranges[tier]?.per_unit_amount)),
          ...flats.map(({ flat_amount }) => scaled(flat_amount)),
        ]);
        const { exact } = oraclePrice({ ...c, units: String(units) });
        expect(exact.n * 10n ** 12n).toBe(amount * exact.d);
      }),
    );
  });
});

describe("prorated price", () => {
  const september = graduatedBy("0-5 at 10 + 100; 6-15 at 5 + 50; 16- at 2 + 0");
  const changes = [
    { units: "2", days: 21 },
    { units: "5", days: 15 },
    { units: "-6", days: 11 },
    { units: "10", days: 6 },
    { units: "4", days: 5 },
  ];
  it.each([
    [1, 11_400n],
    [2, 18_400n],
    [3, 16_567n],
    [4, 17_967n],
    [5, 18_300n],
  ])("of tiers, after %i changes: %i", (count, cents) => {
    const c = { ...september, changes: changes.slice(0, count), periodDays: 30, digits: 2 };
    expect(oracleProrated(c).cents).toBe(cents);
  });

  it.each([
    [standard("30"), [{ units: "1", days: 21 }], 30, 2100n],
    [
      standard("30"),
      [
        { units: "1", days: 12 },
        { units: "-1", days: 0 },
      ],
      31,
      1161n,
    ],
    [
      standard("30"),
      [
        { units: "1", days: 31 },
        { units: "-1", days: 20 },
      ],
      31,
      1065n,
    ],
    [volume, [{ units: "993", days: 6 }], 30, 14_930n],
    [
      standard("1"),
      [
        { units: "5", days: 30 },
        { units: "-6", days: 1 },
      ],
      30,
      0n,
    ],
  ])("%j of %j in %i days: %i", (pricing, given, periodDays, cents) => {
    expect(oracleProrated({ ...pricing, changes: given, periodDays, digits: 2 }).cents).toBe(cents);
  });
});

describe("aggregate", () => {
  const march = { timeZone: "UTC", from: "2023-03-01T00:00:00Z", to: "2023-04-01T00:00:00Z", periodDays: 31 };
  const days = { firstDay: "2023-03-01", lastDay: "2023-03-31" };
  const metered = { ...march, ...days, recurring: false };
  const at = (hour: string, value?: string, operation?: "add" | "remove", position = 0) => ({
    at: `2023-03-10T${hour}Z`,
    position,
    ...(value === undefined ? {} : { value }),
    ...(operation === undefined ? {} : { operation }),
  });

  it.each([
    ["count", [at("10:00"), at("11:00"), at("12:00")], "3.00"],
    ["sum", [at("10:00", "5"), at("11:00", "7.5"), at("12:00", "-2")], "10.50"],
    ["sum", [at("10:00", "12.5"), at("11:00", "1e3"), at("12:00", "12,5")], "12.50"],
    ["max", [at("10:00", "3"), at("11:00", "11"), at("12:00", "7")], "11.00"],
    ["latest", [at("10:00", "3"), at("11:00", "11"), at("10:30", "7")], "11.00"],
    ["latest", [at("10:00", "3"), at("11:00", "-5")], "0.00"],
    ["latest", [at("10:00", "3", undefined, 2), at("10:00", "4", undefined, 1)], "3.00"],
  ] as const)("%s of %j: %s", (type, events, units) => {
    expect(near(oracleAggregate({ ...metered, type, events: [...events] }).units)).toBe(units);
  });

  it("counts a value that came, went and came back as it is at the end", () => {
    const steps = ["A+", "A+", "B-", "A-", "B+", "C+"].map((step, index) =>
      at("10:00", step.charAt(0), step.endsWith("+") ? "add" : "remove", index),
    );
    expect(near(oracleAggregate({ ...metered, type: "unique_count", events: steps }).units)).toBe("2.00");
  });

  it("weighs a sum by seconds of the whole period", () => {
    const events = [
      ["2023-03-05", "2500"],
      ["2023-04-04", "-2000"],
      ["2023-04-06", "-200"],
    ].map(([day = "", value = ""], position) => ({ at: `${day}T00:00:00Z`, position, value }));
    const c = { ...march, ...days, type: "weighted_sum" as const, recurring: true, events };
    const first = oracleAggregate({ ...c, from: "2023-03-05T00:00:00Z" }).units;
    expect(near(first)).toBe("2177.42");
    const april = { from: "2023-04-01T00:00:00Z", to: "2023-05-01T00:00:00Z", periodDays: 30 };
    expect(near(oracleAggregate({ ...c, ...april }).units)).toBe("533.33");
  });

  it("bills the day of a removal for a unique count and gives it back for a sum", () => {
    const october = { from: "2023-10-01T00:00:00Z", to: "2023-11-01T00:00:00Z", timeZone: "UTC", recurring: true };
    const c = { ...october, firstDay: "2023-10-01", lastDay: "2023-10-31", periodDays: 31 };
    const added = { at: "2023-09-10T08:00:00Z", position: 1 };
    const removed = { at: "2023-10-12T08:00:00Z", position: 2 };
    const seats = [
      { ...added, value: "a" },
      { ...removed, value: "a", operation: "remove" as const },
    ];
    expect(oracleAggregate({ ...c, type: "unique_count", events: seats }).prorated).toEqual({ n: 3871n, d: 10_000n });
    const sums = [
      { ...added, value: "1" },
      { ...removed, value: "-1" },
    ];
    expect(oracleAggregate({ ...c, type: "sum", events: sums }).prorated).toEqual({ n: 8871n, d: 25_000n });
  });

  it("of a recurring sum keeps the total forever", () => {
    const events = [
      { at: "2023-02-10T00:00:00Z", position: 1, value: "10" },
      { at: "2023-03-20T00:00:00Z", position: 2, value: "-4" },
    ];
    expect(near(oracleAggregate({ ...metered, recurring: true, type: "sum", events }).units)).toBe("6.00");
  });
});

describe("in advance", () => {
  const values = (...list: string[]) => list.map((value) => ({ value }));
  const twoTiers = graduatedBy("0-5 at 0.02 + 0.01; 6- at 0.01 + 0.01");
  const thirdCosts = graduatedBy("0-2 at 0 + 0; 3- at 2 + 0");
  const limits = { per_transaction_min_amount: "1.75", per_transaction_max_amount: "2" };
  const limited = { model: "percentage", properties: { rate: "1", fixed_amount: "0.5", ...limits } } as const;
  const seats = ["A+", "A-", "A+", "B+", "B+"].map((step) => ({
    value: step.charAt(0),
    operation: step.endsWith("+") ? ("add" as const) : ("remove" as const),
  }));
  it.each([
    ["sum", standard("1"), values("10", "-4", "8"), ["10: 1000", "0: 0", "4: 400"]],
    ["sum", standard("1"), values("-5", "3", "4"), ["0: 0", "0: 0", "2: 200"]],
    ["unique_count", standard("12"), seats, ["1: 1200", "0: 0", "1: 0", "1: 1200", "0: 0"]],
    ["sum", twoTiers, values("3", "1", "2"), ["3: 7", "1: 2", "2: 4"]],
    ["count", thirdCosts, [{}, {}, {}], ["1: 0", "1: 0", "1: 200"]],
    ["sum", packages(0), values("19", "1", "1"), ["19: 20000", "1: 0", "1: 10000"]],
    ["sum", limited, values("100", "1000", "10000"), ["100: 175", "1000: 200", "10000: 200"]],
  ] as const)("%s, %j, %j: %j", (type, pricing, events, fees) => {
    const made = oracleInAdvance({ ...pricing, type, events: [...events], digits: 2 });
    expect(made.map(({ units, cents }) => `${units.n}: ${cents}`)).toEqual(fees);
  });
});

it("the filter with most keys, then fewest values, then the oldest takes an event", () => {
  const metricFilters = [
    { key: "region", values: ["us", "eu"] },
    { key: "tier", values: ["gold", "silver"] },
  ];
  const chargeFilters = [{ values: { region: ["us"] } }, { values: { region: ["us"], tier: ["gold"] } }];
  const winner = (properties: Record<string, string>) => oracleFilter({ metricFilters, chargeFilters, properties });
  expect(winner({ region: "us", tier: "gold" })).toBe(1);
  expect(winner({ region: "us", tier: "silver" })).toBe(0);
  expect(winner({ region: "us" })).toBe(0);
  expect(winner({ region: "eu", tier: "gold" })).toBe(null);
  const overlapping = [["__ALL_FILTER_VALUES__"], ["us"], ["us"]].map((region) => ({ values: { region } }));
  expect(oracleFilter({ metricFilters, chargeFilters: overlapping, properties: { region: "us" } })).toBe(1);
  expect(oracleFilter({ metricFilters, chargeFilters: overlapping, properties: { region: "eu" } })).toBe(0);
});

describe("invoice", () => {
  const nothing = { digits: 2, coupons: [], creditNotes: [], wallets: [] };
  const fee = (cents: string, rate: string, planCode = "a", metricCode: string | null = null) => ({
    cents,
    planCode,
    metricCode,
    taxes: [{ code: `tax-${rate}`, rate }],
  });
  const coupon = (cents: string, appliedAt: number) => ({
    kind: "fixed" as const,
    cents,
    frequency: "once" as const,
    appliedAt,
    planCodes: null,
    metricCodes: null,
  });

  it("spreads coupons over what they are meant for and taxes what is left", () => {
    const rateOf = (cents: string) => (cents === "2000" ? "20" : "10");
    const fees = ["s1", "s2"].flatMap((plan) =>
      ["1000", "2000", "3000", "4000"].map((cents) => fee(cents, rateOf(cents), plan, `${plan}-${cents}`)),
    );
    const coupons = [
      coupon("500", 1),
      { ...coupon("1000", 2), planCodes: ["s2"] },
      { ...coupon("2000", 3), metricCodes: ["s1-1000", "s1-2000"] },
    ];
    const result = oracleInvoice({ ...nothing, fees, coupons });
    const shares = ["676.47", "1352.94", "88.24", "117.65", "126.47", "252.94", "379.41", "505.88"];
    expect(result.shares.map(near)).toEqual(shares);
    expect(result).toMatchObject({ coupons: 3500n, subTotalExcluding: 16_500n, taxes: 1889n });
    expect(sumOf(result.feeTaxes)).toBe(1887n);
  });

  it("goes through coupons, taxes, credit notes and prepaid credits in this order", () => {
    const fees = [fee("10000", "10"), fee("5000", "0"), fee("3000", "20"), fee("2000", "20")];
    const c = { ...nothing, fees, coupons: [coupon("1000", 1)], creditNotes: [{ balance: "5000", at: 1 }] };
    const result = oracleInvoice({ ...c, wallets: [{ balance: "30000", priority: 1, at: 1, rate: "1" }] });
    expect(result.feeTaxes).toEqual([950n, 0n, 570n, 380n]);
    expect(result).toMatchObject({ subTotalExcluding: 19_000n, taxes: 1900n, subTotalIncluding: 20_900n });
    expect(result).toMatchObject({ creditNotes: 5000n, prepaid: 15_900n, total: 0n });
  });

  it("never takes more than the whole units in a fractional base", () => {
    const fees = [fee("1000", "0", "a", "calls"), fee("2000", "0", "a", "seats")];
    const limited = [["calls", "seats"], ["calls"]].map((metricCodes, index) => ({
      ...coupon(index === 0 ? "500" : "10000", index),
      metricCodes,
    }));
    expect(oracleInvoice({ ...nothing, fees, coupons: limited }).couponUse).toEqual([500n, 833n]);
  });

  it("is what remains when a wallet does not suffice", () => {
    const c = { ...nothing, fees: [fee("6170", "0")], wallets: [{ balance: "5000", priority: 1, at: 1, rate: "2" }] };
    expect(oracleInvoice(c)).toMatchObject({
      prepaid: 5000n,
      total: 1170n,
      walletCredits: [{ n: 25n, d: 1n }],
    });
  });

  it("has coupons that are the sum of their shares", () => {
    fc.assert(
      fc.property(cases.invoice, (c) => {
        const { shares, coupons, total, couponUse } = oracleInvoice(c);
        const common = shares.reduce((all, { d }) => all * d, 1n);
        expect(sumOf(shares.map(({ n, d }) => (n * common) / d))).toBe(coupons * common);
        expect(total >= 0n && couponUse.every((use) => use >= 0n)).toBe(true);
      }),
    );
  });
});

describe("credit note", () => {
  const fee = (cents: string, rate: string, coupon = "0") => ({
    cents,
    coupon: { n: coupon, d: "1" },
    taxes: [{ code: "tax", rate }],
    credited: "0",
  });
  const invoice = (subTotal: string, taxes: string, coupons = "0") => ({
    coupons,
    subTotal,
    taxes,
    taxLines: [{ code: "tax", rate: "0", cents: taxes }],
  });
  it.each([
    [fee("20000", "25"), invoice("20000", "5000"), "19333.33333", [19_333n, 4833n, 24_166n]],
    [fee("16000", "25"), invoice("16000", "4000"), "15466.66666", [15_467n, 3867n, 19_334n]],
    [fee("10000", "10", "1000"), invoice("9000", "900", "1000"), "5000", [4500n, 450n, 4950n]],
    [fee("3750", "20"), invoice("3750", "750"), "3571.42857", [3571n, 714n, 4285n]],
    [fee("5000", "20"), invoice("5000", "1000"), "535.71428", [536n, 107n, 643n]],
  ])("on %j of %j: %s", (given, issued, cents, [subTotalExcluding, taxes, total]) => {
    const note = oracleCreditNote({ fees: [given], invoice: issued, earlierNotes: [], items: [{ fee: 0, cents }] });
    expect(note).toMatchObject({ subTotalExcluding, taxes, total });
  });

  it("takes the rest of an invoice's tax when it credits the rest of its fees", () => {
    const amountsOfFees = ["6833", "5750", "8500", "6833"];
    const earlierNotes: ReturnType<typeof invoice>[] = [];
    const totals = amountsOfFees.map((cents, index) => {
      const fees = amountsOfFees.map((each, other) => ({ ...fee(each, "20"), credited: other < index ? each : "0" }));
      const items = [{ fee: index, cents }];
      const issued = invoice("27916", "5583");
      const note = oracleCreditNote({ fees, invoice: issued, earlierNotes: [...earlierNotes], items });
      earlierNotes.push(invoice(String(note.subTotalExcluding), String(note.taxes)));
      return note.total;
    });
    expect(totals).toEqual([8200n, 6900n, 10_200n, 8199n]);
  });

  const isComplete = (note: { fees: { cents: string; credited: string }[]; items: { fee: number; cents: string }[] }) =>
    note.fees.every(({ cents, credited }, fee) => {
      const item = note.items.find((each) => each.fee === fee)?.cents ?? "0";
      return BigInt(credited) + BigInt(item) === BigInt(cents);
    });

  it("never comes to more than the invoice with the notes before it, and with the last one to exactly that", () => {
    fc.assert(
      fc.property(cases.creditNotes, ({ invoice, notes }) => {
        const all = sumOf(notes.map((note) => oracleCreditNote(note).total));
        const { subTotalIncluding } = oracleInvoice(invoice);
        expect(all <= subTotalIncluding).toBe(true);
        if (notes.some(isComplete)) expect(all).toBe(subTotalIncluding);
      }),
      { numRuns: 300 },
    );
  });
});

it("fees, minimums and commitments go by days", () => {
  const fee = (cents: string, days: number, periodDays: number) => oracleSubscriptionFee({ cents, days, periodDays });
  expect(fee("61", 14, 28)).toBe(31n);
  expect(fee("5000", 24, 31)).toBe(3871n);
  expect(fee("5000", 21, 28)).toBe(3750n);
  expect(fee("5000000", 17, 31)).toBe(2_741_935n);
  expect(fee("91000", 32, 91)).toBe(32_000n);
  expect(fee("1000", 2, 30)).toBe(67n);
  expect(fee("1000", 1, 31)).toBe(32n);
  expect(fee("12000", 275, 366)).toBe(9016n);
  expect(fee("118800", 243, 366)).toBe(78_875n);
  expect(fee("10000", 14, 31)).toBe(4516n);
  expect(fee("20000", 17, 31)).toBe(10_968n);
  expect(oracleMinimum({ minimum: "1000", days: 25, periodDays: 28, used: "800" })).toBe(93n);
  expect(oracleMinimum({ minimum: "5000", days: 30, periodDays: 30, used: "3000" })).toBe(2000n);
  const used = String(fee("10000", 2, 29));
  expect(oracleCommitment({ minimum: "1000000", days: 2, periodDays: 29, used })).toBe(68_276n);
  expect(oracleCommitment({ minimum: "1000000", days: 31, periodDays: 31, used: "10000" })).toBe(990_000n);
});

describe("periods", () => {
  const newYork = { interval: "monthly" as const, billingTime: "calendar" as const, timeZone: "America/New_York" };
  it.each([
    ["2024-05-20T00:00:00Z", "2024-05-01T04:00:00Z", "2024-06-01T04:00:00Z"],
    ["2024-11-20T00:00:00Z", "2024-11-01T04:00:00Z", "2024-12-01T05:00:00Z"],
  ])("in New York at %s", (at, from, to) => {
    expect(oraclePeriods({ ...newYork, anchor: "2024-01-01", at })).toMatchObject({ from, to });
  });

  it.each([
    ["2023-02-10", "2023-01-31", "2023-02-27"],
    ["2023-03-10", "2023-02-28", "2023-03-30"],
    ["2023-04-10", "2023-03-31", "2023-04-29"],
    ["2023-05-10", "2023-04-30", "2023-05-30"],
  ])("from a 31st at %s", (at, firstDay, lastDay) => {
    const c = {
      interval: "monthly" as const,
      billingTime: "anniversary" as const,
      anchor: "2023-01-31",
      timeZone: "UTC",
    };
    expect(oraclePeriods({ ...c, at: `${at}T00:00:00Z` })).toMatchObject({ firstDay, lastDay });
  });

  it("hold their instant and end where the next begins", () => {
    fc.assert(
      fc.property(cases.period, (c) => {
        const { from, to } = oraclePeriods(c);
        const [start, at, end] = [from, c.at, to].map((text) => Temporal.Instant.from(text).epochNanoseconds);
        expect((start ?? 0n) <= (at ?? 0n) && (at ?? 0n) < (end ?? 0n)).toBe(true);
        expect(oraclePeriods({ ...c, at: to }).from).toBe(to);
      }),
      { numRuns: 300 },
    );
  });
});

it("every kind of case has an answer", () => {
  const answers = {
    adjacentPrice: fc.property(cases.adjacentPrice, (c) => oraclePrice(c).cents >= 0n),
    prorated: fc.property(cases.prorated, (c) => oracleProrated(c).cents >= 0n),
    aggregate: fc.property(cases.aggregate, (c) => oracleAggregate(c).eventsCount >= 0),
    inAdvance: fc.property(cases.inAdvance, (c) => oracleInAdvance(c).length === c.events.length),
    filter: fc.property(cases.filter, (c) => (oracleFilter(c) ?? 0) >= 0),
    subscriptionFee: fc.property(cases.subscriptionFee, (c) => oracleSubscriptionFee(c) <= BigInt(c.cents)),
    minimum: fc.property(cases.minimum, (c) => oracleMinimum(c) <= BigInt(c.minimum)),
    commitment: fc.property(cases.commitment, (c) => oracleCommitment(c) <= BigInt(c.minimum)),
  };
  for (const property of Object.values(answers)) fc.assert(property as fc.IProperty<[unknown]>, { numRuns: 200 });
});
