import { describe, expect, it, test } from "vitest";
import { decimal, minor } from "../money/index.ts";
import { giveBackCoupon, giveBackCreditNote, giveBackWallet, keepsInvoice, mayVoid, voidCreditNote } from "./index.ts";

const cents = (amount: number) => minor(BigInt(amount));

describe("which invoices may be voided", () => {
  const open = {
    status: "finalized",
    paymentStatus: "pending",
    isDisputeLost: false,
    isKeptByCreditNote: false,
    isPurchaseSpent: false,
    writtenOffMinor: cents(0),
  } as const;
  it.each([
    ["issued and unpaid", open, true],
    ["whose payment failed", { ...open, paymentStatus: "failed" } as const, true],
    ["paid", { ...open, paymentStatus: "succeeded" } as const, false],
    ["a draft", { ...open, status: "draft" } as const, false],
    ["voided already", { ...open, status: "voided" } as const, false],
    ["lost in a dispute", { ...open, isDisputeLost: true }, false],
    ["credited", { ...open, isKeptByCreditNote: true }, false],
    ["whose credits are spent", { ...open, isPurchaseSpent: true }, false],
    ["written off in part", { ...open, writtenOffMinor: cents(1) }, false],
  ])("%s: %o → %s", (_, invoice, expected) => expect(mayVoid(invoice)).toBe(expected));
});

describe("which credit notes keep their invoice", () => {
  const voided = { creditStatus: "voided", refundStatus: null, wasSpent: false } as const;
  it.each([
    ["voided as it was issued", voided, false],
    ["voided after some of it was spent", { ...voided, wasSpent: true }, true],
    ["available", { ...voided, creditStatus: "available" } as const, true],
    ["consumed", { ...voided, creditStatus: "consumed" } as const, true],
    ["voided, with a refund on its way", { ...voided, refundStatus: "pending" } as const, true],
    ["voided, and refunded", { ...voided, refundStatus: "succeeded" } as const, true],
    ["voided, with a refund that failed", { ...voided, refundStatus: "failed" } as const, false],
    ["in money only, which failed", { ...voided, creditStatus: null, refundStatus: "failed" } as const, false],
  ])("%s: %o → %s", (_, note, expected) => expect(keepsInvoice(note)).toBe(expected));
});

describe("a coupon of a voided invoice", () => {
  const used = { status: "terminated", isWithdrawn: false, creditMinor: cents(400) } as const;

  test("an amount comes back, and a coupon that was spent is active again", () => {
    expect(giveBackCoupon({ ...used, left: { type: "amount", amountMinor: cents(0) } })).toEqual({
      left: { type: "amount", amountMinor: 400n },
      status: "active",
    });
    expect(giveBackCoupon({ ...used, status: "active", left: { type: "amount", amountMinor: cents(100) } })).toEqual({
      left: { type: "amount", amountMinor: 500n },
      status: "active",
    });
  });

  test("a use comes back, and a coupon that was used up is active again", () => {
    expect(giveBackCoupon({ ...used, left: { type: "uses", count: 0 } })).toEqual({
      left: { type: "uses", count: 1 },
      status: "active",
    });
    expect(giveBackCoupon({ ...used, status: "active", left: { type: "uses", count: 2 } })).toEqual({
      left: { type: "uses", count: 3 },
      status: "active",
    });
  });

  test("one that is forever stays as it is", () => {
    expect(giveBackCoupon({ ...used, status: "active", left: { type: "forever" } })).toEqual({
      left: { type: "forever" },
      status: "active",
    });
  });

  test("a coupon withdrawn for all, or taken from this customer by hand, stays terminated", () => {
    const withdrawn = giveBackCoupon({ ...used, isWithdrawn: true, left: { type: "uses", count: 0 } });
    expect(withdrawn).toEqual({ left: { type: "uses", count: 1 }, status: "terminated" });
    expect(giveBackCoupon({ ...used, left: { type: "uses", count: 1 } }).status).toBe("terminated");
    expect(giveBackCoupon({ ...used, left: { type: "amount", amountMinor: cents(1) } }).status).toBe("terminated");
    expect(giveBackCoupon({ ...used, left: { type: "forever" } }).status).toBe("terminated");
  });
});

describe("a credit note of a voided invoice", () => {
  it.each([
    ["consumed", 0, 400, { status: "available", balanceMinor: 400n }],
    ["available", 100, 400, { status: "available", balanceMinor: 500n }],
    ["voided", 0, 400, { status: "voided", balanceMinor: 0n }],
  ] as const)("%s with a balance of %i", (status, balance, used, expected) => {
    expect(giveBackCreditNote({ status, balanceMinor: cents(balance) }, cents(used))).toEqual(expected);
  });
});

describe("a credit note of a voided invoice, whose customer was deleted", () => {
  it.each([
    ["consumed", 0, { status: "voided", balanceMinor: 0n }],
    ["available", 100, { status: "available", balanceMinor: 100n }],
    ["voided", 0, { status: "voided", balanceMinor: 0n }],
  ] as const)("%s with a balance of %i gets nothing back", (status, balance, expected) => {
    const note = { status, balanceMinor: cents(balance) };
    expect(giveBackCreditNote(note, cents(400), { isCustomerDeleted: true })).toEqual(expected);
  });
});

test("a credit note can be voided as long as something is left of it", () => {
  expect(voidCreditNote({ balanceMinor: cents(1) })).toEqual({
    ok: true,
    value: { status: "voided", balanceMinor: 0n },
  });
  expect(voidCreditNote({ balanceMinor: cents(0) })).toEqual({ ok: false, error: "no_voidable_amount" });
});

describe("a wallet of a voided invoice", () => {
  const wallet = { balanceMinor: cents(50), consumedMinor: cents(1234), consumedCredits: decimal("6.17") };
  const used = { amountMinor: cents(1234), credits: decimal("6.17") };

  test("gets the same credits back, and its counters forget them", () => {
    const { consumedCredits, ...given } = giveBackWallet({ ...wallet, status: "active" }, used);
    expect(given).toEqual({ status: "active", balanceMinor: 1284n, consumedMinor: 0n });
    expect(consumedCredits.toFixed()).toBe("0");
  });

  test("that has ended gets nothing", () => {
    const ended = { ...wallet, status: "terminated" } as const;
    expect(giveBackWallet(ended, used)).toEqual(ended);
  });
});
