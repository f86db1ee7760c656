/** All SQL on wallets, wallet_transactions and wallet_rules. */
import type { Decimal } from "@tallystick/core/money";
import { type Insertable, sql, type Updateable } from "kysely";
import { validate as isUuid } from "uuid";
import { pageOf } from "../../http/page-of.ts";
import type { Page, PageOf } from "../../http/pagination.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { rowsTogether } from "../../platform/postgres/in-step.ts";
import type { DB } from "../../platform/postgres/schema.ts";
import type { RuleRow, TransactionRow, WalletRow } from "./row.ts";

const wallets = (tx: Tx, organizationId: string) =>
  tx.selectFrom("wallets").selectAll().where("organization_id", "=", organizationId);

export const findWallet = async (tx: Tx, organizationId: string, id: string): Promise<WalletRow | undefined> =>
  isUuid(id) ? wallets(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

export const findWallets = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<WalletRow[]> =>
  wallets(tx, organizationId).where("id", "=", sql<string>`any(${ids}::uuid[])`).execute();

/** The caller holds the customer, and so all of these. */
export const findActiveWallets = rowsTogether<WalletRow>(
  (tx, organizationId, customerIds) =>
    wallets(tx, organizationId)
      .where("customer_id", "=", sql<string>`any(${customerIds}::uuid[])`)
      .where("status", "=", "active")
      .execute(),
  ({ customer_id }) => customer_id,
);

export type WalletFilter = { externalCustomerId: string | undefined; currency: string | undefined };

export function pageOfWallets(
  tx: Tx,
  organizationId: string,
  { externalCustomerId, currency }: WalletFilter,
  page: Page,
): Promise<PageOf<WalletRow>> {
  let query = wallets(tx, organizationId);
  if (currency !== undefined) query = query.where("currency", "=", currency);
  if (externalCustomerId !== undefined)
    query = query.where("customer_id", "in", (from) =>
      from
        .selectFrom("customers")
        .select("customers.id")
        .where("customers.organization_id", "=", organizationId)
        .where("customers.external_id", "=", externalCustomerId)
        .where("customers.deleted_at", "is", null),
    );
  return pageOf(query, page);
}

export const insertWallet = (
  tx: Tx,
  organizationId: string,
  wallet: Omit<Insertable<DB["wallets"]>, "organization_id">,
): Promise<WalletRow> =>
  tx
    .insertInto("wallets")
    .values({ ...wallet, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateWallet = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Updateable<DB["wallets"]>,
): Promise<WalletRow> =>
  tx
    .updateTable("wallets")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Below zero where it goes down. */
export type BalanceChange = { balanceCents: bigint; consumedCents: bigint; consumedCredits: Decimal };

/** By how much, not to what: if somebody had moved it meanwhile, its check would speak instead of that being lost. */
export const moveBalance = (
  tx: Tx,
  organizationId: string,
  id: string,
  { balanceCents, consumedCents, consumedCredits, ...changes }: BalanceChange & Updateable<DB["wallets"]>,
): Promise<WalletRow> =>
  tx
    .updateTable("wallets")
    .set({
      ...changes,
      balance_cents: sql`balance_cents + ${balanceCents}::bigint`,
      consumed_amount_cents: sql`consumed_amount_cents + ${consumedCents}::bigint`,
      consumed_credits: sql`consumed_credits + ${consumedCredits}::numeric`,
    })
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

const transactions = (tx: Tx, organizationId: string) =>
  tx.selectFrom("wallet_transactions").selectAll().where("organization_id", "=", organizationId);

export type TransactionFilter = Partial<
  Record<"status" | "transaction_status" | "transaction_type", string | undefined>
>;

export function pageOfTransactions(
  tx: Tx,
  organizationId: string,
  { walletId, ...filter }: TransactionFilter & { walletId: string },
  page: Page,
): Promise<PageOf<TransactionRow>> {
  let query = transactions(tx, organizationId).where("wallet_id", "=", walletId);
  if (filter.status !== undefined) query = query.where("status", "=", filter.status);
  if (filter.transaction_status !== undefined)
    query = query.where("transaction_status", "=", filter.transaction_status);
  if (filter.transaction_type !== undefined) query = query.where("transaction_type", "=", filter.transaction_type);
  return pageOf(query, page);
}

export const insertTransaction = (
  tx: Tx,
  organizationId: string,
  transaction: Omit<Insertable<DB["wallet_transactions"]>, "organization_id">,
): Promise<TransactionRow> =>
  tx
    .insertInto("wallet_transactions")
    .values({ ...transaction, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Of what is not settled; what is, stays as it is, and a trigger says so. */
export const updateTransaction = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Pick<Updateable<DB["wallet_transactions"]>, "status" | "settled_at" | "failed_at">,
): Promise<TransactionRow> =>
  tx
    .updateTable("wallet_transactions")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();

export const findPurchase = (tx: Tx, organizationId: string, invoiceId: string): Promise<TransactionRow | undefined> =>
  transactions(tx, organizationId)
    .where("invoice_id", "=", invoiceId)
    .where("transaction_status", "=", "purchased")
    .executeTakeFirst();

/** What an invoice took from wallets. */
export const findUses = (tx: Tx, organizationId: string, invoiceId: string): Promise<TransactionRow[]> =>
  transactions(tx, organizationId)
    .where("invoice_id", "=", invoiceId)
    .where("transaction_status", "=", "invoiced")
    .orderBy("id")
    .execute();

/** Purchases that are not paid yet, of each wallet. */
export const sumPending = (tx: Tx, organizationId: string, walletIds: readonly string[]) =>
  tx
    .selectFrom("wallet_transactions")
    .select(["wallet_id", sql<bigint>`sum(amount_cents)::bigint`.as("amount_cents")])
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "=", sql<string>`any(${walletIds}::uuid[])`)
    .where("status", "=", "pending")
    .groupBy("wallet_id")
    .execute();

const activeRules = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("wallet_rules")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("status", "=", "active");

export const findRules = (tx: Tx, organizationId: string, walletIds: readonly string[]): Promise<RuleRow[]> =>
  activeRules(tx, organizationId).where("wallet_id", "=", sql<string>`any(${walletIds}::uuid[])`).execute();

export const findRule = (tx: Tx, organizationId: string, id: string): Promise<RuleRow | undefined> =>
  activeRules(tx, organizationId).where("id", "=", id).executeTakeFirst();

export const insertRule = (
  tx: Tx,
  organizationId: string,
  rule: Omit<Insertable<DB["wallet_rules"]>, "organization_id">,
): Promise<RuleRow> =>
  tx
    .insertInto("wallet_rules")
    .values({ ...rule, organization_id: organizationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export async function updateRule(
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Updateable<DB["wallet_rules"]>,
): Promise<void> {
  await tx
    .updateTable("wallet_rules")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .where("id", "=", id)
    .execute();
}
