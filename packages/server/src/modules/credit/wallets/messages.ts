/** The messages about wallets and their transactions. */
import { Type } from "@fastify/type-provider-typebox";
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { transactionSchema, walletSchema } from "./to-api.ts";

const transaction = of("wallet_transaction", Type.Object({ ...transactionSchema.properties, wallet: walletSchema }));

export const walletMessages: MessageTypes = {
  "wallet.depleted_ongoing_balance": of(
    "wallet",
    walletSchema,
  )("The usage that is not billed yet takes all that a wallet holds."),
  "wallet_transaction.created": transaction("Credits are bought, granted, voided or used."),
  "wallet_transaction.updated": transaction("Credits that were bought are paid for, or their payment failed."),
};
