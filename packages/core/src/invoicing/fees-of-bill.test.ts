import { describe, expect, it, test } from "vitest";
import type { Plan } from "../catalog/index.ts";
import { decimal, exactText, minor } from "../money/index.ts";
import { rateInAdvance } from "../rating/index.ts";
import { at, Life, plan } from "../subscription/testing/life.ts";
import { explainQuantity, splitUsage } from "../usage/index.ts";
import { COUNT, chargeFilter, events, MAX, RECURRING_SUM, RECURRING_UNIQUE, SUM, UNIQUE } from "../usage/samples.ts";
import { type BillFee, type BillInput, feesOfBill, usageOfBill } from "./index.ts";
import {
  atLeast,
  billInput,
  cents,
  charge,
  inAdvance,
  inputsOf,
  type Sent,
  shownFees,
  shownLife,
  standard,
  tax,
} from "./testing/bills.ts";

const PAID_IN_ADVANCE = { isPaidInAdvance: true };

/** The bill of a calendar month, by default of a plan without a fee. */
function january(terms: Partial<Plan>, sent: Sent = {}, more: Partial<BillInput> = {}): BillInput {
  const free = plan(0, terms);
  const life = new Life("2024-01-01T00:00:00Z");
  life.subscribe(free);
  const bill = life.advance("2024-02-01T00:00:00Z").invoices.at(-1)?.lines[0]?.bill;
  if (!bill) throw new Error("No bill of January.");
  return billInput(bill, free, sent, more);
}

const fees = (...given: Parameters<typeof january>): readonly BillFee[] => feesOfBill(january(...given));
const shown = (...given: Parameters<typeof january>): string[] => shownFees(fees(...given)).slice(1);
const noon = "2024-01-10T12:00:00Z";
const values = (...all: string[]) => events(...all.map((v) => [noon, { v }] as const));

