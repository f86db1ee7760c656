/** /wallets. Their transactions are in `transaction-routes.ts`. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { alone } from "../../../platform/postgres/batch.ts";
import type { InvoiceWorkDeps } from "../../invoicing/index.ts";
import { changeWallet, terminateWallet } from "./change-wallet.ts";
import { createWallet } from "./create-wallet.ts";
import { describeWallet, describeWallets } from "./describe-wallets.ts";
import { walletErrors } from "./errors.ts";
import {
  changeWalletSchema,
  createWalletSchema,
  listWalletsSchema,
  showWalletSchema,
  terminateWalletSchema,
  walletList,
} from "./schema.ts";
import { findWallet, pageOfWallets } from "./store.ts";

export const walletRoutes =
  (deps: InvoiceWorkDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { clock } = deps;
    const config = { permission: "wallet" };

    app.post("/wallets", { schema: createWalletSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = await createWallet(tx, organizationId, request.body.wallet, deps);
        return { wallet: await describeWallet(alone(tx), organizationId, row, clock) };
      }),
    );

    app.get("/wallets", { schema: listWalletsSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfWallets(tx, organizationId, walletList.read(request.query), clock.now());
        return { wallets: await describeWallets(alone(tx), organizationId, rows, clock), meta };
      }),
    );

    app.get("/wallets/:svc_id", { schema: showWalletSchema, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const row = await findWallet(tx, organizationId, request.params.svc_id);
        if (!row) throw walletErrors.problem("wallet_not_found");
        return { wallet: await describeWallet(alone(tx), organizationId, row, clock) };
      }),
    );

    app.put("/wallets/:svc_id", { schema: changeWalletSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const addressed = { organizationId, id: request.params.svc_id };
        const row = await changeWallet(tx, addressed, request.body.wallet, deps);
        return { wallet: await describeWallet(alone(tx), organizationId, row, clock) };
      }),
    );

    app.delete("/wallets/:svc_id", { schema: terminateWalletSchema, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const row = await terminateWallet(tx, { organizationId, id: request.params.svc_id }, deps);
        return { wallet: await describeWallet(alone(tx), organizationId, row, clock) };
      }),
    );
  };
