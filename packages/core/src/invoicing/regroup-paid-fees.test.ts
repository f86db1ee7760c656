import { describe, expect, it, test } from "vitest";
import { decimal, minor } from "../money/index.ts";
import { regroupPaidFees, type StandaloneFee } from "./index.ts";

const cents = (amount: number) => minor(BigInt(amount));
const at = Temporal.Instant.from("2024-02-01T00:00:00Z");
const aMomentLater = at.add({ nanoseconds: 1 });
const vat = (rate: string) => ({ code: "vat", name: "VAT", rate: decimal(rate) });
const fee = (id: string, amount: number, taxes = 0, rest: Partial<StandaloneFee> = {}): StandaloneFee => ({
  id,
  amountMinor: cents(amount),
  taxesMinor: cents(taxes),
  taxes: taxes === 0 ? [] : [{ tax: vat("10"), amountMinor: cents(taxes) }],
  payment: { status: "succeeded", succeededAt: at.subtract({ hours: 1 }) },
  windowTo: at,
  ...rest,
});

test("paid fees are summed, taxes included, and not recomputed", () => {
  const invoice = regroupPaidFees([fee("a", 5, 1), fee("b", 5, 1), fee("c", 10)], at);
  expect(invoice).toMatchObject({
    feeIds: ["a", "b", "c"],
    figures: {
      feesMinor: 20n,
      couponsMinor: 0n,
      subTotalExcludingTaxesMinor: 20n,
      taxesMinor: 2n,
      subTotalIncludingTaxesMinor: 22n,
      creditNotesMinor: 0n,
      prepaidMinor: 0n,
      totalMinor: 22n,
    },
    taxLines: [{ tax: { code: "vat" }, baseMinor: 10n, amountMinor: 2n }],
    paymentStatus: "succeeded",
  });
  // Half of the amount bears 10 %.
  expect(invoice?.taxesRate.toFixed()).toBe("5");
});

test("a tax whose rate changed is two lines", () => {
  const later = { taxes: [{ tax: vat("20"), amountMinor: cents(2) }] };
  const invoice = regroupPaidFees([fee("a", 10, 1), fee("b", 10, 2, later)], at);
  expect(invoice?.taxLines.map(({ tax, amountMinor }) => [tax.rate.toFixed(), amountMinor])).toEqual([
    ["10", 1n],
    ["20", 2n],
  ]);
});

describe("which fees are taken", () => {
  it.each<[string, Partial<StandaloneFee>, boolean]>([
    ["paid at the instant itself", { payment: { status: "succeeded", succeededAt: at } }, true],
    ["paid a moment later", { payment: { status: "succeeded", succeededAt: aMomentLater } }, false],
    ["not paid", { payment: { status: "pending" } }, false],
    ["failed", { payment: { status: "failed" } }, false],
    ["refunded", { payment: { status: "refunded" } }, false],
    ["of a period that ended before", { windowTo: at.subtract({ hours: 1 }) }, true],
    ["of a period that goes on", { windowTo: aMomentLater }, false],
  ])("%s", (_, rest, isTaken) => {
    expect(regroupPaidFees([fee("x", 1000, 0, rest)], at)?.feeIds ?? []).toEqual(isTaken ? ["x"] : []);
  });

  test("without any there is no invoice", () => expect(regroupPaidFees([], at)).toBeNull());

  test("one of two was paid: 10.00 on the invoice", () => {
    const unpaid = fee("tx2", 1000, 0, { payment: { status: "pending" } });
    expect(regroupPaidFees([fee("tx1", 1000), unpaid], at)).toMatchObject({
      feeIds: ["tx1"],
      figures: { totalMinor: 1000n },
    });
  });
});
