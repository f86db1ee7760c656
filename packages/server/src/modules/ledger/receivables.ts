/** Posts what is owed for an invoice or a standalone fee. Core decides the entries. */
import type { Entry } from "@tallystick/core/invoicing";
import { newId } from "../../platform/new-id.ts";
import type { Batch } from "../../platform/postgres/batch.ts";
import { type Occasion, rowsOf } from "./post.ts";
import { findBalances, insertEntries } from "./store.ts";

/** The document that is owed, its customer, and the instant. */
export type Debt = Omit<Occasion, "source">;

/** A movement that happens once to a debt uses the debt's id as its source. */
export type Posting = Debt & { source: Occasion["source"]; entries: readonly Entry[] };

export const postEntries = (batch: Batch, organizationId: string, postings: readonly Posting[]): Promise<void> =>
  insertEntries(
    batch,
    organizationId,
    postings.flatMap(({ entries, ...occasion }) => rowsOf(occasion, entries)),
  );

/** Posts a manual payment with a new id, by which it can be reversed. */
export const postPayment = (
  batch: Batch,
  organizationId: string,
  debt: Debt,
  entries: readonly Entry[],
): Promise<void> =>
  postEntries(batch, organizationId, [{ ...debt, source: { kind: "payment", id: newId() }, entries }]);

/** Reverses each payment in force, with the entries that core returns for its amount. */
export async function reversePayments(
  batch: Batch,
  organizationId: string,
  debt: Debt,
  entriesFor: (amountCents: bigint) => readonly Entry[],
): Promise<void> {
  const status = await findBalances(batch.tx, organizationId, {
    ownerId: debt.ownerId,
    account: "paid",
    kind: "payment",
  });
  for (const { sourceId, amountCents } of status) {
    const source = { kind: "payment_reversal", id: sourceId };
    await postEntries(batch, organizationId, [{ ...debt, source, entries: entriesFor(amountCents) }]);
  }
}

/** Money refunded to the customer, for a credit note or a fee. */
export async function postRefund(batch: Batch, organizationId: string, debt: Debt, amountCents: bigint): Promise<void> {
  const occasion = { ...debt, source: { kind: "refund", id: newId() } };
  await insertEntries(batch, organizationId, rowsOf(occasion, refunded(amountCents)));
}

export async function reverseRefunds(batch: Batch, organizationId: string, debt: Debt): Promise<void> {
  const account = { ownerId: debt.ownerId, account: "refunded", kind: "refund" };
  for (const { sourceId, amountCents } of await findBalances(batch.tx, organizationId, account)) {
    const occasion = { ...debt, source: { kind: "refund_reversal", id: sourceId } };
    await insertEntries(batch, organizationId, rowsOf(occasion, refunded(-amountCents)));
  }
}

const refunded = (amountCents: bigint) =>
  [
    { account: "issued", amountMinor: -amountCents },
    { account: "refunded", amountMinor: amountCents },
  ] as const;