describe("the subscription fee", () => {
  test.each([
    ["of 24 of 31 days", plan(5000, PAID_IN_ADVANCE), "2023-01-08T00:00:00Z", ["subscription 3871"]],
    ["of 21 of 28 days", plan(5000, PAID_IN_ADVANCE), "2023-02-08T00:00:00Z", ["subscription 3750"]],
  ])("in advance is for the rest of the first period: %s", (_, given, start, expected) => {
    const life = new Life(start);
    life.subscribe(given);
    expect(shownLife(life, [given])).toEqual([expected]);
  });

  test("of a trial in advance is first billed at its end, from that day", () => {
    const given = plan(5_000_000, { ...PAID_IN_ADVANCE, trialDays: decimal("10") });
    const life = new Life("2023-03-05T12:12:00Z");
    life.subscribe(given);
    expect(shownLife(life.advance("2023-03-20T00:00:00Z"), [given])).toEqual([["subscription 2741935"]]);
  });

  test("of a trial in advance over a period's end leaves only usage to that invoice", () => {
    const given = plan(3100, { ...PAID_IN_ADVANCE, trialDays: decimal("20"), charges: [charge("calls", COUNT)] });
    const life = new Life("2023-01-20T00:00:00Z");
    life.subscribe(given);
    const sent = { calls: events(["2023-01-25T00:00:00Z"]) };
    expect(shownLife(life.advance("2023-02-05T00:00:00Z"), [given], sent)).toEqual([["charge:calls:-:{} 100"]]);
  });

  test("of a trial in arrears is 0 while it lasts, and stored with its window", () => {
    const given = plan(3100, { trialDays: decimal("40") });
    const life = new Life("2023-01-01T00:00:00Z");
    life.subscribe(given);
    const [[input] = []] = inputsOf(life.advance("2023-02-01T00:00:00Z"), [given]);
    const [fee] = input ? feesOfBill(input) : [];
    expect(fee).toMatchObject({ key: "subscription", amountMinor: 0n, eventsCount: null, isInvoiced: true });
    expect(`${fee?.from} to ${fee?.to}, ${fee?.units}`).toBe("2023-01-01T00:00:00Z to 2023-02-01T00:00:00Z, 1");
  });

  test("ends with the day of the end", () => {
    const given = plan(91_000, { interval: "quarterly" });
    const life = new Life("2024-05-20T00:00:00Z");
    life.subscribe(given);
    life.advance("2024-06-20T10:00:00Z").terminate();
    expect(shownLife(life, [given])).toEqual([["subscription 32000"]]);
  });

  test("of an agreed end on the next day is 2 of 30 days", () => {
    const life = new Life("2022-09-05T10:00:00Z", "Europe/Paris");
    const given = plan(1000);
    life.subscribe(given, { billingTime: "anniversary", endingAt: at("2022-09-06T10:00:00Z") });
    expect(shownLife(life.advance("2022-09-07T00:00:00Z"), [given])).toEqual([["subscription 67"]]);
  });

  test("of an agreed end on the boundary is one whole period, on one invoice", () => {
    const life = new Life("2022-09-05T00:00:00Z");
    const given = plan(1000);
    life.subscribe(given, { billingTime: "anniversary", endingAt: at("2022-10-05T00:00:00Z") });
    expect(shownLife(life.advance("2022-11-07T00:00:00Z"), [given])).toEqual([["subscription 1000"]]);
  });

  test("is one unit of its amount, in the plan's currency, known before rounding", () => {
    const given = plan(5000, { ...PAID_IN_ADVANCE, code: "base" });
    const life = new Life("2023-01-08T00:00:00Z");
    life.subscribe(given);
    const [[input] = []] = inputsOf(life, [given]);
    const [fee] = input ? feesOfBill({ ...input, taxes: { ...input.taxes, plan: [tax("20")] } }) : [];
    expect(fee?.preciseUnitAmount.toFixed()).toBe("38.71");
    expect(fee && exactText(fee.preciseAmountMinor)).toBe("120000/31");
    expect(fee).toMatchObject({ chargeId: null, filterId: null, group: {}, bucket: null, isRenewal: false });
    expect(fee).toMatchObject({ trueUpParentKey: null, label: "Plan" });
    expect(fee?.item).toEqual({ kind: "subscription", planCode: "base", planTaxes: [tax("20")] });
  });
});

