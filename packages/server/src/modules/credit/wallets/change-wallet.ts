/** PUT and DELETE /wallets/{id}, and the end of a wallet by expiry or with its customer. */
import type { Members } from "@tallystick/core/catalog";
import { type Metadata, walletAfterUpdate } from "@tallystick/core/invoicing";
import { accept } from "../../../http/problem.ts";
import { rescheduleDues } from "../../../jobs/due.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { LockedCustomer } from "../../customers/index.ts";
import { type InvoiceWorkDeps, lockInvoice, voidIfAllowed } from "../../invoicing/index.ts";
import { post } from "../../ledger/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { scheduleExpiry } from "./create-wallet.ts";
import { walletErrors } from "./errors.ts";
import { holdWallet } from "./hold-wallet.ts";
import { statusAt, type WalletRow } from "./row.ts";
import { saveRule, scheduleTopUp } from "./save-rule.ts";
import { type Scope, scopeOf } from "./scope.ts";
import { findActiveWallets, findRules, findUnpaidPurchases, updateWallet, voidLots } from "./store.ts";
import { tellWallet } from "./tell-wallet.ts";

type WalletDeps = Pick<InvoiceWorkDeps, "clock" | "registry" | "credits">;
type Addressed = { organizationId: string; id: string };

export async function changeWallet(
  tx: Tx,
  { organizationId, id }: Addressed,
  members: Members,
  deps: WalletDeps,
): Promise<WalletRow> {
  const locked = await holdWallet(tx, organizationId, id, deps.clock);
  if (!locked) throw walletErrors.problem("wallet_not_found");
  const { wallet, customer } = locked;
  if (!customer || statusAt(wallet, customer.now) === "terminated")
    throw walletErrors.invalid("wallet_id", "wallet_is_terminated");
  const scope = scopeOf(customer, deps.clock);
  const { now } = scope;
  const initial = { paid: wallet.initial_paid_credits, granted: wallet.initial_granted_credits };
  const current = {
    name: wallet.name,
    code: wallet.code,
    metadata: wallet.metadata as Metadata,
    expiresAt: wallet.expiration_at,
  };
  const { name, code, metadata, expiresAt, rule } = accept(walletAfterUpdate(current, members, { now, initial }));
  const changed = await updateWallet(tx, organizationId, id, {
    name,
    code,
    metadata: JSON.stringify(metadata),
    expiration_at: expiresAt,
    updated_at: deps.clock.now(),
  });
  await scheduleExpiry(tx, scope, changed, deps);
  if (rule !== undefined) {
    await saveRule(alone(tx), scope, { wallet: changed, rule }, deps.registry);
    await askForRefresh(alone(tx), organizationId, { customerId: scope.customer.id, now: deps.clock.now() });
  }
  await tellWallet(alone(tx), scope, changed, "wallet.updated");
  return changed;
}

/** A terminated wallet stays as it is. */
export async function terminateWallet(tx: Tx, { organizationId, id }: Addressed, deps: WalletDeps): Promise<WalletRow> {
  const locked = await holdWallet(tx, organizationId, id, deps.clock);
  if (!locked) throw walletErrors.problem("wallet_not_found");
  const { wallet, customer } = locked;
  if (!customer || statusAt(wallet, customer.now) === "terminated") return wallet;
  return endWallet(alone(tx), scopeOf(customer, deps.clock), wallet, deps);
}

/** Voids the balance, ends the rule, and cancels unpaid purchases. */
export async function endWallet(batch: Batch, scope: Scope, wallet: WalletRow, deps: WalletDeps): Promise<WalletRow> {
  const { organizationId, customer, now, clock } = scope;
  const { registry } = deps;
  await saveRule(batch, scope, { wallet, rule: null }, registry);
  await rescheduleDues(batch, registry, organizationId, { subjectId: wallet.id, customer, dues: [] });
  await post(batch, organizationId, {
    ownerId: wallet.id,
    customerId: wallet.customer_id,
    currency: wallet.currency,
    from: "wallet",
    to: "expired",
    amountCents: wallet.balance_cents,
    source: { kind: "wallet_end", id: wallet.id },
    occurredAt: now,
    now: clock.now(),
  });
  await voidLots(batch.tx, organizationId, wallet.id);
  const ended = await updateWallet(batch.tx, organizationId, wallet.id, {
    status: "terminated",
    terminated_at: now,
    balance_cents: 0n,
    ongoing_usage_cents: 0n,
    updated_at: clock.now(),
  });
  for (const { invoice_id: id } of await findUnpaidPurchases(batch.tx, organizationId, [wallet.id]))
    await voidIfAllowed(batch, deps, { row: await lockInvoice(batch, organizationId, id), now });
  // The other wallets now cover its share of the usage.
  await askForRefresh(batch, organizationId, { customerId: wallet.customer_id, now: clock.now() });
  await tellWallet(batch, scope, ended, "wallet.terminated");
  return ended;
}

/** Called when the customer is deleted. */
export const endWalletsOf =
  (deps: WalletDeps) =>
  async (batch: Batch, customer: LockedCustomer): Promise<void> => {
    const { organization_id: organizationId, id } = customer.row;
    for (const wallet of await findActiveWallets(batch, organizationId, [id]))
      await endWallet(batch, scopeOf(customer, deps.clock), wallet, deps);
  };

/** In another time zone, the customer's days begin at other instants. */
export const moveTopUpsOf =
  ({ clock, registry }: WalletDeps) =>
  async (tx: Tx, customer: LockedCustomer): Promise<void> => {
    const scope = scopeOf(customer, clock);
    const wallets = await findActiveWallets(alone(tx), scope.organizationId, [customer.row.id]);
    const rules = await findRules(
      tx,
      scope.organizationId,
      wallets.map(({ id }) => id),
    );
    for (const rule of rules) {
      const wallet = wallets.find(({ id }) => id === rule.wallet_id);
      if (wallet) await scheduleTopUp(alone(tx), scope, { wallet, rule }, registry);
    }
  };
