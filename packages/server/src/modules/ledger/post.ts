/** Moves value between two accounts of one owner. */
import { newId } from "../../platform/new-id.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { insertEntries } from "./store.ts";

/** What can be spent: the balance of such an account is never below zero. */
type ValueAccount = "coupon" | "credit_note" | "wallet";
/** Where value comes from, and where it goes. */
type CounterAccount = "issued" | "purchased" | "granted" | "invoiced" | "refunded" | "voided" | "expired";

export type Transfer = {
  /** The applied coupon, credit note or wallet. */
  ownerId: string;
  customerId: string;
  currency: string;
  from: ValueAccount | CounterAccount;
  to: ValueAccount | CounterAccount;
  amountCents: bigint;
  /** What made it happen: the same source never moves value of the same account twice. */
  source: { kind: string; id: string };
  /** By the clock of the customer. */
  occurredAt: Temporal.Instant;
  /** By the real clock. */
  now: Temporal.Instant;
};

/** Nothing moves nothing. A second time for one source violates `ledger_entries_once`, and with it the whole transaction. */
export async function post(tx: Tx, organizationId: string, transfer: Transfer): Promise<void> {
  const { ownerId, customerId, currency, from, to, amountCents, source, occurredAt, now } = transfer;
  if (amountCents < 0n) throw new Error(`A transfer of ${ownerId} goes the other way round.`);
  if (amountCents === 0n) return;
  const transferId = newId();
  const entry = (accountKind: string, amount: bigint) => ({
    id: newId(),
    transfer_id: transferId,
    account_kind: accountKind,
    account_id: ownerId,
    customer_id: customerId,
    currency,
    amount_cents: amount,
    source_kind: source.kind,
    source_id: source.id,
    occurred_at: occurredAt,
    created_at: now,
  });
  await insertEntries(tx, organizationId, [entry(from, -amountCents), entry(to, amountCents)]);
}
