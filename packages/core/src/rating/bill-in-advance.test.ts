import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Charge, ChargeFilter, Pricing } from "../catalog/index.ts";
import { currency, decimal, type Minor, minor, sum } from "../money/index.ts";
import { aggregate, isInUse, replayInAdvance, splitUsage, takesAway, type UsageEvent } from "../usage/index.ts";
import {
  billNext,
  dependsOnAcceptance,
  feeSoFar,
  type InAdvanceTally,
  type InAdvanceTerms,
  inAdvanceTerms,
  rateBuckets,
  rateInAdvance,
  tallyOf,
  tallyOfTotal,
} from "./index.ts";

const day = (text: string) => Temporal.PlainDate.from(text);
const september = {
  from: Temporal.Instant.from("2024-09-01T00:00:00Z"),
  to: Temporal.Instant.from("2024-10-01T00:00:00Z"),
  timeZone: "UTC",
  firstDay: day("2024-09-01"),
  lastDay: day("2024-09-30"),
  periodDays: 30,
};
const context = { window: september, currency: currency("EUR") };

const standard = (amount: string): Pricing => ({ model: "standard", amount: decimal(amount) });
const packages: Pricing = { model: "package", amount: decimal("100"), freeUnits: 0n, packageSize: 10n };
const percentage: Pricing = {
  model: "percentage",
  rate: decimal("1"),
  fixedAmount: decimal("0.5"),
  freeEvents: 1n,
  freeUnits: null,
  perTransactionMin: null,
  perTransactionMax: null,
};

const SUM = { type: "sum", field: "v", isRecurring: false } as const;
const RECURRING = { ...SUM, isRecurring: true } as const;
const UNIQUE = { type: "unique_count", field: "v", isRecurring: false } as const;

const charge = (rest: Partial<Charge>): Charge => ({
  id: "charge",
  metric: { code: "metric", aggregation: SUM, filters: [{ key: "region", values: ["eu", "us"] }] },
  price: { pricing: standard("1"), groupedBy: [] },
  filters: [],
  timing: { type: "in_advance", invoicing: "no_invoice" },
  isProrated: false,
  ...rest,
});
const on = (aggregation: Charge["metric"]["aggregation"], pricing: Pricing, rest: Partial<Charge> = {}): Charge =>
  charge({ metric: { code: "metric", aggregation, filters: [] }, price: { pricing, groupedBy: [] }, ...rest });

let position = 0n;
const event = (properties: Readonly<Record<string, string>>, at = "2024-09-10T12:00:00Z"): UsageEvent => ({
  at: Temporal.Instant.from(at),
  position: position++,
  properties,
});

/** Like a worker: a row of state between two events, and a lookup of the value. */
function billAll(terms: InAdvanceTerms, sent: readonly UsageEvent[]) {
  const start = tallyOf(terms, replayInAdvance(terms.aggregation, [], terms.window));
  const active = new Set<string>();
  let tally: InAdvanceTally = start;
  const fees = sent.flatMap((each) => {
    const next = billNext(terms, tally, each, isInUse(terms.aggregation, each, active));
    if (next === null) return [];
    tally = JSON.parse(JSON.stringify(next.tally));
    const value = each.properties.v ?? "";
    if (next.isActive) active.add(value);
    else active.delete(value);
    return [next.fee];
  });
  return { fees, tally };
}

const cents = (fees: readonly { readonly amountMinor: Minor }[]) => fees.map(({ amountMinor }) => Number(amountMinor));

