/** What the API shows of a customer, all of it. */

export type Fee = {
  svc_id: string;
  svc_invoice_id: string | null;
  svc_subscription_id: string | null;
  svc_charge_id?: string | null;
  svc_true_up_parent_fee_id: string | null;
  item: {
    type: string;
    code: string;
    filters?: Readonly<Record<string, unknown>> | null;
    grouped_by?: Readonly<Record<string, unknown>>;
  };
  pay_in_advance: boolean;
  invoiceable: boolean;
  amount_cents: number;
  taxes_amount_cents: number;
  total_amount_cents: number;
  units: string;
  events_count: number | null;
  payment_status: string;
  succeeded_at: string | null;
  from_date: string | null;
  to_date: string | null;
  event_transaction_id: string | null;
  created_at: string;
};

type Credit = { svc_id: string; amount_cents: number; item: { type: string; svc_item_id: string } };

export type Invoice = {
  svc_id: string;
  number: string;
  sequential_id: number | null;
  invoice_type: string;
  status: string;
  payment_status: string;
  payment_overdue: boolean;
  issuing_date: string;
  fees_amount_cents: number;
  coupons_amount_cents: number;
  credit_notes_amount_cents: number;
  sub_total_excluding_taxes_amount_cents: number;
  taxes_amount_cents: number;
  sub_total_including_taxes_amount_cents: number;
  prepaid_credit_amount_cents: number;
  total_amount_cents: number;
  total_due_amount_cents?: number;
  total_paid_amount_cents?: number;
  total_written_off_amount_cents?: number;
  fees: Fee[];
  applied_taxes: { amount_cents: number }[];
  credits: Credit[];
};

type Sums = { events_count: number; amount_cents: number };
type FilterUsage = Sums & { values: Readonly<Record<string, unknown>> | null };
export type ChargeUsage = Sums & {
  charge: { svc_id: string };
  billable_metric: { code: string };
  filters: FilterUsage[];
  grouped_usage: (Sums & { grouped_by: Readonly<Record<string, unknown>>; filters: FilterUsage[] })[];
};
export type Usage = {
  readonly charges: readonly ChargeUsage[];
  /** Their events have their fees already. */
  readonly inAdvance: ReadonlySet<string>;
};

/** What was predicted of the next invoice of a subscription, before the clock went there. */
export type Previewed = {
  readonly externalId: string;
  readonly invoice: Invoice;
  /** Where the period was all but over. */
  readonly usage: Usage | undefined;
};

export type Note = {
  svc_id: string;
  svc_invoice_id: string;
  credit_status: string | null;
  refund_status: string | null;
  reason: string;
  total_amount_cents: number;
  balance_amount_cents: number;
  credit_amount_cents: number;
  refund_amount_cents: number;
  items: { amount_cents: number; fee: { svc_id: string } }[];
};

export type Wallet = {
  svc_id: string;
  status: string;
  rate_amount: string;
  balance_cents: number;
  credits_balance: string;
  expiration_at: string | null;
};

export type Transaction = {
  svc_id: string;
  svc_wallet_id: string;
  status: string;
  transaction_status: string;
  transaction_type: string;
  amount: string;
  /** The amount, put there by whoever read it. */
  minor: number;
  svc_invoice_id: string | null;
  svc_voided_invoice_id: string | null;
  svc_credit_note_id: string | null;
  remaining_amount_cents?: number | null;
};

export type Coupon = {
  svc_id: string;
  coupon_code: string;
  status: string;
  amount_cents: number | null;
  amount_cents_remaining: number | null;
  frequency: string;
  frequency_duration: number | null;
  frequency_duration_remaining: number | null;
  credits: { svc_id: string; amount_cents: number; invoice: { svc_id: string } }[];
};

export type Subscription = {
  svc_id: string;
  external_id: string;
  plan_code: string;
  status: string;
  billing_time: string;
  subscription_at: string;
  created_at: string;
  started_at: string | null;
  terminated_at: string | null;
  ending_at: string | null;
  previous_plan_code: string | null;
  next_plan_code: string | null;
};

export type Documents = {
  invoices: readonly Invoice[];
  notes: readonly Note[];
  wallets: readonly Wallet[];
  transactions: readonly Transaction[];
  coupons: readonly Coupon[];
  subscriptions: readonly Subscription[];
  /** On no invoice. */
  alone: readonly Fee[];
};

export const NO_DOCUMENTS: Documents = {
  invoices: [],
  notes: [],
  wallets: [],
  transactions: [],
  coupons: [],
  subscriptions: [],
  alone: [],
};

/** "12.3" is 1230 with two digits behind the point. */
export function minorOf(amount: string, exponent: number): number {
  const [whole = "0", decimals = ""] = amount.split(".");
  const sign = whole.startsWith("-") ? -1 : 1;
  return Number(whole) * 10 ** exponent + sign * Number(decimals.padEnd(exponent, "0").slice(0, exponent) || "0");
}
