import { describe, expect, it, test } from "vitest";
import { decimal, minor } from "../money/index.ts";
import {
  agreeAtEnd,
  decideSubscribe,
  decideUpdate,
  refundsUnused,
  type Terminated,
  terminate,
  terminatingBill,
  unusedCredit,
  withAtEnd,
  withEndOf,
} from "./index.ts";
import { at, Life, plan, request } from "./testing/life.ts";
import type { BilledFee } from "./unused-credit.ts";

const inArrears = plan(3100, { code: "arrears" });
const inAdvance = plan(3100, { code: "advance", isPaidInAdvance: true });
const unsaid = { creditNote: undefined, invoice: undefined };
const skipAll = { creditNote: "skip", invoice: "skip" } as const;

describe("what is agreed about an end", () => {
  it.each([
    ["nothing, in arrears", inArrears, unsaid, { creditNote: null, invoice: "generate" }],
    ["nothing, in advance", inAdvance, unsaid, { creditNote: "credit", invoice: "generate" }],
    ["the defaults", inAdvance, { creditNote: null, invoice: null }, { creditNote: "credit", invoice: "generate" }],
    ["both", inAdvance, skipAll, skipAll],
    ["a credit note in arrears, which has no meaning", inArrears, skipAll, { creditNote: null, invoice: "skip" }],
  ])("%s", (_, of, requested, agreed) => expect(agreeAtEnd(of, requested)).toEqual(agreed));

  it("stays where a request does not mention it, and null is the default again", () => {
    const before = agreeAtEnd(inAdvance, { creditNote: "refund", invoice: "skip" });
    expect(agreeAtEnd(inAdvance, unsaid, before)).toEqual(before);
    expect(agreeAtEnd(inAdvance, { creditNote: null, invoice: undefined }, before)).toEqual({
      creditNote: "credit",
      invoice: "skip",
    });
    expect(agreeAtEnd(inArrears, unsaid, before)).toEqual({ creditNote: null, invoice: "skip" });
  });
});

const subscribed = (to = inAdvance, requested: Partial<Parameters<typeof request>[1]> = { atEnd: skipAll }) => {
  const life = new Life("2024-01-01T00:00:00Z");
  life.subscribe(to, requested);
  return life.advance("2024-01-10T12:00:00Z");
};

describe("a change of plan keeps what was agreed, and is no end", () => {
  it("an upgrade", () => {
    const life = subscribed(inArrears, { atEnd: { creditNote: undefined, invoice: "skip" } });
    life.subscribe(plan(6200, { code: "more", isPaidInAdvance: true }));
    expect(life.active().atEnd).toEqual({ creditNote: "credit", invoice: "skip" });
    expect(life.invoices.at(-1)?.lines[0]?.bill.reason).toBe("terminating");
  });

  it("a downgrade, and what is said about the end later holds for it too", () => {
    const life = subscribed();
    life.subscribe(plan(100, { code: "less", isPaidInAdvance: true }), {
      atEnd: { creditNote: "refund", invoice: undefined },
    });
    const { next } = life;
    expect(next?.atEnd).toEqual({ creditNote: "refund", invoice: "skip" });
    const change = { endingAt: undefined, atEnd: { creditNote: undefined, invoice: "generate" } } as const;
    expect(next && withEndOf(next, change)).toEqual({ ...next, atEnd: { creditNote: "refund", invoice: "generate" } });
    const endingAt = at("2024-06-01T00:00:00Z");
    expect(next && withEndOf(next, { endingAt, atEnd: unsaid })).toEqual({ ...next, endingAt });
  });

  it("of one that has not begun", () => {
    const life = new Life("2024-01-01T00:00:00Z");
    life.subscribe(inArrears, { subscriptionAt: at("2024-02-01T00:00:00Z"), atEnd: skipAll });
    const chain = { current: life.current, next: null } as Parameters<typeof decideSubscribe>[1]["chain"];
    expect(
      decideSubscribe(request(inAdvance, { atEnd: { creditNote: "refund", invoice: undefined } }), {
        now: life.now,
        timeZone: "UTC",
        chain,
        past: null,
      }),
    ).toMatchObject({ value: { subscription: { atEnd: { creditNote: "refund", invoice: "skip" } } } });
  });
});

test("a change of what is agreed, without a change of dates", () => {
  const active = subscribed().active();
  const change = {
    endingAt: undefined,
    subscriptionAt: undefined,
    atEnd: { creditNote: "refund", invoice: null },
  } as const;
  expect(decideUpdate(active, change, { past: null, now: at("2024-01-10T12:00:00Z") })).toEqual({
    ok: true,
    value: { ...active, atEnd: { creditNote: "refund", invoice: "generate" } },
  });
});

describe("an end", () => {
  const fee = (life: Life): BilledFee => {
    const [line] = life.invoices[0]?.lines ?? [];
    if (!line?.bill.fee) throw new Error("No fee was billed.");
    return {
      window: line.bill.fee,
      planAmountMinor: minor(3100n),
      amountMinor: minor(3100n),
      creditedMinor: decimal("0"),
      isInvoiceVoided: false,
    };
  };
  const ended = (creditNote: "credit" | "refund" | "skip", invoice: "generate" | "skip"): [Life, Terminated] => {
    const life = subscribed();
    const active = withAtEnd(life.active(), { creditNote, invoice });
    return [life, terminate(active, null, life.now).ended];
  };

  it.each(["generate", "skip"] as const)("makes the bill that was agreed: %s", (invoice) =>
    expect(terminatingBill(ended("credit", invoice)[1]) === null).toBe(invoice === "skip"),
  );

  it.each([
    ["credit", "2100", false],
    ["refund", "2100", true],
    ["skip", undefined, false],
  ] as const)("gives back what was agreed: %s", (creditNote, credited, isRefunded) => {
    const [life, old] = ended(creditNote, "generate");
    expect(unusedCredit(fee(life), old)?.creditMinor.toFixed()).toBe(credited);
    expect(refundsUnused(old)).toBe(isRefunded);
  });

  it("by a change of plan bills, and credits, whatever was agreed", () => {
    const [life, old] = ended("skip", "skip");
    for (const cause of ["upgraded", "downgraded"] as const) {
      expect(terminatingBill({ ...old, cause })?.reason).toBe("terminating");
      expect(unusedCredit(fee(life), { ...old, cause })).not.toBeNull();
      expect(refundsUnused({ ...old, cause, atEnd: { creditNote: "refund", invoice: "skip" } })).toBe(false);
    }
  });
});
