/** What a customer has to spend on an invoice. Each list has one place: the module that owns it fills it in. */
import type { InvoiceInput } from "@tallystick/core/invoicing";

export const spendable = (): Pick<InvoiceInput, "coupons" | "creditNotes" | "wallets"> => ({
  coupons: availableCoupons(),
  creditNotes: availableCreditNotes(),
  wallets: activeWallets(),
});

const availableCoupons = (): InvoiceInput["coupons"] => [];
const availableCreditNotes = (): InvoiceInput["creditNotes"] => [];
const activeWallets = (): InvoiceInput["wallets"] => [];
