/** Tops up a wallet by interval, when the day begins for the customer. */
import { ongoingBalances, ruleTopUps } from "@tallystick/core/invoicing";
import type { Minor } from "@tallystick/core/money";
import { dayOf } from "@tallystick/core/time";
import type { Due, DueKind, DueRegistry, RunDue } from "../../../jobs/due.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import type { InvoiceDeps } from "../../invoicing/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { TOP_UP_DUE } from "./due-names.ts";
import { measureUsage } from "./measure-usage.ts";
import { pendingByWallet } from "./pending-purchases.ts";
import { ongoingOf, type RuleRow, rateOf, statusAt, toCoreRule, toCoreWallet, type WalletRow } from "./row.ts";
import { scheduleTopUp, zoneOf } from "./save-rule.ts";
import type { Scope } from "./scope.ts";
import { findActiveWallets, findRule, findWallet, updateRule } from "./store.ts";
import { addTopUps } from "./top-up.ts";

/** Runs after the invoices of the instant and before drafts are finalized. */
export const topUpDueKind = (deps: InvoiceDeps): DueKind => ({
  kind: TOP_UP_DUE,
  rank: 70,
  settles: false,
  parks: {
    kind: "wallet",
    objectOf: async (tx, { organizationId, subjectId }) => {
      const rule = await findRule(tx, organizationId, subjectId);
      return rule ? { type: "wallet", id: rule.wallet_id } : { type: "wallet_rule", id: subjectId };
    },
  },
  onParked: goOn(deps),
  prepare: (_, dues) => Promise.all(dues.map(async (due) => fill(deps, await measureIfNeeded(deps, due)))),
});

/** A day whose top-up fails is parked; the next day runs as usual. */
const goOn =
  ({ clock }: InvoiceDeps): RunDue =>
  async (batch, { organizationId, subjectId, customerId, testClockId, dueAt: now }, registry) => {
    const row = await findRule(batch.tx, organizationId, subjectId);
    const wallet = row && (await findWallet(batch.tx, organizationId, row.wallet_id));
    if (!row || !wallet || customerId === null || statusAt(wallet, now) === "terminated") return;
    const scope: Scope = { organizationId, customer: { id: customerId, testClockId }, now, clock };
    await passDay(batch, scope, { wallet, row, today: dayOf(now, await zoneOf(batch, scope)) }, registry);
  };

type Day = { wallet: WalletRow; row: RuleRow; today: Temporal.PlainDate };

/** A parked day runs after later days, when the next day is already scheduled. */
async function passDay(batch: Batch, scope: Scope, { wallet, row, today }: Day, registry: DueRegistry): Promise<void> {
  if (row.last_day !== null && Temporal.PlainDate.compare(row.last_day, today) >= 0) return;
  await updateRule(batch.tx, scope.organizationId, row.id, { last_day: today });
  await scheduleTopUp(batch, scope, { wallet, rule: { ...row, last_day: today } }, registry);
}

/** Only a target depends on usage. */
async function measureIfNeeded(
  deps: InvoiceDeps,
  { organizationId, subjectId, customerId }: Due,
): Promise<Minor | null> {
  const rule = await inOrganization(deps.db, organizationId, (tx) => findRule(tx, organizationId, subjectId));
  if (rule?.method !== "target" || customerId === null) return null;
  return measureUsage(deps, organizationId, customerId);
}

const fill =
  (deps: InvoiceDeps, usageMinor: Minor | null): RunDue =>
  async (batch, { organizationId, subjectId, customerId, testClockId, dueAt: now }, registry) => {
    const row = await findRule(batch.tx, organizationId, subjectId);
    const wallet = row && (await findWallet(batch.tx, organizationId, row.wallet_id));
    if (!row || !wallet || customerId === null || statusAt(wallet, now) === "terminated") return;
    const scope: Scope = { organizationId, customer: { id: customerId, testClockId }, now, clock: deps.clock };
    const today = dayOf(now, await zoneOf(batch, scope));
    const pendingOf = await pendingByWallet(batch.tx, organizationId, [wallet.id]);
    const topUps = ruleTopUps(toCoreRule(row), {
      ...rateOf(wallet),
      ongoingBalanceMinor: await ongoingNow(batch, scope, wallet, usageMinor),
      pendingMinor: pendingOf(wallet.id),
    });
    await addTopUps(batch, scope, { wallet, topUps, source: "interval" }, { ...deps, registry });
    await passDay(batch, scope, { wallet, row, today }, registry);
    await askForRefresh(batch, organizationId, { customerId, now: deps.clock.now() });
  };

async function ongoingNow(batch: Batch, scope: Scope, wallet: WalletRow, usageMinor: Minor | null): Promise<Minor> {
  if (usageMinor === null) return ongoingOf(wallet);
  const wallets = await findActiveWallets(batch, scope.organizationId, [scope.customer.id]);
  const spread = ongoingBalances(wallets.map(toCoreWallet), usageMinor, scope.now);
  return spread.find(({ walletId }) => walletId === wallet.id)?.balanceMinor ?? ongoingOf(wallet);
}
