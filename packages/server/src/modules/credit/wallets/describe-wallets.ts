/** Wallets in their API form, in a constant number of queries for each clock. */
import assert from "node:assert/strict";
import type { Clock } from "../../../platform/clock.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import { type CustomerRow, findCustomersById, readCustomerClock } from "../../customers/index.ts";
import type { WalletRow } from "./row.ts";
import { findRules } from "./store.ts";
import { type ApiWallet, toApiWallet } from "./to-api.ts";

export async function describeWallets(
  batch: Batch,
  organizationId: string,
  rows: readonly WalletRow[],
  clock: Clock,
): Promise<ApiWallet[]> {
  if (rows.length === 0) return [];
  const customerIds = [...new Set(rows.map(({ customer_id }) => customer_id))];
  const found = await findCustomersById(batch, organizationId, customerIds);
  const customers = new Map(found.map((customer) => [customer.id, customer]));
  const nows = new Map<string | null, Temporal.Instant>();
  // The wallets of a deleted customer have ended, and its clock may be deleted too.
  const clockOf = ({ test_clock_id, deleted_at }: CustomerRow) => (deleted_at === null ? test_clock_id : null);
  for (const id of new Set(found.map(clockOf)))
    nows.set(id, await readCustomerClock(batch.tx, organizationId, id, clock));
  const walletIds = rows.map(({ id }) => id);
  const rules = Map.groupBy(await findRules(batch.tx, organizationId, walletIds), ({ wallet_id }) => wallet_id);
  return rows.map((row) => {
    const customer = customers.get(row.customer_id);
    const now = customer && nows.get(clockOf(customer));
    assert(customer && now, "a wallet has a customer with a clock");
    return toApiWallet(row, { externalCustomerId: customer.external_id, rules: rules.get(row.id) ?? [], now });
  });
}

export async function describeWallet(
  batch: Batch,
  organizationId: string,
  row: WalletRow,
  clock: Clock,
): Promise<ApiWallet> {
  const [wallet] = await describeWallets(batch, organizationId, [row], clock);
  assert(wallet, "a row has a description");
  return wallet;
}
