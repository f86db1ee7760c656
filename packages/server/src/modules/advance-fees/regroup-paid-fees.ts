/** When a period or a subscription ends, the fees that were paid alone are put on one invoice, which is paid. */
import {
  checkLimits,
  explainLimit,
  finalizedDates,
  regroupPaidFees,
  type StandaloneFee,
} from "@tallystick/core/invoicing";
import { currency, minor } from "@tallystick/core/money";
import { type DueKind, type DueRegistry, type RunDue, scheduleDue } from "../../jobs/due.ts";
import { CannotBill } from "../../jobs/failures.ts";
import { newId } from "../../platform/new-id.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { findCustomersById } from "../customers/index.ts";
import { type FeeRow, findPaidFees, findTaxesOfFees, putOnInvoice } from "../fees/index.ts";
import { insertInvoice, loadPayer, lockInvoice, type Making, saveInvoice } from "../invoices/index.ts";
import type { WrittenBill } from "../subscriptions/index.ts";
import { findSubscriptionsClosed } from "./store.ts";

const REGROUP_DUE = "paid_fees_regrouping";

/**
 * With a bill that closes a period: due with its invoice, if there is anything to put on one. Of several bills of one occasion the
 * first takes the fees of all.
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

/** Bills know when they are ready, so it does not settle. */
export const regroupDueKind = (deps: Omit<Making, "registry">): DueKind => ({
  kind: REGROUP_DUE,
  rank: 66,
  settles: false,
  // Nobody sees a bill, so the customer is named whose fees they are.
  parks: {
    kind: "invoice",
    objectOf: async (tx, { organizationId, customerId, subjectId }) => {
      const [row] = customerId === null ? [] : await findCustomersById(tx, organizationId, [customerId]);
      return row ? { type: "customer", id: row.id, externalId: row.external_id } : { type: "bill", id: subjectId };
    },
  },
  run: regroup(deps),
});

const regroup =
  (deps: Omit<Making, "registry">): RunDue =>
  async (tx, { organizationId, customerId, subjectId, testClockId, dueAt }, registry) => {
    if (customerId === null) throw new Error("fees are of a customer");
    const subscriptionIds = await findSubscriptionsClosed(tx, organizationId, subjectId);
    const fees = await findPaidFees(tx, organizationId, { subscriptionIds, until: dueAt });
    const taxes = await findTaxesOfFees(
      tx,
      organizationId,
      fees.map(({ id }) => id),
    );
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
    const createdAt = testClockId === null ? deps.clock.now() : dueAt;
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
    await putOnInvoice(tx, organizationId, { invoiceId: id, feeIds: regrouped.feeIds });
    const { timeZone } = payer;
    const { engine } = deps;
    await saveInvoice(
      tx,
      { ...deps, registry },
      {
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
        standing: { status: "finalized", finalizedAt: dueAt },
        webhookType: "invoice.created",
      },
    );
  };

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
