/** Sells credits with an invoice that has no taxes and is finalized at once. */
import { computeInvoice, type TopUp } from "@tallystick/core/invoicing";
import { decimal, type Minor } from "@tallystick/core/money";
import { newId } from "../../../platform/new-id.ts";
import type { Batch } from "../../../platform/postgres/batch.ts";
import {
  type FeeItemTexts,
  type InvoiceWorkDeps,
  issueAtOnce,
  loadPayer,
  type NewFee,
  paymentOf,
} from "../../invoicing/index.ts";
import { currencyOf, rateOf, type WalletRow } from "./row.ts";
import type { Scope } from "./scope.ts";

export type Bought = Pick<TopUp, "amountMinor" | "credits" | "derivation"> & {
  transactionId: string;
  name: string | null;
};

/** Returns the id of the invoice. */
export async function buyCredits(
  batch: Batch,
  deps: InvoiceWorkDeps,
  scope: Scope,
  { wallet, bought }: { wallet: WalletRow; bought: Bought },
): Promise<string> {
  const { organizationId, now } = scope;
  const payer = await loadPayer(batch, organizationId, wallet.customer_id);
  const issued = { payer, invoiceType: "credit", at: now, webhookType: "invoice.paid_credit_added" } as const;
  const { id } = await issueAtOnce(batch, deps, issued, ({ id: invoiceId }) => {
    const feeId = newId();
    const currency = currencyOf(wallet);
    const computed = computeInvoice({
      id: invoiceId,
      form: { type: "credit", status: "finalized" },
      currency,
      at: now,
      fees: [{ id: feeId, label: nameOf(wallet, bought), amountMinor: bought.amountMinor, item: { kind: "credit" } }],
      taxes: { customer: [], organization: [] },
      coupons: [],
      creditNotes: [],
      wallets: [],
    });
    const payment = paymentOf(computed.paymentStatus, now);
    return {
      computed,
      fees: [{ ...feeOf(wallet, bought), id: feeId, invoice_id: invoiceId, ...payment }],
      taxRows: new Map(),
      currency,
      madeFrom: { walletTransactionId: bought.transactionId },
    };
  });
  return id;
}

const nameOf = (wallet: WalletRow, { name }: Bought): string => name ?? wallet.name ?? "credit";

function feeOf(wallet: WalletRow, bought: Bought): Omit<NewFee, "id" | "invoice_id" | "payment_status"> {
  const name = nameOf(wallet, bought);
  const item: FeeItemTexts = { name, invoice_display_name: name, filters: null, filter_invoice_display_name: null };
  return {
    customer_id: wallet.customer_id,
    fee_key: "credit",
    kind: "credit",
    line: 0,
    fee_type: "credit",
    item_id: bought.transactionId,
    item_code: "credit",
    item: JSON.stringify(item),
    grouped_by: "{}",
    pay_in_advance: false,
    invoiceable: true,
    is_renewal: false,
    currency: wallet.currency,
    amount_cents: bought.amountMinor,
    precise_amount_cents: exactly(bought.amountMinor),
    precise_unit_amount: rateOf(wallet).rate,
    precise_coupons_amount_cents: decimal("0"),
    taxes_amount_cents: 0n,
    taxes_rate: decimal("0"),
    units: bought.credits,
    events_count: null,
    description: null,
    derivation: JSON.stringify({ type: "credit", ...bought.derivation }),
    taxes: [],
  };
}

const exactly = (amount: Minor) => decimal(String(amount));
