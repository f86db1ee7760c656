/** All SQL on wallets, wallet_transactions, wallet_lot_movements and wallet_rules. */

import assert from "node:assert/strict";
import type { Decimal } from "@tallystick/core/money";
import { type Insertable, sql, type Updateable } from "kysely";
import { validate as isUuid } from "uuid";
import type { ListRequest } from "../../../http/list-query.ts";
import { byInstant, pageOf } from "../../../http/page-of.ts";
import { anyOf } from "../../../platform/postgres/any-of.ts";
import { batchedRows } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { DB } from "../../../platform/postgres/schema.ts";
import { idsByExternalId } from "../../customers/index.ts";
import type { RuleRow, TransactionRow, WalletRow } from "./row.ts";

const wallets = (tx: Tx, organizationId: string) =>
  tx.selectFrom("wallets").selectAll().where("organization_id", "=", organizationId);

export const findWallet = async (tx: Tx, organizationId: string, id: string): Promise<WalletRow | undefined> =>
  isUuid(id) ? wallets(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

export const findWallets = (tx: Tx, organizationId: string, ids: readonly string[]): Promise<WalletRow[]> =>
  wallets(tx, organizationId).where("id", "=", anyOf(ids)).execute();

/** The caller locks the customer, and so all these rows. */
export const findActiveWallets = batchedRows<WalletRow>(
  (tx, organizationId, customerIds) =>
    wallets(tx, organizationId).where("customer_id", "=", anyOf(customerIds)).where("status", "=", "active").execute(),
  ({ customer_id }) => customer_id,
);

/** Indexes: wallets_list, and wallets_customer for one customer. */
export function pageOfWallets(
  tx: Tx,
  organizationId: string,
  list: ListRequest<"external_customer_id" | "status">,
  now: Temporal.Instant,
) {
  const { status, external_customer_id: [externalId] = [] } = list.filters;
  const query = wallets(tx, organizationId)
    .$if(externalId !== undefined, (some) =>
      some.where("customer_id", "in", idsByExternalId(organizationId, externalId ?? "", { deleted: "left_out" })),
    )
    .$if(status !== undefined, (some) =>
      some.where(sql<boolean>`${shownStatus(organizationId, now)} = any(${status}::text[])`),
    );
  return pageOf(query, list, {
    sorts: { created_at: [byInstant("created_at")] },
    filters: { currency: "currency", code: "code" },
    search: ["name"],
  });
}

/** As `statusAt`, by the clock of the customer. */
const shownStatus = (organizationId: string, now: Temporal.Instant) => sql<string>`
  case when status = 'terminated' or expiration_at <= coalesce((
    select test_clocks.now from customers
    join test_clocks on test_clocks.organization_id = customers.organization_id and test_clocks.id = customers.test_clock_id
    where customers.organization_id = ${organizationId} and customers.id = wallets.customer_id and customers.deleted_at is null
  ), ${now}::timestamptz) then 'terminated' else 'active' end`;

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

/** Negative if the balance goes down. */
export type BalanceChange = { balanceCents: bigint; consumedCents: bigint; consumedCredits: Decimal };

/** Adds a difference instead of setting a value: a concurrent change then violates a check and is not lost. */
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

export const findTransaction = async (
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<TransactionRow | undefined> =>
  isUuid(id) ? transactions(tx, organizationId).where("id", "=", id).executeTakeFirst() : undefined;

/** Index: wallet_transactions_list. */
export const pageOfTransactions = (tx: Tx, organizationId: string, walletId: string, list: ListRequest) =>
  pageOf(transactions(tx, organizationId).where("wallet_id", "=", walletId), list, {
    sorts: { created_at: [byInstant("created_at")] },
    filters: {
      status: "status",
      transaction_status: "transaction_status",
      transaction_type: "transaction_type",
    },
  });

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

type Settlement = "status" | "settled_at" | "failed_at";
type LotState = "remaining_amount_cents" | "withheld_amount_cents" | "bounced_at" | "predates_lots";

/** A trigger keeps the settlement of a settled transaction. What is left of a lot can always change. */
export const updateTransaction = (
  tx: Tx,
  organizationId: string,
  id: string,
  changes: Pick<Updateable<DB["wallet_transactions"]>, Settlement | LotState>,
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
    .where("corrects_transaction_id", "is", null)
    .executeTakeFirst();

/** The purchased lots among these, with the amounts written off their invoices. */
export const findPurchasedLots = (tx: Tx, organizationId: string, lotIds: readonly string[]) =>
  tx
    .selectFrom("wallet_transactions as lot")
    .innerJoin("invoices as invoice", (join) =>
      join.onRef("invoice.organization_id", "=", "lot.organization_id").onRef("invoice.id", "=", "lot.invoice_id"),
    )
    .selectAll("lot")
    .select("invoice.written_off_amount_cents")
    .where("lot.organization_id", "=", organizationId)
    .where("lot.id", "=", anyOf(lotIds))
    .where("lot.transaction_status", "=", "purchased")
    .orderBy("lot.id")
    .execute();

/** Lots with a remaining amount. The caller locks the customer, and so all these rows. */
export const findLots = (tx: Tx, organizationId: string, walletId: string): Promise<TransactionRow[]> =>
  transactions(tx, organizationId).where("wallet_id", "=", walletId).where("remaining_amount_cents", ">", 0n).execute();

/** Negative if it is taken from the lot. */
export type LotMovement = { lotId: string; amountCents: bigint };

/** Adds differences, and stores the amount of each lot with the transaction. */
export async function moveLots(
  tx: Tx,
  organizationId: string,
  transactionId: string,
  movements: readonly LotMovement[],
): Promise<void> {
  if (movements.length === 0) return;
  const ids = movements.map(({ lotId }) => lotId);
  const amounts = movements.map(({ amountCents }) => String(amountCents));
  const { numAffectedRows } = await sql`
    with moved as (select * from unnest(${ids}::uuid[], ${amounts}::bigint[]) as moved (lot_id, amount_cents)),
    lots as (
      update wallet_transactions lot set remaining_amount_cents = remaining_amount_cents + moved.amount_cents
      from moved where lot.organization_id = ${organizationId} and lot.id = moved.lot_id
      returning lot.id, moved.amount_cents
    )
    insert into wallet_lot_movements (organization_id, transaction_id, lot_id, amount_cents)
    select ${organizationId}, ${transactionId}, id, amount_cents from lots`.execute(tx);
  assert.equal(numAffectedRows, BigInt(movements.length), "every movement has a lot");
}

export const findLotMovements = (tx: Tx, organizationId: string, transactionIds: readonly string[]) =>
  tx
    .selectFrom("wallet_lot_movements")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("transaction_id", "=", anyOf(transactionIds))
    .orderBy("lot_id")
    .execute();

/** Whether an invoice that is not voided used part of a lot. */
export async function isLotSpent(tx: Tx, organizationId: string, lotId: string): Promise<boolean> {
  const use = await tx
    .selectFrom("wallet_lot_movements as moved")
    .innerJoin("wallet_transactions as used", (join) =>
      join.onRef("used.organization_id", "=", "moved.organization_id").onRef("used.id", "=", "moved.transaction_id"),
    )
    .innerJoin("invoices as invoice", (join) =>
      join.onRef("invoice.organization_id", "=", "used.organization_id").onRef("invoice.id", "=", "used.invoice_id"),
    )
    .select("moved.transaction_id")
    .where("moved.organization_id", "=", organizationId)
    .where("moved.lot_id", "=", lotId)
    .where("used.transaction_status", "=", "invoiced")
    .where("invoice.status", "!=", "voided")
    .limit(1)
    .executeTakeFirst();
  return use !== undefined;
}

/** Voids what is left in a wallet that ends. */
export async function voidLots(tx: Tx, organizationId: string, walletId: string): Promise<void> {
  await tx
    .updateTable("wallet_transactions")
    .set({ remaining_amount_cents: 0n })
    .where("organization_id", "=", organizationId)
    .where("wallet_id", "=", walletId)
    .where("remaining_amount_cents", ">", 0n)
    .execute();
}

/** The wallet transactions that paid an invoice. */
export const findUses = (tx: Tx, organizationId: string, invoiceId: string): Promise<TransactionRow[]> =>
  transactions(tx, organizationId)
    .where("invoice_id", "=", invoiceId)
    .where("transaction_status", "=", "invoiced")
    .orderBy("id")
    .execute();

/** Purchases whose invoices are unpaid: never paid, or bounced. */
export const findUnpaidPurchases = (tx: Tx, organizationId: string, walletIds: readonly string[]) =>
  tx
    .selectFrom("wallet_transactions as bought")
    .innerJoin("invoices as invoice", (join) =>
      join
        .onRef("invoice.organization_id", "=", "bought.organization_id")
        .onRef("invoice.id", "=", "bought.invoice_id"),
    )
    .select([
      "bought.wallet_id",
      "bought.withheld_amount_cents",
      "invoice.id as invoice_id",
      "invoice.payment_status",
      "invoice.written_off_amount_cents",
    ])
    .where("bought.organization_id", "=", organizationId)
    .where("bought.wallet_id", "=", anyOf(walletIds))
    .where("bought.transaction_status", "=", "purchased")
    .where("bought.corrects_transaction_id", "is", null)
    .where("invoice.status", "=", "finalized")
    .where("invoice.payment_status", "!=", "succeeded")
    .orderBy("bought.id")
    .execute();

const activeRules = (tx: Tx, organizationId: string) =>
  tx
    .selectFrom("wallet_rules")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("status", "=", "active");

export const findRules = (tx: Tx, organizationId: string, walletIds: readonly string[]): Promise<RuleRow[]> =>
  activeRules(tx, organizationId).where("wallet_id", "=", anyOf(walletIds)).execute();

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
