/** Maps a wallet and its rule between the database and core. */
import assert from "node:assert/strict";
import type { Lot, TopUpRule, Wallet } from "@tallystick/core/invoicing";
import { type Currency, currency, type Minor, minor, ZERO } from "@tallystick/core/money";
import type { Selectable } from "kysely";
import type { DB } from "../../../platform/postgres/schema.ts";

export type WalletRow = Selectable<DB["wallets"]>;
export type TransactionRow = Selectable<DB["wallet_transactions"]>;
export type RuleRow = Selectable<DB["wallet_rules"]>;

export const toCoreWallet = (row: WalletRow): Wallet => ({
  id: row.id,
  priority: row.priority,
  createdAt: row.created_at,
  expiresAt: row.expiration_at,
  currency: currency(row.currency),
  rate: row.rate_amount,
  balanceMinor: minor(row.balance_cents),
});

export const toCoreLot = (row: TransactionRow): Lot => ({
  id: row.id,
  kind: row.transaction_status as Lot["kind"],
  createdAt: row.created_at,
  remainingMinor: minor(row.remaining_amount_cents),
});

/** The value of one credit. */
export const rateOf = (row: WalletRow) => ({ rate: row.rate_amount, currency: currencyOf(row) });

export const currencyOf = (row: WalletRow): Currency => currency(row.currency);

/** The balance if the usage of open periods were billed now. */
export const ongoingOf = (row: WalletRow): Minor => minor(row.balance_cents - row.ongoing_usage_cents);

/** A wallet ends at its expiration, even if no worker has recorded it yet. */
export const statusAt = ({ status, expiration_at: end }: WalletRow, now: Temporal.Instant): "active" | "terminated" =>
  status === "terminated" || (end !== null && Temporal.Instant.compare(end, now) <= 0) ? "terminated" : "active";

export function toRuleColumns({ trigger, method }: TopUpRule) {
  return {
    trigger: trigger.type,
    interval: trigger.type === "interval" ? trigger.interval : null,
    started_at: trigger.type === "interval" ? trigger.startedAt : null,
    threshold_credits: trigger.type === "threshold" ? trigger.credits : null,
    method: method.type,
    paid_credits: method.type === "fixed" ? method.paidCredits : ZERO,
    granted_credits: method.type === "fixed" ? method.grantedCredits : ZERO,
    target_ongoing_balance: method.type === "target" ? method.credits : null,
  };
}

export function toCoreRule(row: RuleRow): TopUpRule {
  return { trigger: triggerOf(row), method: methodOf(row) };
}

function triggerOf({ interval, started_at, threshold_credits }: RuleRow): TopUpRule["trigger"] {
  if (threshold_credits !== null) return { type: "threshold", credits: threshold_credits };
  assert(interval !== null, "a rule has a threshold or an interval");
  return { type: "interval", interval, startedAt: started_at };
}

const methodOf = ({ target_ongoing_balance, paid_credits, granted_credits }: RuleRow): TopUpRule["method"] =>
  target_ongoing_balance === null
    ? { type: "fixed", paidCredits: paid_credits, grantedCredits: granted_credits }
    : { type: "target", credits: target_ongoing_balance };
