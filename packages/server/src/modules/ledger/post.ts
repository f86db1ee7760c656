/** Moves value between the accounts of one owner. */
import { newId } from "../../platform/new-id.ts";
import type { Batch } from "../../platform/postgres/batch.ts";
import { insertEntries, type NewEntry } from "./store.ts";

/** Spendable value: the balance of such an account is never negative. */
type ValueAccount = "coupon" | "credit_note" | "wallet";
/** Where value comes from or goes to. */
type CounterAccount = "issued" | "purchased" | "granted" | "invoiced" | "refunded" | "voided" | "expired";

/** The common part of all entries of a movement. */
export type Occasion = {
  /** The applied coupon, credit note, wallet, invoice or fee. */
  ownerId: string;
  customerId: string;
  currency: string;
  /** The cause of the movement: the same source never moves value of the same account twice. */
  source: { kind: string; id: string };
  /** By the clock of the customer. */
  occurredAt: Temporal.Instant;
  /** By the real clock. */
  now: Temporal.Instant;
};

export type Transfer = Occasion & {
  from: ValueAccount | CounterAccount;
  to: ValueAccount | CounterAccount;
  amountCents: bigint;
};

/** An amount of 0 posts nothing. A repeated source violates `ledger_entries_once` and fails the whole transaction. */
export async function post(batch: Batch, organizationId: string, transfer: Transfer): Promise<void> {
  const { from, to, amountCents, ...occasion } = transfer;
  if (amountCents < 0n) throw new Error(`The amount of a transfer of ${occasion.ownerId} is negative.`);
  if (amountCents === 0n) return;
  await insertEntries(
    batch,
    organizationId,
    rowsOf(occasion, [
      { account: from, amountMinor: -amountCents },
      { account: to, amountMinor: amountCents },
    ]),
  );
}

/** The rows of one movement. Their sum is 0. */
export function rowsOf(
  { ownerId, customerId, currency, source, occurredAt, now }: Occasion,
  entries: readonly { account: NewEntry["account_kind"]; amountMinor: bigint }[],
) {
  const transferId = newId();
  return entries.map(({ account, amountMinor }) => ({
    id: newId(),
    transfer_id: transferId,
    account_kind: account,
    account_id: ownerId,
    customer_id: customerId,
    currency,
    amount_cents: amountMinor,
    source_kind: source.kind,
    source_id: source.id,
    occurred_at: occurredAt,
    created_at: now,
  }));
}
