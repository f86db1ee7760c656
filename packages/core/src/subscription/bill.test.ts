import { describe, expect, it, test } from "vitest";
import type { Charge, Plan } from "../catalog/index.ts";
import { decimal, minor } from "../money/index.ts";
import { lastSecond } from "../time/index.ts";
import {
  type Active,
  type Bill,
  chargesInArrears,
  chargesRenewed,
  closePeriod,
  currentUsage,
  daysOf,
  decideSubscribe,
  periodicBill,
  type Span,
  startingBill,
  subscriptionFee,
  takeDowngrade,
  terminate,
  terminatingBill,
} from "./index.ts";
import { at, Life, plan, request } from "./testing/life.ts";
import { takeUpgrade } from "./transitions.ts";

const inAdvance = { isPaidInAdvance: true };
const shown = (span: Span | null) =>
  span && `${span.from} to ${lastSecond(span.to)}, ${daysOf(span)} of ${span.periodDays} days`;
const billsOf = ({ invoices }: Life): Bill[] => invoices.flatMap(({ lines }) => lines.map(({ bill }) => bill));
const lastBill = (life: Life): Bill | undefined => billsOf(life).at(-1);

test("the fee begins at the midnight of the start's day, usage at its very instant", () => {
  const life = new Life("2023-07-19T12:12:00Z");
  life.subscribe(plan(1000, inAdvance), { billingTime: "anniversary" });
  const [starting, periodic] = billsOf(life.advance("2023-08-19T00:00:00Z"));
  expect(shown(starting?.fee ?? null)).toBe("2023-07-19T00:00:00Z to 2023-08-18T23:59:59Z, 31 of 31 days");
  expect(starting).toMatchObject({ reason: "starting", charges: null, renewal: null, commitment: null });
  expect(shown(periodic?.fee ?? null)).toBe("2023-08-19T00:00:00Z to 2023-09-18T23:59:59Z, 31 of 31 days");
  expect(shown(periodic?.charges ?? null)).toBe("2023-07-19T12:12:00Z to 2023-08-18T23:59:59Z, 31 of 31 days");
  expect(shown(periodic?.renewal ?? null)).toBe("2023-08-19T00:00:00Z to 2023-09-18T23:59:59Z, 31 of 31 days");
});

test("anniversaries on the 31st are counted from the 31st", () => {
  const life = new Life("2023-01-31T00:00:00Z");
  life.subscribe(plan(1000), { billingTime: "anniversary" });
  life.advance("2023-05-31T00:00:00Z");
  expect(billsOf(life).map(({ fee }) => `${fee?.firstDay} to ${fee?.lastDay}`)).toEqual([
    "2023-01-31 to 2023-02-27",
    "2023-02-28 to 2023-03-30",
    "2023-03-31 to 2023-04-29",
    "2023-04-30 to 2023-05-30",
  ]);
});

describe("current usage", () => {
  it.each([
    ["2024-05-10T00:00:00Z", "2024-05-01T04:00:00Z to 2024-06-01T03:59:59Z, 31 of 31 days", "2024-06-01"],
    // 30 days and one hour: the clocks go back on the 3rd.
    ["2024-11-10T00:00:00Z", "2024-11-01T04:00:00Z to 2024-12-01T04:59:59Z, 30 of 30 days", "2024-12-01"],
  ])("of New York at %s is %s", (now, window, date) => {
    const life = new Life("2024-01-01T05:00:00Z", "America/New_York");
    life.subscribe(plan(3100));
    const usage = currentUsage(life.advance(now).active(), at(now));
    expect(shown(usage.window)).toBe(window);
    expect(usage.issuingOn.toString()).toBe(date);
  });

  it("begins with the subscription, goes to the period's end, and moves on while the last bill waits", () => {
    const life = new Life("2024-01-16T09:00:00Z");
    life.subscribe(plan(3100), { endingAt: at("2024-01-20T00:00:00Z") });
    const active = life.active();
    expect(shown(currentUsage(active, life.now).window)).toBe(
      "2024-01-16T09:00:00Z to 2024-01-31T23:59:59Z, 16 of 31 days",
    );
    expect(shown(currentUsage(active, at("2024-03-01T00:00:00Z")).window)).toBe(
      "2024-03-01T00:00:00Z to 2024-03-31T23:59:59Z, 31 of 31 days",
    );
  });

  it("of a year with monthly charges is that of the month", () => {
    const life = new Life("2023-11-15T00:00:00Z");
    life.subscribe(plan(365_000, { interval: "yearly", areChargesMonthly: true }));
    const usage = currentUsage(life.active(), life.now);
    expect(shown(usage.window)).toBe("2023-11-15T00:00:00Z to 2023-11-30T23:59:59Z, 16 of 30 days");
    expect(usage.issuingOn.toString()).toBe("2023-12-01");
  });
});

