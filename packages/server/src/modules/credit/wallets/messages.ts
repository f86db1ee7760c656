/** The messages about wallets and their transactions. */
import { namedObject } from "../../../http/named-object.ts";
import { type MessageTypes, messageOf as of } from "../../../jobs/message-types.ts";
import { transactionSchema, walletSchema } from "./to-api.ts";

const transaction = of(
  "wallet_transaction",
  namedObject("WalletTransactionWithWallet", { ...transactionSchema.properties, wallet: walletSchema }),
);

const wallet = of("wallet", walletSchema);

export const walletMessages: MessageTypes = {
  "wallet.created": wallet("A wallet is created."),
  "wallet.depleted_ongoing_balance": wallet("The unbilled usage reaches the balance of a wallet."),
  "wallet.terminated": wallet("A wallet ends: by a request, by its expiration, or with its customer."),
  "wallet.updated": wallet("A wallet is changed by a request. Its credits have messages of their own."),
  "wallet_transaction.created": transaction("Credits are bought, granted, voided or used."),
  "wallet_transaction.updated": transaction("Purchased credits are paid, or their payment failed."),
};
