// Whole subscriptions with every invoice: its date, its subscription fees ("-" if a side has none), its credit.

import { describe, expect, it, test } from "vitest";
import { decimal } from "../money/index.ts";
import { at, Life, plan, shownInvoices } from "./testing/life.ts";

const days = (text: string) => ({ trialDays: decimal(text) });
const inAdvance = { isPaidInAdvance: true };
const a = (amount: number, terms = {}) => plan(amount, { code: "a", ...terms });
const b = (amount: number, terms = {}) => plan(amount, { code: "b", ...terms });
const c = (amount: number, terms = {}) => plan(amount, { code: "c", ...terms });

describe("a trial", () => {
  test("in advance: nothing at the start, the rest of the period at the trial's end", () => {
    const life = new Life("2023-03-05T12:12:00Z");
    life.subscribe(a(5_000_000, { ...inAdvance, ...days("10") }));
    expect(shownInvoices(life.advance("2023-03-15T12:11:59Z"))).toEqual([]);
    expect(shownInvoices(life.advance("2023-03-15T12:12:00Z"))).toEqual(["2023-03-15: 2741935"]);
    expect(life.active().trial).toEqual({ endsAt: at("2023-03-15T12:12:00Z"), hasEnded: true });
    expect(shownInvoices(life.advance("2023-04-01T00:00:00Z"))).toEqual(["2023-03-15: 2741935", "2023-04-01: 5000000"]);
  });

  test("in arrears, longer than the first period: a fee of 0, then from the day it ends", () => {
    const life = new Life("2024-01-20T00:00:00Z");
    life.subscribe(a(2900, days("30")));
    expect(shownInvoices(life.advance("2024-03-01T00:00:00Z"))).toEqual(["2024-02-01: 0", "2024-03-01: 1100"]);
  });

  test("is not restarted by an upgrade", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(3100, days("10")));
    life.advance("2024-01-05T00:00:00Z").subscribe(b(6200, days("10")));
    expect(shownInvoices(life.advance("2024-02-01T00:00:00Z"))).toEqual(["2024-01-05: 0", "2024-02-01: 4200"]);
  });

  test("of the new plan counts from the first start, with its own length", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(3100, days("2")));
    life.advance("2024-01-05T00:00:00Z").subscribe(b(6200, { ...inAdvance, ...days("10") }));
    expect(shownInvoices(life.advance("2024-01-11T00:00:00Z"))).toEqual(["2024-01-05: 200", "2024-01-11: 4200"]);
  });

  test("over a period end in advance: usage only there, the fee at its end", () => {
    const life = new Life("2024-01-20T08:00:00Z");
    life.subscribe(a(2900, { ...inAdvance, ...days("30") }));
    life.advance("2024-03-01T00:00:00Z");
    expect(shownInvoices(life)).toEqual(["2024-02-01: -", "2024-02-19: 1100", "2024-03-01: 2900"]);
    expect(life.invoices[0]?.lines[0]?.bill.charges?.from).toEqual(at("2024-01-20T08:00:00Z"));
  });

  test("that ends where a period ends makes one invoice there", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(2900, { ...inAdvance, ...days("31") }));
    expect(shownInvoices(life.advance("2024-02-29T23:59:59Z"))).toEqual(["2024-02-01: 2900"]);
    expect(life.taken.map(({ kind }) => kind)).toEqual(["period_end", "trial_end"]);
  });

  test("that is left before it ends costs nothing, also on its last day", () => {
    const life = new Life("2024-01-01T12:00:00Z");
    life.subscribe(a(3100, days("10")));
    life.advance("2024-01-11T09:00:00Z").terminate();
    expect(shownInvoices(life)).toEqual(["2024-01-11: 0"]);
  });
});

