/** What a customer owes on invoices that are not finalized. */
import assert from "node:assert/strict";
import { currency, type Minor, minor } from "@tallystick/core/money";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { decideInvoice } from "./decide-invoice.ts";
import { loadBills, loadPayer } from "./load-billing.ts";
import { measureBills } from "./measure-bills.ts";
import type { InvoiceDeps } from "./save-invoice.ts";
import { NOTHING_TO_SPEND } from "./spendable.ts";
import { findOpenInvoices } from "./store.ts";

/** Taxes included. Drafts count as they are, and pending invoices as they would be now. Locks nothing. */
export async function measureOpenInvoices(
  deps: InvoiceDeps,
  organizationId: string,
  customerId: string,
): Promise<Minor> {
  const open = await inOrganization(deps.db, organizationId, (tx) => findOpenInvoices(tx, organizationId, customerId));
  let total = 0n;
  for (const { id, status, total_amount_cents: amount } of open)
    total += status === "draft" ? amount : await measureUnmade(deps, organizationId, { id, customerId });
  return minor(total);
}

async function measureUnmade(
  deps: InvoiceDeps,
  organizationId: string,
  { id, customerId }: { id: string; customerId: string },
): Promise<Minor> {
  const loaded = await inOrganization(deps.db, organizationId, async (tx) => ({
    bills: await loadBills(alone(tx), organizationId, id),
    payer: await loadPayer(alone(tx), organizationId, customerId),
  }));
  const [first] = loaded.bills;
  assert(first, "an invoice that is being made has a bill");
  const measured = await measureBills(deps.events, organizationId, loaded.bills);
  const decided = decideInvoice(loaded, measured, {
    id,
    currency: currency(first.priceList.plan.currency),
    status: "draft",
    at: deps.clock.now(),
    spendable: NOTHING_TO_SPEND,
  });
  return decided.invoice.figures.totalMinor;
}
