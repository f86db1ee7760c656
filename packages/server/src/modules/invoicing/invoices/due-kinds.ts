/** Due work of invoices: creation, finalization after the grace period, and overdue payment. */
import { isOverdue } from "@tallystick/core/invoicing";
import { dayOf } from "@tallystick/core/time";
import type { Due, DueKind, RunDue } from "../../../jobs/due.ts";
import { CLOSING_DUE, FINALIZATION_DUE, INVOICE_DUE, OVERDUE_DUE } from "./due-names.ts";
import { makeInvoice, prepareInvoices, type Step } from "./make-invoice.ts";
import { owedOf } from "./receivable.ts";
import { type InvoiceDeps, tell } from "./save-invoice.ts";
import { type InvoiceRow, lockInvoice, updateInvoice } from "./store.ts";

const parks: NonNullable<DueKind["parks"]> = {
  kind: "invoice",
  objectOf: async (_, { subjectId: id }) => ({ type: "invoice", id }),
};

/** Bills know when they are ready, so none of these settles. */
export const invoiceDueKinds = (deps: InvoiceDeps): DueKind[] => [
  // Before the invoice of the end, so that it can use credit notes for unused days on drafts.
  {
    kind: CLOSING_DUE,
    rank: 64,
    settles: false,
    parks,
    prepare: prepareStep(deps, ({ dueAt }) => ({ type: "finalize", at: dueAt })),
  },
  {
    kind: INVOICE_DUE,
    rank: 65,
    settles: false,
    parks,
    prepare: prepareStep(deps, () => ({ type: "issue" })),
  },
  {
    kind: FINALIZATION_DUE,
    rank: 80,
    settles: false,
    parks,
    prepare: prepareStep(deps, ({ dueAt }) => ({ type: "finalize", at: dueAt })),
  },
  { kind: OVERDUE_DUE, rank: 90, settles: false, overtakes: true, parks, run: markOverdue(deps) },
];

const prepareStep =
  (deps: InvoiceDeps, stepOf: (due: Due) => Step) =>
  async (organizationId: string, dues: readonly Due[]): Promise<RunDue[]> => {
    const requests = dues.map((due) => ({ id: due.subjectId, step: stepOf(due).type, at: due.dueAt }));
    const prepared = await prepareInvoices(deps, organizationId, requests);
    return prepared.map((one) => async (batch, due, registry) => {
      await makeInvoice(batch, { ...deps, registry }, { organizationId, id: due.subjectId, step: stepOf(due) }, one);
    });
  };

const markOverdue =
  ({ clock }: InvoiceDeps): RunDue =>
  async (batch, { organizationId, subjectId, dueAt }) => {
    const invoice = await lockInvoice(batch, organizationId, subjectId);
    if (invoice.payment_overdue || !isOverdueAt(invoice, dueAt)) return;
    const row = await updateInvoice(batch.tx, organizationId, subjectId, {
      payment_overdue: true,
      updated_at: clock.now(),
    });
    await tell(batch, row, "invoice.payment_overdue", clock);
  };

/** Whether it was due by an instant and is not paid. */
export function isOverdueAt(row: InvoiceRow, at: Temporal.Instant): boolean {
  if (row.payment_due_date === null || row.time_zone === null) return false;
  return isOverdue({ ...owedOf(row), paymentDueDate: row.payment_due_date }, dayOf(at, row.time_zone));
}
