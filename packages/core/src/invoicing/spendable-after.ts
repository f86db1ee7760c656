/** What is left of a customer's credits after an invoice. Only a preview of several invoices needs it: otherwise it is read again. */

import type { Invoice, InvoiceInput } from "./compute-invoice.ts";
import type { CouponState } from "./coupon.ts";

type Spendable = Pick<InvoiceInput, "coupons" | "creditNotes" | "wallets">;
type Uses = Pick<Invoice, "couponUses" | "creditNoteUses" | "walletUses">;

export function spendableAfter({ coupons, creditNotes, wallets }: Spendable, uses: Uses): Spendable {
  return {
    coupons: coupons.flatMap((coupon) => {
      const use = uses.couponUses.find((one) => one.coupon.id === coupon.id);
      if (use?.isTerminated) return [];
      // The use of a coupon keeps the kind of what is left.
      return [use ? { ...coupon, state: { ...coupon.state, left: use.left } as CouponState } : coupon];
    }),
    creditNotes: creditNotes.flatMap((note) => {
      const use = uses.creditNoteUses.find((one) => one.note.id === note.id);
      return use?.status === "consumed" ? [] : [{ ...note, ...(use ? { balanceMinor: use.balanceMinor } : {}) }];
    }),
    wallets: wallets.map((wallet) => {
      const use = uses.walletUses.find((one) => one.wallet.id === wallet.id);
      return use ? { ...wallet, balanceMinor: use.balanceMinor } : wallet;
    }),
  };
}