describe("an upgrade", () => {
  test("in arrears: the day belongs to the new plan", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(10_000));
    expect(life.advance("2024-01-15T10:00:00Z").subscribe(b(20_000))).toBe("upgraded");
    expect(life.active().startedAt).toEqual(at("2024-01-15T10:00:00Z"));
    expect(shownInvoices(life.advance("2024-03-01T00:00:00Z"))).toEqual([
      "2024-01-15: 4516",
      "2024-02-01: 10968",
      "2024-03-01: 20000",
    ]);
  });

  test("in advance: the unused days are credited, the day itself included", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(10_000, inAdvance));
    life.advance("2024-01-15T10:00:00Z").subscribe(b(20_000, inAdvance));
    // 5483.87096 and 20 % tax are the 6581 of the credit note.
    expect(shownInvoices(life)).toEqual(["2024-01-01: 10000", "2024-01-15: - + 10968 credit 5483.87096"]);
  });

  test("of a month to a year: one day is credited, 275 of 366 days are paid", () => {
    const life = new Life("2023-06-29T00:00:00Z");
    life.subscribe(a(1000, inAdvance), { billingTime: "anniversary" });
    life.advance("2023-09-28T00:00:00Z").subscribe(b(12_000, { ...inAdvance, interval: "yearly" }));
    expect(shownInvoices(life).at(-1)).toBe("2023-09-28: - + 9016 credit 32.25806");
  });

  test("is decided by the price of a year: 300 a week is more than 1000 a month", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(1000));
    expect(life.advance("2024-01-10T00:00:00Z").subscribe(b(300, { interval: "weekly" }))).toBe("upgraded");
    expect(shownInvoices(life.advance("2024-01-22T00:00:00Z"))).toEqual([
      "2024-01-10: 290",
      "2024-01-15: 214",
      "2024-01-22: 300",
    ]);
  });

  test("twice on one day: the second credits no more than the fee of the first", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(10_000, inAdvance));
    life.advance("2024-01-18T10:00:00Z").subscribe(b(10_000, inAdvance));
    life.advance("2024-01-18T11:00:00Z").subscribe(c(30_000, inAdvance));
    // 14 of 31 days of 10000 are 4516.129, which was billed as 4516.
    expect(shownInvoices(life).slice(1)).toEqual([
      "2024-01-18: - + 4516 credit 4516.12903",
      "2024-01-18: - + 13548 credit 4516",
    ]);
  });

  test("where a period ends, once that was billed, bills the old plan for no day of the new period", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(3100));
    life.advance("2024-02-01T00:00:00Z").subscribe(b(5800));
    expect(shownInvoices(life.advance("2024-03-01T00:00:00Z"))).toEqual([
      "2024-02-01: 3100",
      "2024-02-01: -",
      "2024-03-01: 5800",
    ]);
  });
});

describe("a downgrade", () => {
  test("of a month to a year takes effect at the month's end: 243 of 366 days, no credit", () => {
    const life = new Life("2023-07-19T00:00:00Z");
    life.subscribe(a(12_900, inAdvance), { billingTime: "anniversary" });
    life.advance("2023-11-09T09:00:00Z");
    expect(life.subscribe(b(118_800, { ...inAdvance, interval: "yearly" }))).toBe("downgrade_awaited");
    expect(life.next?.takesOverOn.toString()).toBe("2023-11-19");
    expect(shownInvoices(life.advance("2023-11-18T23:59:59Z"))).toEqual([
      "2023-07-19: 12900",
      "2023-08-19: 12900",
      "2023-09-19: 12900",
      "2023-10-19: 12900",
    ]);
    expect(shownInvoices(life.advance("2023-11-19T00:00:00Z")).at(-1)).toBe("2023-11-19: - + 78875");
    expect(life.active().plan.code).toBe("b");
    expect(shownInvoices(life.advance("2024-07-19T00:00:00Z")).at(-1)).toBe("2024-07-19: 118800");
  });

  test("in arrears bills the old plan in full and the new one after its own period", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(6200));
    life.advance("2024-01-10T00:00:00Z").subscribe(b(3100));
    expect(shownInvoices(life.advance("2024-03-01T00:00:00Z"))).toEqual(["2024-02-01: 6200 + -", "2024-03-01: 3100"]);
  });

  test("is replaced by an upgrade", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(6200));
    life.advance("2024-01-10T00:00:00Z").subscribe(b(3100));
    life.advance("2024-01-15T00:00:00Z").subscribe(c(9300));
    expect(shownInvoices(life.advance("2024-03-01T00:00:00Z"))).toEqual([
      "2024-01-15: 2800",
      "2024-02-01: 5100",
      "2024-03-01: 9300",
    ]);
  });

  test("is dropped when the subscription ends before or at its instant", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(6200), { endingAt: at("2024-02-01T00:00:00Z") });
    life.advance("2024-01-10T00:00:00Z").subscribe(b(3100));
    expect(shownInvoices(life.advance("2024-06-01T00:00:00Z"))).toEqual(["2024-02-01: 6200"]);
  });

  test("of a yearly plan with monthly charges takes effect at the year's end", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(366_000, { interval: "yearly", areChargesMonthly: true }));
    life.advance("2024-10-20T00:00:00Z").subscribe(b(3100));
    life.advance("2025-02-01T00:00:00Z");
    expect(shownInvoices(life).slice(-4)).toEqual([
      "2024-11-01: -",
      "2024-12-01: -",
      "2025-01-01: 366000 + -",
      "2025-02-01: 3100",
    ]);
  });
});

