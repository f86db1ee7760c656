/** The lots of a customer's wallets, as core decides about them and the service would store it. */
import { type Lot, type LotTake, lotAfterPayment, takeFromLots, withheldOf } from "@tallystick/core/invoicing";
import { type Minor, minor, sumMinor } from "@tallystick/core/money";
import type { Account, AccountInvoice, AccountLot, AccountWallet } from "./account.ts";
import { idOf } from "./invoice-input.ts";

const NOTHING = minor(0n);

type NewLot = { kind: Lot["kind"]; amountMinor: Minor; createdAt: Temporal.Instant; invoice: number | null };

/** What is bought waits for its payment. */
export function addLot(filled: AccountWallet, { kind, amountMinor, createdAt, invoice }: NewLot): void {
  const isPaid = kind === "granted";
  filled.lots.push({
    id: idOf(filled.lots.length),
    kind,
    createdAt,
    remainingMinor: isPaid ? amountMinor : NOTHING,
    withheldMinor: isPaid ? NOTHING : amountMinor,
    invoice,
  });
  sumUp(filled);
}

export function takeFrom(filled: AccountWallet, amountMinor: Minor): readonly LotTake[] {
  const takes = takeFromLots(filled.lots, amountMinor);
  for (const { lotId, remainingMinor } of takes) change(filled, lotId, { remainingMinor });
  return takes;
}

/** Also to purchases that are not paid, which then hold nothing of it. */
export function returnTo(account: Account, filled: AccountWallet, takes: readonly LotTake[]): void {
  for (const { lotId, amountMinor } of takes) {
    const lot = lotIn(filled, lotId);
    change(filled, lotId, { remainingMinor: minor(lot.remainingMinor + amountMinor) });
    if (lot.invoice !== null) followPayment(filled, account.invoices[lot.invoice], lot.invoice);
  }
}

/** Returns what goes back in money because the wallet has ended. */
export function followPayment(
  filled: AccountWallet,
  invoice: AccountInvoice | undefined,
  place: number,
  isOver = false,
): Minor {
  const lot = filled.lots.find((one) => one.invoice === place);
  if (!lot || !invoice) return NOTHING;
  const { remainingMinor, withheldMinor } = lot;
  const { writtenOffMinor, isPaid } = invoice;
  if (isOver) {
    const refundMinor = isPaid ? withheldOf({ withheldMinor, writtenOffMinor }) : NOTHING;
    change(filled, lot.id, { withheldMinor: minor(withheldMinor - refundMinor) });
    return refundMinor;
  }
  const held = lotAfterPayment({ remainingMinor, withheldMinor, writtenOffMinor }, isPaid);
  change(filled, lot.id, { remainingMinor: held, withheldMinor: minor(remainingMinor + withheldMinor - held) });
  return NOTHING;
}

export function takeBack(filled: AccountWallet, place: number, amountMinor: Minor): void {
  const lot = filled.lots.find((one) => one.invoice === place);
  if (lot) change(filled, lot.id, { remainingMinor: minor(lot.remainingMinor - amountMinor) });
}

export const leftOf = ({ lots }: AccountWallet, place: number): Minor =>
  lots.find((lot) => lot.invoice === place)?.remainingMinor ?? NOTHING;

/** What it holds is lost. */
export function empty(filled: AccountWallet): void {
  for (const { id } of filled.lots) change(filled, id, { remainingMinor: NOTHING });
}

/** By an invoice that stands. */
export function isSpent({ invoices }: Account, filled: AccountWallet, place: number): boolean {
  const lot = filled.lots.find((one) => one.invoice === place);
  return invoices.some(
    ({ status, takes }) => status !== "voided" && takes.get(filled)?.some(({ lotId }) => lotId === lot?.id),
  );
}

function lotIn({ lots }: AccountWallet, id: string): AccountLot {
  const lot = lots.find((one) => one.id === id);
  if (!lot) throw new Error(`core uses lot ${id}, which was not given to it`);
  return lot;
}

function change(filled: AccountWallet, id: string, changes: Partial<AccountLot>): void {
  filled.lots = filled.lots.map((lot) => (lot.id === id ? { ...lot, ...changes } : lot));
  sumUp(filled);
}

function sumUp(filled: AccountWallet): void {
  const balanceMinor = sumMinor(filled.lots.map(({ remainingMinor }) => remainingMinor));
  filled.wallet = { ...filled.wallet, balanceMinor };
}
