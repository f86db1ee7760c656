import { expect, it } from "vitest";
import { decimal, minor } from "../money/index.ts";
import { type FeeItem, type Tax, usageTotals } from "./index.ts";

const tax = (code: string, rate: string): Tax => ({ code, name: code, rate: decimal(rate) });
const item = (chargeTaxes: readonly Tax[], planTaxes: readonly Tax[]): FeeItem => ({
  kind: "charge",
  planCode: "plan",
  metricCode: "metric",
  chargeTaxes,
  planTaxes,
});
const levels = { customer: [tax("customer", "50")], organization: [tax("organization", "90")] };

it("taxes are those of the nearest level, exact, and rounded once: 1.4 + 1.485 is 3", () => {
  const plan = [tax("reduced", "5.5")];
  const fees = [
    { amountMinor: minor(7n), item: item([tax("vat", "20")], plan) },
    { amountMinor: minor(27n), item: item([], plan) },
  ];
  expect(usageTotals(fees, levels)).toEqual({ amountMinor: 34n, taxesMinor: 3n, totalMinor: 37n });
});

it("fees that round to no tax each may bear one together", () => {
  const fees = Array.from({ length: 3 }, () => ({ amountMinor: minor(2n), item: item([tax("vat", "20")], []) }));
  expect(usageTotals(fees, levels).taxesMinor).toBe(1n);
});

it("without own taxes the customer's apply, then the organization's", () => {
  const fees = [{ amountMinor: minor(100n), item: item([], []) }];
  expect(usageTotals(fees, levels).taxesMinor).toBe(50n);
  expect(usageTotals(fees, { ...levels, customer: [] }).taxesMinor).toBe(90n);
});

it("without taxes the total is the amount", () => {
  const fees = [{ amountMinor: minor(100n), item: item([tax("vat", "20")], []) }];
  expect(usageTotals(fees, null)).toEqual({ amountMinor: 100n, taxesMinor: 0n, totalMinor: 100n });
  expect(usageTotals([], levels)).toEqual({ amountMinor: 0n, taxesMinor: 0n, totalMinor: 0n });
});