describe("the days of a minimum", () => {
  test("end with the day of the end: 25 of 28", () => {
    const life = new Life("2023-02-01T00:00:00Z");
    life.subscribe(plan(0));
    life.advance("2023-02-25T12:00:00Z").terminate();
    expect(shown(lastBill(life)?.charges ?? null)).toBe("2023-02-01T00:00:00Z to 2023-02-25T11:59:59Z, 25 of 28 days");
  });

  test("count whole days, also from an afternoon to a morning", () => {
    const life = new Life("2024-01-10T18:00:00Z");
    life.subscribe(plan(0));
    life.advance("2024-01-12T09:00:00Z").terminate();
    expect(shown(lastBill(life)?.charges ?? null)).toBe("2024-01-10T18:00:00Z to 2024-01-12T08:59:59Z, 3 of 31 days");
  });

  test("of an upgrade leave its day to the new plan, and the instant is shared", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(100));
    life.advance("2024-01-15T10:00:00Z").subscribe(plan(200, { code: "more" }));
    life.advance("2024-02-01T00:00:00Z");
    expect(billsOf(life).map(({ charges }) => shown(charges))).toEqual([
      "2024-01-01T00:00:00Z to 2024-01-15T09:59:59Z, 14 of 31 days",
      "2024-01-15T10:00:00Z to 2024-01-31T23:59:59Z, 17 of 31 days",
    ]);
  });

  test("of an upgrade where a period ends, not billed yet, are all of that period", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(100));
    const boundary = at("2024-02-01T00:00:00Z");
    const chain = { current: life.active(), next: null };
    const situation = { now: boundary, timeZone: "UTC", chain, past: null };
    const decision = decideSubscribe(request(plan(200, { code: "more" })), situation);
    if (!decision.ok || decision.value.type !== "upgraded") throw new Error("No upgrade.");
    const { fee, charges } = terminatingBill(decision.value.old) as Bill;
    expect(shown(fee)).toBe("2024-01-01T00:00:00Z to 2024-01-31T23:59:59Z, 31 of 31 days");
    expect(shown(charges)).toBe("2024-01-01T00:00:00Z to 2024-01-31T23:59:59Z, 31 of 31 days");
  });

  test("of an upgrade on the first day are none, but what was used before it is billed", () => {
    const life = new Life("2024-01-15T08:00:00Z");
    life.subscribe(plan(100));
    life.advance("2024-01-15T10:00:00Z").subscribe(plan(200, { code: "more" }));
    expect(shown(lastBill(life)?.charges ?? null)).toBe("2024-01-15T08:00:00Z to 2024-01-15T09:59:59Z, 0 of 31 days");
    expect(lastBill(life)).toMatchObject({ fee: null, commitment: null });
  });
});

describe("the commitment of a plan is reconciled", () => {
  const days = (life: Life) =>
    billsOf(life).map(({ commitment }) => commitment && [daysOf(commitment), commitment.periodDays]);

  test("in arrears with the fee of the same days", () => {
    const life = new Life("2024-02-28T00:00:00Z");
    life.subscribe(plan(10_000, { minimumCommitmentMinor: minor(1_000_000n) }));
    life.advance("2024-04-01T00:00:00Z");
    life.advance("2024-04-10T00:00:00Z").terminate();
    expect(days(life)).toEqual([
      [2, 29],
      [31, 31],
      [10, 30],
    ]);
  });

  test("in advance for the period that ends, so not on the first invoice, and for the last one at its end", () => {
    const life = new Life("2024-01-20T00:00:00Z");
    life.subscribe(plan(10_000, inAdvance));
    life.advance("2024-02-10T00:00:00Z").terminate();
    expect(days(life)).toEqual([null, [12, 31], [10, 29]]);
  });

  test("with monthly charges only where the year's fee is", () => {
    const life = new Life("2023-11-15T00:00:00Z");
    life.subscribe(plan(10_000, { interval: "yearly", areChargesMonthly: true }));
    expect(days(life.advance("2024-02-01T00:00:00Z"))).toEqual([null, [47, 365], null]);
    expect(billsOf(life).map(({ fee }) => fee !== null)).toEqual([false, true, false]);
  });
});