describe("the fees of a charge", () => {
  const calls = charge("calls", COUNT, {
    filters: [chargeFilter("us", { region: ["us"] }), chargeFilter("eu", { region: ["eu"] })],
    price: { pricing: standard("0"), groupedBy: [] },
  });

  it("are stored where there was usage, one a filter, and nothing of it where there was none", () => {
    const sent = events([noon, { region: "us" }], [noon, { region: "us" }], [noon]);
    expect(shown({ charges: [calls] }, { calls: sent })).toEqual(["charge:calls:us:{} 200", "charge:calls:-:{} 0"]);
    expect(shown({ charges: [calls] })).toEqual([]);
  });

  it("are one a group", () => {
    const grouped = charge("calls", COUNT, { price: { pricing: standard("0.015"), groupedBy: ["user"] } });
    expect(shown({ charges: [grouped] }, { calls: events([noon, { user: "b" }], [noon, { user: "a" }]) })).toEqual([
      'charge:calls:-:{"user":"a"} 2',
      'charge:calls:-:{"user":"b"} 2',
    ]);
  });

  it("carry what is shown of them: window, units, events, unit amount, filter, group, bucket and names", () => {
    const grouped = charge("calls", COUNT, { filters: [chargeFilter("us", { region: ["us"] }, ["user"])] });
    const input = january({ charges: [grouped] }, { calls: events([noon, { region: "us", user: "a" }]) });
    const [, fee] = feesOfBill({ ...input, taxes: { ...input.taxes, charges: new Map([["calls", [tax("5")]]]) } });
    expect(fee).toMatchObject({ chargeId: "calls", filterId: "us", group: { user: "a" }, eventsCount: 1n });
    expect(fee).toMatchObject({ label: "calls · us · a", isRenewal: false, isInvoiced: true, trueUpParentKey: null });
    expect(fee?.bucket).toBe(input.usage[0]?.buckets[0]);
    expect([fee?.units, fee?.preciseUnitAmount].map(String)).toEqual(["1", "1"]);
    expect(`${fee?.from} ${fee?.to}`).toBe("2024-01-01T00:00:00Z 2024-02-01T00:00:00Z");
    expect(fee?.item).toEqual({
      kind: "charge",
      planCode: "plan",
      metricCode: "calls",
      chargeTaxes: [tax("5")],
      planTaxes: [],
    });
    const names = { ...input.names, charges: new Map([["calls", "API calls"]]), filters: new Map([["us", "America"]]) };
    expect(feesOfBill({ ...input, names })[1]?.label).toBe("API calls · America · a");
  });

  it("of a unique count show its value as their number of events", () => {
    const seats = charge("seats", UNIQUE);
    const [, fee] = fees({ charges: [seats] }, { seats: values("a", "a", "b") });
    expect(fee).toMatchObject({ eventsCount: 2n, amountMinor: 200n });
  });

  it("whose total is negative are 0 units and 0, and stored because there were events", () => {
    const [, fee] = fees({ charges: [charge("credits", SUM)] }, { credits: values("3", "-8") });
    expect(fee).toMatchObject({ key: "charge:credits:-:{}", amountMinor: 0n, eventsCount: 2n });
    expect(fee?.units.toFixed()).toBe("0");
    expect(fee && exactText(fee.preciseAmountMinor)).toBe("0");
  });

  it("come in the order of the plan, after the subscription's", () => {
    const sent = { calls: events([noon]), peak: values("2") };
    const charges = [charge("peak", MAX), charge("calls", COUNT)];
    expect(shownFees(fees({ charges }, sent))).toEqual([
      "subscription 0",
      "charge:peak:-:{} 200",
      "charge:calls:-:{} 100",
    ]);
  });

  it("billed event by event are not on the bill of the period", () =>
    expect(shown({ charges: [charge("calls", COUNT, { timing: inAdvance })] }, { calls: events([noon]) })).toEqual([]));
});

describe("the minimum of a charge", () => {
  it("is prorated by days: 25 of 28 days of 1000 with 800 used leave 93", () => {
    const given = plan(0, { charges: [charge("calls", COUNT, { timing: atLeast(1000) })] });
    const life = new Life("2023-02-01T00:00:00Z");
    life.subscribe(given);
    life.advance("2023-02-25T12:00:00Z").terminate();
    const sent = { calls: events(...Array.from({ length: 8 }, () => ["2023-02-10T00:00:00Z"] as const)) };
    expect(shownLife(life, [given], sent)).toEqual([["subscription 0", "charge:calls:-:{} 800", "true_up:calls 93"]]);
  });

  it("belongs to the fee of the default bucket", () => {
    const cards = charge("cards", COUNT, {
      timing: atLeast(5000),
      price: { pricing: standard("30"), groupedBy: [] },
      filters: [chargeFilter("us", { region: ["us"] })],
    });
    const all = fees({ charges: [cards] }, { cards: events([noon]) });
    expect(shownFees(all).slice(1)).toEqual(["charge:cards:-:{} 3000", "true_up:cards 2000"]);
    expect(all[2]).toMatchObject({
      trueUpParentKey: "charge:cards:-:{}",
      chargeId: "cards",
      filterId: null,
      eventsCount: 0n,
      label: "cards · minimum",
    });
    expect(`${all[2]?.units} at ${all[2]?.preciseUnitAmount.toFixed()}`).toBe("1 at 20");
    expect(all[2]?.item).toEqual(all[1]?.item);
  });

  it("of a charge without usage brings its fee of 0 along, but none of an idle filter", () => {
    const cards = charge("cards", COUNT, {
      timing: atLeast(5000),
      filters: [chargeFilter("us", { region: ["us"] })],
    });
    expect(shown({ charges: [cards] })).toEqual(["charge:cards:-:{} 0", "true_up:cards 5000"]);
  });

  it("of a grouped charge belongs to one billed group, and adds no empty one", () => {
    const seats = charge("seats", UNIQUE, {
      timing: atLeast(1000),
      price: { pricing: standard("1"), groupedBy: ["team"] },
    });
    const sent = events(
      [noon, { v: "x", team: "a" }],
      ["2024-01-11T12:00:00Z", { v: "x", team: "a", operation_type: "remove" }],
      [noon, { v: "x", team: "b" }],
      [noon, { v: "x", team: "c" }],
    );
    const all = fees({ charges: [seats] }, { seats: sent });
    expect(shownFees(all).slice(1)).toEqual([
      'charge:seats:-:{"team":"b"} 100',
      'charge:seats:-:{"team":"c"} 100',
      "true_up:seats 800",
    ]);
    expect(all.at(-1)?.trueUpParentKey).toBe('charge:seats:-:{"team":"b"}');
  });

  it("that was reached makes no fee", () =>
    expect(shown({ charges: [charge("calls", COUNT, { timing: atLeast(100) })] }, { calls: events([noon]) })).toEqual([
      "charge:calls:-:{} 100",
    ]));
});