describe("an end", () => {
  test("in arrears: 32 of 91 days of a quarter, then nothing", () => {
    const life = new Life("2024-05-20T00:00:00Z");
    life.subscribe(a(91_000, { interval: "quarterly" }));
    life.advance("2024-06-20T16:00:00Z").terminate();
    expect(shownInvoices(life.advance("2024-10-02T00:00:00Z"))).toEqual(["2024-06-20: 32000"]);
  });

  test("agreed: at its instant, 2 of 30 days", () => {
    const life = new Life("2022-09-05T08:00:00Z", "Europe/Paris");
    life.subscribe(a(1000), { billingTime: "anniversary", endingAt: at("2022-09-06T10:00:00Z") });
    expect(shownInvoices(life.advance("2022-09-06T09:59:59Z"))).toEqual([]);
    expect(shownInvoices(life.advance("2022-10-10T00:00:00Z"))).toEqual(["2022-09-06: 67"]);
  });

  it.each([
    ["Europe/Paris", "2022-09-05T08:00:00Z", "2022-10-04T22:00:00Z"],
    ["UTC", "2022-09-05T00:00:00Z", "2022-10-05T00:00:00Z"],
  ])("agreed for the very end of a period (%s) closes it and begins none", (zone, start, end) => {
    const life = new Life(start, zone);
    life.subscribe(a(1000), { billingTime: "anniversary", endingAt: at(end) });
    expect(shownInvoices(life.advance("2023-01-01T00:00:00Z"))).toEqual(["2022-10-05: 1000"]);
  });

  test("agreed for the very end of a period that is paid in advance: neither a fee nor a credit", () => {
    const life = new Life("2022-09-05T00:00:00Z");
    life.subscribe(a(1000, inAdvance), { billingTime: "anniversary", endingAt: at("2022-10-05T00:00:00Z") });
    expect(shownInvoices(life.advance("2023-01-01T00:00:00Z"))).toEqual(["2022-09-05: 1000", "2022-10-05: -"]);
  });

  test("on a billing day that was billed already costs that day", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(3100));
    life.advance("2024-02-01T00:00:00Z").terminate();
    expect(shownInvoices(life)).toEqual(["2024-02-01: 3100", "2024-02-01: 107"]);
    expect(life.invoices[1]?.lines[0]?.bill.charges).toBeNull();
  });

  test("frees the external id: 10 days, and later 11 of the same month", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(3100));
    life.advance("2024-01-10T00:00:00Z").terminate();
    expect(life.advance("2024-01-21T00:00:00Z").subscribe(a(3100))).toBe("created");
    expect(shownInvoices(life.advance("2024-02-01T00:00:00Z"))).toEqual(["2024-01-10: 1000", "2024-02-01: 1100"]);
  });

  it.each([
    // With 20 % tax a note of 3571 + 714.
    ["2023-02-08T00:00:00Z", "2023-02-08T15:00:00Z", 5000, "3571.42857"],
    // With 20 % tax a note of 536 + 107.
    ["2023-02-01T00:00:00Z", "2023-02-25T12:00:00Z", 5000, "535.71428"],
    // With 25 % tax a note of 19333 + 4833.
    ["2023-04-01T00:00:00Z", "2023-04-01T15:00:00Z", 20_000, "19333.33333"],
    ["2023-04-01T00:00:00Z", "2023-04-01T15:00:00Z", 16_000, "15466.66666"],
    ["2024-01-01T00:00:00Z", "2024-01-31T12:00:00Z", 3100, undefined],
  ])("of a month paid in advance on %s, at %s: %i credits %s", (start, end, amount, credit) => {
    const life = new Life(start);
    life.subscribe(a(amount, inAdvance));
    life.advance(end).terminate();
    expect(life.invoices.at(-1)?.credit?.creditMinor.toFixed()).toBe(credit);
  });
});

