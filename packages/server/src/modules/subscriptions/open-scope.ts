/** The start of every decision about a customer's subscriptions. */
import type { Tx } from "../../platform/postgres/database.ts";
import type { LockedCustomer } from "../customers/index.ts";
import { takeDue } from "./due-kinds.ts";
import { type LifeDeps, type Scope, scopeOf } from "./scope.ts";

/** Runs what is due first. */
export async function openScope(tx: Tx, customer: LockedCustomer, deps: LifeDeps): Promise<Scope> {
  const scope = scopeOf(customer, deps);
  await takeDue(tx, scope);
  return scope;
}
