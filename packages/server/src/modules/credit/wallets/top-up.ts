/** POST /wallet_transactions: purchases, grants or voids credits. */

import type { Members } from "@tallystick/core/catalog";
import { parseTopUp, parseTopUpLabel, type TopUp, type TopUpLabel } from "@tallystick/core/invoicing";
import { minor } from "@tallystick/core/money";
import { accept, invalid } from "../../../http/problem.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone, type Batch } from "../../../platform/postgres/batch.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import type { InvoiceWorkDeps } from "../../invoicing/index.ts";
import { askForRefresh } from "../wallet-refreshes/index.ts";
import { buyCredits } from "./buy-credits.ts";
import { walletErrors } from "./errors.ts";
import { holdWallet } from "./hold-wallet.ts";
import { addTransaction, type Moved, type Source } from "./move-credits.ts";
import { rateOf, statusAt, type WalletRow } from "./row.ts";
import { type Scope, scopeOf } from "./scope.ts";

export async function topUpWallet(
  tx: Tx,
  organizationId: string,
  members: Members,
  deps: InvoiceWorkDeps,
): Promise<Moved[]> {
  const { wallet_id: walletId } = members;
  if (walletId === undefined || walletId === null || walletId === "")
    throw invalid({ wallet_id: ["value_is_mandatory"] });
  const locked = typeof walletId === "string" ? await holdWallet(tx, organizationId, walletId, deps.clock) : undefined;
  if (!locked) throw walletErrors.invalid("wallet_id", "wallet_not_found");
  const { wallet, customer } = locked;
  if (!customer) throw walletErrors.invalid("wallet_id", "wallet_is_terminated");
  const scope = scopeOf(customer, deps.clock);
  const topUps = accept(
    parseTopUp(members, {
      ...rateOf(wallet),
      status: statusAt(wallet, scope.now),
      balanceMinor: minor(wallet.balance_cents),
    }),
  );
  const label = accept(parseTopUpLabel(members));
  const moved = await addTopUps(alone(tx), scope, { wallet, topUps, label, source: "manual" }, deps);
  if (moved.length > 0)
    await askForRefresh(alone(tx), organizationId, { customerId: scope.customer.id, now: deps.clock.now() });
  return moved;
}

type Requested = { wallet: WalletRow; topUps: readonly TopUp[]; label?: TopUpLabel; source: Source };

/** One after the other, because each changes the wallet. */
export async function addTopUps(
  batch: Batch,
  scope: Scope,
  { wallet, topUps, label, source }: Requested,
  deps: InvoiceWorkDeps,
): Promise<Moved[]> {
  const all: Moved[] = [];
  for (const { kind, ...amounts } of topUps) {
    const current = all.at(-1)?.wallet ?? wallet;
    const id = newId();
    const bought = { ...amounts, transactionId: id, name: label?.name ?? null };
    const invoice =
      kind === "purchased" ? await buyCredits(batch, deps, scope, { wallet: current, bought }) : undefined;
    all.push(
      await addTransaction(batch, scope, current, {
        ...amounts,
        id,
        kind,
        source,
        ...(label && { label }),
        ...(invoice && { invoiceId: invoice }),
      }),
    );
  }
  return all;
}
