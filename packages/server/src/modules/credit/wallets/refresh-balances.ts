/**
 * Keeps ongoing balances current. Usage is measured without a lock. Then, under the customer's lock, it is spread over the wallets,
 * which may publish a depleted wallet and trigger a top-up by threshold.
 */
import assert from "node:assert/strict";
import { depletion, isThresholdReached, ongoingBalances, ruleTopUps } from "@tallystick/core/invoicing";
import type { Minor } from "@tallystick/core/money";
import { lockCustomer, tryLockCustomer } from "../../../jobs/due-store.ts";
import { isParked, isTransient, reasonOf } from "../../../jobs/failures.ts";
import type { WorkDeps } from "../../../jobs/run-dues.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById, readCustomerClock } from "../../customers/index.ts";
import type { InvoiceWorkDeps } from "../../invoicing/index.ts";
import {
  claimRefresh,
  dropRefreshes,
  findRefreshOnTestClock,
  finishRefresh,
  postponeRefresh,
  type RefreshRequest,
  releaseRefresh,
} from "../wallet-refreshes/index.ts";
import { measureUsage } from "./measure-usage.ts";
import { pendingByWallet } from "./pending-purchases.ts";
import { ongoingOf, type RuleRow, rateOf, toCoreRule, toCoreWallet, type WalletRow } from "./row.ts";
import { type Scope, scopeOf, writtenAt } from "./scope.ts";
import { findActiveWallets, findRules, updateWallet } from "./store.ts";
import { tellWallet } from "./tell-wallet.ts";
import { addTopUps } from "./top-up.ts";

/** After this time another worker replaces one that was killed while it measured. */
const LEASE = { seconds: 10 };
const AGAIN = { milliseconds: 300 };

/** The source name of parked refreshes. */
export const WALLET_REFRESHES = "wallet_refreshes";

export type RefreshDeps = WorkDeps & InvoiceWorkDeps;

/** For workers: refreshes a waiting customer. Returns false if there is none. */
export async function refreshNext(deps: RefreshDeps): Promise<boolean> {
  const now = deps.clock.now();
  const request = await claimRefresh(deps.dispatcherDb, { now, until: now.add(LEASE) });
  if (!request) return false;
  try {
    await refresh(deps, request, { waits: false });
    deps.metrics.workDone.inc({ source: "wallets", kind: "refresh" });
  } catch (error) {
    await settleFailure(deps, request, error);
  }
  return true;
}

/** A balance that cannot be computed stays unchanged and is listed. It is computed again with the next usage; other customers go on. */
async function settleFailure(deps: RefreshDeps, request: RefreshRequest, error: unknown): Promise<void> {
  const { organizationId, customerId } = request;
  deps.log.error(
    { err: error, customer: customerId },
    "an ongoing balance failed; it is retried, and parked if the error persists",
  );
  deps.metrics.workFailed.inc({ source: "wallets", kind: "refresh" });
  const now = deps.clock.now();
  const attempts = await postponeRefresh(deps.dispatcherDb, request, { now, error, secondsMax: 60 });
  if (!isParked(error, attempts)) return;
  await inOrganization(deps.db, organizationId, async (tx) => {
    const [row] = await findCustomersById(alone(tx), organizationId, [customerId]);
    const object = { type: "customer", id: customerId, externalId: row?.external_id ?? null };
    const item = { kind: "wallet", object, customerId, source: WALLET_REFRESHES, attempts } as const;
    await deps.registry.park(alone(tx), organizationId, { ...item, reason: reasonOf(error) }, now);
    await dropRefreshes(tx, organizationId, request);
  });
}

/** Computes at once, in the transaction that resolves the parked item. */
export async function retryRefresh(
  deps: RefreshDeps,
  organizationId: string,
  customerId: string,
  settle: (tx: Tx) => Promise<void>,
): Promise<void> {
  const usageMinor = await measureUsage(deps, organizationId, customerId);
  await inOrganization(deps.db, organizationId, async (tx) => {
    await settle(tx);
    await spreadOver(tx, deps, { organizationId, customerId }, usageMinor);
  });
}

