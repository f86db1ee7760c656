/**
 * When a period or a subscription ends, puts paid standalone fees on one invoice, which is already paid. Fees that are paid after the
 * end go on an invoice at the instant when the next period would have begun.
 */
import assert from "node:assert/strict";
import {
  checkLimits,
  explainLimit,
  finalizedDates,
  regroupPaidFees,
  type StandaloneFee,
} from "@tallystick/core/invoicing";
import { currency, minor } from "@tallystick/core/money";
import { boundaryAfter } from "@tallystick/core/subscription";
import { type Due, type DueKind, type DueRegistry, type RunDue, scheduleDue } from "../../../jobs/due.ts";
import { CannotBill } from "../../../jobs/failures.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById } from "../../customers/index.ts";
import { findEndedSubscription, type WrittenBill } from "../../subscriptions/index.ts";
import { type FeeRow, findPaidFees, findTaxesOfFees, type LockedFee, regroupOn } from "../fees/index.ts";
import { type InvoiceWorkDeps, insertInvoice, loadPayer, lockInvoice, saveInvoice } from "../invoices/index.ts";
import { findSubscriptionsClosed } from "./store.ts";

const REGROUP_DUE = "paid_fees_regrouping";
const LATE_DUE = "late_fees_regrouping";

/**
 * Runs with a bill that closes a period and is due with its invoice, if there are paid fees. The first bill of an occasion takes the
 * fees of all.
 */
export async function askToRegroup(
  tx: Tx,
  organizationId: string,
  { id, reason, subscriptionId, customer, occurredAt, readyAt }: WrittenBill,
  registry: DueRegistry,
): Promise<void> {
  if (reason !== "periodic" && reason !== "terminating") return;
  const paid = await findPaidFees(tx, organizationId, { subscriptionIds: [subscriptionId], until: occurredAt });
  if (paid.length === 0) return;
  const due = { kind: REGROUP_DUE, subjectId: id, customer, dueAt: occurredAt, readyAt };
  await scheduleDue(tx, registry, organizationId, due);
}

/** After the end of its subscription, a paid fee has no bill: it is due when its period would have ended. */
export const askToRegroupLate =
  (registry: DueRegistry) =>
  async (tx: Tx, organizationId: string, { row, customer, now }: LockedFee): Promise<void> => {
    const { subscription_id: subscriptionId, regroups } = row;
    const ended = regroups && subscriptionId && (await findEndedSubscription(tx, organizationId, subscriptionId));
    if (!ended) return;
    const due = { kind: LATE_DUE, subjectId: subscriptionId, customer, dueAt: boundaryAfter(ended, now) };
    await scheduleDue(tx, registry, organizationId, due);
  };

/** Bills know when they are ready, and late fees need no usage, so neither settles. */
export const regroupDueKinds = (deps: Omit<InvoiceWorkDeps, "registry">): DueKind[] => [
  { kind: REGROUP_DUE, rank: 66, settles: false, parks, run: regroupClosed(deps) },
  { kind: LATE_DUE, rank: 67, settles: false, parks, run: regroupLate(deps) },
];

/** The API does not show bills, so the parked item names the customer. */
const parks: NonNullable<DueKind["parks"]> = {
  kind: "invoice",
  objectOf: async (tx, { organizationId, customerId, subjectId }) => {
    const [row] = customerId === null ? [] : await findCustomersById(tx, organizationId, [customerId]);
    return row ? { type: "customer", id: row.id, externalId: row.external_id } : { type: "bill", id: subjectId };
  },
};

const regroupClosed =
  (deps: Omit<InvoiceWorkDeps, "registry">): RunDue =>
  async (tx, due, registry) => {
    const subscriptionIds = await findSubscriptionsClosed(tx, due.organizationId, due.subjectId);
    const fees = await findPaidFees(tx, due.organizationId, { subscriptionIds, until: due.dueAt });
    await regroup(tx, { ...deps, registry }, due, fees);
  };

