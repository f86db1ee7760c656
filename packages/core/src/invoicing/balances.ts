/** Balances that pay an invoice after taxes: credit notes first, then prepaid credits. */
import { type Currency, type Decimal, leastMinor, type Minor, minor } from "../money/index.ts";
import { creditsOf } from "./credits.ts";

/** Credit that a customer can spend on other invoices than the credited one. */
export type CreditNoteBalance = {
  readonly id: string;
  readonly number: string;
  /** The invoice it credits. */
  readonly invoiceId: string;
  readonly currency: Currency;
  readonly createdAt: Temporal.Instant;
  readonly balanceMinor: Minor;
};

/** An active wallet. */
export type Wallet = {
  readonly id: string;
  /** 1 is used first. */
  readonly priority: number;
  readonly createdAt: Temporal.Instant;
  /** From this instant on the wallet cannot be used. */
  readonly expiresAt: Temporal.Instant | null;
  readonly currency: Currency;
  /** What one credit is worth, in major units. */
  readonly rate: Decimal;
  readonly balanceMinor: Minor;
};

export type CreditNoteUse = {
  readonly note: CreditNoteBalance;
  readonly amountMinor: Minor;
  readonly balanceMinor: Minor;
  readonly status: "available" | "consumed";
};

export type WalletUse = {
  readonly wallet: Wallet;
  readonly amountMinor: Minor;
  readonly credits: Decimal;
  readonly balanceMinor: Minor;
};

/** The open amount of an invoice. */
export type Demand = { readonly owedMinor: Minor; readonly currency: Currency };

/** The oldest notes pay first, each up to its balance; never a note of the invoice itself. */
export function useCreditNotes(
  notes: readonly CreditNoteBalance[],
  { owedMinor, currency, invoiceId }: Demand & { readonly invoiceId: string },
): readonly CreditNoteUse[] {
  const usable = notes.filter((note) => note.currency === currency && note.invoiceId !== invoiceId);
  return takeInOrder(usable.toSorted(compareAge), owedMinor).map(({ source, amountMinor }) => {
    const balanceMinor = minor(source.balanceMinor - amountMinor);
    return { note: source, amountMinor, balanceMinor, status: balanceMinor === 0n ? "consumed" : "available" };
  });
}

/** Wallets pay by priority, then age, each up to its balance: 50.00 at a rate of 2 pay 12.34 with 6.17 credits. */
export function useWallets(
  wallets: readonly Wallet[],
  { owedMinor, currency, at }: Demand & { readonly at: Temporal.Instant },
): readonly WalletUse[] {
  const usable = walletsInOrder(wallets, at).filter((wallet) => wallet.currency === currency);
  return takeInOrder(usable, owedMinor).map(({ source, amountMinor }) => ({
    wallet: source,
    amountMinor,
    credits: creditsOf(amountMinor, source),
    balanceMinor: minor(source.balanceMinor - amountMinor),
  }));
}

/** The wallets that have not expired, in the order in which they are used. */
export const walletsInOrder = (wallets: readonly Wallet[], at: Temporal.Instant): readonly Wallet[] =>
  wallets
    .filter(({ expiresAt }) => expiresAt === null || Temporal.Instant.compare(at, expiresAt) < 0)
    .toSorted((one, other) => one.priority - other.priority || compareAge(one, other));

/** Takes the owed amount from the first source with a balance, then from the next, until nothing is owed. */
export function takeInOrder<Source extends { readonly balanceMinor: Minor }>(
  sources: readonly Source[],
  owedMinor: Minor,
): { readonly source: Source; readonly amountMinor: Minor }[] {
  let rest = owedMinor;
  return sources.flatMap((source) => {
    const amountMinor = leastMinor(source.balanceMinor, rest);
    rest = minor(rest - amountMinor);
    return amountMinor === 0n ? [] : [{ source, amountMinor }];
  });
}

type Aged = { readonly id: string; readonly createdAt: Temporal.Instant };
const compareAge = (one: Aged, other: Aged): number =>
  Temporal.Instant.compare(one.createdAt, other.createdAt) || (one.id < other.id ? -1 : 1);
