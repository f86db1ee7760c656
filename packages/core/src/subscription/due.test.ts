import { describe, expect, it, test } from "vitest";
import { decimal } from "../money/index.ts";
import { type Active, cancel, type Due, dueInstants, type Subscription, terminate } from "./index.ts";
import { at, Life, plan } from "./testing/life.ts";

const shown = (dues: readonly Due[]) => dues.map(({ kind, at: instant }) => `${instant} ${kind}`);

/** What is currently due for a subscription. */
const dueOf = ({ current, next, now }: Life) => (current === null ? [] : shown(dueInstants(current, next, now)));

describe("what is due", () => {
  test("of a subscription to come: its activation", () => {
    const life = new Life("2024-01-10T00:00:00Z");
    life.subscribe(plan(3100), { subscriptionAt: at("2024-01-20T07:30:00Z"), endingAt: at("2024-02-20T00:00:00Z") });
    expect(dueOf(life)).toEqual(["2024-01-20T07:30:00Z activation"]);
  });

  test("of an active one: the end of its period, then of the next", () => {
    const life = new Life("2024-01-10T00:00:00Z");
    life.subscribe(plan(3100));
    expect(dueOf(life)).toEqual(["2024-02-01T00:00:00Z period_end"]);
    expect(dueOf(life.advance("2024-02-01T00:00:00Z"))).toEqual(["2024-03-01T00:00:00Z period_end"]);
  });

  it.each([
    ["Asia/Tokyo", "2024-01-31T15:00:00Z"],
    ["America/Los_Angeles", "2024-02-01T08:00:00Z"],
  ])("is due at the customer's midnight: in %s at %s", (zone, boundary) => {
    const life = new Life("2024-01-10T00:00:00Z", zone);
    life.subscribe(plan(3100));
    expect(dueOf(life)).toEqual([`${boundary} period_end`]);
  });

  test("with monthly charges of a year: the end of each month", () => {
    const life = new Life("2024-01-31T00:00:00Z");
    life.subscribe(plan(3100, { interval: "yearly", areChargesMonthly: true }), { billingTime: "anniversary" });
    expect(dueOf(life)).toEqual(["2024-02-29T00:00:00Z period_end"]);
    expect(dueOf(life.advance("2024-02-29T00:00:00Z"))).toEqual(["2024-03-31T00:00:00Z period_end"]);
  });

  test("with an end: alerts on the 45th and the 15th day before it, and nothing at or after it", () => {
    const life = new Life("2024-01-10T00:00:00Z", "Europe/Paris");
    life.subscribe(plan(3100, { trialDays: decimal("90") }), { endingAt: at("2024-03-31T22:00:00Z") });
    expect(dueOf(life)).toEqual([
      "2024-01-31T23:00:00Z period_end",
      "2024-02-15T23:00:00Z termination_alert",
      "2024-03-16T23:00:00Z termination_alert",
      "2024-03-31T22:00:00Z ending",
    ]);
    expect(dueOf(life.advance("2024-02-16T00:00:00Z"))).toEqual([
      "2024-02-29T23:00:00Z period_end",
      "2024-03-16T23:00:00Z termination_alert",
      "2024-03-31T22:00:00Z ending",
    ]);
    // The ending is on the boundary of March, and closes it.
    expect(dueOf(life.advance("2024-03-17T00:00:00Z"))).toEqual(["2024-03-31T22:00:00Z ending"]);
  });

  test("an alert at this very instant is still due", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(3100), { endingAt: at("2024-01-16T09:00:00Z") });
    expect(dueOf(life)).toEqual(["2024-01-01T00:00:00Z termination_alert", "2024-01-16T09:00:00Z ending"]);
  });

  test("of a trial: its end, once", () => {
    const life = new Life("2024-01-01T08:00:00Z");
    life.subscribe(plan(3100, { trialDays: decimal("31") }));
    expect(dueOf(life)).toEqual(["2024-02-01T00:00:00Z period_end", "2024-02-01T08:00:00Z trial_end"]);
    expect(dueOf(life.advance("2024-02-02T00:00:00Z"))).toEqual(["2024-03-01T00:00:00Z period_end"]);
  });

  test("of a trial that was over at the start: nothing", () => {
    const life = new Life("2024-01-20T08:00:00Z");
    life.subscribe(plan(3100, { trialDays: decimal("5") }), { subscriptionAt: at("2024-01-02T00:00:00Z") });
    expect(dueOf(life)).toEqual(["2024-02-01T00:00:00Z period_end"]);
    expect(life.active().trial?.hasEnded).toBe(true);
  });

  test("of a downgrade: it takes the place of the period's end", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(3100));
    life.advance("2024-01-05T00:00:00Z").subscribe(plan(100, { code: "less" }));
    expect(dueOf(life)).toEqual(["2024-02-01T00:00:00Z downgrade"]);
    if (life.next === null) throw new Error("No downgrade is pending.");
    const waiting: Subscription[] = [life.next, cancel(life.next, life.now)];
    for (const subscription of waiting) expect(dueInstants(subscription, null, life.now)).toEqual([]);
  });

  test("of a downgrade of a year with monthly charges: the months before it too", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(3100, { interval: "yearly", areChargesMonthly: true }));
    life.advance("2024-11-05T00:00:00Z").subscribe(plan(100, { code: "less" }));
    expect(dueOf(life)).toEqual(["2024-12-01T00:00:00Z period_end", "2025-01-01T00:00:00Z downgrade"]);
  });

  test("of an ended one: only a period end that came before and is not billed yet", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(plan(3100));
    const endedAt = (instant: string) =>
      shown(dueInstants(terminate(life.active(), null, at(instant)).ended, null, life.now));
    expect(endedAt("2024-01-31T23:59:59Z")).toEqual([]);
    expect(endedAt("2024-02-01T00:00:00Z")).toEqual([]);
    expect(endedAt("2024-02-01T00:05:00Z")).toEqual(["2024-02-01T00:00:00Z period_end"]);
  });
});

test("at one instant the end of the period comes first, then that of the trial, then an alert", () => {
  const life = new Life("2024-01-01T00:00:00Z");
  life.subscribe(plan(3100, { trialDays: decimal("31") }));
  const active: Active = { ...life.active(), endingAt: at("2024-02-16T00:00:00Z") };
  expect(shown(dueInstants(active, null, life.now))).toEqual([
    "2024-01-02T00:00:00Z termination_alert",
    "2024-02-01T00:00:00Z period_end",
    "2024-02-01T00:00:00Z trial_end",
    "2024-02-01T00:00:00Z termination_alert",
    "2024-02-16T00:00:00Z ending",
  ]);
});
