/** What the service keeps of a customer: rows that each decision of core changes. */
import type {
  AppliedCoupon,
  CreditableInvoice,
  CreditNote,
  computeInvoice,
  Fee,
  giveBackCreditNote,
  Lot,
  LotTake,
  Wallet,
} from "@tallystick/core/invoicing";
import type { Currency, Decimal, Minor } from "@tallystick/core/money";
import type { CustomerCase } from "../oracle/customer-case.ts";
import { rationalOf } from "./comparison.ts";

export type AccountCoupon = {
  applied: AppliedCoupon;
  status: "active" | "terminated";
  /** No customer can get it any more. */
  isWithdrawn: boolean;
};

export type AccountNote = Omit<ReturnType<typeof giveBackCreditNote>, "status"> & {
  id: string;
  invoiceId: string;
  currency: Currency;
  createdAt: Temporal.Instant;
  /** null: it is all in money. */
  status: ReturnType<typeof giveBackCreditNote>["status"] | null;
};

/** The place of the invoice that bought it, if one did. */
export type AccountLot = Lot & { withheldMinor: Minor; invoice: number | null };

export type AccountWallet = {
  wallet: Wallet;
  lots: AccountLot[];
  isEnded: boolean;
  consumedMinor: Minor;
  consumedCredits: Decimal;
};

export type AccountInvoice = {
  id: string;
  status: CreditableInvoice["status"];
  type: "subscription" | "one_off" | "credit";
  isPaid: boolean;
  fees: readonly Fee[];
  computed: ReturnType<typeof computeInvoice>;
  notes: { id: string; note: CreditNote }[];
  /** The wallet that it is to fill. */
  fills: AccountWallet | null;
  /** What it took from which lots, by wallet. */
  takes: Map<AccountWallet, readonly LotTake[]>;
  writtenOffMinor: Minor;
};

export type Account = {
  readonly given: CustomerCase;
  readonly currency: Currency;
  now: Temporal.Instant;
  coupons: AccountCoupon[];
  notes: AccountNote[];
  wallets: AccountWallet[];
  invoices: AccountInvoice[];
};

export function isOver({ now }: Account, { wallet, isEnded }: AccountWallet): boolean {
  return isEnded || (wallet.expiresAt !== null && Temporal.Instant.compare(wallet.expiresAt, now) <= 0);
}

/** In the shape of the oracle's answer. */
export function holdingsOf({ coupons, notes, wallets }: Account) {
  return {
    coupons: coupons.map(({ applied, status }) => ({ ...leftOf(applied.state.left), status })),
    notes: notes.map(({ balanceMinor, status }) => ({ balance: balanceMinor, status })),
    wallets: wallets.map(({ wallet, consumedMinor, consumedCredits }) => ({
      balance: wallet.balanceMinor,
      consumed: consumedMinor,
      consumedCredits: rationalOf(consumedCredits),
    })),
  };
}

function leftOf(left: AppliedCoupon["state"]["left"]): { cents?: Minor; uses?: number } {
  if (left.type === "amount") return { cents: left.amountMinor };
  return left.type === "uses" ? { uses: left.count } : {};
}
