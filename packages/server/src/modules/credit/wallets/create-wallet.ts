/** POST /wallets: prepaid credits for a customer. */
import type { Members } from "@tallystick/core/catalog";
import { parseWallet, type TopUp } from "@tallystick/core/invoicing";
import { currency, sumDecimals } from "@tallystick/core/money";
import { accept, invalid } from "../../../http/problem.ts";
import { rescheduleDues } from "../../../jobs/due.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { holdCustomerByExternalId, type LockedCustomer, updateCustomer } from "../../customers/index.ts";
import { beginCursor } from "../../events/index.ts";
import type { InvoiceWorkDeps } from "../../invoicing/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { EXPIRY_DUE } from "./due-names.ts";
import { walletErrors } from "./errors.ts";
import type { WalletRow } from "./row.ts";
import { saveRule } from "./save-rule.ts";
import { type Scope, scopeOf, writtenAt } from "./scope.ts";
import { insertWallet } from "./store.ts";
import { tellWallet } from "./tell-wallet.ts";
import { addTopUps } from "./top-up.ts";

export async function createWallet(
  tx: Tx,
  organizationId: string,
  members: Members,
  deps: InvoiceWorkDeps,
): Promise<WalletRow> {
  const locked = await holdNamed(tx, organizationId, members.external_customer_id, deps);
  const { row: customer, now } = locked;
  const customerCurrency = customer.currency === null ? null : currency(customer.currency);
  const requested = accept(parseWallet(members, { now, customerCurrency }));
  if (customerCurrency === null)
    await updateCustomer(tx, organizationId, customer.id, { currency: requested.currency, updated_at: now });
  const scope = scopeOf(locked, deps.clock);
  const at = writtenAt(scope);
  const wallet = await insertWallet(tx, organizationId, {
    id: newId(),
    customer_id: customer.id,
    name: requested.name,
    code: requested.code,
    metadata: JSON.stringify(requested.metadata),
    status: "active",
    currency: requested.currency,
    rate_amount: requested.rate,
    priority: requested.priority,
    is_depleted: true,
    initial_paid_credits: creditsIn(requested.topUps, "purchased"),
    initial_granted_credits: creditsIn(requested.topUps, "granted"),
    expiration_at: requested.expiresAt,
    created_at: at,
    updated_at: at,
  });
  await beginCursor(tx, "wallet_cursors", organizationId);
  await scheduleExpiry(tx, scope, wallet, deps);
  await saveRule(alone(tx), scope, { wallet, rule: requested.rule }, deps.registry);
  const topped = await addTopUps(alone(tx), scope, { wallet, topUps: requested.topUps, source: "manual" }, deps);
  await askForRefresh(alone(tx), organizationId, { customerId: customer.id, now: deps.clock.now() });
  const filled = topped.at(-1)?.wallet ?? wallet;
  await tellWallet(alone(tx), scope, filled, "wallet.created");
  return filled;
}

async function holdNamed(
  tx: Tx,
  organizationId: string,
  externalId: unknown,
  { clock }: Pick<InvoiceWorkDeps, "clock">,
): Promise<LockedCustomer> {
  if (externalId === undefined || externalId === null || externalId === "")
    throw invalid({ external_customer_id: ["value_is_mandatory"] });
  if (typeof externalId !== "string") throw invalid({ external_customer_id: ["value_is_invalid"] });
  const locked = await holdCustomerByExternalId(tx, organizationId, externalId, clock);
  if (!locked) throw walletErrors.invalid("customer", "customer_not_found");
  return locked;
}

const creditsIn = (topUps: readonly TopUp[], kind: TopUp["kind"]) =>
  sumDecimals(topUps.filter((topUp) => topUp.kind === kind).map(({ credits }) => credits));

/** Does nothing without an expiration. */
export async function scheduleExpiry(
  tx: Tx,
  scope: Scope,
  wallet: WalletRow,
  { registry }: Pick<InvoiceWorkDeps, "registry">,
): Promise<void> {
  const { organizationId, customer } = scope;
  const { id: subjectId, expiration_at: dueAt } = wallet;
  const dues = dueAt === null ? [] : [{ kind: EXPIRY_DUE, dueAt }];
  await rescheduleDues(alone(tx), registry, organizationId, { subjectId, customer, dues });
}
