/**
 * What was paid in advance and will not be used comes back as a credit note: when the subscription ends, or, if its last fee is not
 * final then, with the invoice that makes it so.
 */
import assert from "node:assert/strict";
import { creditForUnused } from "@tallystick/core/invoicing";
import { decimal, minor } from "@tallystick/core/money";
import { type Terminated, unusedCredit } from "@tallystick/core/subscription";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { type FeeRow, findBilledInAdvance, findLastFeeInAdvance } from "../fees/index.ts";
import { findInvoice, type InvoiceRow } from "../invoices/index.ts";
import { findBilledSubscriptions, findEndedSubscription } from "../subscriptions/index.ts";
import { loadCreditable } from "./load-creditable.ts";
import { saveNote } from "./save-note.ts";

type Ended = { organizationId: string; subscriptionId: string; ended: Terminated };

/** The customer is held. */
export const onSubscriptionEnded =
  (clock: Clock) =>
  async (tx: Tx, { organizationId, subscriptionId, ended }: Ended): Promise<void> => {
    const fee = await findLastFeeInAdvance(tx, organizationId, subscriptionId);
    const invoice = fee?.invoice_id && (await findInvoice(tx, organizationId, fee.invoice_id));
    if (!fee || !invoice || invoice.status !== "finalized") return;
    await creditUnused(tx, clock, { fee, invoice, ended, at: ended.terminatedAt });
  };

/** Of the subscriptions on it that have ended in the meantime. */
export const onInvoiceFinalized =
  (clock: Clock) =>
  async (tx: Tx, invoice: InvoiceRow): Promise<void> => {
    const { organization_id: organizationId, id, finalized_at: finalizedAt } = invoice;
    if (invoice.invoice_type !== "subscription") return;
    assert(finalizedAt, "what is finalized is so from an instant on");
    for (const { subscription_id: subscriptionId } of await findBilledInAdvance(tx, organizationId, [id])) {
      const ended = subscriptionId && (await findEndedSubscription(tx, organizationId, subscriptionId));
      const last = ended && (await findLastFeeInAdvance(tx, organizationId, subscriptionId));
      if (!ended || !last || last.invoice_id !== id) continue;
      await creditUnused(tx, clock, { fee: last, invoice, ended, at: later(finalizedAt, ended.terminatedAt) });
    }
  };

const later = (one: Temporal.Instant, other: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(one, other) < 0 ? other : one;

type Unused = { fee: FeeRow; invoice: InvoiceRow; ended: Terminated; at: Temporal.Instant };

async function creditUnused(tx: Tx, clock: Clock, { fee, invoice, ended, at }: Unused): Promise<void> {
  assert(fee.bill_id && fee.subscription_id, "a subscription fee is of a bill");
  const [billed] = await findBilledSubscriptions(tx, invoice.organization_id, [fee.bill_id]);
  assert(billed?.bill.fee, "a subscription fee has a window");
  const loaded = await loadCreditable(tx, invoice);
  const credited = loaded.itemsOfFee(fee.id).map((item) => item.precise_amount_cents);
  const unused = unusedCredit(
    {
      window: billed.bill.fee,
      planAmountMinor: planAmountOf(fee),
      amountMinor: minor(fee.amount_cents),
      creditedMinor: credited.reduce((sum, amount) => sum.plus(amount), decimal("0")),
      isInvoiceVoided: invoice.status === "voided",
    },
    ended,
  );
  const note = unused && creditForUnused(loaded.creditable, { feeId: fee.id, amount: unused.creditMinor });
  if (!unused || !note) return;
  const reason = ended.cause === "ended" ? "order_cancellation" : "order_change";
  await saveNote(tx, clock, {
    loaded,
    note,
    derivation: { ...note.derivation, unused: unused.derivation },
    reason,
    description: null,
    unusedOfSubscriptionId: fee.subscription_id,
    at,
  });
}

/** As it was when the fee was made: the plan may have changed since. */
const planAmountOf = ({ derivation }: FeeRow) =>
  minor(BigInt((derivation as { planAmountMinor: string }).planAmountMinor));
