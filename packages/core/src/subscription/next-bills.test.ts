import { describe, expect, it } from "vitest";
import type { Plan } from "../catalog/index.ts";
import { decimal } from "../money/index.ts";
import {
  type Active,
  type ComingBill,
  comingBills,
  type Downgrade,
  decideSubscribe,
  periodicBillAt,
  type SubscribeRequest,
} from "./index.ts";
import { at, plan, request } from "./testing/life.ts";

const NOW = at("2024-03-01T00:00:00Z");
const APRIL = at("2024-04-01T00:00:00Z");

function started(expected: Plan, terms: Partial<SubscribeRequest> = {}): Active {
  const decided = decideSubscribe(request(expected, terms), { now: NOW, timeZone: "UTC", chain: null, past: null });
  if (!decided.ok || decided.value.type !== "created" || decided.value.subscription.status !== "active")
    throw new Error("it does not begin now");
  return decided.value.subscription;
}

function downgradeOf(current: Active, requested: Plan): Downgrade {
  const situation = { now: NOW, timeZone: "UTC", chain: { current, next: null }, past: null };
  const decided = decideSubscribe(request(requested), situation);
  if (!decided.ok || decided.value.type !== "downgrade_awaited") throw new Error("it is no downgrade");
  return decided.value.next;
}

const shown = ({ isNext, subscription, bill }: ComingBill) =>
  `${isNext ? "next " : ""}${subscription.plan.code} ${bill.reason}`;

/** Plans without charges. */
const waitingFor = (next: Downgrade | null) => next && { next, charges: [], nextCharges: [] };

const large = plan(6200, { code: "large" });
const small = plan(3100, { code: "small", isPaidInAdvance: true });
const yearly = plan(36600, { code: "yearly", interval: "yearly" });
const weekly = plan(700, { code: "weekly", interval: "weekly" });
const trial = (isPaidInAdvance: boolean) => plan(3100, { code: "trial", isPaidInAdvance, trialDays: decimal("10") });

describe("the next bills of a subscription", () => {
  const coming = (active: Active, next: Downgrade | null = null): string => {
    const occasion = comingBills(active, waitingFor(next));
    if (occasion === null) return "none";
    const { at: instant, isShared, bills } = occasion;
    return `${instant} ${isShared ? "shared" : "alone"}: ${bills.map(shown).join(", ")}`;
  };

  it("the end of a period", () => {
    expect(coming(started(large))).toBe("2024-04-01T00:00:00Z shared: large periodic");
  });

  it("an end before that", () => {
    const ending = started(large, { endingAt: at("2024-03-10T12:00:00Z") });
    expect(coming(ending)).toBe("2024-03-10T12:00:00Z alone: large terminating");
  });

  it("none, if the end before that makes no bill; an end after it is no matter", () => {
    const skipping = { atEnd: { creditNote: undefined, invoice: "skip" } } as const;
    expect(coming(started(large, { ...skipping, endingAt: at("2024-03-10T12:00:00Z") }))).toBe("none");
    expect(coming(started(large, { ...skipping, endingAt: APRIL }))).toBe("none");
    const later = started(large, { ...skipping, endingAt: at("2024-04-10T12:00:00Z") });
    expect(coming(later)).toBe("2024-04-01T00:00:00Z shared: large periodic");
    expect(coming(started(large, skipping), downgradeOf(started(large), small))).toContain("large terminating");
  });

  it("the end of a trial, where the plan is paid in advance", () => {
    expect(coming(started(trial(true)))).toBe("2024-03-11T00:00:00Z alone: trial trial_end");
    expect(coming(started(trial(false)))).toBe("2024-04-01T00:00:00Z shared: trial periodic");
  });

  it("a downgrade, with what is paid in advance; unless it ends then, which drops it", () => {
    const next = downgradeOf(started(large), small);
    expect(coming(started(large), next)).toBe("2024-04-01T00:00:00Z alone: large terminating, next small starting");
    const ending = started(large, { endingAt: APRIL });
    expect(coming(ending, next)).toBe("2024-04-01T00:00:00Z alone: large terminating");
  });
});

describe("the bills before one that is billed together", () => {
  const earlier = (active: Active, next: Downgrade | null = null) =>
    periodicBillAt(active, waitingFor(next), at("2024-06-01T00:00:00Z"))?.earlier.map(
      (one) => `${one.at} ${one.bill.reason}`,
    );

  it("are those since the start of the days of its commitment", () => {
    expect(earlier(started(small))).toEqual(["2024-05-01T00:00:00Z periodic"]);
    expect(earlier(started(large), downgradeOf(started(large), small))).toEqual(["2024-05-01T00:00:00Z periodic"]);
    const quarter = plan(9300, { code: "quarter", interval: "quarterly", isPaidInAdvance: true });
    expect(periodicBillAt(started(quarter), null, APRIL, true)?.earlier).toMatchObject([{ at: NOW }]);
    expect(periodicBillAt(started(quarter), null, APRIL)?.earlier).toEqual([]);
  });

  it("are the end of a trial as well", () => {
    const shared = periodicBillAt(started(trial(true)), null, APRIL);
    expect(shared?.earlier.map((one) => one.bill.reason)).toEqual(["trial_end"]);
  });
});

describe("what is billed together at an instant", () => {
  const bill = (active: Active, next: Downgrade | null, instant = APRIL) => {
    const found = periodicBillAt(active, waitingFor(next), instant);
    return found && `${shown(found)} from ${found.bill.charges?.from}`;
  };

  it("a period that ends then, however many end before", () => {
    expect(bill(started(large), null)).toBe("large periodic from 2024-03-01T00:00:00Z");
    expect(bill(started(weekly), null)).toBe("weekly periodic from 2024-03-25T00:00:00Z");
  });

  it("none that ends at another time, or goes on", () => {
    expect(bill(started(weekly), null, at("2024-03-26T00:00:00Z"))).toBeNull();
    expect(bill(started(yearly), null)).toBeNull();
  });

  it("nothing that has ended, or ends then", () => {
    expect(bill(started(large, { endingAt: at("2024-03-20T00:00:00Z") }), null)).toBeNull();
    expect(bill(started(large, { endingAt: APRIL }), null)).toBeNull();
  });

  it("no change of plan, but a period of the plan that came before", () => {
    const next = downgradeOf(started(large), small);
    expect(bill(started(large), next)).toBeNull();
    const may = at("2024-05-01T00:00:00Z");
    expect(bill(started(large), next, may)).toBe("next small periodic from 2024-04-01T00:00:00Z");
  });
});
