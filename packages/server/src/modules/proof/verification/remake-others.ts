/** Recomputes invoices that need no usage: add-ons, regrouped fees that were paid before, and prepaid credits. */
import assert from "node:assert/strict";
import {
  billFeeFrom,
  type CreditsDerivation,
  computeInvoice,
  creditsAmountFrom,
  creditsOf,
  finalizedDates,
  type InAdvanceFeeDerivation,
  oneOffFee,
  regroupPaidFees,
} from "@tallystick/core/invoicing";
import { currency, decimal, fraction, inMajorUnits, minor, roundTo } from "@tallystick/core/money";
import type { FeeRow, NewFee } from "../../invoicing/index.ts";
import type { Rebuild } from "./rebuild.ts";
import { type Members, membersOfRemade, type StoredInvoice } from "./shown-invoice.ts";
import type { FromAddOns, FromPaidFees, FromPurchase, MadeBy } from "./stored-inputs.ts";
import { toTax, toTaxes } from "./stored-inputs.ts";

const UNIT_DIGITS = 15;

export function remakeOneOff({ stored, inputs }: Rebuild<FromAddOns>): Members {
  const code = currencyOf(stored);
  const priced = inputs.fees.map((requested, index) => ({
    requested,
    key: `add_on:${index}`,
    row: stored.fees.find(({ fee_key }) => fee_key === `add_on:${index}`),
    ...oneOffFee({
      currency: code,
      addOnAmountMinor: minor(BigInt(requested.unitAmountMinor)),
      unitAmountMinor: null,
      units: requested.units === null ? null : decimal(requested.units),
    }),
  }));
  const computed = computeInvoice({
    ...nothingSpent(stored, "one_off"),
    fees: priced.map(({ key, row, amountMinor, requested }) => ({
      id: row?.id ?? key,
      label: "",
      amountMinor,
      item: { kind: "add_on", feeTaxes: requested.feeTaxes.map(toTax), addOnTaxes: requested.addOnTaxes.map(toTax) },
    })),
    taxes: toTaxes(inputs.taxes),
  });
  const fees = priced.map(({ key, row, requested, units, unitAmountMinor, amountMinor, derivation }, index) => ({
    ...unchanged(row, key),
    item_id: requested.addOnId,
    amount_cents: amountMinor,
    precise_amount_cents: roundTo(fraction(unitAmountMinor).times(units), UNIT_DIGITS),
    precise_unit_amount: roundTo(inMajorUnits(unitAmountMinor, code), UNIT_DIGITS),
    units,
    derivation: JSON.stringify({ type: "one_off", ...derivation }),
    ...taxesOf(computed.fees[index]),
  }));
  return membersOfRemade(stored, { ...frameOf(stored, inputs), computed, fees });
}

/** The derivation of the fee says what was bought, and the invoice follows from it. */
export function remakePurchase({ stored, inputs }: Rebuild<FromPurchase>): Members {
  const [row] = stored.fees;
  const derivation = (row?.derivation ?? {}) as unknown as CreditsDerivation;
  const amountMinor = row ? creditsAmountFrom(derivation) : minor(0n);
  const computed = computeInvoice({
    ...nothingSpent(stored, "credit"),
    fees: row ? [{ id: row.id, label: "", amountMinor, item: { kind: "credit" } }] : [],
    taxes: { customer: [], organization: [] },
  });
  const rate = row && { rate: decimal(derivation.rate), currency: currencyOf(stored) };
  const fee = rate && {
    ...unchanged(row, "credit"),
    item_id: inputs.walletTransactionId,
    amount_cents: amountMinor,
    precise_amount_cents: decimal(String(amountMinor)),
    precise_unit_amount: rate.rate,
    units: creditsOf(amountMinor, rate),
    ...taxesOf(computed.fees[0]),
  };
  return membersOfRemade(stored, { ...frameOf(stored, inputs), computed, fees: fee ? [fee] : [] });
}

