// What a customer has left: never kept, always counted again from all that happened.

import type { CreditRules, TaxRate } from "@tallystick/second-opinion/credit-rules";
import type { InvoiceResult } from "@tallystick/second-opinion/invoice";
import { type Rational, sum, ZERO } from "@tallystick/second-opinion/rational";
import type { CreditNoteResult } from "./credit-note.ts";
import type { CustomerCoupon, CustomerFee, WatchedCase } from "./customer-case.ts";
import { type Move, walletBalance } from "./customer-lots.ts";

export type HistoryFee = { cents: string; taxes: TaxRate[]; share: Rational };

export type HistoryInvoice = {
  status: "draft" | "finalized" | "voided";
  source: "subscription" | "one_off" | "credit";
  isPaid: boolean;
  fees: HistoryFee[];
  /** What it was made of, to make it again. */
  made: readonly CustomerFee[];
  result: InvoiceResult;
  /** By the place of the coupon, note or wallet; nothing where it was not used. */
  used: { coupons: (bigint | undefined)[]; notes: (bigint | undefined)[]; wallets: (bigint | undefined)[] };
  walletCredits: (Rational | undefined)[];
  /** Wallets that had not ended when it was voided. */
  returnedTo: ReadonlySet<number>;
  /** The wallet that it is to fill. */
  fills: number | null;
};

export type HistoryNote = {
  invoice: number | null;
  at: number;
  isForeign: boolean;
  isVoided: boolean;
  credit: bigint;
  refund: bigint;
  /** Nothing is known of one from before. */
  result: CreditNoteResult | null;
};

export type History = {
  readonly given: WatchedCase;
  readonly rules: CreditRules;
  now: number;
  invoices: HistoryInvoice[];
  notes: HistoryNote[];
  endedWallets: Set<number>;
  endedCoupons: Set<number>;
  withdrawnCoupons: Set<number>;
  moves: Move[];
};

export const total = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

/** The invoices that did not give back what they took. */
function keeping(history: History, kind: "coupons" | "notes"): HistoryInvoice[] {
  const isGivenBack = history.rules.givenBack.includes(kind);
  return history.invoices.filter(({ status }) => status !== "voided" || !isGivenBack);
}

function keepingOfWallet(history: History, wallet: number): HistoryInvoice[] {
  const isGivenBack = history.rules.givenBack.includes("wallets");
  return history.invoices.filter(
    ({ status, returnedTo }) => status !== "voided" || !isGivenBack || !returnedTo.has(wallet),
  );
}

const creditsOf = (history: History, coupon: number): bigint[] =>
  keeping(history, "coupons").flatMap(({ used }) => used.coupons[coupon] ?? []);

/** What there is left of a coupon: an amount, a number of invoices, or no end. */
function couponLeft(history: History, index: number): { cents?: bigint; uses?: number } {
  const coupon = history.given.coupons[index];
  if (coupon === undefined || coupon.frequency === "forever") return {};
  const credits = creditsOf(history, index);
  const amount = BigInt(coupon.cents ?? "0");
  if (coupon.frequency === "once" && coupon.kind === "fixed")
    return { cents: history.rules.amountLeft(amount, credits) };
  const uses = coupon.frequency === "once" ? 1 : (coupon.remaining ?? 0);
  return { uses: history.rules.usesLeft(uses, credits, amount) };
}

export function isUsedUp(history: History, coupon: number): boolean {
  const { cents, uses } = couponLeft(history, coupon);
  return cents === 0n || uses === 0;
}

export const isCouponOver = (history: History, coupon: number): boolean =>
  history.endedCoupons.has(coupon) || isUsedUp(history, coupon);

/** A coupon as an invoice meets it. */
export function couponNow(history: History, coupon: CustomerCoupon, index: number): CustomerCoupon {
  const { cents } = couponLeft(history, index);
  return { ...coupon, ...(cents === undefined ? {} : { cents: String(cents) }) };
}

export function noteBalance(history: History, note: number): bigint {
  const { isVoided = true, credit = 0n } = history.notes[note] ?? {};
  return isVoided ? 0n : credit - total(keeping(history, "notes").flatMap(({ used }) => used.notes[note] ?? []));
}

export function isWalletOver({ given, now, endedWallets }: History, wallet: number): boolean {
  const expiresAt = given.wallets[wallet]?.expiresAt ?? null;
  return endedWallets.has(wallet) || (expiresAt !== null && expiresAt <= now);
}

const noteStatus = (history: History, note: number): string | null => {
  const { isVoided, credit } = history.notes[note] ?? {};
  if (credit === 0n) return null;
  if (isVoided) return "voided";
  return noteBalance(history, note) === 0n ? "consumed" : "available";
};

/** All that the customer has left. */
export function holdings(history: History) {
  return {
    coupons: history.given.coupons.map((_, coupon) => ({
      ...couponLeft(history, coupon),
      status: isCouponOver(history, coupon) ? "terminated" : "active",
    })),
    notes: history.notes.map((_, note) => ({ balance: noteBalance(history, note), status: noteStatus(history, note) })),
    wallets: history.given.wallets.map((_, wallet) => {
      const invoices = keepingOfWallet(history, wallet);
      return {
        balance: walletBalance(history, wallet),
        consumed: total(invoices.flatMap(({ used }) => used.wallets[wallet] ?? [])),
        consumedCredits: sum(invoices.map(({ walletCredits }) => walletCredits[wallet] ?? ZERO)),
      };
    }),
  };
}
