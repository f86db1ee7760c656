/** /wallet_transactions, and the transactions of a wallet. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { readPage, toApiMeta } from "../../../http/pagination.ts";
import type { InvoiceWorkDeps } from "../../invoicing/index.ts";
import { walletErrors } from "./errors.ts";
import { createTransactionSchema, listTransactionsSchema } from "./schema.ts";
import { findWallet, pageOfTransactions } from "./store.ts";
import { toApiTransaction } from "./to-api.ts";
import { topUpWallet } from "./top-up.ts";

export const walletTransactionRoutes =
  (deps: InvoiceWorkDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const config = { permission: "wallet_transaction" };

    app.get("/wallets/:svc_id/wallet_transactions", { schema: listTransactionsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { page: _, per_page: __, ...filter } = request.query;
        const wallet = await findWallet(tx, organizationId, request.params.svc_id);
        if (!wallet) throw walletErrors.problem("wallet_not_found");
        const page = readPage(request.query);
        const { rows, total } = await pageOfTransactions(tx, organizationId, { ...filter, walletId: wallet.id }, page);
        return {
          wallet_transactions: rows.map((row) => toApiTransaction(row, wallet)),
          meta: toApiMeta(page, total),
        };
      }),
    );

    app.post("/wallet_transactions", { schema: createTransactionSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const moved = await topUpWallet(tx, organizationId, request.body.wallet_transaction, deps);
        return { wallet_transactions: moved.map(({ transaction, wallet }) => toApiTransaction(transaction, wallet)) };
      }),
    );
  };
