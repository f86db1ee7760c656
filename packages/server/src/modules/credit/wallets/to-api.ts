/** Response schemas of wallets and their transactions. */
import { type Static, Type } from "@fastify/type-provider-typebox";
import { creditsOf, type Metadata, type MetadataPair } from "@tallystick/core/invoicing";
import { inMajorUnits, minor, roundTo } from "@tallystick/core/money";
import { INTERVALS } from "@tallystick/core/time";
import {
  anyMembers,
  decimalText,
  id,
  instant,
  nullable,
  oneOf,
  toApiDecimal,
  toApiInstant,
  toApiInstantOrNull,
  wholeNumber,
} from "../../../http/fields.ts";
import { namedObject } from "../../../http/named-object.ts";
import { currencyOf, ongoingOf, type RuleRow, rateOf, statusAt, type TransactionRow, type WalletRow } from "./row.ts";

export const WALLET_STATUSES = ["active", "terminated"] as const;
export const TRANSACTION_STATUSES = ["purchased", "granted", "voided", "invoiced"] as const;
export const TRANSACTION_TYPES = ["inbound", "outbound"] as const;
export const SETTLEMENTS = ["pending", "settled", "failed"] as const;

const AMOUNT_DIGITS = 5;
const TRANSACTION_PRIORITY = 50;

const ruleSchema = namedObject("WalletRule", {
  svc_id: id(),
  trigger: oneOf(["interval", "threshold"]),
  method: oneOf(["fixed", "target"]),
  interval: nullable(oneOf(INTERVALS)),
  paid_credits: decimalText(),
  granted_credits: decimalText(),
  threshold_credits: nullable(decimalText()),
  target_ongoing_balance: nullable(decimalText()),
  started_at: nullable(instant()),
  created_at: instant(),
});

export const walletSchema = namedObject("Wallet", {
  svc_id: id(),
  svc_customer_id: id(),
  external_customer_id: Type.String(),
  status: oneOf(WALLET_STATUSES),
  currency: Type.String(),
  name: nullable(Type.String()),
  code: nullable(Type.String()),
  metadata: anyMembers<string | null>("Key → text or null"),
  invoice_requires_successful_payment: Type.Boolean({
    description: "Always false: purchased credits are invoiced at once",
  }),
  rate_amount: decimalText("The value of one credit, in units of the currency"),
  priority: Type.Integer({ description: "1 is used first; within a priority, the oldest wallet" }),
  credits_balance: decimalText(),
  balance_cents: wholeNumber("The current balance"),
  credits_ongoing_balance: decimalText(),
  ongoing_balance_cents: wholeNumber("The balance if the usage of the open periods were billed now"),
  credits_ongoing_usage_balance: decimalText(),
  ongoing_usage_balance_cents: wholeNumber("The part of that usage that this wallet covers"),
  consumed_credits: decimalText("Used on invoices"),
  created_at: instant(),
  expiration_at: nullable(instant("From then on its credits cannot be used")),
  last_balance_sync_at: nullable(instant("When the ongoing balance was last computed")),
  last_consumed_credit_at: nullable(instant()),
  terminated_at: nullable(instant()),
  recurring_transaction_rules: Type.Array(ruleSchema, { description: "At most one" }),
});
export type ApiWallet = Static<typeof walletSchema>;

export type WalletParts = { externalCustomerId: string; rules: readonly RuleRow[]; now: Temporal.Instant };

