import { describe, expect, it, test } from "vitest";
import type { Plan } from "../catalog/index.ts";
import {
  type Active,
  cancel,
  decideSubscribe,
  decideUpdate,
  reconsiderDowngrade,
  type Situation,
  type SubscribeDecision,
  type SubscribeRequest,
  terminate,
  type Upcoming,
} from "./index.ts";
import { at, Life, plan, request } from "./testing/life.ts";

const NOW = at("2024-01-10T12:00:00Z");
const nothing: Situation = { now: NOW, timeZone: "UTC", chain: null, past: null };
const a = (amount: number, terms: Partial<Plan> = {}) => plan(amount, { code: "a", ...terms });
const b = (amount: number, terms: Partial<Plan> = {}) => plan(amount, { code: "b", ...terms });

function decided(requested: Plan, terms: Partial<SubscribeRequest>, situation = nothing): SubscribeDecision {
  const result = decideSubscribe(request(requested, terms), situation);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** The result of a request: status, origin, start. */
function created(terms: Partial<SubscribeRequest>, situation = nothing): string {
  const decision = decided(a(3100), terms, situation);
  if (decision.type !== "created") return decision.type;
  const { subscription } = decision;
  const start = subscription.status === "active" ? ` ${subscription.startedAt}` : "";
  return `${subscription.status} ${subscription.origin}${start}`;
}

describe("a new subscription", () => {
  it.each([
    ["now, if nothing is said", null, "UTC", "active new 2024-01-10T12:00:00Z"],
    ["earlier today", "2024-01-10T00:00:00Z", "UTC", "active new 2024-01-10T00:00:00Z"],
    ["later today", "2024-01-10T23:59:59Z", "UTC", "active new 2024-01-10T23:59:59Z"],
    ["tomorrow", "2024-01-11T00:00:00Z", "UTC", "pending new"],
    ["yesterday", "2024-01-09T23:59:59Z", "UTC", "active backdated 2024-01-09T23:59:59Z"],
    ["tomorrow in UTC, today in Los Angeles", "2024-01-11T05:00:00Z", "America/Los_Angeles", /^active new/],
    ["today in UTC, tomorrow in Tokyo", "2024-01-10T15:00:00Z", "Asia/Tokyo", "pending new"],
    ["yesterday in UTC, today in Tokyo", "2024-01-09T15:00:00Z", "Asia/Tokyo", /^active new/],
  ])("%s: %s in %s is %s", (_, start, timeZone, expected) => {
    const subscriptionAt = start === null ? null : at(start);
    expect(created({ subscriptionAt }, { ...nothing, timeZone })).toMatch(expected);
  });

  it("begins no earlier than an ended one with its external id was billed to", () => {
    const past = { firstStartedAt: at("2023-05-01T00:00:00Z"), billedUntil: at("2024-01-10T09:00:00Z") };
    const situation = { ...nothing, past };
    const subscriptionAt = at("2024-01-10T08:00:00Z");
    expect(created({ subscriptionAt }, situation)).toBe("active new 2024-01-10T09:00:00Z");
    expect(created({}, situation)).toBe("active new 2024-01-10T12:00:00Z");
  });

  it("begins with the second of its request, but not before the end of an earlier one", () => {
    const now = at("2024-01-10T12:00:00.734Z");
    expect(created({}, { ...nothing, now })).toBe("active new 2024-01-10T12:00:00Z");
    const past = { firstStartedAt: null, billedUntil: at("2024-01-10T12:00:00.4Z") };
    expect(created({}, { ...nothing, now, past })).toBe("active new 2024-01-10T12:00:00.4Z");
    const subscriptionAt = at("2024-01-10T12:00:00.9Z");
    expect(created({ subscriptionAt }, { ...nothing, now })).toBe("active new 2024-01-10T12:00:00.9Z");
  });

  it("nor than one of another customer, whose first start is none of its own", () => {
    const past = { firstStartedAt: null, billedUntil: at("2024-01-10T09:00:00Z") };
    const decision = decided(a(3100), { subscriptionAt: at("2024-01-10T08:00:00Z") }, { ...nothing, past });
    expect(decision.type === "created" && decision.subscription).toEqual(
      expect.objectContaining({ startedAt: past.billedUntil, firstStartedAt: past.billedUntil }),
    );
  });
});

describe("an end", () => {
  const invalid = { ok: false, error: { ending_at: ["invalid_date"] } };
  it.each([
    ["the day before", null, "2024-01-09T00:00:00Z", false],
    ["later today", null, "2024-01-10T23:59:59Z", false],
    ["tomorrow", null, "2024-01-11T00:00:00Z", true],
    ["before the start", "2024-02-01T00:00:00Z", "2024-01-20T00:00:00Z", false],
    ["on the day of the start", "2024-02-01T00:00:00Z", "2024-02-01T18:00:00Z", false],
    ["the day after the start", "2024-02-01T18:00:00Z", "2024-02-02T00:00:00Z", true],
  ])("%s (start %s, end %s) is taken: %s", (_, start, end, isTaken) => {
    const terms = { subscriptionAt: start === null ? null : at(start), endingAt: at(end) };
    const result = decideSubscribe(request(a(3100), terms), nothing);
    if (isTaken) expect(result.ok).toBe(true);
    else expect(result).toEqual(invalid);
  });

  it("is judged by the customer's days", () => {
    const endingAt = at("2024-01-11T05:00:00Z");
    expect(decideSubscribe(request(a(1), { endingAt }), { ...nothing, timeZone: "America/Los_Angeles" })).toEqual(
      invalid,
    );
  });
});

/** A subscription to plan a since January 1; now is January 10. */
function subscribed(amount: number, terms: Partial<Plan> = {}): Life {
  const life = new Life("2024-01-01T00:00:00Z");
  life.subscribe(a(amount, terms), { billingTime: "anniversary", endingAt: at("2024-12-24T00:00:00Z") });
  return life.advance(NOW);
}

describe("a request for a plan", () => {
  it("that the subscription already has changes nothing, even if it is overridden", () => {
    const life = subscribed(3100);
    expect(life.subscribe(a(3100))).toBe("unchanged");
    const own = new Life("2024-01-01T00:00:00Z");
    own.subscribe(a(5000), { isOverridden: true });
    expect(own.subscribe(a(3100))).toBe("unchanged");
    expect(own.active().plan.amountMinor).toBe(5000n);
  });

  it("with overrides is a change, even of the same plan", () => {
    expect(subscribed(3100).subscribe(a(5000), { isOverridden: true })).toBe("upgraded");
    expect(subscribed(3100).subscribe(a(2000), { isOverridden: true })).toBe("downgrade_awaited");
  });

  it.each([
    [3100, "monthly", 3100, "monthly", "upgraded"],
    [3100, "monthly", 3099, "monthly", "downgrade_awaited"],
    [5200, "monthly", 1200, "weekly", "upgraded"],
    [5200, "monthly", 1199, "weekly", "downgrade_awaited"],
    [1000, "quarterly", 2000, "semiannual", "upgraded"],
    [1000, "quarterly", 3999, "yearly", "downgrade_awaited"],
  ] as const)("%i %s to %i %s: %s", (...[amount, interval, target, every, decision]) =>
    expect(subscribed(amount, { interval }).subscribe(b(target, { interval: every }))).toBe(decision),
  );

  it("that costs more keeps the anniversaries and what was agreed as the end", () => {
    const life = subscribed(3100);
    const old = life.active();
    life.subscribe(b(6200));
    const { origin, startedAt, subscriptionAt, anchor, billingTime, endingAt } = life.active();
    expect({ origin, startedAt }).toEqual({ origin: "upgrade", startedAt: NOW });
    expect({ subscriptionAt, anchor, billingTime, endingAt }).toEqual({
      subscriptionAt: old.subscriptionAt,
      anchor: old.anchor,
      billingTime: "anniversary",
      endingAt: old.endingAt,
    });
    const other = subscribed(3100);
    other.subscribe(b(6200), { endingAt: null });
    expect(other.active().endingAt).toBeNull();
  });

  it("that costs less is pending; the same request again keeps it, another one replaces it", () => {
    const life = subscribed(3100);
    life.subscribe(b(2000));
    expect(life.next?.plan.code).toBe("b");
    expect(life.next?.takesOverAt).toEqual(at("2024-02-01T00:00:00Z"));
    expect(life.subscribe(b(2000))).toBe("unchanged");
    expect(life.subscribe(plan(1000, { code: "c" }))).toBe("downgrade_awaited");
    expect(life.next?.plan.code).toBe("c");
    expect(life.subscribe(a(3100))).toBe("unchanged");
    expect(life.next?.plan.code).toBe("c");
  });

  it("cancels the downgrade it replaces", () => {
    const life = subscribed(3100);
    life.subscribe(b(2000));
    const chain = { current: life.active(), next: life.next };
    for (const amount of [1000, 9000]) {
      const decision = decided(plan(amount, { code: "c" }), {}, { ...nothing, chain });
      expect("canceled" in decision && decision.canceled).toEqual(chain.next && cancel(chain.next, NOW));
    }
  });

  it("of a subscription to come just switches its plan", () => {
    const life = new Life(NOW);
    const subscriptionAt = at("2024-02-01T00:00:00Z");
    life.subscribe(a(3100), { subscriptionAt });
    expect(life.subscribe(b(100))).toBe("plan_switched");
    expect(life.current).toEqual({
      status: "pending",
      origin: "new",
      plan: b(100),
      billingTime: "calendar",
      subscriptionAt,
      endingAt: null,
      atEnd: { creditNote: null, invoice: "generate" },
      timeZone: "UTC",
    });
    expect(life.subscribe(b(100))).toBe("unchanged");
  });

  it("requested while the bill of the last period end still waits, takes effect at the end of the period that began", () => {
    const { current } = subscribed(3100);
    const later = { ...nothing, now: at("2024-02-01T00:05:00Z"), chain: { current: current as Active, next: null } };
    const decision = decided(b(2000), {}, later);
    expect(decision.type === "downgrade_awaited" && decision.next.takesOverAt).toEqual(at("2024-03-01T00:00:00Z"));
  });
});

describe("after an edit of the amount", () => {
  it.each([
    [2000, "unchanged"],
    [3100, "upgraded"],
  ])("a downgrade to a plan that now costs %i is %s", (amount, expected) => {
    const life = subscribed(3100);
    life.subscribe(b(2000));
    if (life.next === null) throw new Error("No downgrade is pending.");
    const decision = reconsiderDowngrade(life.active(), { ...life.next, plan: b(amount) }, NOW);
    expect(decision.type).toBe(expected);
    if (decision.type !== "upgraded") return;
    expect(decision.canceled).toEqual(cancel({ ...life.next, plan: b(amount) }, NOW));
    expect(decision.successor.plan.code).toBe("b");
  });
});

describe("a change of dates", () => {
  const atEnd = { creditNote: undefined, invoice: undefined };
  const unsaid = { endingAt: undefined, subscriptionAt: undefined, atEnd };
  const context = { past: null, now: NOW };
  const upcoming = (): Upcoming => {
    const terms = { subscriptionAt: at("2024-02-01T00:00:00Z"), endingAt: at("2024-03-01T00:00:00Z") };
    const decision = decided(a(3100), terms);
    if (decision.type !== "created" || decision.subscription.status !== "pending") throw new Error("It began.");
    return decision.subscription;
  };

  test("of the end: set, moved, taken away, or refused", () => {
    const active = subscribed(3100).active();
    const endingAt = at("2024-05-01T00:00:00Z");
    expect(decideUpdate(active, { ...unsaid, endingAt }, context)).toEqual({
      ok: true,
      value: { ...active, endingAt },
    });
    expect(decideUpdate(active, { ...unsaid, endingAt: null }, context)).toMatchObject({ value: { endingAt: null } });
    expect(decideUpdate(active, { ...unsaid, endingAt: NOW }, context)).toMatchObject({ ok: false });
    expect(decideUpdate(active, unsaid, { ...context, now: at("2024-12-24T00:00:00Z") })).toEqual({
      ok: true,
      value: active,
    });
  });

  test("of the start is ignored once it began, and for a downgrade", () => {
    const life = subscribed(3100);
    life.subscribe(b(100));
    const change = { ...unsaid, subscriptionAt: at("2023-06-01T00:00:00Z") };
    expect(decideUpdate(life.active(), change, context)).toEqual({ ok: true, value: life.active() });
    if (life.next === null) throw new Error("No downgrade is pending.");
    expect(decideUpdate(life.next, change, context)).toEqual({ ok: true, value: life.next });
    expect(decideUpdate(life.next, { ...change, endingAt: null }, context)).toEqual({
      ok: true,
      value: { ...life.next, endingAt: null },
    });
  });

  it.each([
    ["2024-02-10T00:00:00Z", "pending new 2024-02-10T00:00:00Z"],
    ["2024-01-10T18:00:00Z", "active new 2024-01-10T18:00:00Z"],
    ["2024-01-05T00:00:00Z", "active backdated 2024-01-05T00:00:00Z"],
  ])("of the start to %s while it waits for it: %s", (start, expected) => {
    const result = decideUpdate(upcoming(), { ...unsaid, subscriptionAt: at(start) }, context);
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    const { value } = result;
    const begins = value.status === "active" ? value.startedAt : value.subscriptionAt;
    expect(`${value.status} ${value.origin} ${begins}`).toBe(expected);
  });

  test("of the start beyond the end is refused", () =>
    expect(decideUpdate(upcoming(), { ...unsaid, subscriptionAt: at("2024-03-01T00:00:00Z") }, context)).toEqual({
      ok: false,
      error: { ending_at: ["invalid_date"] },
    }));

  test("of the end alone leaves a subscription waiting, on its very day too", () => {
    const endingAt = at("2024-06-01T00:00:00Z");
    const onItsDay = { ...context, now: at("2024-02-01T00:00:00Z") };
    expect(decideUpdate(upcoming(), { ...unsaid, endingAt }, onItsDay)).toMatchObject({ value: { status: "pending" } });
  });
});

test("a subscription that begins later today ends, or is replaced, when it begins", () => {
  const life = new Life("2024-01-10T10:00:00Z");
  life.subscribe(plan(1000), { subscriptionAt: at("2024-01-10T18:00:00Z") });
  life.subscribe(plan(2000, { code: "more" }));
  expect(life.active()).toMatchObject({ origin: "upgrade" });
  expect(life.active().startedAt).toEqual(at("2024-01-10T18:00:00Z"));
  const { ended } = terminate(life.active(), null, life.now);
  expect(ended.terminatedAt).toEqual(at("2024-01-10T18:00:00Z"));
});
