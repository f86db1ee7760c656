/** Moves credits: the transaction, its ledger entries, the new balance, and the message. */
import { type CreditsDerivation, giveBackWallet, type TopUpLabel, takeFromLots } from "@tallystick/core/invoicing";
import { type Decimal, type Minor, minor, ZERO } from "@tallystick/core/money";
import { publish } from "../../../jobs/outbox.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { post } from "../../ledger/index.ts";
import { describeWallet } from "./describe-wallets.ts";
import { ongoingOf, type TransactionRow, toCoreLot, type WalletRow } from "./row.ts";
import { type Scope, writtenAt } from "./scope.ts";
import { type BalanceChange, findLots, insertTransaction, type LotMovement, moveBalance, moveLots } from "./store.ts";
import { toApiTransaction } from "./to-api.ts";

type Kind = "purchased" | "granted" | "voided" | "invoiced";
export type Source = "manual" | "interval" | "threshold";

export type Movement = {
  id?: string;
  kind: Kind;
  amountMinor: Minor;
  credits: Decimal;
  source: Source;
  label?: TopUpLabel;
  invoiceId?: string;
  voidedInvoiceId?: string;
  creditNoteId?: string;
  derivation?: CreditsDerivation;
  /** The purchase whose lot moves: by a refund, or with `corrects` by a change of its payment. */
  lotId?: string;
  corrects?: true;
  /** The amounts that a voided invoice returns to each lot. */
  returns?: readonly LotMovement[];
};

export type Moved = { wallet: WalletRow; transaction: TransactionRow };

/** Purchased credits wait for payment. All other credits count at once. */
export async function addTransaction(
  batch: Batch,
  scope: Scope,
  wallet: WalletRow,
  movement: Movement,
): Promise<Moved> {
  const { kind } = movement;
  const at = writtenAt(scope);
  const isSettled = kind !== "purchased" || movement.corrects === true;
  const transaction = await insertTransaction(batch.tx, scope.organizationId, {
    id: movement.id ?? newId(),
    wallet_id: wallet.id,
    customer_id: wallet.customer_id,
    transaction_type: kind === "purchased" || kind === "granted" ? "inbound" : "outbound",
    transaction_status: kind,
    status: isSettled ? "settled" : "pending",
    source: movement.source,
    ...(movement.label && { name: movement.label.name, metadata: JSON.stringify(movement.label.metadata) }),
    amount_cents: movement.amountMinor,
    credit_amount: movement.credits,
    invoice_id: movement.invoiceId ?? null,
    voided_invoice_id: movement.voidedInvoiceId ?? null,
    credit_note_id: movement.creditNoteId ?? null,
    derivation: movement.derivation ? JSON.stringify(movement.derivation) : null,
    corrects_transaction_id: movement.corrects ? (movement.lotId ?? null) : null,
    remaining_amount_cents: isLot(movement) && isSettled ? movement.amountMinor : 0n,
    withheld_amount_cents: isSettled ? 0n : movement.amountMinor,
    created_at: at,
    settled_at: isSettled ? at : null,
  });
  await moveLots(batch.tx, scope.organizationId, transaction.id, await lotMovementsOf(batch.tx, wallet, movement));
  const moved = { wallet: isSettled ? await moveValue(batch, scope, wallet, transaction) : wallet, transaction };
  await tell(batch, scope, moved, "wallet_transaction.created");
  return moved;
}

/** Returned credits go to their old lot and form no new one. */
const isLot = ({ kind, returns, corrects }: Movement): boolean =>
  (kind === "purchased" || kind === "granted") && !returns && !corrects;

async function lotMovementsOf(tx: Tx, wallet: WalletRow, movement: Movement): Promise<readonly LotMovement[]> {
  const { kind, amountMinor, lotId, returns } = movement;
  if (returns) return returns;
  const isInbound = kind === "purchased" || kind === "granted";
  if (lotId !== undefined) return [{ lotId, amountCents: isInbound ? amountMinor : -amountMinor }];
  if (isInbound) return [];
  const lots = await findLots(tx, wallet.organization_id, wallet.id);
  const takes = takeFromLots(lots.map(toCoreLot), amountMinor);
  return takes.map((take) => ({ lotId: take.lotId, amountCents: -take.amountMinor }));
}

