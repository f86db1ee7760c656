/** Creates the invoice of bills, and recomputes it whenever a draft is refreshed or finalized. */
import assert from "node:assert/strict";
import { draftDates, finalizedDates } from "@tallystick/core/invoicing";
import { dayOf } from "@tallystick/core/time";
import type { Recomputation } from "@tallystick/second-opinion";
import { OutdatedPreparation } from "../../../jobs/due.ts";
import { publish } from "../../../jobs/outbox.ts";
import { parseJson } from "../../../platform/json-text.ts";
import { type Batch, runAtBarrier, runBatched } from "../../../platform/postgres/batch.ts";
import { inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { readCustomerClock } from "../../customers/index.ts";
import { keepWindows, saveCountedWindows } from "../event-statuses/index.ts";
import { findKeptFees } from "../fees/index.ts";
import { findHeldBefore, forgetHolds, type HeldRow, holdInvoiceRow, toApiHeldInvoice } from "../held-invoices/index.ts";
import { countedWindowsOf } from "./counted-windows.ts";
import { decideInvoice, taxRowsOf } from "./decide-invoice.ts";
import { feeRowsOf, paymentOf } from "./fee-rows.ts";
import { type Billing, loadBilling, loadBills, type Payer } from "./load-billing.ts";
import { madeFromOf } from "./made-from.ts";
import { basisOf, currencyOfBills, type Measured, measureBillsAt } from "./measure-bills.ts";
import {
  compareRecomputations,
  firstRecomputation,
  loadStoredTerms,
  type Recomputed,
  type Requested,
  recomputationBasis,
  recompute,
} from "./recompute-invoice.ts";
import {
  type Computed,
  demandLimits,
  type InvoiceDeps,
  type InvoiceWorkDeps,
  type NewStatus,
  saveInvoice,
} from "./save-invoice.ts";
import type { RecomputationDifference } from "./second-opinion.ts";
import { loadSpendable, NOTHING_TO_SPEND, type Spendable } from "./spendable.ts";
import { findAnyInvoice, type InvoiceRow, lockInvoice } from "./store.ts";

/** issue: for the first time. refresh: a draft stays one. finalize: a draft. The last two at an instant of the customer. */
export type Step =
  | { type: "issue" }
  | { type: "refresh"; at: Temporal.Instant }
  | { type: "finalize"; at: Temporal.Instant };

/** waived: not requested, or not available. null: the invoice was not to be finalized when it was prepared. */
export type Prepared = { measured: Measured; recomputed: Recomputed | "waived" | null };

/** What to prepare; a refresh needs no second opinion. `at` of a finalization is known only if it was due. */
export type Request = { id: string; step: Step["type"]; at: Temporal.Instant | null };

export async function prepareInvoice(deps: InvoiceDeps, organizationId: string, request: Request): Promise<Prepared> {
  const [prepared] = await prepareInvoices(deps, organizationId, [request]);
  assert(prepared, "every requested invoice is prepared");
  return prepared;
}

/** Measures usage up to one snapshot, and recomputes invoices that will be finalized. Locks nothing. */
export async function prepareInvoices(
  deps: InvoiceDeps,
  organizationId: string,
  requests: readonly Request[],
): Promise<Prepared[]> {
  const isRecomputed = ({ id, step }: Request) => step !== "refresh" && deps.secondOpinion.isRequested(id);
  const load = async (batch: Batch, request: Request) => {
    const requested = isRecomputed(request) ? await loadRequested(batch, deps, organizationId, request) : null;
    return { request, requested, bills: requested?.bills ?? (await loadBills(batch, organizationId, request.id)) };
  };
  const loaded = await inOrganization(deps.db, organizationId, (tx) =>
    runBatched(
      tx,
      requests.map((request) => (batch) => load(batch, request)),
    ),
  );
  const cut = await deps.events.takeCut(organizationId);
  return runAtBarrier(
    loaded.map(({ request, requested, bills }) => async (barrier): Promise<Prepared> => {
      const reader = { ...deps, barrier };
      const measured = await measureBillsAt(reader, organizationId, bills, cut);
      return {
        measured,
        recomputed: isRecomputed(request) ? requested && (await recompute(reader, requested, measured)) : "waived",
      };
    }),
  );
}

/** Loads the same data as under the lock. null: it will be a draft, or is finalized. */
async function loadRequested(
  batch: Batch,
  { credits, clock }: InvoiceDeps,
  organizationId: string,
  { id, step, at }: Request,
): Promise<Requested | null> {
  const invoice = await findAnyInvoice(batch, organizationId, id);
  if (invoice?.status !== (step === "issue" ? "generating" : "draft")) return null;
  const billing = await loadBilling(batch, organizationId, invoice);
  const { customer, graceDays } = billing.payer;
  if (step === "issue" && graceDays > 0) return null;
  const now = at ?? (await readCustomerClock(batch.tx, organizationId, customer.test_clock_id, clock));
  const holder = { customerId: customer.id, isHeld: false };
  const spendable = await loadSpendable(batch, credits, organizationId, holder);
  const storedTerms = await loadStoredTerms(batch, organizationId, billing.bills);
  return { ...billing, storedTerms, spendable, at: step === "issue" ? invoice.occurred_at : now };
}

type Made = { organizationId: string; id: string; step: Step };

/** The caller locks the customer. An invoice in another state than the step requires does not change, nor does a held one. */
export async function makeInvoice(
  batch: Batch,
  deps: InvoiceWorkDeps,
  of: Made,
  prepared: Prepared,
): Promise<InvoiceRow> {
  const { organizationId, id, step } = of;
  const { measured, recomputed } = prepared;
  const invoice = await lockInvoice(batch, organizationId, id);
  if (invoice.status !== (step.type === "issue" ? "generating" : "draft") || invoice.skipped_at) return invoice;
  const billing = await loadBilling(batch, organizationId, invoice);
  if (basisOf(billing.bills) !== measured.basis)
    throw new OutdatedPreparation(`the bills of invoice ${id}, or their plans, have changed`);
  const timeZone = invoice.time_zone ?? billing.payer.timeZone;
  const { newStatus, dates } = statusOf(billing, step, timeZone);
  const isFinal = newStatus.status === "finalized";
  const holder = { customerId: invoice.customer_id, isHeld: true };
  const spendable = isFinal ? await loadSpendable(batch, deps.credits, organizationId, holder) : NOTHING_TO_SPEND;
  const issue = { timeZone, newStatus, dates, spendable, webhookType: webhookTypeOf(step, newStatus) };
  const made = compute(billing, measured, deps, issue);
  demandLimits(made.fees, made.computed.figures);
  if (newStatus.status === "finalized") {
    const terms = { ...billing, spendable, at: newStatus.finalizedAt };
    const compared = compareWith(deps, recomputed, { billing, measured, made, terms });
    const differences = [...compared.differences, ...(await findEarlierHeld(batch.tx, billing))];
    if (differences.length > 0) {
      await holdBack(batch, deps, { made, step, second: compared.second, differences });
      return invoice;
    }
    await forgetHolds(batch, organizationId, [id]);
  }
  const kept = invoice.status === "draft" ? await findKeptFees(batch.tx, organizationId, id) : [];
  await keepWindows(
    batch.tx,
    organizationId,
    kept.map((fee) => fee.id),
  );
  await saveCountedWindows(batch, organizationId, {
    invoiceId: id,
    windows: countedWindowsOf(billing.bills, measured),
  });
  return saveInvoice(batch, deps, kept.length === 0 ? made : withoutKept(made, kept));
}

type FeePath = { bill_id?: string | null | undefined; fee_key: string };

/** A draft is recomputed, but its standalone fees were created once: only missing fees are added. */
function withoutKept(made: Computed, kept: readonly (FeePath & { id: string })[]): Computed {
  const pathOf = ({ bill_id, fee_key }: FeePath) => `${bill_id} ${fee_key}`;
  const paths = new Set(kept.map(pathOf));
  return {
    ...made,
    fees: made.fees.filter((fee) => !paths.has(pathOf(fee))),
    madeFrom: { ...made.madeFrom, keptFeeIds: kept.map((fee) => fee.id) },
  };
}

type Compared = {
  billing: Billing;
  measured: Measured;
  made: Computed;
  terms: Parameters<typeof recomputationBasis>[0];
};

/** If the inputs have changed since the second opinion, it is recomputed without reading anything. */
function compareWith(
  { secondOpinion }: InvoiceWorkDeps,
  recomputed: Prepared["recomputed"],
  { billing, measured, made, terms }: Compared,
): { differences: readonly RecomputationDifference[]; second: Recomputation } {
  const { id: invoiceId, organization_id: organizationId } = billing.invoice;
  if (recomputed === "waived") return { differences: [], second: {} };
  if (recomputed === null)
    throw new OutdatedPreparation(`invoice ${invoiceId} was not to be final when it was prepared`);
  try {
    const first = firstRecomputation(made, billing.bills, measured);
    const differences = compareRecomputations(first, recomputed.recomputation);
    if (differences.length === 0 || recomputationBasis(terms) === recomputed.basis)
      return { differences, second: recomputed.recomputation };
    const second = recomputed.again(terms);
    return { differences: compareRecomputations(first, second), second };
  } catch (err) {
    secondOpinion.onMissing({ organizationId, invoiceId, err });
    return { differences: [], second: {} };
  }
}

/** A commitment counts what earlier invoices bill of its period. That is unknown while one of them is held. */
async function findEarlierHeld(tx: Tx, { invoice, bills }: Billing): Promise<RecomputationDifference[]> {
  const earlier: string[] = [];
  for (const { bill, priceList, subscriptionId } of bills) {
    if (!bill.commitment || !priceList.plan.minimumCommitment) continue;
    const { from, to } = bill.commitment;
    const isRenewed = priceList.plan.charges.some(({ timing }) => timing.type === "in_advance");
    const period = { subscriptionId, from, to, isRenewed };
    earlier.push(...(await findHeldBefore(tx, invoice.organization_id, { invoice, period })));
  }
  return earlier.map((id) => ({ figure: `waits for invoice ${id}, which is held`, first: null, second: null }));
}

type HeldBack = {
  made: Computed;
  step: Step;
  second: Recomputation;
  differences: readonly RecomputationDifference[];
};

/** The invoice stays as it was, without a number, and nothing is due. An operator reviews and releases it. */
async function holdBack(batch: Batch, deps: InvoiceWorkDeps, heldBack: HeldBack): Promise<void> {
  const { made, step, second, differences } = heldBack;
  const { id: invoiceId, organization_id: organizationId, occurred_at } = made.invoice;
  const heldAt = deps.clock.now();
  const held: HeldRow = {
    id: invoiceId,
    step: step.type === "issue" ? "issue" : "finalize",
    differences,
    held_at: heldAt,
    times: 0,
    released_at: null,
    release_reason: null,
    customer_id: made.payer.customer.id,
    external_customer_id: made.payer.customer.external_id,
  };
  held.times = await holdInvoiceRow(batch.tx, organizationId, {
    invoiceId,
    step: held.step,
    stepAt: step.type === "issue" ? occurred_at : step.at,
    first: {
      invoice: made.computed.derivation,
      fees: made.fees.map(({ fee_key, derivation }) => ({ fee_key, derivation: parseJson(String(derivation)) })),
    },
    second,
    differences,
    heldAt,
  });
  const change = { webhookType: "invoice.held", objectType: "held_invoice", objectId: invoiceId };
  await publish(batch, organizationId, { ...change, object: toApiHeldInvoice(held) }, heldAt);
  deps.secondOpinion.onHeld({ organizationId, invoiceId, differences });
}

type Issue = Pick<Computed, "timeZone" | "newStatus" | "dates" | "webhookType"> & { spendable: Spendable };

function compute(billing: Billing, measured: Measured, deps: InvoiceWorkDeps, issue: Issue): Computed {
  const { invoice, bills, payer } = billing;
  const code = currencyOfBills(bills);
  const { timeZone, newStatus, dates, spendable, webhookType } = issue;
  const { status } = newStatus;
  const at = newStatus.status === "finalized" ? newStatus.finalizedAt : invoice.occurred_at;
  const decided = decideInvoice(billing, measured, { id: invoice.id, currency: code, status, at, spendable });
  const taxRows = taxRowsOf(billing);
  const payment = paymentOf(decided.invoice.paymentStatus, at);
  return {
    invoice,
    payer,
    computed: decided.invoice,
    fees: feeRowsOf(decided, { invoiceId: invoice.id, customerId: invoice.customer_id, bills, taxRows, payment }),
    taxRows,
    currency: code,
    madeFrom: madeFromOf({ bills, payer, measured, timeZone, spendable }, deps.engine),
    timeZone,
    dates,
    newStatus,
    webhookType,
  };
}

type Issued = { invoice: Pick<InvoiceRow, "occurred_at">; payer: Pick<Payer, "graceDays" | "netPaymentTermDays"> };

export const firstStatusOf = (of: Issued, timeZone: string) => statusOf(of, { type: "issue" }, timeZone);

/** Without a grace period it is finalized at its own instant. */
function statusOf({ invoice, payer }: Issued, step: Step, timeZone: string): Pick<Computed, "newStatus" | "dates"> {
  const { graceDays, netPaymentTermDays } = payer;
  if (step.type === "finalize" || (step.type === "issue" && graceDays === 0)) {
    const finalizedAt = step.type === "finalize" ? step.at : invoice.occurred_at;
    const newStatus = { status: "finalized", finalizedAt } as const;
    return { newStatus, dates: finalizedDates(finalizedAt, { timeZone, netPaymentTermDays }) };
  }
  const billedOn = dayOf(invoice.occurred_at, timeZone);
  const { finalizesAt, ...dates } = draftDates({ billedOn, graceDays, netPaymentTermDays, timeZone });
  // A shortened grace period may be over: then the invoice is finalized now, not in the past.
  const due = step.type === "refresh" ? later(finalizesAt, step.at) : finalizesAt;
  return { newStatus: { status: "draft", finalizesAt: due }, dates };
}

export const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? other : one;

function webhookTypeOf(step: Step, { status }: NewStatus): string | null {
  if (step.type === "refresh") return null;
  return status === "draft" ? "invoice.drafted" : "invoice.created";
}
