/** The messages about wallets and their transactions. */
import { Type } from "@fastify/type-provider-typebox";
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { transactionSchema, walletSchema } from "./to-api.ts";

const transaction = of("wallet_transaction", Type.Object({ ...transactionSchema.properties, wallet: walletSchema }));

export const walletMessages: MessageTypes = {
  "wallet.depleted_ongoing_balance": of("wallet", walletSchema)("The unbilled usage reaches the balance of a wallet."),
  "wallet_transaction.created": transaction("Credits are bought, granted, voided or used."),
  "wallet_transaction.updated": transaction("Purchased credits are paid, or their payment failed."),
};
