/** Saves the fees of an event, on their own invoice or standalone, as their charges say. */
import assert from "node:assert/strict";
import {
  computeInvoice,
  type FeeTaxes,
  feeTaxes,
  type InAdvanceFeeDerivation,
  issuedDates,
  overdueAt,
  taxesFor,
} from "@tallystick/core/invoicing";
import { decimal, type Fraction, fraction, roundTo } from "@tallystick/core/money";
import { dayOf } from "@tallystick/core/time";
import { publish } from "../../../jobs/outbox.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp } from "../../customers/index.ts";
import { toCustomerTaxes, toFeeItem } from "../../usage/index.ts";
import { describeFees, findFees, type NewFee, saveFees } from "../fees/index.ts";
import {
  chargeItem,
  createdAt,
  demandLimits,
  type InvoiceWorkDeps,
  issueAtOnce,
  loadSpendable,
  type Payer,
  paymentOf,
  type TaxRows,
  taxOf,
  toStoredSpendable,
  toTaxOf,
} from "../invoices/index.ts";
import type { EventBilling } from "./look-up.ts";
import type { PricedEvent } from "./price-event.ts";

const PRECISE_DIGITS = 15;
const COUPON_DIGITS = 5;

/** The payer, and the current instant of its clock. */
export type Billed = { payer: Payer; now: Temporal.Instant };

type Line = PricedEvent & { id: string };

/** The customer is locked. */
export async function saveEventFees(
  tx: Tx,
  deps: InvoiceWorkDeps,
  { billing, priced, billed }: { billing: EventBilling; priced: readonly PricedEvent[]; billed: Billed },
): Promise<void> {
  const { id: organizationId } = billed.payer.organization;
  const lines = priced.map((one) => ({ ...one, id: newId() }));
  const invoiced = lines.filter(isInvoiced);
  if (invoiced.length > 0) await invoiceLines(tx, deps, { billing, lines: invoiced, billed });
  const rows = lines.filter((line) => !isInvoiced(line)).map((line) => standaloneRow(line, { billing, billed }));
  demandLimits(rows);
  await saveFees(alone(tx), organizationId, rows, {
    createdAt: createdAt(deps, billed.payer, billed.now),
    now: deps.clock.now(),
  });
  const ids = lines.map(({ id }) => id);
  const described = await describeFees(alone(tx), organizationId, await findFees(tx, organizationId, ids), {
    withTaxes: false,
  });
  for (const object of described) {
    const change = { webhookType: "fee.created", objectType: "fee", objectId: object.svc_id, object, once: true };
    await publish(alone(tx), organizationId, change, deps.clock.now());
  }
}

const isInvoiced = ({ charge: { timing } }: PricedEvent): boolean =>
  timing.type === "in_advance" && timing.invoicing === "invoice_each";

type Context = { billing: EventBilling; billed: Billed };

/** Finalized at once, and issued on the local day of the event. */
async function invoiceLines(
  tx: Tx,
  deps: InvoiceWorkDeps,
  { lines, ...context }: Context & { lines: Line[] },
): Promise<void> {
  const { billing, billed } = context;
  const { payer, now } = billed;
  const { organization, customer, timeZone } = payer;
  const { currency } = billing.priceList.plan;
  const { timestamp: occurredAt } = billing.event;
  const dates = issuedDates(dayOf(occurredAt, timeZone), payer.netPaymentTermDays);
  const issued = { payer, invoiceType: "subscription", at: now, occurredAt, webhookType: "invoice.created" } as const;
  await issueAtOnce(alone(tx), deps, issued, async ({ id: invoiceId }) => {
    const of = { customerId: customer.id, isHeld: true };
    const spendable = await loadSpendable(alone(tx), deps.credits, organization.id, of);
    const computed = computeInvoice({
      id: invoiceId,
      form: { type: "subscription", status: "finalized" },
      currency,
      at: now,
      fees: lines.map((line) => ({
        id: line.id,
        label: line.charge.invoiceDisplayName ?? line.charge.metric.code,
        amountMinor: line.fee.amountMinor,
        item: toFeeItem(billing, line.charge),
      })),
      taxes: toCustomerTaxes(payer),
      ...spendable,
    });
    return {
      computed,
      fees: invoicedRows(lines, context, { computed, invoiceId }),
      taxRows: taxRowsOf(context),
      currency,
      madeFrom: { ...madeFromOf(context, lines), spendable: toStoredSpendable(spendable) },
      dates,
    };
  });
  const isLate = Temporal.Instant.compare(overdueAt(dates.paymentDueDate, timeZone), now) <= 0;
  const { test_clock_id: testClockId } = customer;
  if (isLate && testClockId !== null) await askToCatchUp(tx, organization.id, testClockId);
}

