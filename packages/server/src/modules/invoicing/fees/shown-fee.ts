/** A fee as the API form is built from it: read from its row, or decided and not stored, as in a preview. */

import { parseJson } from "../../../platform/json-text.ts";
import type { FeeRow, NewFee } from "./store.ts";

/** What is stored of the names of an item, as they were when it was billed. */
export type FeeItemTexts = {
  name: string;
  invoice_display_name: string;
  filters: Readonly<Record<string, readonly string[]>> | null;
  filter_invoice_display_name: string | null;
  /** Of a charge. */
  charge?: { model: string; invoice_display_name: string | null; aggregation_type: string };
};

type Column =
  | "id"
  | "invoice_id"
  | "customer_id"
  | "subscription_id"
  | "charge_id"
  | "charge_filter_id"
  | "true_up_parent_fee_id"
  | "fee_type"
  | "item_id"
  | "item_code"
  | "pay_in_advance"
  | "invoiceable"
  | "currency"
  | "amount_cents"
  | "precise_coupons_amount_cents"
  | "taxes_amount_cents"
  | "taxes_rate"
  | "units"
  | "description"
  | "precise_unit_amount"
  | "events_count"
  | "payment_status"
  | "created_at"
  | "succeeded_at"
  | "failed_at"
  | "refunded_at"
  | "from_at"
  | "to_at"
  | "event_transaction_id";

export type ShownFee = Pick<FeeRow, Column> & {
  item: FeeItemTexts;
  grouped_by: Record<string, string | null>;
  derivation: unknown;
};

export const shownRow = (row: FeeRow): ShownFee => ({
  ...row,
  item: row.item as FeeItemTexts,
  grouped_by: row.grouped_by as ShownFee["grouped_by"],
});

/** A new fee has its JSON columns as text, and leaves out columns that are null. */
export const shownNewFee = (fee: NewFee, createdAt: Temporal.Instant): ShownFee => ({
  ...fee,
  invoice_id: fee.invoice_id ?? null,
  subscription_id: fee.subscription_id ?? null,
  charge_id: fee.charge_id ?? null,
  charge_filter_id: fee.charge_filter_id ?? null,
  true_up_parent_fee_id: fee.true_up_parent_fee_id ?? null,
  description: fee.description ?? null,
  events_count: fee.events_count ?? null,
  created_at: createdAt,
  succeeded_at: fee.succeeded_at ?? null,
  failed_at: fee.failed_at ?? null,
  refunded_at: fee.refunded_at ?? null,
  from_at: fee.from_at ?? null,
  to_at: fee.to_at ?? null,
  event_transaction_id: fee.event_transaction_id ?? null,
  item: parseJson<FeeItemTexts>(fee.item),
  grouped_by: parseJson<Record<string, string | null>>(fee.grouped_by),
  derivation: parseJson(fee.derivation),
});