/** Before a test clock advances: refreshes a waiting customer, even if another worker has claimed it. Returns false if none is left. */
export async function refreshFor(deps: RefreshDeps, organizationId: string): Promise<boolean> {
  const request = await inOrganization(deps.db, organizationId, (tx) => findRefreshOnTestClock(tx, organizationId));
  if (!request) return false;
  try {
    await refresh(deps, request, { waits: true });
  } catch (error) {
    if (isTransient(error)) throw error;
    await settleFailure(deps, request, error);
  }
  return true;
}

/** Workers do not wait for a customer that is locked for long, for example by the advance of a clock. */
async function refresh(deps: RefreshDeps, request: RefreshRequest, { waits }: { waits: boolean }): Promise<void> {
  const { organizationId, customerId } = request;
  const usageMinor = await measureUsage(deps, organizationId, customerId);
  await inOrganization(deps.db, organizationId, async (tx) => {
    const readyAt = deps.clock.now();
    if (waits) await lockCustomer(tx, organizationId, customerId);
    else if (!(await tryLockCustomer(tx, organizationId, customerId)))
      return releaseRefresh(tx, organizationId, { customerId, readyAt: readyAt.add(AGAIN) });
    // Another worker measured it, or something changed since: measure again.
    if (!(await finishRefresh(tx, organizationId, request)))
      return releaseRefresh(tx, organizationId, { customerId, readyAt });
    await spreadOver(tx, deps, request, usageMinor);
  });
}

/** The customer is locked. */
async function spreadOver(
  tx: Tx,
  deps: RefreshDeps,
  { organizationId, customerId }: Pick<RefreshRequest, "organizationId" | "customerId">,
  usageMinor: Minor,
): Promise<void> {
  const [row] = await findCustomersById(alone(tx), organizationId, [customerId]);
  assert(row, "a wallet has a customer");
  if (row.deleted_at !== null) return;
  const now = await readCustomerClock(tx, organizationId, row.test_clock_id, deps.clock);
  await spread(tx, deps, scopeOf({ row, now }, deps.clock), usageMinor);
}

async function spread(tx: Tx, deps: RefreshDeps, scope: Scope, usageMinor: Minor): Promise<void> {
  const { organizationId, customer, now } = scope;
  const wallets = await findActiveWallets(alone(tx), organizationId, [customer.id]);
  const ids = wallets.map(({ id }) => id);
  const rules = await findRules(tx, organizationId, ids);
  const pendingOf = await pendingByWallet(tx, organizationId, ids);
  for (const ongoing of ongoingBalances(wallets.map(toCoreWallet), usageMinor, now)) {
    const before = wallets.find(({ id }) => id === ongoing.walletId);
    assert(before, "core spreads usage over the wallets that it receives");
    const wallet = await saveOngoing(tx, scope, before, ongoing.usageMinor);
    const rule = rules.find(({ wallet_id }) => wallet_id === wallet.id);
    if (rule) await fillIfLow(tx, deps, scope, { wallet, rule, pendingMinor: pendingOf(wallet.id) });
  }
}

/** Publishes when the wallet becomes depleted, and again only after its balance was above zero. */
async function saveOngoing(tx: Tx, scope: Scope, before: WalletRow, usageMinor: Minor): Promise<WalletRow> {
  const { organizationId, clock } = scope;
  const usage = { ongoing_usage_cents: usageMinor };
  const { isDepleted, isNews } = depletion(before.is_depleted, ongoingOf({ ...before, ...usage }));
  const wallet = await updateWallet(tx, organizationId, before.id, {
    ...usage,
    is_depleted: isDepleted,
    last_balance_sync_at: writtenAt(scope),
    updated_at: clock.now(),
  });
  if (isNews) await tellWallet(alone(tx), scope, wallet, "wallet.depleted_ongoing_balance");
  return wallet;
}

type Low = { wallet: WalletRow; rule: RuleRow; pendingMinor: Minor };

/** The top-up requests no refresh. The rule fires again with the next usage, not in a loop. */
async function fillIfLow(
  tx: Tx,
  deps: RefreshDeps,
  scope: Scope,
  { wallet, rule: row, pendingMinor }: Low,
): Promise<void> {
  const rule = toCoreRule(row);
  const state = { ...rateOf(wallet), ongoingBalanceMinor: ongoingOf(wallet), pendingMinor };
  if (rule.trigger.type !== "threshold" || !isThresholdReached(rule.trigger.credits, state)) return;
  await addTopUps(alone(tx), scope, { wallet, topUps: ruleTopUps(rule, state), source: "threshold" }, deps);
}
