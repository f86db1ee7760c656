// What is left of every lot of credits: never kept, always counted again from all that happened.

import type { CreditRules } from "@tallystick/second-opinion/credit-rules";

/** What happened to credits, in its order. An invoice is named by its place. */
export type Move =
  /** Credits were granted, or bought by an invoice. */
  | { do: "came"; wallet: number; invoice: number | null; cents: bigint }
  /** They were used by an invoice, or taken away by hand. */
  | { do: "left"; wallet: number; invoice: number | null; cents: bigint }
  /** An invoice that used them was voided. */
  | { do: "returned"; invoice: number }
  | { do: "paid" | "bounced"; invoice: number }
  | { do: "refunded" | "written off"; invoice: number; cents: bigint }
  | { do: "over"; wallet: number };

/** What of a customer decides about its credits. */
type Lived = {
  readonly given: { readonly wallets: readonly { readonly balance: string }[] };
  readonly rules: Pick<CreditRules, "givenBack">;
  readonly invoices: readonly { status: string; fills: number | null; returnedTo: ReadonlySet<number> }[];
  readonly moves: readonly Move[];
};

/** `free` is what nothing was done with yet, paid or not. */
type Lot = { invoice: number | null; free: bigint };
type Taken = { lot: Lot; cents: bigint };
type Count = { lots: Lot[]; taken: Map<number, Taken[]>; paid: Set<number>; writtenOff: Map<number, bigint> };

/** Of what was bought only what was paid: not what is written off. */
function available({ paid, writtenOff }: Count, { invoice, free }: Lot): bigint {
  if (invoice === null) return free;
  const rest = paid.has(invoice) ? free - (writtenOff.get(invoice) ?? 0n) : 0n;
  return rest > 0n ? rest : 0n;
}

/** What was granted goes first, then what was bought, each as it came. */
function takeAll(count: Count, cents: bigint): Taken[] {
  const inOrder = [true, false].flatMap((isGranted) =>
    count.lots.filter(({ invoice }) => (invoice === null) === isGranted),
  );
  let open = cents;
  return inOrder.flatMap((lot) => {
    const there = available(count, lot);
    const part = there < open ? there : open;
    lot.free -= part;
    open -= part;
    return part === 0n ? [] : [{ lot, cents: part }];
  });
}

function follow(history: Lived, wallet: number, count: Count, move: Move): void {
  switch (move.do) {
    case "came":
      if (move.wallet === wallet) count.lots.push({ invoice: move.invoice, free: move.cents });
      return;
    case "left": {
      if (move.wallet !== wallet) return;
      const taken = takeAll(count, move.cents);
      if (move.invoice !== null) count.taken.set(move.invoice, taken);
      return;
    }
    case "returned": {
      const { givenBack } = history.rules;
      const isReturned = givenBack.includes("wallets") && history.invoices[move.invoice]?.returnedTo.has(wallet);
      if (isReturned) for (const { lot, cents } of count.taken.get(move.invoice) ?? []) lot.free += cents;
      return;
    }
    case "paid":
      count.paid.add(move.invoice);
      return;
    case "bounced":
      count.paid.delete(move.invoice);
      return;
    case "refunded":
      for (const lot of count.lots) if (lot.invoice === move.invoice) lot.free -= move.cents;
      return;
    case "written off":
      count.writtenOff.set(move.invoice, (count.writtenOff.get(move.invoice) ?? 0n) + move.cents);
      return;
    case "over":
      // What is there is lost; what is not paid is not there.
      if (move.wallet === wallet) for (const lot of count.lots) lot.free -= available(count, lot);
  }
}

function countLots(history: Lived, wallet: number): Count {
  const before = BigInt(history.given.wallets[wallet]?.balance ?? "0");
  const count: Count = {
    lots: [{ invoice: null, free: before }],
    taken: new Map(),
    paid: new Set(),
    writtenOff: new Map(),
  };
  for (const move of history.moves) follow(history, wallet, count, move);
  return count;
}

/** What a wallet holds. */
export function walletBalance(history: Lived, wallet: number): bigint {
  const count = countLots(history, wallet);
  return count.lots.reduce((sum, lot) => sum + available(count, lot), 0n);
}

/** What the wallet has, or would have if it were not over, of what an invoice bought. */
export function leftOfPurchase(history: Lived, wallet: number, invoice: number): bigint {
  const count = countLots(history, wallet);
  const lot = count.lots.find((one) => one.invoice === invoice);
  return lot === undefined ? 0n : available(count, lot);
}

/** Whether an invoice that stands used some of what another one bought. */
export function isPurchaseSpent(history: Lived, invoice: number): boolean {
  const wallet = history.invoices[invoice]?.fills ?? null;
  if (wallet === null) return false;
  return [...countLots(history, wallet).taken].some(
    ([by, taken]) =>
      history.invoices[by]?.status !== "voided" &&
      taken.some(({ lot, cents }) => lot.invoice === invoice && cents > 0n),
  );
}

export const writtenOffOf = ({ moves }: Lived, invoice: number): bigint =>
  moves.reduce((sum, move) => sum + (move.do === "written off" && move.invoice === invoice ? move.cents : 0n), 0n);
