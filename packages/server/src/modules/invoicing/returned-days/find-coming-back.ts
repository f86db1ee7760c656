/** Finds what was paid in advance for days that an ended subscription no longer bills, on any invoice. */
import assert from "node:assert/strict";
import type { BillFeeDerivation } from "@tallystick/core/invoicing";
import { type Decimal, decimal, minor } from "@tallystick/core/money";
import {
  type Bill,
  type Days,
  daysFromUnits,
  type PaidDays,
  type ReturnedDays,
  type ReturnedDerivation,
  returnedCredit,
  type Terminated,
  type UnusedCreditDerivation,
  unusedCredit,
} from "@tallystick/core/subscription";
import { countDays } from "@tallystick/core/time";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { findBilledSubscriptions } from "../../subscriptions/index.ts";
import { type FeeRow, findFees, findLastFeeInAdvance } from "../fees/index.ts";
import { findBalance, findPaidAhead, type PaidAheadRow } from "../look-ups/index.ts";

export type ComingBack = {
  fee: FeeRow;
  /** null: a standalone fee. */
  invoiceStatus: string | null;
  creditMinor: Decimal;
  derivation: UnusedCreditDerivation | ReturnedDerivation;
};

export type EndedLife = { subscriptionId: string; ended: Terminated; returned: readonly ReturnedDays[] };

/** The subscription fee first, then charges in billing order. Voided invoices are left out. */
export async function findComingBack(batch: Batch, organizationId: string, life: EndedLife): Promise<ComingBack[]> {
  return [...(await unusedFee(batch, organizationId, life)), ...(await returnedFees(batch, organizationId, life))];
}

async function unusedFee(
  batch: Batch,
  organizationId: string,
  { subscriptionId, ended }: EndedLife,
): Promise<ComingBack[]> {
  const fee = await findLastFeeInAdvance(batch.tx, organizationId, subscriptionId);
  if (!fee?.bill_id || fee.invoice_id === null) return [];
  const { credited, invoice_status: invoiceStatus } = await findBalance(batch.tx, organizationId, fee.id);
  const [billed] = await findBilledSubscriptions(batch, organizationId, [fee.bill_id]);
  assert(billed?.bill.fee, "a subscription fee has a window");
  const unused = unusedCredit(
    {
      window: billed.bill.fee,
      // The amount when the fee was created, because the plan may have changed since.
      planAmountMinor: minor(BigInt((fee.derivation as { planAmountMinor: string }).planAmountMinor)),
      amountMinor: minor(fee.amount_cents),
      creditedMinor: credited,
      isInvoiceVoided: invoiceStatus === "voided",
    },
    ended,
  );
  return unused ? [{ fee, invoiceStatus, ...unused }] : [];
}

async function returnedFees(
  batch: Batch,
  organizationId: string,
  { subscriptionId, ended, returned }: EndedLife,
): Promise<ComingBack[]> {
  if (returned.length === 0) return [];
  const metricCodes = returned.map(({ metricCode }) => metricCode);
  const rows = await findPaidAhead(batch.tx, organizationId, {
    subscriptionId,
    metricCodes,
    after: ended.terminatedAt,
  });
  const ids = rows.map(({ id }) => id);
  const fees = new Map((await findFees(batch.tx, organizationId, ids)).map((fee) => [fee.id, fee]));
  const coming: ComingBack[] = [];
  for (const row of rows) {
    const fee = fees.get(row.id);
    const days = fee && daysReturned(fee, returned);
    if (!fee || !days || row.invoice_status === "voided") continue;
    const paid = toPaidDays(fee, row, await findBill(batch, organizationId, fee.bill_id));
    const credit = returnedCredit(paid, days, decimal(row.units_held ?? fee.units.toFixed()));
    if (credit) coming.push({ fee, invoiceStatus: row.invoice_status, ...credit });
  }
  return coming;
}

/** Matches by charge, else by metric: an earlier plan may have been paid for the same days. */
const daysReturned = (fee: FeeRow, returned: readonly ReturnedDays[]): Days | undefined =>
  returned.find(({ chargeId }) => chargeId === fee.charge_id) ??
  returned.find(({ metricCode }) => metricCode === fee.item_code);

async function findBill(batch: Batch, organizationId: string, billId: string | null): Promise<Bill | null> {
  if (billId === null) return null;
  const [billed] = await findBilledSubscriptions(batch, organizationId, [billId]);
  return billed?.bill ?? null;
}

function toPaidDays(fee: FeeRow, row: PaidAheadRow, bill: Bill | null): PaidDays {
  const { first_day: firstDay, last_day: lastDay } = row;
  const paid = {
    preciseAmountMinor: fee.precise_amount_cents,
    amountMinor: minor(fee.amount_cents),
    creditedMinor: row.credited,
  };
  const derivation = fee.derivation as BillFeeDerivation;
  if (derivation.type !== "in_advance") {
    const part = bill?.reason === "starting" ? bill.parts?.[fee.charge_id ?? ""] : undefined;
    const days = part?.type === "days" ? part : { firstDay, lastDay };
    return { ...paid, firstDay: days.firstDay, lastDay: days.lastDay, unitsBefore: decimal("0"), units: fee.units };
  }
  const { usage } = derivation.before;
  const [before, highest] = [decimal(usage.units), decimal(usage.maximum)];
  // A unique count shows units even for a value that came back for free.
  const beyond = before.plus(fee.units).minus(highest);
  const isFree = row.aggregation_type === "unique_count_agg" && !beyond.gt(decimal("0"));
  const { pricing } = derivation.fee;
  const periodDays = countDays(firstDay, lastDay);
  const feeDays =
    pricing.model === "prorated_units"
      ? daysFromUnits(decimal(pricing.proratedUnits), decimal(pricing.fullUnits), periodDays)
      : periodDays;
  return {
    ...paid,
    firstDay: lastDay.subtract({ days: feeDays - 1 }),
    lastDay,
    unitsBefore: highest,
    units: isFree ? decimal("0") : fee.units,
  };
}