type ComputedInvoice = { computed: ReturnType<typeof computeInvoice>; invoiceId: string };

function invoicedRows(lines: readonly Line[], context: Context, { computed, invoiceId }: ComputedInvoice): NewFee[] {
  const payment = paymentOf(computed.paymentStatus, context.billed.now);
  return lines.map((line, index) => {
    const figures = computed.fees.find((fee) => fee.id === line.id);
    assert(figures, "core computes the fees that it was given");
    const taxes: FeeTaxes = { ...figures, lines: figures.taxes };
    const row = toRow(line, context, { taxes, couponShare: figures.couponShare });
    return { ...row, ...payment, invoice_id: invoiceId, line: index, invoiceable: true };
  });
}

/** Taxed separately, like its estimate. */
function standaloneRow(line: Line, context: Context): NewFee {
  const { billing, billed } = context;
  const base = fraction(line.fee.amountMinor);
  const taxes = feeTaxes({
    base,
    taxes: taxesFor(toFeeItem(billing, line.charge), toCustomerTaxes(billed.payer)),
  });
  const { timing } = line.charge;
  return {
    ...toRow(line, context, { taxes, couponShare: fraction(0n) }),
    ...paymentOf("pending", billed.now),
    line: 0,
    invoiceable: false,
    regroups: timing.type === "in_advance" && timing.invoicing === "regroup_paid",
  };
}

type Figures = { taxes: FeeTaxes; couponShare: Fraction };

function toRow({ id, charge, fee, before }: Line, context: Context, { taxes, couponShare }: Figures) {
  const { billing, billed } = context;
  const { event, subscription, priceList } = billing;
  const taxRows = taxRowsOf(context);
  const derivation: InAdvanceFeeDerivation = { type: "in_advance", before, fee: fee.derivation };
  return {
    id,
    customer_id: billed.payer.customer.id,
    subscription_id: subscription.id,
    fee_key: `advance:${charge.id}:${event.id}`,
    kind: "in_advance" as const,
    fee_type: "charge" as const,
    charge_id: charge.id,
    charge_filter_id: fee.filterId,
    ...chargeItem(priceList, charge, fee.filterId),
    grouped_by: JSON.stringify(fee.group),
    pay_in_advance: true,
    is_renewal: false,
    event_id: event.id,
    event_transaction_id: event.transaction_id,
    currency: priceList.plan.currency,
    amount_cents: fee.amountMinor,
    precise_amount_cents: roundTo(fee.preciseAmountMinor, PRECISE_DIGITS),
    precise_unit_amount: fee.preciseUnitAmount,
    precise_coupons_amount_cents: couponShare.isZero() ? decimal("0") : roundTo(couponShare, COUPON_DIGITS),
    taxes_amount_cents: taxes.taxesMinor,
    taxes_rate: taxes.taxesRate,
    units: fee.units,
    events_count: fee.eventsCount,
    description: null,
    from_at: subscription.window.from,
    to_at: subscription.window.to,
    derivation: JSON.stringify(derivation),
    taxes: taxes.lines.map((tax) => toTaxOf(tax, taxRows)),
  };
}

const taxRowsOf = ({ billing: { priceList }, billed: { payer } }: Context): TaxRows =>
  new Map(
    [
      ...priceList.planTaxes,
      ...[...priceList.chargeTaxes.values()].flat(),
      ...payer.taxes.customer,
      ...payer.taxes.organization,
    ].map((row) => [row.code, row]),
  );

/** The same invoice can be recomputed from this. */
const madeFromOf = ({ billing, billed: { payer } }: Context, lines: readonly Line[]) => ({
  reason: "in_advance_charge",
  event: {
    id: billing.event.id,
    timestamp: billing.event.timestamp,
    shard: billing.event.shard,
    position: String(billing.event.position),
  },
  subscriptionId: billing.subscription.id,
  externalSubscriptionId: billing.subscription.externalId,
  window: billing.subscription.window,
  planId: billing.priceList.planId,
  planVersion: billing.priceList.version,
  charges: lines.map(({ charge, fee, before, wasActive }) => ({
    chargeId: charge.id,
    filterId: fee.filterId,
    group: fee.group,
    before,
    wasActive,
    taxes: (billing.priceList.chargeTaxes.get(charge.id) ?? []).map(taxOf),
  })),
  taxes: {
    plan: billing.priceList.planTaxes.map(taxOf),
    customer: payer.taxes.customer.map(taxOf),
    organization: payer.taxes.organization.map(taxOf),
  },
});