describe("while the bill of a period end waits", () => {
  /** Ended five minutes after the end of January, before that was billed. */
  const late = (terms: Partial<Plan> = {}) => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(2900, terms));
    return { active: life.active(), ended: terminate(life.active(), null, at("2024-02-01T00:05:00Z")).ended };
  };

  test.each([false, true])("an end after it changes nothing of it (in advance: %s)", (isPaidInAdvance) => {
    const { active, ended } = late({ isPaidInAdvance });
    expect(periodicBill(ended)).toEqual(periodicBill(active));
    const inTime = terminate(closePeriod(active), null, ended.terminatedAt).ended;
    expect(terminatingBill(closePeriod(ended))).toEqual(terminatingBill(inTime));
  });

  test("the bill of the end is refused", () => expect(() => terminatingBill(late().ended)).toThrow(RangeError));
});

describe("an end before the beginning, later on the same day", () => {
  test("bills the day and no usage", () => {
    const life = new Life("2024-01-10T10:00:00Z");
    life.subscribe(plan(3100), { subscriptionAt: at("2024-01-10T18:00:00Z") });
    life.advance("2024-01-10T11:00:00Z").terminate();
    expect(lastBill(life)?.charges).toBeNull();
    expect(shown(lastBill(life)?.fee ?? null)).toBe("2024-01-10T00:00:00Z to 2024-01-10T17:59:59Z, 1 of 31 days");
  });
});

describe("a customer who moves to another zone", () => {
  const moved = (active: Active, timeZone: string): Active => ({ ...active, timeZone });

  test("keeps the end of the open period and its days; the next begins there", () => {
    const life = new Life("2024-05-20T15:30:00Z", "Asia/Tokyo");
    life.subscribe(plan(3100));
    const bill = periodicBill(moved(life.active(), "America/New_York"));
    expect(bill.fee).toMatchObject({ freeDays: 0, periodDays: 31 });
    expect(`${bill.fee?.firstDay} to ${bill.fee?.lastDay}`).toBe("2024-05-21 to 2024-05-31");
    expect(shown(bill.renewal)).toBe("2024-05-31T15:00:00Z to 2024-07-01T03:59:59Z, 30 of 30 days");
  });

  test("keeps the end of the open year: its months tile it to the end", () => {
    const life = new Life("2024-01-01T00:00:00Z", "Europe/Paris");
    life.subscribe(plan(3100, { interval: "yearly", areChargesMonthly: true }));
    life.advance("2024-06-10T00:00:00Z");
    let active = moved(life.active(), "America/New_York");
    const ends: string[] = [];
    for (let month = 6; month <= 13; month++) {
      ends.push(`${active.open.charges.to} ${periodicBill(active).fee === null ? "usage" : "fee"}`);
      active = closePeriod(active);
    }
    expect(ends).toEqual([
      "2024-06-30T22:00:00Z usage",
      "2024-08-01T04:00:00Z usage",
      "2024-09-01T04:00:00Z usage",
      "2024-10-01T04:00:00Z usage",
      "2024-11-01T04:00:00Z usage",
      "2024-12-01T05:00:00Z usage",
      "2024-12-31T23:00:00Z fee",
      "2025-02-01T05:00:00Z usage",
    ]);
  });

  it.each([
    // The first hours of May in Tokyo are still April in New York: the first day of the period counts.
    ["Asia/Tokyo", "America/New_York", "2024-04-30T16:00:00Z", 1],
    // The last hours of May in New York are already June in Tokyo: its last day counts, and no more.
    ["America/New_York", "Asia/Tokyo", "2024-06-01T03:00:00Z", 31],
  ])("from %s to %s and ends at %s has %i days", (from, to, end, count) => {
    const life = new Life("2024-04-01T12:00:00Z", from);
    life.subscribe(plan(3100));
    const active = moved(life.advance("2024-05-01T04:00:00Z").active(), to);
    const { commitment } = terminatingBill(terminate(active, null, at(end)).ended) as Bill;
    expect(commitment && daysOf(commitment)).toBe(count);
  });

  it.each([
    ["monthly", "2024-05-01 to 2024-05-31"],
    ["yearly", "2024-05-01 to 2024-12-31"],
  ] as const)("and changes to a %s plan on a day that was billed: the new plan bills %s", (interval, days) => {
    const life = new Life("2024-04-01T12:00:00Z", "Asia/Tokyo");
    life.subscribe(plan(3100, inAdvance));
    // In New York it is noon of 30 April.
    const active = moved(life.advance("2024-04-30T16:00:00Z").active(), "America/New_York");
    const next = { plan: plan(6200, { interval, ...inAdvance }), endingAt: null, atEnd: active.atEnd };
    const first = takeUpgrade(active, next, at("2024-04-30T16:00:00Z")).successor;
    const second = takeUpgrade(first, next, at("2024-04-30T17:00:00Z")).successor;
    const feeDays = [first, second].map((one) => startingBill(one)?.fee);
    expect(feeDays.map((fee) => `${fee?.firstDay} to ${fee?.lastDay}`)).toEqual([days, days]);
  });
});

