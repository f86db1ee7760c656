import { describe, expect, it } from "vitest";
import { minor } from "../money/index.ts";
import { amountDue, type OwedInvoice, writeOff } from "./index.ts";

const cents = (amount: number) => minor(BigInt(amount));
const open: OwedInvoice = {
  status: "finalized",
  paymentStatus: "pending",
  totalMinor: cents(1000),
  writtenOffMinor: cents(0),
};
const failed: OwedInvoice = { ...open, paymentStatus: "failed" };
const paid: OwedInvoice = { ...open, paymentStatus: "succeeded" };
const half: OwedInvoice = { ...open, writtenOffMinor: cents(400) };

describe("what is due", () => {
  it.each<[string, OwedInvoice, bigint]>([
    ["issued", open, 1000n],
    ["whose payment failed", failed, 1000n],
    ["paid", paid, 0n],
    ["written off in part", half, 600n],
    ["written off in part and paid", { ...half, paymentStatus: "succeeded" }, 0n],
    ["written off", { ...open, writtenOffMinor: cents(1000) }, 0n],
    ["a draft", { ...open, status: "draft" }, 0n],
    ["voided", { ...open, status: "voided" }, 0n],
  ])("%s", (_, invoice, expected) => expect(amountDue(invoice)).toBe(expected));
});

describe("a write-off", () => {
  it.each<[string, OwedInvoice, number | null, bigint | string]>([
    ["of all", open, null, 1000n],
    ["of a part", open, 1, 1n],
    ["of the rest", half, null, 600n],
    ["of exactly the rest", half, 600, 600n],
    ["of more than the rest", half, 601, "higher_than_due_amount"],
    ["of what is paid", paid, 1, "not_due"],
    ["of what is written off", { ...open, writtenOffMinor: cents(1000) }, null, "not_due"],
    ["of nothing", { ...open, totalMinor: cents(0) }, null, "not_due"],
  ])("%s", (_, invoice, wanted, expected) => {
    const written = writeOff(invoice, wanted === null ? null : cents(wanted));
    expect(written.ok ? written.value : written.error).toBe(expected);
  });
});
