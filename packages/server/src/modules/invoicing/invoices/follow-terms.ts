/** Drafts follow changes: payment terms at once, prices and taxes by a job that recomputes them. */
import { draftDates } from "@tallystick/core/invoicing";
import { dayOf } from "@tallystick/core/time";
import { rescheduleDues } from "../../../jobs/due.ts";
import { enqueueJob, type JobHandler } from "../../../jobs/queue.ts";
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { askToCatchUp, findCustomerById, holdCustomer, type LockedCustomer } from "../../customers/index.ts";
import { repriceBills } from "../prices/index.ts";
import { refreshInvoice, withMeasured } from "./change-draft.ts";
import { FINALIZATION_DUE } from "./due-names.ts";
import { closeDraftsOfDeletedPlans } from "./follow-plan.ts";
import { loadPayer, type Payer } from "./load-billing.ts";
import { later } from "./make-invoice.ts";
import { readyUnlessPaused } from "./pause-billing.ts";
import type { InvoiceWorkDeps } from "./save-invoice.ts";
import {
  type DraftFilter,
  findCustomersWithDrafts,
  findDrafts,
  findDraftsOfCustomer,
  type InvoiceRow,
  updateInvoice,
} from "./store.ts";

const BATCH = 100;
const FIRST = "00000000-0000-0000-0000-000000000000";
const RETIME_JOB = "retime_drafts";
const REFRESH_JOB = "refresh_drafts";
const CLOSE_JOB = "close_drafts_of_deleted_plans";

type Retiming = Pick<InvoiceWorkDeps, "clock" | "registry">;

/** The customer already has its new terms. A draft whose grace period is over is finalized now. */
export const retimeDraftsOf =
  (deps: Retiming) =>
  async (tx: Tx, customer: LockedCustomer): Promise<void> => {
    const { id, organization_id: organizationId, test_clock_id: testClockId } = customer.row;
    const drafts = await findDraftsOfCustomer(tx, organizationId, { customerId: id, isPlanDeleted: false });
    if (drafts.length === 0) return;
    const payer = await loadPayer(alone(tx), organizationId, id);
    for (const draft of drafts) await retime(tx, deps, { draft, payer, now: customer.now });
    if (testClockId !== null) await askToCatchUp(tx, organizationId, testClockId);
  };

async function retime(
  tx: Tx,
  { clock, registry }: Retiming,
  { draft, payer, now }: { draft: InvoiceRow; payer: Payer; now: Temporal.Instant },
): Promise<void> {
  const { graceDays, netPaymentTermDays, customer } = payer;
  const { organization_id: organizationId, id } = draft;
  const timeZone = draft.time_zone ?? payer.timeZone;
  const billedOn = dayOf(draft.occurred_at, timeZone);
  const { issuingDate, paymentDueDate, finalizesAt } = draftDates({
    billedOn,
    graceDays,
    netPaymentTermDays,
    timeZone,
  });
  await updateInvoice(tx, organizationId, id, {
    issuing_date: issuingDate,
    payment_due_date: paymentDueDate,
    net_payment_term: netPaymentTermDays,
    updated_at: clock.now(),
  });
  const dueAt = later(finalizesAt, now);
  const readyAt = await readyUnlessPaused(alone(tx), organizationId, customer.test_clock_id, dueAt);
  await rescheduleDues(alone(tx), registry, organizationId, {
    subjectId: id,
    customer: { id: customer.id, testClockId: customer.test_clock_id },
    dues: [{ kind: FINALIZATION_DUE, dueAt, readyAt }],
  });
}

const askToRefresh = (tx: Tx, filter: DraftFilter): Promise<void> =>
  enqueueJob(tx, REFRESH_JOB, filter, { jobKey: `${REFRESH_JOB}:${Object.entries(filter).flat().join(":")}` });

