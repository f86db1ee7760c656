/**
 * When a period or a subscription ends, puts paid standalone fees on one invoice, which is already paid. Fees that are paid after the
 * end go on an invoice at the instant when the next period would have begun.
 */
import assert from "node:assert/strict";
import { regroupPaidFees, type StandaloneFee } from "@tallystick/core/invoicing";
import { currency, minor } from "@tallystick/core/money";
import { boundaryAfter } from "@tallystick/core/subscription";
import { type Due, type DueKind, type DueRegistry, type RunDue, scheduleDue } from "../../../jobs/due.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById } from "../../customers/index.ts";
import { type Ended, findEndedSubscription, type WrittenBill } from "../../subscriptions/index.ts";
import { type FeeRow, findPaidFees, findTaxesOfFees, type LockedFee, regroupOn } from "../fees/index.ts";
import { demandLimits, type InvoiceWorkDeps, issueAtOnce, loadPayer } from "../invoices/index.ts";
import { findSubscriptionsClosed } from "./store.ts";

const REGROUP_DUE = "paid_fees_regrouping";
const LATE_DUE = "late_fees_regrouping";

/**
 * Runs with a bill that closes a period and is due with its invoice, if there are paid fees. The first bill of an occasion takes the
 * fees of all.
 */
export async function askToRegroup(
  batch: Batch,
  organizationId: string,
  { id, reason, subscriptionId, customer, occurredAt, readyAt }: WrittenBill,
  registry: DueRegistry,
): Promise<void> {
  if (reason !== "periodic" && reason !== "terminating") return;
  const paid = await findPaidFees(batch, organizationId, { subscriptionIds: [subscriptionId], until: occurredAt });
  if (paid.length === 0) return;
  const due = { kind: REGROUP_DUE, subjectId: id, customer, dueAt: occurredAt, readyAt };
  await scheduleDue(batch, registry, organizationId, due);
}

/** An end without a bill: its paid fees are due when the period would have ended, like those that are paid later. */
export async function askToRegroupUnbilled(
  batch: Batch,
  { organizationId, subscriptionId, customer, ended }: Ended,
  registry: DueRegistry,
): Promise<void> {
  const until = ended.terminatedAt;
  const paid = await findPaidFees(batch, organizationId, { subscriptionIds: [subscriptionId], until });
  if (paid.length === 0) return;
  const due = { kind: LATE_DUE, subjectId: subscriptionId, customer, dueAt: ended.open.charges.to };
  await scheduleDue(batch, registry, organizationId, due);
}

/** After the end of its subscription, a paid fee has no bill: it is due when its period would have ended. */
export const askToRegroupLate =
  (registry: DueRegistry) =>
  async (tx: Tx, organizationId: string, { row, customer, now }: LockedFee): Promise<void> => {
    const { subscription_id: subscriptionId, regroups } = row;
    const ended =
      regroups && subscriptionId && (await findEndedSubscription(alone(tx), organizationId, subscriptionId));
    if (!ended) return;
    const due = { kind: LATE_DUE, subjectId: subscriptionId, customer, dueAt: boundaryAfter(ended, now) };
    await scheduleDue(alone(tx), registry, organizationId, due);
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
    const [row] = customerId === null ? [] : await findCustomersById(alone(tx), organizationId, [customerId]);
    return row ? { type: "customer", id: row.id, externalId: row.external_id } : { type: "bill", id: subjectId };
  },
};

const regroupClosed =
  (deps: Omit<InvoiceWorkDeps, "registry">): RunDue =>
  async (batch, due, registry) => {
    const subscriptionIds = await findSubscriptionsClosed(batch.tx, due.organizationId, due.subjectId);
    const fees = await findPaidFees(batch, due.organizationId, { subscriptionIds, until: due.dueAt });
    await regroup(batch, { ...deps, registry }, due, fees);
  };

/** A fee waits until the end of its period. */
const regroupLate =
  (deps: Omit<InvoiceWorkDeps, "registry">): RunDue =>
  async (batch, due, registry) => {
    const { organizationId, subjectId, customerId, testClockId, dueAt } = due;
    const ended = await findEndedSubscription(batch, organizationId, subjectId);
    assert(ended && customerId, "late fees are of a subscription that has ended, and of its customer");
    const paid = await findPaidFees(batch, organizationId, { subscriptionIds: [subjectId], until: dueAt });
    const boundaryOf = ({ succeeded_at }: FeeRow) => boundaryAfter(ended, succeeded_at ?? dueAt);
    const isDue = (fee: FeeRow) => Temporal.Instant.compare(boundaryOf(fee), dueAt) <= 0;
    await regroup(batch, { ...deps, registry }, due, paid.filter(isDue));
    for (const fee of paid.filter((one) => !isDue(one)))
      await scheduleDue(batch, registry, organizationId, {
        kind: LATE_DUE,
        subjectId,
        customer: { id: customerId, testClockId },
        dueAt: boundaryOf(fee),
      });
  };

async function regroup(
  batch: Batch,
  deps: InvoiceWorkDeps,
  { organizationId, customerId, dueAt }: Due,
  fees: readonly PaidFee[],
): Promise<void> {
  if (customerId === null) throw new Error("fees are of a customer");
  const taxes = await findTaxesOfFees(
    batch.tx,
    organizationId,
    fees.map(({ id }) => id),
  );
  const regrouped = regroupPaidFees(
    fees.map((fee) => toStandalone(fee, taxes)),
    dueAt,
  );
  const [first] = fees;
  if (!regrouped || !first) return;
  demandLimits(fees, regrouped.figures);
  const payer = await loadPayer(batch, organizationId, customerId);
  const { feeIds } = regrouped;
  const issued = { payer, invoiceType: "advance_charges", at: dueAt, webhookType: "invoice.created" } as const;
  await issueAtOnce(batch, deps, issued, async ({ id: invoiceId }) => {
    const paid = fees.filter((fee) => feeIds.includes(fee.id));
    await regroupOn(batch, organizationId, { invoiceId, fees: paid }, { at: dueAt, now: deps.clock.now() });
    return {
      computed: { ...regrouped, derivation: { type: "regrouped", feeIds } },
      fees: [],
      taxRows: new Map(taxes.map((tax) => [tax.tax_code, { id: tax.tax_id, description: tax.tax_description }])),
      currency: currency(first.currency),
      madeFrom: { feeIds },
    };
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
