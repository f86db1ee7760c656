/** /wallet_transactions, and the transactions of a wallet. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { InvoiceWorkDeps } from "../../invoicing/index.ts";
import { walletErrors } from "./errors.ts";
import { createTransactionSchema, listTransactionsSchema, showTransactionSchema, transactionList } from "./schema.ts";
import { findTransaction, findWallet, pageOfTransactions } from "./store.ts";
import { toApiTransaction } from "./to-api.ts";
import { topUpWallet } from "./top-up.ts";

export const walletTransactionRoutes =
  (deps: InvoiceWorkDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "wallet_transaction" };

    app.get("/wallets/:svc_id/wallet_transactions", { schema: listTransactionsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const wallet = await findWallet(tx, organizationId, request.params.svc_id);
        if (!wallet) throw walletErrors.problem("wallet_not_found");
        const list = transactionList.read(request.query);
        const { rows, meta } = await pageOfTransactions(tx, organizationId, wallet.id, list);
        return { wallet_transactions: rows.map((row) => toApiTransaction(row, wallet)), meta };
      }),
    );

    app.get("/wallet_transactions/:svc_id", { schema: showTransactionSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findTransaction(tx, organizationId, request.params.svc_id);
        const wallet = row && (await findWallet(tx, organizationId, row.wallet_id));
        if (!wallet) throw walletErrors.problem("wallet_transaction_not_found");
        return { wallet_transaction: toApiTransaction(row, wallet) };
      }),
    );

    app.post("/wallet_transactions", { schema: createTransactionSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const moved = await topUpWallet(tx, organizationId, request.body.wallet_transaction, deps);
        return { wallet_transactions: moved.map(({ transaction, wallet }) => toApiTransaction(transaction, wallet)) };
      }),
    );
  };
