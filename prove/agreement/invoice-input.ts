/** Cases of invoices as core takes them. */
import type { AppliedCoupon, Fee, InvoiceInput, Tax, Wallet } from "@tallystick/core/invoicing";
import { type Currency, decimal, minor } from "@tallystick/core/money";
import type { InvoiceCoupon, InvoiceWallet, TaxRate } from "@tallystick/second-opinion/credit-rules";
import type { InvoiceCase } from "@tallystick/second-opinion/invoice";
import { currencyWith } from "./comparison.ts";

export const instantOf = (number: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(number * 1000);

/** Of equal age or application time the earlier in the list comes first, so ids are in the order of the list. */
export const idOf = (index: number): string => String(index).padStart(3, "0");

export const centsOf = (text: string) => minor(BigInt(text));

export const taxOf = ({ code, rate }: TaxRate): Tax => ({ code, name: code, rate: decimal(rate) });

export function inputOf({ digits, fees, coupons, creditNotes, wallets }: InvoiceCase): InvoiceInput {
  const currency = currencyWith(digits);
  return {
    id: "invoice",
    form: { type: "subscription", status: "finalized" },
    currency,
    at: instantOf(1000),
    taxes: { customer: [], organization: [] },
    fees: fees.map(({ cents, planCode, metricCode, taxes }, index): Fee => {
      const levels = taxes.map(taxOf);
      return {
        id: idOf(index),
        label: "fee",
        amountMinor: centsOf(cents),
        item:
          metricCode === null
            ? { kind: "subscription", planCode, planTaxes: levels }
            : { kind: "charge", planCode, metricCode, chargeTaxes: levels, planTaxes: [] },
      };
    }),
    coupons: coupons.map((coupon, index) => couponOf(coupon, index, currency)),
    creditNotes: creditNotes.map(({ balance, at }, index) => ({
      id: idOf(index),
      number: "note",
      invoiceId: "another",
      currency,
      createdAt: instantOf(at),
      balanceMinor: centsOf(balance),
    })),
    wallets: wallets.map((wallet, index) => walletOf(wallet, index, currency)),
  };
}

/** As it is when it was just applied. */
export const couponOf = (coupon: InvoiceCoupon, index: number, currency: Currency): AppliedCoupon => ({
  id: idOf(index),
  code: "coupon",
  appliedAt: instantOf(coupon.appliedAt),
  state: stateOf(coupon, currency),
  limit: limitOf(coupon),
});

export const walletOf = (
  { balance, priority, at, rate }: InvoiceWallet,
  index: number,
  currency: Currency,
): Wallet => ({
  id: idOf(index),
  priority,
  createdAt: instantOf(at),
  expiresAt: null,
  currency,
  rate: decimal(rate),
  balanceMinor: centsOf(balance),
});

function stateOf(coupon: InvoiceCoupon, currency: Currency): AppliedCoupon["state"] {
  const { kind, cents = "0", rate = "0", frequency, remaining = 0 } = coupon;
  const fixed = { type: "fixed_amount", amountMinor: centsOf(cents), currency } as const;
  if (kind === "fixed" && frequency === "once")
    return { value: fixed, left: { type: "amount", amountMinor: centsOf(cents) } };
  const value = kind === "fixed" ? fixed : ({ type: "percentage", rate: decimal(rate) } as const);
  if (frequency === "forever") return { value, left: { type: "forever" } };
  return { value, left: { type: "uses", count: frequency === "once" ? 1 : remaining } };
}

function limitOf({ planCodes, metricCodes }: InvoiceCoupon): AppliedCoupon["limit"] {
  if (metricCodes !== null) return { type: "metrics", codes: metricCodes };
  return planCodes === null ? { type: "none" } : { type: "plans", codes: planCodes };
}