describe("a start", () => {
  test("on a coming day waits, and is billed at its instant", () => {
    const life = new Life("2024-01-10T00:00:00Z");
    life.subscribe(a(3100, inAdvance), { subscriptionAt: at("2024-01-20T00:00:00Z") });
    expect(shownInvoices(life.advance("2024-01-19T23:59:59Z"))).toEqual([]);
    expect(shownInvoices(life.advance("2024-01-20T00:00:00Z"))).toEqual(["2024-01-20: 1200"]);
    expect(life.active().startedAt).toEqual(at("2024-01-20T00:00:00Z"));
  });

  it.each([
    ["in arrears, months ago: the month of its creation in full", false, "2024-01-10", ["2024-04-01: 3100"]],
    ["in arrears, in the month before: likewise", false, "2024-02-10", ["2024-04-01: 3100"]],
    ["in arrears, in the same month: from its day", false, "2024-03-10", ["2024-04-01: 2200"]],
    ["in advance: from the next period on", true, "2024-03-10", ["2024-04-01: 3100"]],
  ])("on a past day, %s", (_, isPaidInAdvance, start, invoices) => {
    const life = new Life("2024-03-15T00:00:00Z");
    life.subscribe(a(3100, { isPaidInAdvance }), { subscriptionAt: at(`${start}T00:00:00Z`) });
    expect(life.active().startedAt).toEqual(at(`${start}T00:00:00Z`));
    expect(shownInvoices(life)).toEqual([]);
    expect(shownInvoices(life.advance("2024-04-01T00:00:00Z"))).toEqual(invoices);
  });

  test("on a past day in advance with a trial that lasts: billed when that ends", () => {
    const life = new Life("2024-03-15T00:00:00Z");
    life.subscribe(a(3100, { ...inAdvance, ...days("10") }), { subscriptionAt: at("2024-03-10T06:00:00Z") });
    expect(shownInvoices(life.advance("2024-04-01T00:00:00Z"))).toEqual(["2024-03-20: 1200", "2024-04-01: 3100"]);
  });

  test("on a past day does not bill again what an ended one was billed for", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(a(3100, { trialDays: decimal("3") }));
    life.advance("2024-01-10T10:00:00Z").terminate();
    life.advance("2024-01-20T00:00:00Z").subscribe(a(3100, days("3")), { subscriptionAt: at("2024-01-05T00:00:00Z") });
    expect(life.active().startedAt).toEqual(at("2024-01-10T10:00:00Z"));
    expect(life.active().firstStartedAt).toEqual(at("2024-01-01T00:00:00Z"));
    expect(shownInvoices(life.advance("2024-02-01T00:00:00Z"))).toEqual(["2024-01-10: 700", "2024-02-01: 2200"]);
  });
});

test("a plan whose amount is edited changes the next fee, and the credit of the last one stays as it was billed", () => {
  const life = new Life("2024-01-01T00:00:00Z");
  life.subscribe(a(3100, inAdvance));
  life.advance("2024-01-10T00:00:00Z");
  life.current = { ...life.active(), plan: a(9300, inAdvance) };
  life.advance("2024-01-15T12:00:00Z").terminate();
  expect(shownInvoices(life)).toEqual(["2024-01-01: 3100", "2024-01-15: - credit 1600"]);
});

test("yearly in advance with monthly charges: the fee opens the year, usage is billed by the month", () => {
  const life = new Life("2023-11-15T00:00:00Z");
  life.subscribe(a(365_000, { ...inAdvance, interval: "yearly", areChargesMonthly: true }));
  life.advance("2024-02-01T00:00:00Z");
  expect(shownInvoices(life)).toEqual(["2023-11-15: 47000", "2023-12-01: -", "2024-01-01: 365000", "2024-02-01: -"]);
  const windows = life.invoices.slice(1).map(({ lines }) => lines[0]?.bill.charges);
  expect(windows.map((window) => `${window?.from} ${window?.to}`)).toEqual([
    "2023-11-15T00:00:00Z 2023-12-01T00:00:00Z",
    "2023-12-01T00:00:00Z 2024-01-01T00:00:00Z",
    "2024-01-01T00:00:00Z 2024-02-01T00:00:00Z",
  ]);
});

test("yearly in arrears with monthly charges: the fee closes the year, also one that ends early", () => {
  const life = new Life("2023-11-15T00:00:00Z");
  life.subscribe(a(365_000, { interval: "yearly", areChargesMonthly: true }));
  life.advance("2024-02-10T08:00:00Z").terminate();
  expect(shownInvoices(life)).toEqual(["2023-12-01: -", "2024-01-01: 47000", "2024-02-01: -", "2024-02-10: 40888"]);
  expect(life.invoices.at(-1)?.lines[0]?.bill.charges?.from).toEqual(at("2024-02-01T00:00:00Z"));
});

test("one long step over many period ends bills each of them once, in order", () => {
  const life = new Life("2023-11-15T00:00:00Z");
  life.subscribe(a(3000));
  const months = ["2024-01", "2024-02", "2024-03", "2024-04", "2024-05", "2024-06", "2024-07"];
  const more = ["2024-08", "2024-09", "2024-10", "2024-11", "2024-12", "2025-01"];
  expect(shownInvoices(life.advance("2025-01-01T00:00:00Z"))).toEqual([
    "2023-12-01: 1600",
    ...[...months, ...more].map((month) => `${month}-01: 3000`),
  ]);
});