describe("the fee of one event", () => {
  it.each([
    ["a decrease is not refunded", on(SUM, standard("1")), ["10", "-4", "8"], ["10: 1000", "0: 0", "4: 400"]],
    [
      "a package is paid by the event that opens it",
      on(SUM, packages),
      ["19", "1", "1"],
      ["19: 20000", "1: 0", "1: 10000"],
    ],
    [
      "a free re-add shows one unit",
      on(UNIQUE, standard("12")),
      ["A", "-A", "A", "B"],
      ["1: 1200", "0: 0", "1: 0", "1: 1200"],
    ],
    ["each event of a count", on({ type: "count" }, standard("0.015")), ["x", "x"], ["1: 2", "1: 2"]],
    ["one free event", on(SUM, percentage), ["100", "10"], ["100: 0", "10: 60"]],
  ])("%s", (_name, priced, values, unitsAndCents) => {
    const sent = values.map((text) =>
      event(text.startsWith("-A") ? { v: "A", operation_type: "remove" } : { v: text }),
    );
    const { fees } = billAll(inAdvanceTerms(priced, null, context), sent);
    expect(fees.map(({ units, amountMinor }) => `${units.toFixed()}: ${amountMinor}`)).toEqual(unitsAndCents);
    expect(fees.every(({ eventsCount }) => eventsCount === 1n)).toBe(true);
  });

  it("there is none for an event without what the metric counts", () => {
    const terms = inAdvanceTerms(on(SUM, standard("1")), null, context);
    expect(billAll(terms, [event({ v: "much" }), event({})]).fees).toEqual([]);
  });

  it("prorated units weigh the days that are left: on 10 September 21 of 30", () => {
    const terms = inAdvanceTerms(on(RECURRING, standard("30"), { isProrated: true }), null, context);
    const { fees, tally } = billAll(terms, [
      event({ v: "1" }),
      event({ v: "-1" }),
      event({ v: "2" }, "2024-09-30T00:00Z"),
    ]);
    expect(cents(fees)).toEqual([2100, 0, 100]);
    expect(fees.map(({ units }) => units.toFixed())).toEqual(["1", "0", "1"]);
    const whole = feeSoFar(terms, tally, 3n);
    expect([whole.amountMinor, whole.units.toFixed(), whole.eventsCount]).toEqual([2200n, "2", 3n]);
  });

  it("is priced by its filter", () => {
    const eu: ChargeFilter = { id: "eu", values: { region: ["eu"] }, price: { pricing: standard("2"), groupedBy: [] } };
    const { fees } = billAll(inAdvanceTerms(charge({ filters: [eu] }), eu, context), [event({ v: "3" })]);
    expect(cents(fees)).toEqual([600]);
  });

  it("a charge that cannot be billed in advance is refused", () => {
    const wrong = on({ type: "max", field: "v" }, standard("1"));
    expect(() => inAdvanceTerms(wrong, null, context)).toThrow("A max is never billed in advance");
    const terms = inAdvanceTerms(on(RECURRING, packages, { isProrated: true }), null, context);
    expect(() => billAll(terms, [event({ v: "1" })])).toThrow("A package price in advance is never prorated");
  });
});

describe("all events of a period", () => {
  it("a recurring metric begins with what its renewal billed in full, also where it prorates", () => {
    const terms = inAdvanceTerms(on(RECURRING, standard("30"), { isProrated: true }), null, context);
    const sent = [event({ v: "2" }, "2024-08-20T00:00Z"), event({ v: "1" })];
    const tally = tallyOf(terms, replayInAdvance(terms.aggregation, sent, september));
    const whole = feeSoFar(terms, tally, 1n);
    expect([whole.amountMinor, whole.units.toFixed()]).toEqual([8100n, "3"]);
  });

  it("of a count, and of a sum that was never lowered, follow from their quantity", () => {
    const sent = [event({ v: "2" }), event({ v: "0" }), event({ v: "7.5" })];
    for (const [aggregation, pricing] of [
      [{ type: "count" }, percentage],
      [{ type: "count" }, packages],
      [SUM, packages],
      [SUM, standard("0.07")],
    ] as const) {
      const terms = inAdvanceTerms(on(aggregation, pricing), null, context);
      const tally = tallyOfTotal(terms, aggregate(terms.aggregation, sent, september));
      expect(tally).toEqual(billAll(terms, sent).tally);
    }
  });

  test("cost what their fees were before rounding, and are the same however they are counted", () => {
    const values = fc.array(fc.constantFrom("1", "2.5", "-3", "40", "junk", "0"), { maxLength: 12 });
    const pricings = fc.constantFrom(standard("0.333"), packages, percentage, {
      ...percentage,
      perTransactionMin: decimal("0.2"),
    });
    const aggregations = fc.constantFrom(SUM, UNIQUE, { type: "count" } as const);
    fc.assert(
      fc.property(aggregations, pricings, values, (aggregation, pricing, texts) => {
        const terms = inAdvanceTerms(on(aggregation, pricing), null, context);
        const sent = texts.map((v) => event({ v }));
        const { fees, tally } = billAll(terms, sent);
        expect(tallyOf(terms, replayInAdvance(aggregation, sent.toReversed(), september))).toEqual(tally);
        const exact = sum(fees.map(({ preciseAmountMinor }) => preciseAmountMinor));
        expect(feeSoFar(terms, tally, 0n).preciseAmountMinor.equals(exact)).toBe(true);
      }),
    );
  });
});

