import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Minor, minor } from "../money/index.ts";
import {
  amountDue,
  billedEntries,
  disputedEntries,
  type Entry,
  feeMovements,
  type Movement,
  markPaid,
  type OwedInvoice,
  receivePayment,
  reversePayment,
  voidedEntries,
  writeOff,
} from "./index.ts";

const cents = (amount: number) => minor(BigInt(amount));
const open: OwedInvoice = {
  status: "finalized",
  totalMinor: cents(1000),
  paidMinor: cents(0),
  writtenOffMinor: cents(0),
  isDisputeLost: false,
};
const paid: OwedInvoice = { ...open, paidMinor: cents(1000) };
const half: OwedInvoice = { ...open, writtenOffMinor: cents(400) };
const lost: OwedInvoice = { ...open, writtenOffMinor: cents(1000) };

const shown = (entries: readonly Entry[]) =>
  Object.fromEntries(entries.map(({ account, amountMinor }) => [account, Number(amountMinor)]));

describe("what is due", () => {
  it.each<[string, OwedInvoice, bigint]>([
    ["issued", open, 1000n],
    ["paid", paid, 0n],
    ["paid in part", { ...open, paidMinor: cents(999) }, 1n],
    ["overpaid", { ...open, paidMinor: cents(1200) }, 0n],
    ["written off in part", half, 600n],
    ["written off in part and paid", { ...half, paidMinor: cents(600) }, 0n],
    ["written off", lost, 0n],
    ["a draft", { ...open, status: "draft" }, 0n],
    ["voided", { ...open, status: "voided" }, 0n],
  ])("%s", (_, invoice, expected) => expect(amountDue(invoice)).toBe(expected));
});

describe("what is billed", () => {
  it("is owed, less what was prepaid", () => {
    const figures = { subTotalIncludingTaxesMinor: cents(1500), totalMinor: cents(1000) };
    expect(shown(billedEntries(figures))).toEqual({ billed: -1500, receivable: 1000, prepaid: 500 });
    expect(shown(voidedEntries(figures))).toEqual({ receivable: -1000, prepaid: -500, voided: 1500 });
  });

  it("needs no entry if it is nothing", () => {
    expect(billedEntries({ subTotalIncludingTaxesMinor: cents(0), totalMinor: cents(0) })).toEqual([]);
  });
});

describe("a payment", () => {
  it.each<[string, Movement, object]>([
    ["of all", receivePayment(open, cents(1000)), { receivable: -1000, paid: 1000 }],
    ["of a part", receivePayment(open, cents(300)), { receivable: -300, paid: 300 }],
    ["of too much", receivePayment(half, cents(700)), { receivable: -600, overpaid: -100, paid: 700 }],
    [
      "of what was disputed",
      receivePayment({ ...open, isDisputeLost: true }, cents(1000)),
      { disputed: -1000, paid: 1000 },
    ],
    ["that bounces", reversePayment(paid, cents(1000)), { receivable: 1000, paid: -1000 }],
    [
      "too much that bounces",
      reversePayment({ ...half, paidMinor: cents(700) }, cents(300)),
      { receivable: 200, overpaid: 100, paid: -300 },
    ],
    ["by hand", markPaid(half), { receivable: -600, paid: 600 }],
    ["by hand of what was paid", markPaid(paid), {}],
    ["by hand of what was written off", markPaid(lost), { written_off: -1000, paid: 1000 }],
  ])("%s", (_, { entries }, expected) => expect(shown(entries)).toEqual(expected));

  it("by hand takes a whole write-off back", () => {
    expect(markPaid(lost)).toMatchObject({ paidMinor: 1000n, writtenOffMinor: 0n });
    expect(markPaid(half)).toMatchObject({ paidMinor: 600n, writtenOffMinor: 400n });
  });

  it("cannot be reversed beyond what was paid", () => {
    expect(() => reversePayment(open, cents(1))).toThrow(RangeError);
  });
});

describe("a write-off", () => {
  it.each<[string, OwedInvoice, number | null, bigint | string]>([
    ["of all", open, null, 1000n],
    ["of a part", open, 1, 1n],
    ["of the rest", half, null, 600n],
    ["of exactly the rest", half, 600, 600n],
    ["of more than the rest", half, 601, "higher_than_due_amount"],
    ["of what is paid", paid, 1, "not_due"],
    ["of what is written off", lost, null, "not_due"],
    ["of nothing", { ...open, totalMinor: cents(0) }, null, "not_due"],
  ])("%s", (_, invoice, requested, expected) => {
    const written = writeOff(invoice, requested === null ? null : cents(requested));
    expect(written.ok ? written.value.amountMinor : written.error).toBe(expected);
  });
});

describe("a standalone fee", () => {
  it.each<[Parameters<typeof feeMovements>, string[]]>([
    [["pending", "succeeded"], ["payment"]],
    [["pending", "failed"], []],
    [
      ["failed", "refunded"],
      ["payment", "refund"],
    ],
    [["succeeded", "refunded"], ["refund"]],
    [["refunded", "succeeded"], ["refund_reversal"]],
    [
      ["refunded", "failed"],
      ["refund_reversal", "payment_reversal"],
    ],
    [["succeeded", "pending"], ["payment_reversal"]],
  ])("%j", (statuses, expected) => expect(feeMovements(...statuses)).toEqual(expected));
});

type Step = { kind: "receive" | "reverse" | "mark" | "write_off" | "dispute"; amount: number };

it("whatever happens to an invoice, its accounts come to 0 and hold what is due", () => {
  const steps = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom("receive", "reverse", "mark", "write_off", "dispute"),
      amount: fc.integer({ min: 1, max: 1500 }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 1000 }), (drawn, prepaid) => {
      const total = minor(1000n);
      const balances = new Map<string, bigint>();
      const post = (entries: readonly Entry[]) => {
        expect(entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)).toBe(0n);
        for (const { account, amountMinor } of entries)
          balances.set(account, (balances.get(account) ?? 0n) + amountMinor);
      };
      post(billedEntries({ subTotalIncludingTaxesMinor: minor(1000n + BigInt(prepaid)), totalMinor: total }));
      let invoice: OwedInvoice = open;
      for (const { kind, amount } of drawn) {
        const moved = move(invoice, kind, cents(amount));
        post(kind === "dispute" && !invoice.isDisputeLost ? disputedEntries(invoice) : moved.entries);
        invoice = { ...invoice, ...moved, isDisputeLost: invoice.isDisputeLost || kind === "dispute" };
        expect((balances.get("receivable") ?? 0n) + (balances.get("disputed") ?? 0n)).toBe(amountDue(invoice));
        expect(balances.get("paid") ?? 0n).toBe(invoice.paidMinor);
        expect(balances.get("written_off") ?? 0n).toBe(invoice.writtenOffMinor);
      }
    }),
  );
});

function move(invoice: OwedInvoice, kind: Step["kind"], amount: Minor): Movement {
  const stays: Movement = { paidMinor: invoice.paidMinor, writtenOffMinor: invoice.writtenOffMinor, entries: [] };
  const least = amount < invoice.paidMinor ? amount : invoice.paidMinor;
  switch (kind) {
    case "receive":
      return receivePayment(invoice, amount);
    case "reverse":
      return reversePayment(invoice, least);
    case "mark":
      return markPaid(invoice);
    case "write_off": {
      const written = writeOff(invoice, amount);
      return written.ok ? written.value : stays;
    }
    case "dispute":
      return stays;
  }
}