/** Recomputes only the sums of such an invoice. Each fee follows from its own derivation. */
export function remakeRegrouped({ stored, inputs }: Rebuild<FromPaidFees>): Members {
  const at = finalizedAt(stored);
  const taxesOfFee = Map.groupBy(stored.feeTaxes, ({ fee_id }) => fee_id);
  const paid = inputs.feeIds.flatMap((id) => stored.fees.find((fee) => fee.id === id) ?? []);
  const regrouped = regroupPaidFees(
    paid.map((fee) => ({
      id: fee.id,
      amountMinor: amountOf(fee),
      taxesMinor: minor(fee.taxes_amount_cents),
      taxes: (taxesOfFee.get(fee.id) ?? []).map((tax) => ({
        tax: { code: tax.tax_code, name: tax.tax_name, rate: tax.tax_rate },
        amountMinor: minor(tax.amount_cents),
      })),
      payment: { status: "succeeded", succeededAt: at },
      windowTo: at,
    })),
    at,
  );
  if (!regrouped) return new Map();
  const fees = paid.map((fee) => fromOwnDerivation(stored, fee));
  const derivation = { type: "regrouped", feeIds: regrouped.feeIds };
  return membersOfRemade(stored, { ...frameOf(stored, inputs), computed: { ...regrouped, derivation }, fees });
}

/** The amount of a fee that is, or was, standalone follows from its own derivation. */
export const fromOwnDerivation = ({ feeTaxes }: StoredInvoice, fee: FeeRow) => ({
  ...unchanged(fee, fee.fee_key),
  amount_cents: amountOf(fee),
  taxes: feeTaxes
    .filter(({ fee_id }) => fee_id === fee.id)
    .map((tax) => ({
      taxId: tax.tax_id,
      code: tax.tax_code,
      name: tax.tax_name,
      description: null,
      rate: tax.tax_rate,
      amountMinor: minor(tax.amount_cents),
    })),
});

const amountOf = ({ derivation }: FeeRow) => billFeeFrom(derivation as unknown as InAdvanceFeeDerivation);

function finalizedAt({ row }: StoredInvoice): Temporal.Instant {
  assert(row.finalized_at, "only finalized invoices are recomputed");
  return row.finalized_at;
}

const currencyOf = ({ row }: StoredInvoice) => currency(row.currency ?? "");

const nothingSpent = <Type extends "one_off" | "credit">(stored: StoredInvoice, type: Type) => ({
  id: stored.row.id,
  form: { type, status: "finalized" as const },
  currency: currencyOf(stored),
  at: finalizedAt(stored),
  coupons: [],
  creditNotes: [],
  wallets: [],
});

const frameOf = (stored: StoredInvoice, { timeZone }: MadeBy) => ({
  currency: currencyOf(stored),
  timeZone,
  dates: finalizedDates(finalizedAt(stored), { timeZone, netPaymentTermDays: stored.row.net_payment_term ?? 0 }),
});

/** Copies members that are not computed. A missing fee has none. */
const unchanged = (row: FeeRow | undefined, key: string) => ({
  id: row?.id ?? key,
  bill_id: row?.bill_id ?? null,
  fee_key: key,
  true_up_parent_fee_id: row?.true_up_parent_fee_id ?? null,
  subscription_id: row?.subscription_id ?? null,
  charge_id: row?.charge_id ?? null,
  charge_filter_id: row?.charge_filter_id ?? null,
  fee_type: row?.fee_type ?? ("" as const),
  kind: (row?.kind ?? "") as NewFee["kind"],
  item_id: row?.item_id ?? "",
  item_code: row?.item_code ?? "",
  pay_in_advance: row?.pay_in_advance ?? false,
  invoiceable: row?.invoiceable ?? true,
  is_renewal: row?.is_renewal ?? false,
  currency: row?.currency ?? "",
  precise_amount_cents: row?.precise_amount_cents ?? decimal("0"),
  precise_unit_amount: row?.precise_unit_amount ?? decimal("0"),
  precise_coupons_amount_cents: row?.precise_coupons_amount_cents ?? decimal("0"),
  taxes_amount_cents: row?.taxes_amount_cents ?? 0n,
  taxes_rate: row?.taxes_rate ?? decimal("0"),
  units: row?.units ?? decimal("0"),
  events_count: row?.events_count ?? null,
  from_at: row?.from_at ?? null,
  to_at: row?.to_at ?? null,
  grouped_by: JSON.stringify(row?.grouped_by ?? {}),
  derivation: JSON.stringify(row?.derivation ?? {}),
});

const taxesOf = (figures: ReturnType<typeof computeInvoice>["fees"][number] | undefined) => ({
  taxes_amount_cents: figures?.taxesMinor ?? minor(0n),
  taxes_rate: figures?.taxesRate ?? decimal("0"),
  taxes: (figures?.taxes ?? []).map(({ tax, amountMinor }) => ({
    taxId: "",
    code: tax.code,
    name: tax.name,
    description: null,
    rate: tax.rate,
    amountMinor,
  })),
});