const charge = (code: string, terms: Partial<Charge> = {}, isRecurring = true): Charge => ({
  id: code,
  metric: { code, aggregation: { type: "sum", field: "v", isRecurring }, filters: [] },
  price: { pricing: { model: "standard", amount: decimal("1") }, groupedBy: [] },
  filters: [],
  timing: { type: "arrears", minAmountMinor: minor(0n) },
  isProrated: false,
  ...terms,
});
const paidAtOnce = { timing: { type: "in_advance", invoicing: "invoice_each" } } as const;
const ids = (charges: readonly Charge[]) => charges.map(({ id }) => id);

describe("the charges of a bill", () => {
  const old = plan(0, {
    charges: [
      charge("seats"),
      charge("disks", { isProrated: true }),
      charge("calls", {}, false),
      charge("rare"),
      charge("licenses", paidAtOnce),
      charge("texts", paidAtOnce, false),
    ],
  });
  const successor = plan(0, { charges: [charge("seats"), charge("disks"), charge("calls", {}, false)] });

  const leftOut = { type: "left_out", paidFrom: null } as const;

  it("are those in arrears", () =>
    expect(ids(chargesInArrears({ parts: {} }, old, null))).toEqual(["seats", "disks", "calls", "rare"]));

  it("are without what another plan bills instead", () =>
    expect(ids(chargesInArrears({ parts: { seats: leftOut } }, old, successor))).toEqual(["disks", "calls", "rare"]));

  it("leave, on a bill without parts, a recurring metric to the plan of an upgrade that has it too, unless it is prorated", () =>
    expect(ids(chargesInArrears({ parts: null }, old, successor))).toEqual(["disks", "calls", "rare"]));

  it("renew what is paid in advance and recurring", () =>
    expect(ids(chargesRenewed({ reason: "periodic", parts: {} }, old))).toEqual(["licenses"]));

  it("renew at a start only what is mentioned", () => {
    expect(ids(chargesRenewed({ reason: "starting", parts: {} }, old))).toEqual([]);
    expect(ids(chargesRenewed({ reason: "starting", parts: { licenses: { type: "whole" } } }, old))).toEqual([
      "licenses",
    ]);
  });
});

describe("a successor", () => {
  const downgraded = (terms: Partial<Plan>) => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(3100));
    life.advance("2024-01-10T00:00:00Z").subscribe(plan(2900, { code: "less", ...terms }));
    if (life.next === null) throw new Error("No downgrade is pending.");
    return takeDowngrade(life.active(), life.next).successor;
  };

  it("by a downgrade begins a period: recurring charges paid in advance are renewed", () => {
    const bill = startingBill(downgraded({}));
    expect(bill).toMatchObject({ reason: "starting", fee: null, charges: null });
    expect(shown(bill?.renewal ?? null)).toBe("2024-02-01T00:00:00Z to 2024-02-29T23:59:59Z, 29 of 29 days");
  });

  it("in its trial has no fee yet, and counts from the day the trial ends", () => {
    const successor = downgraded({ ...inAdvance, trialDays: decimal("40") });
    expect(startingBill(successor)?.fee).toBeNull();
    const after = startingBill(downgraded({ ...inAdvance, trialDays: decimal("20") }));
    expect(after?.fee && subscriptionFee(minor(2900n), after.fee).amountMinor).toBe(2900n);
  });
});
