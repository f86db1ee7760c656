/** Wallets of a story: prepaid credits and their use. */
import { writeCents, writePrice, writeUnits } from "./amounts.ts";
import type { Customer } from "./customer.ts";
import type { Row } from "./invoice-text.ts";
import { readMoment } from "./moments.ts";
import type { World } from "./world.ts";

/** A top-up rule: by interval or threshold, with a fixed amount or up to a target. */
export type FillTerms = ({ every: "weekly" | "monthly" | "quarterly" | "yearly" } | { at: string }) &
  ({ upTo: string } | { paid?: string; granted?: string });

export type WalletTerms = {
  called?: string;
  /** The value of a credit; default: 1. */
  rate?: string;
  /** Credits sold by an invoice. */
  paid?: string;
  /** Free credits. */
  granted?: string;
  /** 1 is used first; default: 50. */
  priority?: number;
  expires?: string;
  fills?: FillTerms;
};

/** Uses the customer's only wallet unless one is named. Credits are text: "6.17". */
export type WalletActs = {
  opensWallet: (customer: Customer, terms: WalletTerms) => Promise<void>;
  sellsCredits: (customer: Customer, credits: string, wallet?: string) => Promise<void>;
  grantsCredits: (customer: Customer, credits: string, wallet?: string) => Promise<void>;
  voidsCredits: (customer: Customer, credits: string, wallet?: string) => Promise<void>;
  /** Null: it no longer expires. */
  movesExpiryOf: (customer: Customer, expires: string | null, wallet?: string) => Promise<void>;
  endsWallet: (customer: Customer, wallet?: string) => Promise<void>;
};

const CALLED = "Prepaid";

export function walletActs(world: World): WalletActs {
  const { api } = world;
  const add =
    (kind: "paid_credits" | "granted_credits" | "voided_credits"): WalletActs["sellsCredits"] =>
    async ({ name }, credits, called) => {
      const { svc_id } = await findWallet(world, name, called);
      await api.ask("POST", "/wallet_transactions", { wallet_transaction: { wallet_id: svc_id, [kind]: credits } });
    };
  return {
    opensWallet: async (customer, terms) => {
      const { name } = await customer.exists();
      await api.ask("POST", "/wallets", { wallet: { external_customer_id: name, ...walletOf(world, terms) } });
    },
    sellsCredits: add("paid_credits"),
    grantsCredits: add("granted_credits"),
    voidsCredits: add("voided_credits"),
    movesExpiryOf: async ({ name }, expires, called) => {
      const { svc_id } = await findWallet(world, name, called);
      const expiration_at = expires === null ? null : instantOf(world, expires);
      await api.ask("PUT", `/wallets/${svc_id}`, { wallet: { expiration_at } });
    },
    endsWallet: async ({ name }, called) => {
      const { svc_id } = await findWallet(world, name, called);
      await api.ask("DELETE", `/wallets/${svc_id}`);
    },
  };
}

const instantOf = ({ timeZone }: World, moment: string): string =>
  readMoment(moment, { timeZone, time: "00:00" }).toString();

function walletOf(world: World, terms: WalletTerms): object {
  const { called = CALLED, rate = "1", paid, granted, priority, expires, fills } = terms;
  return {
    name: called,
    rate_amount: rate,
    ...(paid === undefined ? {} : { paid_credits: paid }),
    ...(granted === undefined ? {} : { granted_credits: granted }),
    ...(priority === undefined ? {} : { priority }),
    ...(expires === undefined ? {} : { expiration_at: instantOf(world, expires) }),
    ...(fills === undefined ? {} : { recurring_transaction_rules: [ruleOf(fills)] }),
  };
}

function ruleOf(terms: FillTerms): object {
  return {
    ...("every" in terms
      ? { trigger: "interval", interval: terms.every }
      : { trigger: "threshold", threshold_credits: terms.at }),
    ...("upTo" in terms
      ? { method: "target", target_ongoing_balance: terms.upTo }
      : { method: "fixed", paid_credits: terms.paid ?? "0", granted_credits: terms.granted ?? "0" }),
  };
}

