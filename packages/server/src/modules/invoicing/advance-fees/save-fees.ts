/** Saves the fees of an event, on their own invoice or standalone, as their charges say. */
import assert from "node:assert/strict";
import {
  checkLimits,
  computeInvoice,
  explainLimit,
  type FeeTaxes,
  feeTaxes,
  type InAdvanceFeeDerivation,
  issuedDates,
  overdueAt,
  taxesFor,
} from "@tallystick/core/invoicing";
import { decimal, type Fraction, fraction, minor, roundTo } from "@tallystick/core/money";
import { dayOf } from "@tallystick/core/time";
import { CannotBill } from "../../../jobs/failures.ts";
import { publish } from "../../../jobs/outbox.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp } from "../../customers/index.ts";
import { toCustomerTaxes, toFeeItem } from "../../usage/index.ts";
import { describeFees, findFees, type NewFee, saveFees } from "../fees/index.ts";
import {
  chargeItem,
  type InvoiceWorkDeps,
  insertInvoice,
  loadSpendable,
  lockInvoice,
  type Payer,
  paymentOf,
  saveInvoice,
  spendableOf,
  type TaxRows,
  taxOf,
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
  const alone = lines.filter((line) => !isInvoiced(line));
  const rows = alone.map((line) => standaloneRow(line, { billing, billed }));
  demandLimits(rows);
  await saveFees(tx, organizationId, rows, { createdAt: createdAt(deps, billed), now: deps.clock.now() });
  const ids = lines.map(({ id }) => id);
  const described = await describeFees(tx, organizationId, await findFees(tx, organizationId, ids), {
    withTaxes: false,
  });
  for (const object of described) {
    const change = { webhookType: "fee.created", objectType: "fee", objectId: object.svc_id, object, once: true };
    await publish(tx, organizationId, change, deps.clock.now());
  }
}

/** For standalone fees. Fees on an invoice are checked with it. */
function demandLimits(rows: readonly NewFee[]): void {
  const fees = rows.map((row) => ({
    amountMinor: minor(BigInt(row.amount_cents)),
    taxesMinor: minor(BigInt(row.taxes_amount_cents)),
  }));
  const checked = checkLimits({ fees });
  if (!checked.ok) throw new CannotBill(explainLimit(checked.error));
}

const isInvoiced = ({ charge: { timing } }: PricedEvent): boolean =>
  timing.type === "in_advance" && timing.invoicing === "invoice_each";

/** Rows of a customer on a test clock use its time. */
const createdAt = ({ clock }: InvoiceWorkDeps, { payer, now }: Billed): Temporal.Instant =>
  payer.customer.test_clock_id === null ? clock.now() : now;

type Context = { billing: EventBilling; billed: Billed };

/** Finalizes the invoice at once, issued on the local day of the event. */
async function invoiceLines(
  tx: Tx,
  invoiceDeps: InvoiceWorkDeps,
  { lines, ...context }: Context & { lines: Line[] },
): Promise<void> {
  const { billing: eventBilling, billed } = context;
  const { payer, now } = billed;
  const { organization, customer, timeZone } = payer;
  const { currency } = eventBilling.priceList.plan;
  const made = createdAt(invoiceDeps, billed);
  const id = newId();
  await insertInvoice(tx, organization.id, {
    id,
    customer_id: customer.id,
    invoice_type: "subscription",
    status: "generating",
    occurred_at: eventBilling.event.timestamp,
    payment_status: "pending",
    created_at: made,
    updated_at: made,
  });
  const of = { customerId: customer.id, isHeld: true };
  const spendable = await loadSpendable(tx, invoiceDeps.credits, organization.id, of);
  const computed = computeInvoice({
    id,
    form: { type: "subscription", status: "finalized" },
    currency,
    at: now,
    fees: lines.map((line) => ({
      id: line.id,
      label: line.charge.invoiceDisplayName ?? line.charge.metric.code,
      amountMinor: line.fee.amountMinor,
      item: toFeeItem(eventBilling, line.charge),
    })),
    taxes: toCustomerTaxes(payer),
    ...spendable,
  });
  const dates = issuedDates(dayOf(eventBilling.event.timestamp, timeZone), payer.netPaymentTermDays);
  const taxRows = taxRowsOf(context);
  const payment = paymentOf(computed.paymentStatus, now);
  await saveInvoice(tx, invoiceDeps, {
    invoice: await lockInvoice(tx, organization.id, id),
    payer,
    computed,
    fees: lines.map((line, index) => {
      const figures = computed.fees.find((fee) => fee.id === line.id);
      assert(figures, "core computes the fees that it was given");
      const taxes: FeeTaxes = { ...figures, lines: figures.taxes };
      const row = toRow(line, context, { taxes, couponShare: figures.couponShare });
      return { ...row, ...payment, invoice_id: id, line: index, invoiceable: true };
    }),
    taxRows,
    currency,
    madeFrom: { ...madeFromOf(invoiceDeps, context, lines), spendable: spendableOf(spendable) },
    timeZone,
    dates,
    newStatus: { status: "finalized", finalizedAt: now },
    webhookType: "invoice.created",
  });
  const isLate = Temporal.Instant.compare(overdueAt(dates.paymentDueDate, timeZone), now) <= 0;
  const { test_clock_id: testClockId } = customer;
  if (isLate && testClockId !== null) await askToCatchUp(tx, organization.id, testClockId);
}

/** Taxed separately, like its estimate. */
function standaloneRow(line: Line, context: Context): NewFee {
  const { billing: matter, billed } = context;
  const base = fraction(line.fee.amountMinor);
  const taxes = feeTaxes({
    base,
    taxes: taxesFor(toFeeItem(matter, line.charge), toCustomerTaxes(billed.payer)),
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
  const { billing: matter, billed } = context;
  const { event, subscription, priceList } = matter;
  const taxRows = taxRowsOf(context);
  const derivation: InAdvanceFeeDerivation = { type: "in_advance", before, fee: fee.derivation };
  return {
    id,
    customer_id: billed.payer.customer.id,
    subscription_id: subscription.id,
    fee_key: `advance:${charge.id}:${event.id}`,
    fee_type: "charge",
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
const madeFromOf = (
  { engine }: InvoiceWorkDeps,
  { billing: matter, billed: { payer } }: Context,
  lines: readonly Line[],
) => ({
  engineVersion: engine.version,
  zoneDataVersion: engine.zoneData,
  timeZone: payer.timeZone,
  reason: "in_advance_charge",
  event: {
    id: matter.event.id,
    timestamp: matter.event.timestamp,
    shard: matter.event.shard,
    position: String(matter.event.position),
  },
  subscriptionId: matter.subscription.id,
  externalSubscriptionId: matter.subscription.externalId,
  window: matter.subscription.window,
  planId: matter.priceList.planId,
  planVersion: matter.priceList.version,
  charges: lines.map(({ charge, fee, before, wasActive }) => ({
    chargeId: charge.id,
    filterId: fee.filterId,
    group: fee.group,
    before,
    wasActive,
    taxes: (matter.priceList.chargeTaxes.get(charge.id) ?? []).map(taxOf),
  })),
  taxes: {
    plan: matter.priceList.planTaxes.map(taxOf),
    customer: payer.taxes.customer.map(taxOf),
    organization: payer.taxes.organization.map(taxOf),
  },
});
