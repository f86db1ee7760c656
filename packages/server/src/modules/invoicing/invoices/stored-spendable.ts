/** What there was to spend on an invoice as it is stored with it: JSON has no decimals, whole amounts or instants, so they are text. */
import type { CouponLimit } from "@tallystick/core/catalog";
import type { AppliedCoupon } from "@tallystick/core/invoicing";
import { currency, decimal, minor } from "@tallystick/core/money";
import type { Spendable } from "./spendable.ts";

type StoredValue =
  | { type: "fixed_amount"; amountMinor: string; currency: string }
  | { type: "percentage"; rate: string };

type StoredState =
  | { value: StoredValue; left: { type: "uses"; count: number } | { type: "forever" } }
  | { value: Extract<StoredValue, { type: "fixed_amount" }>; left: { type: "amount"; amountMinor: string } };

type StoredLimit = { type: "none" } | { type: "plans" | "metrics"; codes: string[] };

export type StoredSpendable = {
  coupons: { id: string; code: string; appliedAt: string; state: StoredState; limit: StoredLimit }[];
  creditNotes: {
    id: string;
    number: string;
    invoiceId: string;
    currency: string;
    createdAt: string;
    balanceMinor: string;
  }[];
  wallets: {
    id: string;
    priority: number;
    createdAt: string;
    expiresAt: string | null;
    currency: string;
    rate: string;
    balanceMinor: string;
  }[];
};

export const toStoredSpendable = ({ coupons, creditNotes, wallets }: Spendable): StoredSpendable => ({
  coupons: coupons.map(({ id, code, appliedAt, state, limit }) => ({
    id,
    code,
    appliedAt: appliedAt.toString(),
    state: toStoredState(state),
    limit: toStoredLimit(limit),
  })),
  creditNotes: creditNotes.map(({ id, number, invoiceId, currency, createdAt, balanceMinor }) => ({
    id,
    number,
    invoiceId,
    currency,
    createdAt: createdAt.toString(),
    balanceMinor: String(balanceMinor),
  })),
  wallets: wallets.map(({ id, priority, createdAt, expiresAt, currency, rate, balanceMinor }) => ({
    id,
    priority,
    createdAt: createdAt.toString(),
    expiresAt: expiresAt?.toString() ?? null,
    currency,
    rate: rate.toFixed(),
    balanceMinor: String(balanceMinor),
  })),
});

export const fromStoredSpendable = ({ coupons, creditNotes, wallets }: StoredSpendable): Spendable => ({
  coupons: coupons.map((coupon) => ({
    ...coupon,
    appliedAt: Temporal.Instant.from(coupon.appliedAt),
    state: fromStoredState(coupon.state),
  })),
  creditNotes: creditNotes.map((note) => ({
    ...note,
    currency: currency(note.currency),
    createdAt: Temporal.Instant.from(note.createdAt),
    balanceMinor: minor(BigInt(note.balanceMinor)),
  })),
  wallets: wallets.map((wallet) => ({
    ...wallet,
    currency: currency(wallet.currency),
    createdAt: Temporal.Instant.from(wallet.createdAt),
    expiresAt: wallet.expiresAt === null ? null : Temporal.Instant.from(wallet.expiresAt),
    rate: decimal(wallet.rate),
    balanceMinor: minor(BigInt(wallet.balanceMinor)),
  })),
});

type State = AppliedCoupon["state"];

const isOfAmount = <Of extends { left: { type: string } }>(
  state: Of,
): state is Extract<Of, { left: { type: "amount" } }> => state.left.type === "amount";

function toStoredState(state: State): StoredState {
  if (isOfAmount(state)) {
    return {
      value: toStoredFixed(state.value),
      left: { type: "amount", amountMinor: String(state.left.amountMinor) },
    };
  }
  const { value, left } = state;
  return {
    value: value.type === "percentage" ? { type: value.type, rate: value.rate.toFixed() } : toStoredFixed(value),
    left,
  };
}

type Fixed = Extract<State["value"], { type: "fixed_amount" }>;
type StoredFixed = Extract<StoredValue, { type: "fixed_amount" }>;

const toStoredFixed = ({ type, amountMinor, currency }: Fixed): StoredFixed => ({
  type,
  amountMinor: String(amountMinor),
  currency,
});

const fromStoredFixed = ({ type, amountMinor, currency: code }: StoredFixed): Fixed => ({
  type,
  amountMinor: minor(BigInt(amountMinor)),
  currency: currency(code),
});

function fromStoredState(state: StoredState): State {
  if (isOfAmount(state)) {
    return {
      value: fromStoredFixed(state.value),
      left: { type: "amount", amountMinor: minor(BigInt(state.left.amountMinor)) },
    };
  }
  const { value, left } = state;
  return {
    value: value.type === "percentage" ? { type: value.type, rate: decimal(value.rate) } : fromStoredFixed(value),
    left,
  };
}

const toStoredLimit = (limit: CouponLimit): StoredLimit =>
  limit.type === "none" ? { type: "none" } : { type: limit.type, codes: [...limit.codes] };
