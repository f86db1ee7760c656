/** Sells credits with an invoice that has no taxes and is finalized at once. */
import { computeInvoice, finalizedDates, type TopUp } from "@tallystick/core/invoicing";
import { decimal, type Minor } from "@tallystick/core/money";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import {
  type FeeItemTexts,
  type InvoiceWorkDeps,
  insertInvoice,
  loadPayer,
  lockInvoice,
  type NewFee,
  paymentOf,
  saveInvoice,
} from "../../invoicing/index.ts";
import { currencyOf, rateOf, type WalletRow } from "./row.ts";
import { type Scope, writtenAt } from "./scope.ts";

export type Bought = Pick<TopUp, "amountMinor" | "credits" | "derivation"> & { transactionId: string };

/** Returns the id of the invoice. */
export async function buyCredits(
  tx: Tx,
  deps: InvoiceWorkDeps,
  scope: Scope,
  { wallet, bought }: { wallet: WalletRow; bought: Bought },
): Promise<string> {
  const { organizationId, now } = scope;
  const payer = await loadPayer(tx, organizationId, wallet.customer_id);
  const createdAt = writtenAt(scope);
  const id = newId();
  await insertInvoice(tx, organizationId, {
    id,
    customer_id: wallet.customer_id,
    invoice_type: "credit",
    status: "generating",
    occurred_at: now,
    payment_status: "pending",
    created_at: createdAt,
    updated_at: createdAt,
  });
  const feeId = newId();
  const currency = currencyOf(wallet);
  const computed = computeInvoice({
    id,
    form: { type: "credit", status: "finalized" },
    currency,
    at: now,
    fees: [{ id: feeId, label: nameOf(wallet), amountMinor: bought.amountMinor, item: { kind: "credit" } }],
    taxes: { customer: [], organization: [] },
    coupons: [],
    creditNotes: [],
    wallets: [],
  });
  const { timeZone, netPaymentTermDays } = payer;
  await saveInvoice(tx, deps, {
    invoice: await lockInvoice(tx, organizationId, id),
    payer,
    computed,
    fees: [{ ...feeOf(wallet, bought), id: feeId, invoice_id: id, ...paymentOf(computed.paymentStatus, now) }],
    taxRows: new Map(),
    currency,
    madeFrom: {
      engineVersion: deps.engine.version,
      zoneDataVersion: deps.engine.zoneData,
      timeZone,
      walletTransactionId: bought.transactionId,
    },
    timeZone,
    dates: finalizedDates(now, { timeZone, netPaymentTermDays }),
    newStatus: { status: "finalized", finalizedAt: now },
    webhookType: "invoice.paid_credit_added",
  });
  return id;
}

const nameOf = ({ name }: WalletRow): string => name ?? "credit";

function feeOf(wallet: WalletRow, bought: Bought): Omit<NewFee, "id" | "invoice_id" | "payment_status"> {
  const name = nameOf(wallet);
  const item: FeeItemTexts = { name, invoice_display_name: name, filters: null, filter_invoice_display_name: null };
  return {
    customer_id: wallet.customer_id,
    fee_key: "credit",
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
