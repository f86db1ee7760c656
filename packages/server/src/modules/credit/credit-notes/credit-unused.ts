/**
 * Gives back what was paid in advance and will not be used, with one credit note for each invoice that billed it. This happens when the
 * subscription ends, or for an invoice that is still a draft then, at its finalization.
 */
import assert from "node:assert/strict";
import { creditForUnused } from "@tallystick/core/invoicing";
import { refundsUnused, type Terminated } from "@tallystick/core/subscription";
import type { Batch } from "../../../platform/postgres/batch.ts";
import {
  type ComingBack,
  findBilledInAdvance,
  findComingBack,
  findInvoice,
  findReturning,
  type InvoiceRow,
} from "../../invoicing/index.ts";
import { type Ended, findEndedSubscription, toBill } from "../../subscriptions/index.ts";
import { loadCreditable } from "./load-creditable.ts";
import { type NoteDeps, saveNote } from "./save-note.ts";
import { settleAlone } from "./settle-alone.ts";

/** The customer is locked. */
export const onSubscriptionEnded =
  (deps: NoteDeps) =>
  async (batch: Batch, { organizationId, ...life }: Ended): Promise<void> => {
    const coming = await findComingBack(batch, organizationId, life);
    const { subscriptionId, ended } = life;
    const alone = coming.filter(({ fee }) => fee.invoice_id === null);
    await settleAlone(batch, deps.clock, ended, alone);
    for (const [invoiceId, items] of Map.groupBy(coming, ({ fee }) => fee.invoice_id)) {
      const invoice = invoiceId === null ? undefined : await findInvoice(batch.tx, organizationId, invoiceId);
      if (invoice?.status !== "finalized") continue;
      await creditItems(batch, deps, { invoice, items, subscriptionId, ended, at: ended.terminatedAt });
    }
  };

/** For subscriptions on the invoice that have ended since. */
export const onInvoiceFinalized =
  (deps: NoteDeps) =>
  async (batch: Batch, invoice: InvoiceRow): Promise<void> => {
    const { organization_id: organizationId, id, finalized_at: finalizedAt } = invoice;
    if (invoice.invoice_type !== "subscription") return;
    assert(finalizedAt, "a finalized invoice has its instant");
    for (const [subscriptionId, returned] of await findEndedOn(batch, organizationId, id)) {
      const ended = await findEndedSubscription(batch, organizationId, subscriptionId);
      if (!ended) continue;
      const coming = await findComingBack(batch, organizationId, { subscriptionId, ended, returned });
      const items = coming.filter(({ fee }) => fee.invoice_id === id);
      const at = later(finalizedAt, ended.terminatedAt);
      await creditItems(batch, deps, { invoice, items, subscriptionId, ended, at });
    }
  };

/** Subscriptions whose own fee is on the invoice, and those whose end returns days of its charges. */
async function findEndedOn(
  batch: Batch,
  organizationId: string,
  invoiceId: string,
): Promise<ReadonlyMap<string, Ended["returned"]>> {
  const paid = await findBilledInAdvance(batch, organizationId, [invoiceId]);
  const returning = await findReturning(batch, organizationId, [invoiceId]);
  return new Map([
    ...paid.map(({ subscription_id }) => [subscription_id ?? "", []] as const),
    ...returning.map(
      ({ subscription_id, windows }) => [subscription_id, toBill("terminating", windows).returned] as const,
    ),
  ]);
}

const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? other : one;

type Unused = {
  invoice: InvoiceRow;
  items: readonly ComingBack[];
  subscriptionId: string;
  ended: Terminated;
  at: Temporal.Instant;
};

async function creditItems(batch: Batch, deps: NoteDeps, { invoice, items, ...unused }: Unused): Promise<void> {
  if (items.length === 0) return;
  const loaded = await loadCreditable(batch, invoice);
  const requested = items.map(({ fee, creditMinor }) => ({ feeId: fee.id, amount: creditMinor }));
  const creditable = { ...loaded.creditable, source: { type: "subscription" } } as const;
  const note = creditForUnused(creditable, requested, refundsUnused(unused.ended));
  if (!note) return;
  const derivations = items.map(({ derivation }) => derivation);
  const own = derivations.find(({ type }) => type === "unused_credit");
  const returned = derivations.filter(({ type }) => type === "returned_days");
  await saveNote(batch, deps, {
    loaded,
    note,
    derivation: { ...note.derivation, ...(own ? { unused: own } : {}), ...(returned.length > 0 ? { returned } : {}) },
    reason: unused.ended.cause === "ended" ? "order_cancellation" : "order_change",
    description: null,
    unusedOfSubscriptionId: unused.subscriptionId,
    at: unused.at,
  });
}
