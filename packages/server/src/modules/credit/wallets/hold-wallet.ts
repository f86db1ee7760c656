/** Locks a wallet and its customer. No other transaction moves its credits until this one ends. */
import type { Clock } from "../../../platform/clock.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById, holdCustomer, type LockedCustomer } from "../../customers/index.ts";
import type { WalletRow } from "./row.ts";
import { findWallet } from "./store.ts";

/** `customer` is undefined if it was deleted: then its wallets have ended. */
export type LockedWallet = { wallet: WalletRow; customer: LockedCustomer | undefined };

/** Undefined: the wallet does not exist. It is read again under the customer's lock. */
export async function holdWallet(
  tx: Tx,
  organizationId: string,
  id: string,
  clock: Clock,
): Promise<LockedWallet | undefined> {
  const found = await findWallet(tx, organizationId, id);
  if (!found) return undefined;
  const [row] = await findCustomersById(alone(tx), organizationId, [found.customer_id]);
  const customer = row?.deleted_at === null ? await holdCustomer(tx, organizationId, row, clock) : undefined;
  const wallet = await findWallet(tx, organizationId, id);
  return wallet && { wallet, customer };
}
