/** Billing of an organization can be paused: its invoices are neither created nor finalized until it resumes. */
import { findWaitingDues, HELD, holdDues, releaseDues } from "../../../jobs/due-store.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import { type Database, inOrganization } from "../../../platform/postgres/database.ts";
import { isBillingPaused, setBillingPause } from "../../accounts/index.ts";
import { findCustomersById } from "../../customers/index.ts";
import { CLOSING_DUE, FINALIZATION_DUE, INVOICE_DUE } from "./due-names.ts";

const HELD_KINDS = [INVOICE_DUE, FINALIZATION_DUE, CLOSING_DUE];

type Paused = { db: Database; organizationId: string };

/** Sets the flag before the rows: work scheduled meanwhile sees the flag, and locks no row that this waits for. */
export async function pauseBilling({ db, organizationId }: Paused, now: Temporal.Instant): Promise<void> {
  await inOrganization(db, organizationId, (tx) => setBillingPause(tx, organizationId, now));
  await inOrganization(db, organizationId, (tx) => holdDues(tx, organizationId, HELD_KINDS));
}

/** Waiting invoices are created as of their own instant, each once: late, but not lost. */
export async function resumeBilling({ db, organizationId }: Paused, settleDelay: Temporal.Duration): Promise<bigint> {
  await inOrganization(db, organizationId, (tx) => setBillingPause(tx, organizationId, null));
  return inOrganization(db, organizationId, (tx) => releaseDues(tx, organizationId, HELD_KINDS, settleDelay));
}

export type WaitingInvoice = {
  invoiceId: string;
  externalCustomerId: string;
  waitsFor: "making" | "finalization";
  dueAt: Temporal.Instant;
  /** Why the last attempt failed. It is retried automatically. */
  error: string | null;
};

/** Earliest first. */
export const listWaiting = ({ db, organizationId }: Paused, limit: number): Promise<WaitingInvoice[]> =>
  inOrganization(db, organizationId, async (tx) => {
    const rows = await findWaitingDues(tx, organizationId, HELD_KINDS, limit);
    const customerIds = rows.flatMap(({ customerId }) => customerId ?? []);
    const customers = await findCustomersById(alone(tx), organizationId, customerIds);
    const externalIds = new Map(customers.map(({ id, external_id }) => [id, external_id]));
    return rows.map(({ kind, subjectId, customerId, dueAt, lastError }) => ({
      invoiceId: subjectId,
      externalCustomerId: externalIds.get(customerId ?? "") ?? "",
      waitsFor: kind === INVOICE_DUE ? "making" : "finalization",
      dueAt,
      error: lastError,
    }));
  });

/** When work on an invoice may start. Test clocks ignore a pause, because they are advanced manually. */
export const readyUnlessPaused = async (
  batch: Batch,
  organizationId: string,
  testClockId: string | null,
  readyAt: Temporal.Instant,
): Promise<Temporal.Instant> =>
  testClockId === null && (await isBillingPaused(batch, organizationId)) ? HELD : readyAt;