describe("the commitment", () => {
  const committed = (amount: number, terms: Partial<Plan> = {}) =>
    plan(10_000, { minimumCommitmentMinor: cents(amount), ...terms });
  const billed = (inputs: readonly (readonly BillInput[])[], index: number, usedBefore = 0) => {
    const input = inputs[index]?.[0];
    if (!input) throw new Error("No such bill.");
    return shownFees(feesOfBill({ ...input, usedBeforeMinor: cents(usedBefore) }));
  };

  it("in arrears is reconciled over the same days: 68276 of 2 days, then 990000", () => {
    const given = committed(1_000_000);
    const life = new Life("2024-02-28T00:00:00Z");
    life.subscribe(given);
    expect(shownLife(life.advance("2024-04-01T00:00:00Z"), [given])).toEqual([
      ["subscription 690", "commitment 68276"],
      ["subscription 10000", "commitment 990000"],
    ]);
  });

  it("is reconciled at the end over the days lived, and counts usage, true-ups of charges and what was paid before", () => {
    const given = committed(30_000, { charges: [charge("calls", COUNT, { timing: atLeast(600) })] });
    const life = new Life("2024-04-01T00:00:00Z");
    life.subscribe(given);
    life.advance("2024-04-15T10:00:00Z").terminate();
    const inputs = inputsOf(life, [given], { calls: events(["2024-04-02T00:00:00Z"]) });
    expect(billed(inputs, 0, 1000)).toEqual([
      "subscription 5000",
      "charge:calls:-:{} 100",
      "true_up:calls 200",
      "commitment 8700",
    ]);
  });

  it("in advance is reconciled for the period that closes, on the invoice that renews: the new fee does not count", () => {
    const given = committed(30_000, { ...PAID_IN_ADVANCE, charges: [charge("calls", COUNT)] });
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(given);
    const inputs = inputsOf(life.advance("2024-02-01T00:00:00Z"), [given], { calls: events([noon]) });
    expect(billed(inputs, 0)).toEqual(["subscription 10000"]);
    expect(billed(inputs, 1, 10_000)).toEqual(["subscription 10000", "charge:calls:-:{} 100", "commitment 19900"]);
  });

  it("of a year with monthly charges is on the invoice with the year's fee, and earlier months count", () => {
    const given = committed(365_000, {
      interval: "yearly",
      areChargesMonthly: true,
      charges: [charge("calls", COUNT)],
    });
    const life = new Life("2023-11-01T00:00:00Z");
    life.subscribe(given);
    const sent = { calls: events(["2023-11-10T00:00:00Z"], ["2023-12-10T00:00:00Z"], ["2024-01-10T00:00:00Z"]) };
    const inputs = inputsOf(life.advance("2024-02-01T00:00:00Z"), [given], sent);
    expect(billed(inputs, 0)).toEqual(["charge:calls:-:{} 100"]);
    // 61 of 365 days: a fee of 1671, two months of 100, and 61000 to reach.
    expect(billed(inputs, 1, 100)).toEqual(["subscription 1671", "charge:calls:-:{} 100", "commitment 59129"]);
    expect(billed(inputs, 2)).toEqual(["charge:calls:-:{} 100"]);
  });

  it("that is reached, or that there is none of, makes no fee", () => {
    expect(
      shown({ minimumCommitmentMinor: cents(100), charges: [charge("calls", COUNT)] }, { calls: values("1") }),
    ).toEqual(["charge:calls:-:{} 100"]);
    expect(shown({ minimumCommitmentMinor: minor(0n) })).toEqual([]);
    expect(shown({ minimumCommitmentMinor: null })).toEqual([]);
  });

  it("does not count what is renewed for the period that begins", () => {
    const seats = charge("seats", RECURRING_SUM, { timing: inAdvance });
    const input = january({ minimumCommitmentMinor: cents(1000), charges: [seats] }, { seats: values("4") });
    expect(shownFees(feesOfBill(input))).toEqual(["subscription 0", "renewal:seats:-:{} 400", "commitment 1000"]);
  });

  it("has taxes of its own, then those of the plan", () => {
    const input = january({ minimumCommitmentMinor: cents(1000) });
    const taxes = { ...input.taxes, commitment: [tax("5")], plan: [tax("10")] };
    const fee = feesOfBill({ ...input, taxes }).at(-1);
    expect(fee).toMatchObject({
      key: "commitment",
      label: "Minimum commitment",
      eventsCount: null,
      chargeId: null,
      item: { kind: "commitment", planCode: "plan", commitmentTaxes: [tax("5")], planTaxes: [tax("10")] },
    });
    expect(`${fee?.from} ${fee?.to}`).toBe("2024-01-01T00:00:00Z 2024-02-01T00:00:00Z");
    expect(fee && exactText(fee.preciseAmountMinor)).toBe("1000");
  });
});