describe("the usage of a charge in advance", () => {
  const eu: ChargeFilter = {
    id: "eu",
    values: { region: ["eu"] },
    price: { pricing: standard("2"), groupedBy: ["team"] },
  };
  const rate = (of: Charge, sent: readonly UsageEvent[]) =>
    rateInAdvance(of, splitUsage(of, sent, september), sent, context);

  it("is the price of the highest total of each filter and group", () => {
    const sent = [
      event({ region: "eu", team: "a", v: "10" }),
      event({ region: "eu", team: "a", v: "-4" }),
      event({ region: "eu", team: "b", v: "1" }),
      event({ region: "us", v: "3" }),
      event({ region: "us", v: "-3" }),
    ];
    const fees = rate(charge({ filters: [eu] }), sent);
    expect(
      fees.map(({ filterId, group, units, eventsCount }) => [filterId, group, units.toFixed(), eventsCount]),
    ).toEqual([
      ["eu", { team: "a" }, "10", 2n],
      ["eu", { team: "b" }, "1", 1n],
      [null, {}, "3", 2n],
    ]);
    expect(cents(fees)).toEqual([2000, 200, 300]);
  });

  it("of a unique count shows its value as its number of events", () => {
    const [fee] = rate(on(UNIQUE, standard("12")), [event({ v: "A" }), event({ v: "A", operation_type: "remove" })]);
    expect([fee?.units.toFixed(), fee?.eventsCount, fee?.amountMinor]).toEqual(["1", 1n, 1200n]);
  });

  it("depends on the order of acceptance only where something was taken away, or events are priced one by one", () => {
    const arrears: Charge["timing"] = { type: "arrears", minAmountMinor: minor(0n) };
    const answers = (of: Charge) => [false, true].map((wasLowered) => dependsOnAcceptance(of, { wasLowered }));
    expect(answers(on({ type: "count" }, percentage))).toEqual([false, false]);
    expect(answers(on(SUM, standard("1")))).toEqual([false, true]);
    expect(answers(on(SUM, percentage))).toEqual([true, true]);
    expect(answers(on(RECURRING, standard("1"), { isProrated: true }))).toEqual([true, true]);
    expect(answers(on(SUM, standard("1"), { timing: arrears }))).toEqual([false, false]);
  });

  test("is that of the last total where nothing was taken away", () => {
    const values = fc.array(fc.constantFrom("1", "2.5", "0", "40", "junk"), { maxLength: 12 });
    const aggregations = fc.constantFrom(SUM, RECURRING, UNIQUE);
    const pricings = fc.constantFrom(standard("0.333"), packages);
    const days = fc.array(fc.constantFrom("2024-08-20", "2024-09-20"), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(aggregations, pricings, values, days, (aggregation, pricing, texts, dates) => {
        const of = on(aggregation, pricing);
        const sent = texts.map((v, index) => event({ v }, `${dates[index]}T00:00:00Z`));
        expect(sent.some((each) => takesAway(aggregation, each))).toBe(false);
        const byTotal = rateBuckets(of, splitUsage(of, sent, september), context);
        expect(rate(of, sent).map(({ derivation: _, ...fee }) => fee)).toEqual(
          byTotal.map(({ derivation: _, ...fee }) => fee),
        );
      }),
    );
  });

  it("without usage is nothing", () => {
    expect(cents(rate(charge({ filters: [eu] }), []))).toEqual([0, 0]);
  });
});