type Wallet = {
  svc_id: string;
  name: string;
  external_customer_id: string;
  status: string;
  currency: string;
  credits_balance: string;
  balance_cents: number;
  ongoing_balance_cents: number;
  last_balance_sync_at: string;
};

/** Oldest first. Includes those of a deleted customer, which a filter by external id would not find. */
async function findWallets({ api }: World, customer: string): Promise<Wallet[]> {
  const { wallets } = await api.ask<{ wallets: Wallet[] }>("GET", "/wallets");
  return wallets.filter(({ external_customer_id }) => external_customer_id === customer).reverse();
}

async function findWallet(world: World, customer: string, called = CALLED): Promise<Wallet> {
  const found = (await findWallets(world, customer)).find(({ name }) => name === called);
  if (!found) throw new Error(`${customer} has no wallet ${called}`);
  return found;
}

export const walletRowsOf = async (world: World, customer: string): Promise<Row[]> =>
  (await findWallets(world, customer)).map((wallet) => [
    wallet.name,
    wallet.status,
    `${writeUnits(wallet.credits_balance)} credits`,
    writeCents(wallet.balance_cents, wallet.currency),
  ]);

export const ongoingRowsOf = async (world: World, customer: string): Promise<Row[]> =>
  (await findWallets(world, customer)).map((wallet) => [
    wallet.name,
    writeCents(wallet.ongoing_balance_cents, wallet.currency),
  ]);

type Transaction = {
  status: string;
  transaction_type: string;
  transaction_status: string;
  source: string;
  amount: string;
  credit_amount: string;
  remaining_amount_cents: number | null;
  created_at: string;
};

const dayOf = (instant: string): string => instant.slice(0, "2024-01-01".length);

/** Oldest first. */
async function findTransactions(world: World, customer: string, called?: string): Promise<Transaction[]> {
  const { svc_id } = await findWallet(world, customer, called);
  const path = `/wallets/${svc_id}/wallet_transactions`;
  const answer = await world.api.ask<{ wallet_transactions: Transaction[] }>("GET", path);
  return answer.wallet_transactions.reverse();
}

/** The remainder of each lot. Returned credits form no lot of their own and show no remainder. */
export async function lotRowsOf(world: World, customer: string, called?: string): Promise<Row[]> {
  const { currency } = await findWallet(world, customer, called);
  const lots = (await findTransactions(world, customer, called)).filter(
    ({ transaction_type, remaining_amount_cents }) => transaction_type === "inbound" && remaining_amount_cents !== null,
  );
  return lots.map(({ transaction_status, amount, remaining_amount_cents }) => [
    transaction_status,
    `${writeCents(remaining_amount_cents ?? 0, currency)} of ${writePrice(amount, currency)}`,
  ]);
}

/** "+10" for inbound credits, "-10" for outbound ones. */
export async function movementRowsOf(world: World, customer: string, called?: string): Promise<Row[]> {
  return (await findTransactions(world, customer, called)).map((one) => [
    dayOf(one.created_at),
    `${one.transaction_status}${one.source === "manual" ? "" : ` by ${one.source}`}`,
    ...(one.status === "settled" ? [] : [one.status]),
    `${one.transaction_type === "inbound" ? "+" : "-"}${writeUnits(one.credit_amount)}`,
  ]);
}

export async function depletionRowsOf({ api }: World, customer: string): Promise<Row[]> {
  const published = await api.published<{ wallet: Wallet }>("wallet.depleted_ongoing_balance");
  return published
    .filter(({ wallet }) => wallet.external_customer_id === customer)
    .map(({ wallet }) => [
      dayOf(wallet.last_balance_sync_at),
      wallet.name,
      writeCents(wallet.ongoing_balance_cents, wallet.currency),
    ]);
}
