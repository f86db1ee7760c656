/** The stored form of fees of bills. */
import assert from "node:assert/strict";
import type { BillFee, Tax } from "@tallystick/core/invoicing";
import { type Decimal, type Fraction, fraction, type Minor, roundTo } from "@tallystick/core/money";
import { newId } from "../../../platform/new-id.ts";
import type { PriceList, StoredCharge, TaxRow } from "../../catalogue/index.ts";
import type { MeasuredBucket } from "../../usage/index.ts";
import { type FeeItemTexts, type NewFee, toStoredKey } from "../fees/index.ts";
import { commitmentName, type Decided } from "./decide-invoice.ts";
import type { LoadedBill } from "./load-billing.ts";

const PRECISE_DIGITS = 15;
const COUPON_DIGITS = 5;

export type TaxRows = ReadonlyMap<string, Pick<TaxRow, "id" | "description">>;

type Line = {
  subscriptionId: string;
  fee: BillFee<MeasuredBucket>;
  taxes: readonly { tax: Tax; amountMinor: Minor }[];
  taxesMinor: Minor;
  taxesRate: Decimal;
  couponShare: Fraction;
  isOnInvoice: boolean;
};

type Context = {
  invoiceId: string;
  customerId: string;
  bills: readonly LoadedBill[];
  taxRows: TaxRows;
  payment: ReturnType<typeof paymentOf>;
};

/** The payment columns of fees. Fees on an invoice have the invoice's status. */
export const paymentOf = (status: "pending" | "succeeded", at: Temporal.Instant) => ({
  payment_status: status,
  succeeded_at: status === "succeeded" ? at : null,
  failed_at: null,
  refunded_at: null,
});

export function feeRowsOf(decided: Decided, context: Context): NewFee[] {
  const lines: Line[] = [
    ...decided.invoiced.map(({ subscriptionId, fee, figures }) => ({
      subscriptionId,
      fee,
      ...figures,
      isOnInvoice: true,
    })),
    ...decided.standalone.map(({ subscriptionId, fee, taxes }) => ({
      subscriptionId,
      fee,
      taxes: taxes.lines,
      taxesMinor: taxes.taxesMinor,
      taxesRate: taxes.taxesRate,
      couponShare: fraction(0n),
      isOnInvoice: false,
    })),
  ];
  const ids = new Map(lines.map((line) => [keyOf(line), newId()]));
  return lines.map((line, index) => toRow(line, { ...context, ids, line: index }));
}

const keyOf = ({ subscriptionId, fee }: Pick<Line, "subscriptionId" | "fee">, key = fee.key): string =>
  `${subscriptionId} ${key}`;

function toRow(line: Line, context: Context & { ids: ReadonlyMap<string, string>; line: number }): NewFee {
  const { fee, subscriptionId } = line;
  const loaded = context.bills.find((bill) => bill.subscriptionId === subscriptionId);
  const id = context.ids.get(keyOf(line));
  assert(loaded && id, "a fee is of a bill");
  const { billId } = loaded;
  const priceList = isOpening(loaded, fee) ? loaded.opening : loaded.priceList;
  const charge = priceList.plan.charges.find((one) => one.id === fee.chargeId);
  return {
    id,
    customer_id: context.customerId,
    invoice_id: line.isOnInvoice ? context.invoiceId : null,
    subscription_id: subscriptionId,
    bill_id: billId,
    fee_key: toStoredKey(fee.key),
    kind: fee.kind,
    line: context.line,
    fee_type: fee.item.kind,
    charge_id: fee.chargeId,
    charge_filter_id: fee.filterId,
    ...itemOf(priceList, subscriptionId, fee),
    grouped_by: JSON.stringify(fee.group),
    true_up_parent_fee_id:
      fee.trueUpParentKey === null ? null : (context.ids.get(keyOf(line, fee.trueUpParentKey)) ?? null),
    pay_in_advance: charge ? charge.timing.type === "in_advance" : isOpening(loaded, fee),
    invoiceable: fee.isInvoiced,
    is_renewal: fee.isRenewal,
    regroups: charge?.timing.type === "in_advance" && charge.timing.invoicing === "regroup_paid",
    currency: priceList.plan.currency,
    amount_cents: fee.amountMinor,
    precise_amount_cents: roundTo(fee.preciseAmountMinor, PRECISE_DIGITS),
    precise_unit_amount: fee.preciseUnitAmount,
    precise_coupons_amount_cents: roundTo(line.couponShare, COUPON_DIGITS),
    taxes_amount_cents: line.taxesMinor,
    taxes_rate: line.taxesRate,
    units: fee.units,
    events_count: fee.eventsCount,
    description: null,
    from_at: fee.from,
    to_at: fee.to,
    ...(line.isOnInvoice ? context.payment : paymentOf("pending", fee.from)),
    derivation: JSON.stringify(fee.derivation),
    taxes: line.taxes.map((tax) => toTaxOf(tax, context.taxRows)),
  };
}

/** Whether the fee is for the new period. */
const isOpening = ({ priceList }: LoadedBill, fee: BillFee): boolean =>
  fee.isRenewal || (fee.item.kind === "subscription" && priceList.plan.isPaidInAdvance);

export function toTaxOf({ tax, amountMinor }: { tax: Tax; amountMinor: Minor }, rows: TaxRows) {
  const row = rows.get(tax.code);
  assert(row, "a tax of a fee was loaded with it");
  return { taxId: row.id, code: tax.code, name: tax.name, description: row.description, rate: tax.rate, amountMinor };
}

function itemOf(
  priceList: PriceList,
  subscriptionId: string,
  fee: BillFee,
): Pick<NewFee, "item_id" | "item_code" | "item"> {
  const { plan } = priceList;
  const charge = plan.charges.find(({ id }) => id === fee.chargeId);
  if (!charge) {
    const display =
      fee.item.kind === "commitment" ? commitmentName(plan.minimumCommitment) : (plan.invoiceDisplayName ?? plan.name);
    const texts = { name: plan.name, invoice_display_name: display, filters: null, filter_invoice_display_name: null };
    return { item_id: subscriptionId, item_code: plan.code, item: JSON.stringify(texts satisfies FeeItemTexts) };
  }
  return chargeItem(priceList, charge, fee.filterId);
}

/** The item of a charge's fee, with current names. */
export function chargeItem(
  { metricsById }: Pick<PriceList, "metricsById">,
  charge: StoredCharge,
  filterId: string | null,
): Pick<NewFee, "item_id" | "item_code" | "item"> {
  const metric = metricsById.get(charge.metricId);
  assert(metric, "a charge has a metric");
  const filter = charge.filters.find(({ id }) => id === filterId);
  const texts: FeeItemTexts = {
    name: metric.name,
    invoice_display_name: charge.invoiceDisplayName ?? metric.name,
    filters: filter?.values ?? null,
    filter_invoice_display_name: filter?.invoiceDisplayName ?? null,
    charge: {
      model: charge.price.pricing.model,
      invoice_display_name: charge.invoiceDisplayName,
      aggregation_type: metric.aggregation_type,
    },
  };
  return { item_id: metric.id, item_code: metric.code, item: JSON.stringify(texts) };
}
