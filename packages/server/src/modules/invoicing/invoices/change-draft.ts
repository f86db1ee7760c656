/** PUT /invoices/{id}/refresh and /finalize: recomputes a draft with current data. */
import { OutdatedPreparation } from "../../../jobs/due.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { invoiceErrors } from "./errors.ts";
import { holdInvoice } from "./hold-invoice.ts";
import { makeInvoice, type Prepared, prepareInvoice, type Request } from "./make-invoice.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import { findInvoice, type InvoiceRow } from "./store.ts";

const ATTEMPTS_MAX = 5;

type Addressed = { organizationId: string; id: string };

/** Reads usage before the transaction that writes. If a plan changes in between, both are repeated a few times, then the answer is 503. */
export async function withMeasured<Answer>(
  deps: InvoiceWorkDeps,
  { organizationId, ...request }: Addressed & Pick<Request, "step">,
  write: (prepared: Prepared) => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(await prepareInvoice(deps, organizationId, { ...request, at: null }));
    } catch (error) {
      if (!(error instanceof OutdatedPreparation) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** Only a draft changes. */
export async function refreshInvoice(
  tx: Tx,
  deps: InvoiceWorkDeps,
  { organizationId, id }: Addressed,
  prepared: Prepared,
): Promise<InvoiceRow> {
  const { now: at } = await holdInvoice(tx, organizationId, id, deps.clock);
  return makeInvoice(alone(tx), deps, { organizationId, id, step: { type: "refresh", at } }, prepared);
}

/** The issuing date is the customer's current local day. */
export async function finalizeInvoice(
  tx: Tx,
  deps: InvoiceWorkDeps,
  { organizationId, id }: Addressed,
  prepared: Prepared,
): Promise<InvoiceRow> {
  const { row, now } = await holdInvoice(tx, organizationId, id, deps.clock);
  if (row.status !== "draft") throw invoiceErrors.problem("invoice_not_found");
  return makeInvoice(alone(tx), deps, { organizationId, id, step: { type: "finalize", at: now } }, prepared);
}

/** Checks that the invoice exists before anything is measured. */
export async function demandInvoice(tx: Tx, organizationId: string, id: string): Promise<void> {
  if (!(await findInvoice(tx, organizationId, id))) throw invoiceErrors.problem("invoice_not_found");
}