/** A fee waits until the end of its period. */
const regroupLate =
  (deps: Omit<InvoiceWorkDeps, "registry">): RunDue =>
  async (tx, due, registry) => {
    const { organizationId, subjectId, customerId, testClockId, dueAt } = due;
    const ended = await findEndedSubscription(tx, organizationId, subjectId);
    assert(ended && customerId, "late fees are of a subscription that has ended, and of its customer");
    const paid = await findPaidFees(tx, organizationId, { subscriptionIds: [subjectId], until: dueAt });
    const boundaryOf = ({ succeeded_at }: FeeRow) => boundaryAfter(ended, succeeded_at ?? dueAt);
    const isDue = (fee: FeeRow) => Temporal.Instant.compare(boundaryOf(fee), dueAt) <= 0;
    await regroup(tx, { ...deps, registry }, due, paid.filter(isDue));
    for (const fee of paid.filter((one) => !isDue(one)))
      await scheduleDue(tx, registry, organizationId, {
        kind: LATE_DUE,
        subjectId,
        customer: { id: customerId, testClockId },
        dueAt: boundaryOf(fee),
      });
  };

async function regroup(
  tx: Tx,
  invoiceDeps: InvoiceWorkDeps,
  { organizationId, customerId, testClockId, dueAt }: Due,
  fees: readonly PaidFee[],
): Promise<void> {
  if (customerId === null) throw new Error("fees are of a customer");
  const feeIds = fees.map(({ id }) => id);
  const taxes = await findTaxesOfFees(tx, organizationId, feeIds);
  const regrouped = regroupPaidFees(
    fees.map((fee) => toStandalone(fee, taxes)),
    dueAt,
  );
  const [first] = fees;
  if (!regrouped || !first) return;
  const amounts = fees.map((fee) => ({
    amountMinor: minor(fee.amount_cents),
    taxesMinor: minor(fee.taxes_amount_cents),
  }));
  const checked = checkLimits({ fees: amounts, figures: regrouped.figures });
  if (!checked.ok) throw new CannotBill(explainLimit(checked.error));
  const payer = await loadPayer(tx, organizationId, customerId);
  const id = newId();
  const createdAt = testClockId === null ? invoiceDeps.clock.now() : dueAt;
  await insertInvoice(tx, organizationId, {
    id,
    customer_id: customerId,
    invoice_type: "advance_charges",
    status: "generating",
    occurred_at: dueAt,
    payment_status: "pending",
    created_at: createdAt,
    updated_at: createdAt,
  });
  const paid = fees.filter((fee) => regrouped.feeIds.includes(fee.id));
  await regroupOn(tx, organizationId, { invoiceId: id, fees: paid }, { at: dueAt, now: invoiceDeps.clock.now() });
  const { timeZone } = payer;
  const { engine } = invoiceDeps;
  await saveInvoice(tx, invoiceDeps, {
    invoice: await lockInvoice(tx, organizationId, id),
    payer,
    computed: { ...regrouped, derivation: { type: "regrouped", feeIds: regrouped.feeIds } },
    fees: [],
    taxRows: new Map(taxes.map((tax) => [tax.tax_code, { id: tax.tax_id, description: tax.tax_description }])),
    currency: currency(first.currency),
    madeFrom: {
      engineVersion: engine.version,
      zoneDataVersion: engine.zoneData,
      timeZone,
      feeIds: regrouped.feeIds,
    },
    timeZone,
    dates: finalizedDates(dueAt, payer),
    newStatus: { status: "finalized", finalizedAt: dueAt },
    webhookType: "invoice.created",
  });
}

type PaidFee = FeeRow & { ended_at: Temporal.Instant };

const toStandalone = (fee: PaidFee, taxes: Awaited<ReturnType<typeof findTaxesOfFees>>): StandaloneFee => ({
  id: fee.id,
  amountMinor: minor(fee.amount_cents),
  taxesMinor: minor(fee.taxes_amount_cents),
  taxes: taxes
    .filter(({ fee_id }) => fee_id === fee.id)
    .map((tax) => ({
      tax: { code: tax.tax_code, name: tax.tax_name, rate: tax.tax_rate },
      amountMinor: minor(tax.amount_cents),
    })),
  payment: fee.succeeded_at ? { status: "succeeded", succeededAt: fee.succeeded_at } : { status: "pending" },
  windowTo: fee.ended_at,
});
