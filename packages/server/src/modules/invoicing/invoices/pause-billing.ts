/** Billing of an organization can be paused: its invoices are neither created nor finalized until it resumes. */
import { countWaitingOf, findWaitingDues, HELD, holdDues, releaseDues } from "../../../jobs/due-store.ts";
import { enqueueJob, type JobHandler } from "../../../jobs/queue.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { isBillingPaused, setBillingPause } from "../../accounts/index.ts";
import { findCustomersById } from "../../customers/index.ts";
import { CLOSING_DUE, FINALIZATION_DUE, INVOICE_DUE } from "./due-names.ts";

const HELD_KINDS = [INVOICE_DUE, FINALIZATION_DUE, CLOSING_DUE];
const FOLLOW_JOB = "follow_billing_pause";

export type PauseDeps = { db: Database; registry: { settleDelay: Temporal.Duration } };

/**
 * null resumes. The due work follows in a transaction of its own: work that is scheduled meanwhile sees the flag, and locks no row that this
 * would wait for. The job follows it if the process ends before that.
 */
export async function markPaused(tx: Tx, organizationId: string, pausedAt: Temporal.Instant | null): Promise<void> {
  await setBillingPause(tx, organizationId, pausedAt);
  await enqueueJob(tx, FOLLOW_JOB, {}, { jobKey: FOLLOW_JOB });
}

/**
 * Holds or releases due work as the flag says, which stays as it is meanwhile. Repeatable, also after a later change of the flag. Waiting
 * invoices are created as of their own instant, each once: late, but not lost. Returns how many were released.
 */
export const followPause = ({ db, registry }: PauseDeps, organizationId: string): Promise<bigint> =>
  inOrganization(db, organizationId, async (tx) => {
    const isPaused = await isBillingPaused(alone(tx), organizationId);
    if (!isPaused) return releaseDues(tx, organizationId, HELD_KINDS, registry.settleDelay);
    await holdDues(tx, organizationId, HELD_KINDS);
    return 0n;
  });

export const pauseJobs = (deps: PauseDeps): Record<string, JobHandler> => ({
  [FOLLOW_JOB]: async (organizationId) => void (await followPause(deps, organizationId)),
});

/** For the command line. */
export async function setPaused(
  deps: PauseDeps,
  organizationId: string,
  pausedAt: Temporal.Instant | null,
): Promise<bigint> {
  await inOrganization(deps.db, organizationId, (tx) => markPaused(tx, organizationId, pausedAt));
  return followPause(deps, organizationId);
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
export const listWaiting = (
  { db }: Pick<PauseDeps, "db">,
  organizationId: string,
  limit: number,
): Promise<WaitingInvoice[]> =>
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

/** How many `listWaiting` would list. */
export const countWaiting = (tx: Tx, organizationId: string): Promise<bigint> =>
  countWaitingOf(tx, organizationId, HELD_KINDS);

/** When work on an invoice may start. Test clocks ignore a pause, because they are advanced manually. */
export const readyUnlessPaused = async (
  batch: Batch,
  organizationId: string,
  testClockId: string | null,
  readyAt: Temporal.Instant,
): Promise<Temporal.Instant> =>
  testClockId === null && (await isBillingPaused(batch, organizationId)) ? HELD : readyAt;