describe("recurring charges paid in advance", () => {
  const seats = charge("seats", RECURRING_UNIQUE, {
    timing: inAdvance,
    isProrated: true,
    price: { pricing: standard("30"), groupedBy: [] },
  });
  const sent = { seats: values("ann", "bob") };

  it("are billed for the period that begins in full, whenever their units came", () => {
    const [, fee] = fees({ charges: [seats] }, sent);
    expect(fee).toMatchObject({ key: "renewal:seats:-:{}", amountMinor: 6000n, eventsCount: 2n, isRenewal: true });
    expect(fee).toMatchObject({ isInvoiced: true, chargeId: "seats", label: "seats" });
    expect(fee?.derivation).toMatchObject({ type: "renewal", fee: { pricing: { model: "standard", units: "2" } } });
    expect(`${fee?.from} ${fee?.to}`).toBe("2024-02-01T00:00:00Z 2024-03-01T00:00:00Z");
  });

  it("leave out what comes when the period has begun", () => {
    const late = { seats: [...sent.seats, ...events(["2024-02-01T00:00:00Z", { v: "eve" }])] };
    expect(shown({ charges: [seats] }, late)).toEqual(["renewal:seats:-:{} 6000"]);
  });

  it("begin the period with what usage shows then", () => {
    const input = january({ charges: [seats] }, sent);
    const window = input.bill.renewal;
    if (!window) throw new Error("A period begins.");
    const buckets = splitUsage(seats, sent.seats, window);
    const [first] = rateInAdvance(seats, buckets, sent.seats, { window, currency: input.plan.currency });
    expect(first?.amountMinor).toBe(feesOfBill(input)[1]?.amountMinor);
  });

  it("that hold nothing make no fee, and those below zero one of 0", () => {
    const balance = charge("balance", RECURRING_SUM, { timing: inAdvance });
    expect(shown({ charges: [balance] })).toEqual([]);
    expect(shown({ charges: [balance] }, { balance: values("2", "-5") })).toEqual(["renewal:balance:-:{} 0"]);
  });

  it.each(["no_invoice", "regroup_paid"] as const)("of a charge with %s make a standalone fee", (invoicing) => {
    const [, fee] = fees({ charges: [{ ...seats, timing: { type: "in_advance", invoicing } }] }, sent);
    expect(fee).toMatchObject({ isInvoiced: false, isRenewal: true, amountMinor: 6000n });
  });

  it("are never renewed at an end, nor by an upgrade", () => {
    const [small, large] = [plan(100, { charges: [seats] }), plan(200, { code: "large", charges: [seats] })];
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(small);
    life.advance("2024-01-15T00:00:00Z").subscribe(large);
    life.advance("2024-01-20T00:00:00Z").terminate();
    expect(shownLife(life, [small, large], sent)).toEqual([["subscription 45"], ["subscription 39"]]);
  });

  it("are renewed by the plan of a downgrade, which begins with a period", () => {
    const [large, small] = [plan(200), plan(100, { code: "small", charges: [seats] })];
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(large);
    life.advance("2024-01-15T00:00:00Z").subscribe(small);
    expect(shownLife(life.advance("2024-02-01T00:00:00Z"), [large, small], sent)).toEqual([
      ["subscription 200", "renewal:seats:-:{} 6000"],
    ]);
  });
});

