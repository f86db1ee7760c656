/** Lists and releases invoices that are held because two computations differ. */
import { lockCustomer } from "../../../jobs/due-store.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp, findCustomersById, holdCustomerClock } from "../../customers/index.ts";
import {
  findDerivations,
  findHeld,
  findHeldInvoice,
  type HeldRow,
  heldInvoiceErrors,
  releaseRow,
} from "../held-invoices/index.ts";
import { withMeasured } from "./change-draft.ts";
import { makeInvoice, type Prepared } from "./make-invoice.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import { findAnyInvoice, type InvoiceRow } from "./store.ts";

export const listHeld = (
  { db }: Pick<InvoiceWorkDeps, "db">,
  organizationId: string,
  limit: number,
): Promise<HeldRow[]> => inOrganization(db, organizationId, (tx) => findHeld(tx, organizationId, limit));

/** Both results. undefined: the invoice was never held. */
export const showHeld = ({ db }: Pick<InvoiceWorkDeps, "db">, organizationId: string, id: string) =>
  inOrganization(db, organizationId, (tx) => findDerivations(tx, organizationId, id));

/** In any status. */
export async function demandHeld(tx: Tx, organizationId: string, id: string): Promise<HeldRow> {
  const row = await findHeldInvoice(tx, organizationId, id);
  if (!row) throw heldInvoiceErrors.problem("held_invoice_not_found");
  return row;
}

/** `reason` is for later review; the command may give none. */
type Release = { organizationId: string; id: string; reason: string | null };

/** Creates the invoice at once with core's result, as of its own instant. */
export async function releaseInvoice(deps: InvoiceWorkDeps, release: Release): Promise<InvoiceRow> {
  const { organizationId, id } = release;
  await inOrganization(deps.db, organizationId, (tx) => demandHeld(tx, organizationId, id));
  return withMeasured(deps, { organizationId, id, step: "refresh" }, (prepared) =>
    inOrganization(deps.db, organizationId, (tx) => releasePrepared(tx, deps, release, prepared)),
  );
}

/** Refuses an invoice that is no longer held. Of two releases at once, the second waits for the first and finds that. */
export async function releasePrepared(
  tx: Tx,
  deps: InvoiceWorkDeps,
  { organizationId, id, reason }: Release,
  prepared: Prepared,
): Promise<InvoiceRow> {
  const found = await findAnyInvoice(alone(tx), organizationId, id);
  if (!found) throw heldInvoiceErrors.problem("held_invoice_not_found");
  const [customer] = await findCustomersById(alone(tx), organizationId, [found.customer_id]);
  const clockId = customer?.test_clock_id;
  if (clockId) await holdCustomerClock(tx, organizationId, clockId, deps.clock);
  await lockCustomer(tx, organizationId, found.customer_id);
  const held = await releaseRow(tx, organizationId, { invoiceId: id, reason, now: deps.clock.now() });
  if (!held) throw heldInvoiceErrors.problem("held_invoice_released");
  const step = held.step === "issue" ? { type: held.step } : { type: held.step, at: held.stepAt };
  const row = await makeInvoice(alone(tx), deps, { organizationId, id, step }, { ...prepared, recomputed: "waived" });
  // The refusal ends the transaction, and the invoice stays held.
  if (row.status === found.status) throw heldInvoiceErrors.problem("earlier_invoice_held");
  // Due work of the invoice on a stopped clock runs at once.
  if (clockId) await askToCatchUp(tx, organizationId, clockId);
  return row;
}
