/** What is owed of an invoice, or of a fee that stands alone: its movements are posted as core decides them. */
import type { Entry } from "@tallystick/core/invoicing";
import { newId } from "../../platform/new-id.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { type Occasion, rowsOf } from "./post.ts";
import { findBalances, insertEntries } from "./store.ts";

/** The documents that are owed, their customers, and when it happened. */
export type Debt = Omit<Occasion, "source">;

/** What happens to a debt once has the debt's id as its source. */
export type Posting = Debt & { source: Occasion["source"]; entries: readonly Entry[] };

export const postEntries = (tx: Tx, organizationId: string, postings: readonly Posting[]): Promise<void> =>
  insertEntries(
    tx,
    organizationId,
    postings.flatMap(({ entries, ...occasion }) => rowsOf(occasion, entries)),
  );

/** The entries of a payment made by hand: it gets an id, by which it is reversed. */
export const postPayment = (tx: Tx, organizationId: string, debt: Debt, entries: readonly Entry[]): Promise<void> =>
  postEntries(tx, organizationId, [{ ...debt, source: { kind: "payment", id: newId() }, entries }]);

/** Reverses each payment that counts, with the entries that core gives for its amount. */
export async function reversePayments(
  tx: Tx,
  organizationId: string,
  debt: Debt,
  entriesFor: (amountCents: bigint) => readonly Entry[],
): Promise<void> {
  const status = await findBalances(tx, organizationId, { ownerId: debt.ownerId, account: "paid", kind: "payment" });
  for (const { sourceId, amountCents } of status) {
    const source = { kind: "payment_reversal", id: sourceId };
    await postEntries(tx, organizationId, [{ ...debt, source, entries: entriesFor(amountCents) }]);
  }
}

/** Money that went back to the customer, for a credit note or a fee. */
export async function postRefund(tx: Tx, organizationId: string, debt: Debt, amountCents: bigint): Promise<void> {
  const occasion = { ...debt, source: { kind: "refund", id: newId() } };
  await insertEntries(tx, organizationId, rowsOf(occasion, refunded(amountCents)));
}

export async function reverseRefunds(tx: Tx, organizationId: string, debt: Debt): Promise<void> {
  const account = { ownerId: debt.ownerId, account: "refunded", kind: "refund" };
  for (const { sourceId, amountCents } of await findBalances(tx, organizationId, account)) {
    const occasion = { ...debt, source: { kind: "refund_reversal", id: sourceId } };
    await insertEntries(tx, organizationId, rowsOf(occasion, refunded(-amountCents)));
  }
}

const refunded = (amountCents: bigint) => [
  { account: "issued", amountMinor: -amountCents },
  { account: "refunded", amountMinor: amountCents },
];