describe("a change of plan", () => {
  it("bills the old plan without the day of the upgrade, and the new one from it", () => {
    const [small, large] = [plan(10_000), plan(20_000, { code: "large" })];
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(small);
    life.advance("2024-01-15T10:00:00Z").subscribe(large);
    expect(shownLife(life.advance("2024-02-01T00:00:00Z"), [small, large])).toEqual([
      ["subscription 4516"],
      ["subscription 10968"],
    ]);
  });

  it("to a year in advance costs 275 of 366 days of it", () => {
    const small = plan(1000, PAID_IN_ADVANCE);
    const large = plan(12_000, { ...PAID_IN_ADVANCE, code: "large", interval: "yearly" });
    const life = new Life("2023-06-29T00:00:00Z");
    life.subscribe(small, { billingTime: "anniversary" });
    life.advance("2023-09-28T10:00:00Z").subscribe(large);
    expect(shownLife(life, [small, large]).at(-1)).toEqual(["subscription 9016"]);
  });

  it("down to a year in advance waits for the period's end, and costs 243 of 366 days of it", () => {
    const large = plan(10_000, PAID_IN_ADVANCE);
    const small = plan(118_800, { ...PAID_IN_ADVANCE, code: "small", interval: "yearly" });
    const life = new Life("2023-07-19T00:00:00Z");
    life.subscribe(large, { billingTime: "anniversary" });
    life.advance("2023-11-09T00:00:00Z").subscribe(small);
    expect(shownLife(life.advance("2023-11-19T00:00:00Z"), [large, small]).at(-1)).toEqual(["subscription 78875"]);
  });

  it("leaves what recurring metrics hold to the new plan that has them too, unless it is prorated", () => {
    const charges = [
      charge("seats", RECURRING_SUM),
      charge("disks", RECURRING_SUM, { isProrated: true }),
      charge("calls", COUNT),
    ];
    const [small, large] = [plan(0, { charges }), plan(100, { code: "large", charges })];
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(small);
    life.advance("2024-01-15T10:00:00Z").subscribe(large);
    const sent = { seats: values("5"), disks: values("31"), calls: events([noon]) };
    expect(shownLife(life.advance("2024-02-01T00:00:00Z"), [small, large], sent)).toEqual([
      // 5 of 31 days, from the 10th to the 14th.
      ["subscription 0", "charge:disks:-:{} 500", "charge:calls:-:{} 100"],
      ["subscription 55", "charge:seats:-:{} 500", "charge:disks:-:{} 1700"],
    ]);
  });

  it("away on the first day bills what was used, and no fee", () => {
    const [small, large] = [plan(100, { charges: [charge("calls", COUNT)] }), plan(200, { code: "large" })];
    const life = new Life("2024-01-15T08:00:00Z");
    life.subscribe(small);
    life.advance("2024-01-15T10:00:00Z").subscribe(large);
    expect(shownLife(life, [small, large], { calls: events(["2024-01-15T09:00:00Z"]) })).toEqual([
      ["charge:calls:-:{} 100"],
    ]);
  });
});