/** Runs in the transaction of the change. */
export const draftEffects = {
  /** The organization's terms apply to customers without their own. */
  onTermsChanged: (tx: Tx): Promise<void> => enqueueJob(tx, RETIME_JOB, {}, { jobKey: RETIME_JOB }),
  onPlanDeleted: (tx: Tx): Promise<void> => enqueueJob(tx, CLOSE_JOB, {}, { jobKey: CLOSE_JOB }),
  onTaxesOfPlanChanged: (tx: Tx, planId: string): Promise<void> => askToRefresh(tx, { planId }),
  /** null: the tax applies, or applied, to all customers. */
  onTaxChanged: (tx: Tx, taxId: string | null): Promise<void> => askToRefresh(tx, taxId === null ? {} : { taxId }),
  onTaxesOfCustomerChanged: (tx: Tx, customerId: string): Promise<void> => askToRefresh(tx, { customerId }),
};

type Applied = { organizationId: string; subscriptionId: string; customerId: string };

/** Runs in the transaction of an edit that applies to drafts. */
export const repriceDrafts = (clock: Clock) => ({
  onPlanApplied: async (tx: Tx, organizationId: string, planId: string): Promise<void> => {
    await repriceBills(tx, organizationId, { planId }, clock.now());
    await askToRefresh(tx, { planId });
  },
  onOverridesApplied: async (tx: Tx, { organizationId, subscriptionId, customerId }: Applied): Promise<void> => {
    await repriceBills(tx, organizationId, { subscriptionId }, clock.now());
    await askToRefresh(tx, { customerId });
  },
});

/** `find` returns the next ids after a given one. `apply` is safe to repeat. */
type Effect = {
  find: (tx: Tx, after: string) => Promise<string[]>;
  apply: (id: string) => Promise<unknown>;
};

export const draftJobs = (deps: InvoiceWorkDeps & { log: Log }): Record<string, JobHandler> => ({
  [RETIME_JOB]: (organizationId) =>
    applyToAll(deps, organizationId, {
      find: (tx, after) => findCustomersWithDrafts(tx, organizationId, { isPlanDeleted: false, after, limit: BATCH }),
      apply: (id) =>
        inOrganization(deps.db, organizationId, async (tx) => {
          const found = await findCustomerById(tx, organizationId, id);
          const locked = found && (await holdCustomer(tx, organizationId, found, deps.clock));
          if (locked) await retimeDraftsOf(deps)(tx, locked);
        }),
    }),

  [CLOSE_JOB]: (organizationId) =>
    applyToAll(deps, organizationId, {
      find: (tx, after) => findCustomersWithDrafts(tx, organizationId, { isPlanDeleted: true, after, limit: BATCH }),
      apply: (id) =>
        inOrganization(deps.db, organizationId, (tx) => closeDraftsOfDeletedPlans(tx, deps, organizationId, id)),
    }),

  [REFRESH_JOB]: (organizationId, payload) =>
    applyToAll(deps, organizationId, {
      find: (tx, after) => findDrafts(tx, organizationId, payload as DraftFilter, { after, limit: BATCH }),
      apply: (id) =>
        withMeasured(deps, { organizationId, id, step: "refresh" }, (prepared) =>
          inOrganization(deps.db, organizationId, (tx) => refreshInvoice(tx, deps, { organizationId, id }, prepared)),
        ),
    }),
});

/** Each draft has its own transaction, so that one whose clock is advancing does not block the others. */
async function applyToAll(
  { db, log }: InvoiceWorkDeps & { log: Log },
  organizationId: string,
  { find, apply }: Effect,
) {
  let failed = 0;
  let ids: string[] = [];
  do {
    const after = ids.at(-1) ?? FIRST;
    ids = await inOrganization(db, organizationId, (tx) => find(tx, after));
    for (const id of ids)
      await apply(id).catch((error: unknown) => {
        failed++;
        log.warn({ err: error, subject: id }, "a draft could not follow a change and will be retried");
      });
  } while (ids.length === BATCH);
  if (failed > 0) throw new Error(`drafts could not follow a change: ${failed} failed`);
}