/** Runs once for a transaction: the ledger rejects a second time. */
export async function moveValue(
  batch: Batch,
  scope: Scope,
  wallet: WalletRow,
  transaction: TransactionRow,
): Promise<WalletRow> {
  const { from, to } = accountsOf(transaction);
  await post(batch, scope.organizationId, {
    ownerId: wallet.id,
    customerId: wallet.customer_id,
    currency: wallet.currency,
    from,
    to,
    amountCents: transaction.amount_cents,
    source: { kind: "wallet_transaction", id: transaction.id },
    occurredAt: scope.now,
    now: scope.clock.now(),
  });
  const change = changeOf(wallet, transaction);
  const usage = transaction.transaction_status === "invoiced" ? usageAfter(wallet, transaction) : {};
  const ongoing = ongoingOf({ ...wallet, ...usage, balance_cents: wallet.balance_cents + change.balanceCents });
  return moveBalance(batch.tx, scope.organizationId, wallet.id, {
    ...change,
    ...usage,
    ...(transaction.transaction_status === "invoiced" ? { last_consumed_credit_at: writtenAt(scope) } : {}),
    is_depleted: wallet.is_depleted && ongoing <= 0n,
    updated_at: scope.clock.now(),
  });
}

function accountsOf({ transaction_status: kind, ...transaction }: TransactionRow) {
  if (transaction.voided_invoice_id !== null) return { from: "invoiced", to: "wallet" } as const;
  // Credits that are taken back reduce what was bought.
  if (kind === "voided" && transaction.corrects_transaction_id !== null)
    return { from: "wallet", to: "purchased" } as const;
  if (kind === "purchased" || kind === "granted") return { from: kind, to: "wallet" } as const;
  return { from: "wallet", to: kind as "voided" | "invoiced" } as const;
}

function changeOf(wallet: WalletRow, transaction: TransactionRow): BalanceChange {
  const { amount_cents: amount, credit_amount: credits, transaction_status: kind } = transaction;
  if (transaction.voided_invoice_id !== null) return givenBack(wallet, transaction);
  const balanceCents = kind === "voided" || kind === "invoiced" ? -amount : amount;
  return kind === "invoiced"
    ? { balanceCents, consumedCents: amount, consumedCredits: credits }
    : { balanceCents, consumedCents: 0n, consumedCredits: ZERO };
}

function givenBack(wallet: WalletRow, { amount_cents, credit_amount }: TransactionRow): BalanceChange {
  const before = {
    status: "active",
    balanceMinor: minor(wallet.balance_cents),
    consumedMinor: minor(wallet.consumed_amount_cents),
    consumedCredits: wallet.consumed_credits,
  } as const;
  const after = giveBackWallet(before, { amountMinor: minor(amount_cents), credits: credit_amount });
  return {
    balanceCents: after.balanceMinor - before.balanceMinor,
    consumedCents: after.consumedMinor - before.consumedMinor,
    consumedCredits: after.consumedCredits.minus(before.consumedCredits),
  };
}

/** Billed usage is no longer ongoing. A refresh soon measures the rest again. */
function usageAfter(wallet: WalletRow, { amount_cents: amount }: TransactionRow) {
  const usage = wallet.ongoing_usage_cents - amount;
  return { ongoing_usage_cents: usage < 0n ? 0n : usage };
}

/** Messages use real time, also for a customer on a test clock. */
export async function tell(
  batch: Batch,
  { organizationId, clock }: Scope,
  { wallet, transaction }: Moved,
  webhookType: "wallet_transaction.created" | "wallet_transaction.updated",
): Promise<void> {
  const described = await describeWallet(batch, organizationId, wallet, clock);
  const object = { ...toApiTransaction(transaction, wallet), wallet: described };
  const change = { webhookType, objectType: "wallet_transaction", objectId: transaction.id, object };
  await publish(batch, organizationId, { ...change, once: webhookType === "wallet_transaction.created" }, clock.now());
}
