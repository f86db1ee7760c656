/** One charge of each way of reading, on the events of `fill.ts`. */
import type { Aggregation, Charge, Pricing } from "@tallystick/core/catalog";
import { decimal, minor } from "@tallystick/core/money";

/** Each size has its own metric, so that rollups are derived separately. */
export const codeOf = (size: number): string => `calls ${size}`;

export type Kind = {
  readonly name: string;
  readonly charge: Charge;
  /** Whether hourly sums are enough. */
  readonly isAddedUp: boolean;
};

const standard: Pricing = { model: "standard", amount: decimal("0.01") };
const perTransaction: Pricing = {
  model: "percentage",
  rate: decimal("1.3"),
  fixedAmount: decimal("0.2"),
  freeEvents: null,
  freeUnits: null,
  perTransactionMin: null,
  perTransactionMax: decimal("12"),
};

const sum = (isRecurring: boolean): Aggregation => ({ type: "sum", field: "amount", isRecurring });

/** Sums with filters and counts in groups, as most plans use. */
export function KINDS(size: number): Kind[] {
  const charge = (aggregation: Aggregation, more: Partial<Charge> = {}): Charge => ({
    id: "charge",
    metric: { code: codeOf(size), aggregation, filters: [{ key: "region", values: ["us", "eu", "asia"] }] },
    price: { pricing: standard, groupedBy: [] },
    filters: [],
    timing: { type: "arrears", minAmountMinor: minor(0n) },
    isProrated: false,
    ...more,
  });
  const price = (groupedBy: string[], pricing = standard) => ({ pricing, groupedBy });
  const us = { id: "us", values: { region: ["us"] }, price: price([]) };
  return [
    { name: "sum", charge: charge(sum(false), { filters: [us] }), isAddedUp: true },
    { name: "count", charge: charge({ type: "count" }, { price: price(["workspace"]) }), isAddedUp: true },
    { name: "max", charge: charge({ type: "max", field: "amount" }), isAddedUp: true },
    {
      name: "unique count",
      charge: charge({ type: "unique_count", field: "user", isRecurring: false }),
      isAddedUp: false,
    },
    { name: "latest", charge: charge({ type: "latest", field: "amount" }), isAddedUp: false },
    {
      name: "weighted sum",
      charge: charge({ type: "weighted_sum", field: "amount", isRecurring: false }),
      isAddedUp: false,
    },
    {
      name: "percentage per transaction",
      charge: charge(sum(false), { price: price([], perTransaction) }),
      isAddedUp: false,
    },
    { name: "prorated sum", charge: charge(sum(true), { isProrated: true }), isAddedUp: false },
  ];
}