export function toApiWallet(row: WalletRow, { externalCustomerId, rules, now }: WalletParts): ApiWallet {
  const credits = (cents: bigint): string => toApiDecimal(creditsOf(minor(cents), rateOf(row)));
  const ongoing = ongoingOf(row);
  const status = statusAt(row, now);
  return {
    svc_id: row.id,
    svc_customer_id: row.customer_id,
    external_customer_id: externalCustomerId,
    status,
    currency: row.currency,
    name: row.name,
    code: row.code,
    metadata: row.metadata as Metadata,
    invoice_requires_successful_payment: false,
    rate_amount: toApiDecimal(row.rate_amount),
    priority: row.priority,
    credits_balance: credits(row.balance_cents),
    balance_cents: row.balance_cents,
    credits_ongoing_balance: credits(ongoing),
    ongoing_balance_cents: ongoing,
    credits_ongoing_usage_balance: credits(row.ongoing_usage_cents),
    ongoing_usage_balance_cents: row.ongoing_usage_cents,
    consumed_credits: toApiDecimal(row.consumed_credits),
    created_at: toApiInstant(row.created_at),
    expiration_at: toApiInstantOrNull(row.expiration_at),
    last_balance_sync_at: toApiInstantOrNull(row.last_balance_sync_at),
    last_consumed_credit_at: toApiInstantOrNull(row.last_consumed_credit_at),
    terminated_at: toApiInstantOrNull(row.terminated_at ?? (status === "terminated" ? row.expiration_at : null)),
    recurring_transaction_rules: status === "active" ? rules.map(toApiRule) : [],
  };
}

export const toApiRule = (row: RuleRow): Static<typeof ruleSchema> => ({
  svc_id: row.id,
  trigger: row.trigger,
  method: row.method,
  interval: row.interval,
  paid_credits: toApiDecimal(row.paid_credits),
  granted_credits: toApiDecimal(row.granted_credits),
  threshold_credits: row.threshold_credits && toApiDecimal(row.threshold_credits),
  target_ongoing_balance: row.target_ongoing_balance && toApiDecimal(row.target_ongoing_balance),
  started_at: toApiInstantOrNull(row.started_at),
  created_at: toApiInstant(row.created_at),
});

export const transactionSchema = namedObject("WalletTransaction", {
  svc_id: id(),
  svc_wallet_id: id(),
  status: oneOf(SETTLEMENTS, { description: "Only a purchase is pending, until it is paid" }),
  transaction_status: oneOf(TRANSACTION_STATUSES),
  transaction_type: oneOf(TRANSACTION_TYPES),
  source: oneOf(["manual", "interval", "threshold"], { description: "Manually, or by a rule" }),
  name: nullable(Type.String({ description: "What the invoice of a purchase calls the credits" })),
  metadata: Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
  priority: Type.Integer({
    description: "Always 50: within a wallet, granted credits are used before purchased ones, then the oldest",
  }),
  invoice_requires_successful_payment: Type.Literal(false),
  amount: decimalText("In units of the currency"),
  credit_amount: decimalText(),
  remaining_amount_cents: nullable(
    Type.Integer({
      description: "The rest of inbound credits. It is 0 for returned and pending credits, and null for outbound ones",
    }),
  ),
  svc_invoice_id: nullable(
    id("The invoice that sold the credits, that the credits paid, or whose payment bounced or was paid after all"),
  ),
  svc_voided_invoice_id: nullable(id("The voided invoice whose credits were returned")),
  svc_credit_note_id: nullable(id("The credit note that refunded purchased credits")),
  created_at: instant(),
  settled_at: nullable(instant()),
  failed_at: nullable(instant()),
});
export type ApiTransaction = Static<typeof transactionSchema>;

export const toApiTransaction = (row: TransactionRow, wallet: WalletRow): ApiTransaction => ({
  svc_id: row.id,
  svc_wallet_id: row.wallet_id,
  status: row.status,
  transaction_status: row.transaction_status,
  transaction_type: row.transaction_type,
  source: row.source,
  name: row.name,
  metadata: row.metadata as MetadataPair[],
  priority: TRANSACTION_PRIORITY,
  invoice_requires_successful_payment: false,
  amount: toApiDecimal(roundTo(inMajorUnits(minor(row.amount_cents), currencyOf(wallet)), AMOUNT_DIGITS)),
  credit_amount: toApiDecimal(row.credit_amount),
  remaining_amount_cents: row.transaction_type === "inbound" ? Number(row.remaining_amount_cents) : null,
  svc_invoice_id: row.invoice_id,
  svc_voided_invoice_id: row.voided_invoice_id,
  svc_credit_note_id: row.credit_note_id,
  created_at: toApiInstant(row.created_at),
  settled_at: toApiInstantOrNull(row.settled_at),
  failed_at: toApiInstantOrNull(row.failed_at),
});
