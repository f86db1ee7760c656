/** Lists and releases invoices that are held because two computations differ. */
import { lockCustomer } from "../../../jobs/due-store.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { askToCatchUp, findCustomersById, holdCustomerClock } from "../../customers/index.ts";
import { findHeld, findHeldDerivations, type HeldRow, releaseRow } from "../held-invoices/index.ts";
import { withMeasured } from "./change-draft.ts";
import { makeInvoice } from "./make-invoice.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import { findAnyInvoice, type InvoiceRow } from "./store.ts";

export const listHeld = (
  { db }: Pick<InvoiceWorkDeps, "db">,
  organizationId: string,
  limit: number,
): Promise<HeldRow[]> => inOrganization(db, organizationId, (tx) => findHeld(tx, organizationId, limit));

/** Both results. undefined: the invoice is not held. */
export const showHeld = ({ db }: Pick<InvoiceWorkDeps, "db">, organizationId: string, id: string) =>
  inOrganization(db, organizationId, (tx) => findHeldDerivations(tx, organizationId, id));

/** Creates the invoice at once with core's result, as of its own instant. undefined: the invoice is not held. */
export async function releaseInvoice(
  deps: InvoiceWorkDeps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<InvoiceRow | undefined> {
  const found = await inOrganization(deps.db, organizationId, (tx) => findAnyInvoice(alone(tx), organizationId, id));
  if (!found) return undefined;
  return withMeasured(deps, { organizationId, id, step: "refresh" }, (prepared) =>
    inOrganization(deps.db, organizationId, async (tx) => {
      const [customer] = await findCustomersById(alone(tx), organizationId, [found.customer_id]);
      const clockId = customer?.test_clock_id;
      if (clockId) await holdCustomerClock(tx, organizationId, clockId, deps.clock);
      await lockCustomer(tx, organizationId, found.customer_id);
      const held = await releaseRow(tx, organizationId, { invoiceId: id, now: deps.clock.now() });
      if (!held) return undefined;
      const step = held.step === "issue" ? { type: held.step } : { type: held.step, at: held.stepAt };
      const row = await makeInvoice(
        alone(tx),
        deps,
        { organizationId, id, step },
        { ...prepared, recomputed: "waived" },
      );
      // The error ends the transaction, and the invoice stays held.
      if (row.status === found.status)
        throw new Error(`invoice ${id} counts what an earlier one bills of its period: release that one first`);
      // Due work of the invoice on a stopped clock runs at once.
      if (clockId) await askToCatchUp(tx, organizationId, clockId);
      return row;
    }),
  );
}
