/** POST /wallets: prepaid credits for a customer. */
import type { Members } from "@tallystick/core/catalog";
import { parseWallet, type TopUp } from "@tallystick/core/invoicing";
import { currency, sumDecimals } from "@tallystick/core/money";
import { accept, invalid } from "../../../http/problem.ts";
import { rescheduleDues } from "../../../jobs/due.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { type HeldCustomer, holdCustomerByExternalId, updateCustomer } from "../../customers/index.ts";
import { beginCursor } from "../../events/index.ts";
import type { Making } from "../../invoicing/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { EXPIRY_DUE } from "./due-names.ts";
import { walletErrors } from "./errors.ts";
import type { WalletRow } from "./row.ts";
import { saveRule } from "./save-rule.ts";
import { type Scope, scopeOf, writtenAt } from "./scope.ts";
import { insertWallet } from "./store.ts";
import { addTopUps } from "./top-up.ts";

export async function createWallet(
  tx: Tx,
  organizationId: string,
  members: Members,
  making: Making,
): Promise<WalletRow> {
  const held = await holdNamed(tx, organizationId, members.external_customer_id, making);
  const { row: customer, now } = held;
  const customerCurrency = customer.currency === null ? null : currency(customer.currency);
  const wanted = accept(parseWallet(members, { now, customerCurrency }));
  if (customerCurrency === null)
    await updateCustomer(tx, organizationId, customer.id, { currency: wanted.currency, updated_at: now });
  const scope = scopeOf(held, making.clock);
  const at = writtenAt(scope);
  const wallet = await insertWallet(tx, organizationId, {
    id: newId(),
    customer_id: customer.id,
    name: wanted.name,
    status: "active",
    currency: wanted.currency,
    rate_amount: wanted.rate,
    priority: wanted.priority,
    is_depleted: true,
    initial_paid_credits: creditsIn(wanted.topUps, "purchased"),
    initial_granted_credits: creditsIn(wanted.topUps, "granted"),
    expiration_at: wanted.expiresAt,
    created_at: at,
    updated_at: at,
  });
  await beginCursor(tx, "wallet_cursors", organizationId);
  await scheduleExpiry(tx, scope, wallet, making);
  await saveRule(alone(tx), scope, { wallet, rule: wanted.rule }, making.registry);
  const topped = await addTopUps(alone(tx), scope, { wallet, topUps: wanted.topUps, source: "manual" }, making);
  await askForRefresh(alone(tx), organizationId, { customerId: customer.id, now: making.clock.now() });
  return topped.at(-1)?.wallet ?? wallet;
}

async function holdNamed(
  tx: Tx,
  organizationId: string,
  externalId: unknown,
  { clock }: Pick<Making, "clock">,
): Promise<HeldCustomer> {
  if (externalId === undefined || externalId === null || externalId === "")
    throw invalid({ external_customer_id: ["value_is_mandatory"] });
  if (typeof externalId !== "string") throw invalid({ external_customer_id: ["value_is_invalid"] });
  const held = await holdCustomerByExternalId(tx, organizationId, externalId, clock);
  if (!held) throw walletErrors.invalid("customer", "customer_not_found");
  return held;
}

const creditsIn = (topUps: readonly TopUp[], kind: TopUp["kind"]) =>
  sumDecimals(topUps.filter((topUp) => topUp.kind === kind).map(({ credits }) => credits));

/** Without an expiration it has nothing to do. */
export async function scheduleExpiry(
  tx: Tx,
  scope: Scope,
  wallet: WalletRow,
  { registry }: Pick<Making, "registry">,
): Promise<void> {
  const { organizationId, customer } = scope;
  const { id: subjectId, expiration_at: dueAt } = wallet;
  const dues = dueAt === null ? [] : [{ kind: EXPIRY_DUE, dueAt }];
  await rescheduleDues(alone(tx), registry, organizationId, { subjectId, customer, dues });
}