describe("usage that does not fit the bill", () => {
  const input = january({ charges: [charge("calls", COUNT)] });

  it("is refused when a charge was not read", () =>
    expect(() => feesOfBill({ ...input, usage: [] })).toThrow("The usage of charge calls"));

  it.each([
    ["from", { from: at("2024-01-02T00:00:00Z") }],
    ["to", { to: at("2024-02-02T00:00:00Z") }],
  ])("is refused when it was read over a window with another %s", (_, more) => {
    if (!input.bill.charges) throw new Error("A period closes.");
    const window = { ...input.bill.charges, ...more };
    const usage = input.plan.charges.map((read) => ({ charge: read, buckets: splitUsage(read, [], window) }));
    expect(() => feesOfBill({ ...input, usage })).toThrow("over another window");
  });

  it("is refused when renewed units were read beyond the start of the period", () => {
    const seats = charge("seats", RECURRING_SUM, { timing: inAdvance });
    const renewing = january({ charges: [seats] });
    const window = renewing.bill.renewal;
    if (!window) throw new Error("A period begins.");
    const renewed = [{ charge: seats, buckets: splitUsage(seats, [], window) }];
    expect(() => feesOfBill({ ...renewing, renewed })).toThrow("over another window");
  });

  it("is refused when a minimum finds no bucket to hang on", () => {
    const least = january({ charges: [charge("calls", COUNT, { timing: atLeast(100) })] });
    const usage = least.usage.map((read) => ({ ...read, buckets: [] }));
    expect(() => feesOfBill({ ...least, usage })).toThrow("what no filter takes");
  });

  it("is not wanted where the bill has no such window", () => {
    const given = plan(100, { ...PAID_IN_ADVANCE, charges: [charge("calls", COUNT)] });
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(given);
    const bill = life.invoices[0]?.lines[0]?.bill;
    expect(bill && usageOfBill(bill, given, null)).toEqual({ inArrears: [], renewed: [] });
  });
});

test("every kind of fee carries what it was computed from", () => {
  const charges = [
    charge("calls", COUNT, { timing: atLeast(1000) }),
    charge("seats", RECURRING_SUM, { timing: inAdvance }),
  ];
  const sent = { calls: events([noon]), seats: values("2") };
  const all = fees({ charges, minimumCommitmentMinor: cents(5000) }, sent);
  expect(all).toMatchObject([
    {
      key: "subscription",
      derivation: { type: "subscription_fee", firstDay: "2024-01-01", lastDay: "2024-01-31", days: 31, periodDays: 31 },
    },
    { key: "charge:calls:-:{}", derivation: { type: "usage", fee: { exact: "1", amountMinor: "100" } } },
    {
      key: "true_up:calls",
      derivation: { type: "charge_minimum", minimumMinor: "1000", days: 31, requiredMinor: "1000", usedMinor: "100" },
    },
    { key: "renewal:seats:-:{}", derivation: { type: "renewal", fee: { exact: "2", amountMinor: "200" } } },
    {
      key: "commitment",
      derivation: { type: "commitment", minimumMinor: "5000", days: 31, requiredMinor: "5000", usedMinor: "1000" },
    },
  ]);
  const used = all.flatMap(({ derivation }) =>
    "quantity" in derivation ? [explainQuantity(derivation.quantity)] : [],
  );
  expect(used).toEqual([
    ["Number of events, from 2024-01-01T00:00:00Z until before 2024-02-01T00:00:00Z", "1 event counted", "Units: 1"],
    [
      "Sum of v, from 2024-01-01T00:00:00Z until before 2024-02-01T00:00:00Z",
      "1 event counted",
      "0 from before + 2 in this window = 2",
    ],
  ]);
});
