// Generated from the API description by npm run generate. Do not edit.

export interface Activity {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** ISO 8601, UTC */
  created_at: string;
  actor: {
    /** `key`: an API key. `person`: someone who signed in. `command`: an operator at the command line. `service`: work of the service itself */
    kind: "key" | "person" | "command" | "service";
    /** The id of the key or person; the name of the command or work */
    id: string;
  };
  /** The network address of the request */
  address: string | null;
  /** The `operationId` of this API description */
  operation: string;
  object: {
    type: string;
    /** Id of the object, or its name in the path; null if there are several */
    svc_id: string | null;
  };
  /** As in the header `X-Request-Id` and in the log */
  request_id: string | null;
  /** For catalog objects, customers and settings: each changed member with its value before and after. Null if nothing changed, and after an erasure. Whole numbers beyond 2^53 are text */
  difference: Record<string, unknown> | null;
  /** Whether the difference was erased. The rest of the activity stays */
  is_erased: boolean;
}

export interface AddOn {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  invoice_display_name: string | null;
  code: string;
  amount_cents: number;
  amount_currency: string;
  description: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  taxes: Tax[];
}

export interface AddOnCreate {
  name: string;
  /** Unique in the organization */
  code: string;
  /** Name on invoices, if it differs */
  invoice_display_name?: string | null;
  description?: string | null;
  /** In the smallest unit of the currency, tax excluded */
  amount_cents: number;
  /** ISO 4217, such as EUR */
  amount_currency: string;
  /** The taxes of the add-on, instead of the customer's */
  tax_codes?: string[] | null;
}

export interface AddOnUpdate {
  name?: string;
  /** Unique in the organization */
  code?: string;
  /** Name on invoices, if it differs */
  invoice_display_name?: string | null;
  description?: string | null;
  /** In the smallest unit of the currency, tax excluded */
  amount_cents?: number;
  /** ISO 4217, such as EUR */
  amount_currency?: string;
  /** The taxes of the add-on, instead of the customer's */
  tax_codes?: string[] | null;
}

export interface AdvanceFeeDerivation {
  type: "in_advance";
  /** The tally of all events before this one */
  before: Record<string, unknown>;
  fee: PriceDerivation;
}

export interface ApiKey {
  /** The 8 characters of the token after `tsk_`. They are not secret. */
  key_id: string;
  name: string;
  permissions: Permissions;
  /** ISO 8601, UTC */
  created_at: string;
  /** When it stops working; null: never */
  expires_at: string | null;
  /** When it was revoked */
  revoked_at: string | null;
  /** To the minute */
  last_used_at: string | null;
}

export interface ApiKeyCreate {
  /** A name for people */
  name: string;
  /** In place of `permissions`: `everything`, `read_only`, `ingest`, `billing` */
  preset?: "everything" | "read_only" | "ingest" | "billing";
  permissions?: Permissions;
  /** In the future; null: never */
  expires_at?: string | null;
}

export interface ApiKeyWithToken {
  /** The 8 characters of the token after `tsk_`. They are not secret. */
  key_id: string;
  name: string;
  permissions: Permissions;
  /** ISO 8601, UTC */
  created_at: string;
  /** When it stops working; null: never */
  expires_at: string | null;
  /** When it was revoked */
  revoked_at: string | null;
  /** To the minute */
  last_used_at: string | null;
  /** The whole key. It is not shown again. */
  token: string;
}

export interface AppliedCoupon {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_coupon_id: string;
  coupon_code: string;
  coupon_name: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  status: "active" | "terminated";
  amount_cents: number | null;
  /** For an amount that applies once: the unused part */
  amount_cents_remaining: number | null;
  amount_currency: string | null;
  /** A decimal */
  percentage_rate: string | null;
  frequency: "once" | "recurring" | "forever";
  frequency_duration: number | null;
  /** The number of invoices that can still use it */
  frequency_duration_remaining: number | null;
  /** Until when the coupon can be applied. An applied coupon does not expire then */
  expiration_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  terminated_at: string | null;
}

export interface AppliedCouponCreate {
  external_customer_id: string;
  coupon_code: string;
  /** Default: the value of the coupon */
  amount_cents?: number | null;
  /** ISO 4217, such as EUR */
  amount_currency?: string | null;
  /** Default: the value of the coupon */
  percentage_rate?: string | null;
  /** Default: the value of the coupon */
  frequency?: "once" | "recurring" | "forever" | null;
  /** The number of invoices */
  frequency_duration?: number | null;
}

export interface AppliedCouponWithCredits {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_coupon_id: string;
  coupon_code: string;
  coupon_name: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  status: "active" | "terminated";
  amount_cents: number | null;
  /** For an amount that applies once: the unused part */
  amount_cents_remaining: number | null;
  amount_currency: string | null;
  /** A decimal */
  percentage_rate: string | null;
  frequency: "once" | "recurring" | "forever";
  frequency_duration: number | null;
  /** The number of invoices that can still use it */
  frequency_duration_remaining: number | null;
  /** Until when the coupon can be applied. An applied coupon does not expire then */
  expiration_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  terminated_at: string | null;
  credits: Credit[];
}

export interface BillableMetric {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  code: string;
  description: string | null;
  /** How events become a quantity */
  aggregation_type: "count_agg" | "sum_agg" | "max_agg" | "unique_count_agg" | "weighted_sum_agg" | "latest_agg";
  weighted_interval: string | null;
  recurring: boolean;
  field_name: string | null;
  filters: Array<{
    key: string;
    values: string[];
  }>;
  active_subscriptions_count: number;
  draft_invoices_count: number;
  /** Plans with a charge on it */
  plans_count: number;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface BillableMetricCreate {
  name: string;
  /** Matched by the `code` of events; unique in the organization */
  code: string;
  description?: string | null;
  /** How events become a quantity */
  aggregation_type: "count_agg" | "sum_agg" | "max_agg" | "unique_count_agg" | "weighted_sum_agg" | "latest_agg";
  /** The event property to aggregate; required except for `count_agg` */
  field_name?: string | null;
  /** Carry the value over to the next period. Only for sums, unique counts and weighted sums */
  recurring?: boolean | null;
  /** Required for a weighted sum */
  weighted_interval?: "seconds" | null;
  /** The dimensions that charges can price separately. An update replaces the whole list */
  filters?: Array<{
    /** An event property; each key only once */
    key: string;
    values: string[];
  }> | null;
}

export interface BillableMetricUpdate {
  name?: string;
  /** Matched by the `code` of events; unique in the organization */
  code?: string;
  description?: string | null;
  /** How events become a quantity */
  aggregation_type?: "count_agg" | "sum_agg" | "max_agg" | "unique_count_agg" | "weighted_sum_agg" | "latest_agg";
  /** The event property to aggregate; required except for `count_agg` */
  field_name?: string | null;
  /** Carry the value over to the next period. Only for sums, unique counts and weighted sums */
  recurring?: boolean | null;
  /** Required for a weighted sum */
  weighted_interval?: "seconds" | null;
  /** The dimensions that charges can price separately. An update replaces the whole list */
  filters?: Array<{
    /** An event property; each key only once */
    key: string;
    values: string[];
  }> | null;
}

export interface BillingRun {
  status: "running" | "paused";
  /** Since when it is paused; null while it is running */
  paused_at: string | null;
  /** The invoices that are not created or finalized because billing is paused, or because their last attempt failed and is repeated */
  waiting_count: number;
}

export interface Charge {
  /** Send it as `id` to change the charge */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_billable_metric_id: string;
  billable_metric_code: string;
  invoice_display_name: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  charge_model: "standard" | "graduated" | "volume" | "package" | "percentage" | "graduated_percentage";
  invoiceable: boolean;
  pay_in_advance: boolean;
  prorated: boolean;
  regroup_paid_fees: "invoice" | null;
  min_amount_cents: number;
  properties: ChargeProperties;
  filters: ChargeFilter[];
  taxes: Tax[];
}

export interface ChargeCreate {
  /** The `svc_id` of a billable metric */
  billable_metric_id?: string | null;
  /** The `code` of a billable metric, instead of `billable_metric_id` */
  billable_metric_code?: string | null;
  charge_model: "standard" | "graduated" | "volume" | "package" | "percentage" | "graduated_percentage";
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
  /** Charge a fee for each event as it arrives. Not available for every model and metric */
  pay_in_advance?: boolean | null;
  /** False: fees in advance are not invoiced */
  invoiceable?: boolean | null;
  /** Collect paid fees in advance that are not invoiced on one invoice */
  regroup_paid_fees?: "invoice" | null;
  /** Units count in proportion to the days of use; only for recurring metrics */
  prorated?: boolean | null;
  /** Minimum amount of the charge per period; not for charges in advance */
  min_amount_cents?: number | null;
  properties?: ChargePropertiesUpdate | null;
  /** Events that match a filter are billed at the price of the filter */
  filters?: ChargeFilterUpdate[] | null;
  /** Codes of taxes */
  tax_codes?: string[] | null;
}

export interface ChargeFilter {
  /** The `svc_charge_filter_id` of its fees */
  svc_id: string;
  invoice_display_name: string | null;
  properties: ChargeProperties;
  /** Key → values, from the metric's filters; `__ALL_FILTER_VALUES__` alone matches every value */
  values: Record<string, string[]>;
}

export interface ChargeFilterUpdate {
  /** Key → values, from the metric's filters; `__ALL_FILTER_VALUES__` alone matches every value */
  values: Record<string, string[]>;
  properties?: ChargePropertiesUpdate | null;
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
}

export interface ChargeOverrides {
  /** `svc_id` of the charge to override */
  id: string;
  /** The `svc_id` of a billable metric */
  billable_metric_id?: string | null;
  /** The `code` of a billable metric, instead of `billable_metric_id` */
  billable_metric_code?: string | null;
  charge_model?: "standard" | "graduated" | "volume" | "package" | "percentage" | "graduated_percentage" | null;
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
  /** Charge a fee for each event as it arrives. Not available for every model and metric */
  pay_in_advance?: boolean | null;
  /** False: fees in advance are not invoiced */
  invoiceable?: boolean | null;
  /** Units count in proportion to the days of use; only for recurring metrics */
  prorated?: boolean | null;
  /** Minimum amount of the charge per period; not for charges in advance */
  min_amount_cents?: number | null;
  properties?: ChargePropertiesUpdate | null;
  /** Events that match a filter are billed at the price of the filter */
  filters?: ChargeFilterUpdate[] | null;
  /** Codes of taxes */
  tax_codes?: string[] | null;
}

export interface ChargeProperties {
  /** A decimal of 0 or more */
  amount?: string;
  /** Each unit has the price of its range */
  graduated_ranges?: UnitRange[];
  /** All units have the price of the range of the total */
  volume_ranges?: UnitRange[];
  /** Free units */
  free_units?: number;
  /** Units per package; a started package is billed in full */
  package_size?: number;
  /** Percentage of the value of each event */
  rate?: string;
  /** Fixed amount per event */
  fixed_amount?: string;
  /** Number of free events */
  free_units_per_events?: number;
  /** Free units */
  free_units_per_total_aggregation?: string;
  /** Minimum amount per event */
  per_transaction_min_amount?: string;
  /** Maximum amount per event */
  per_transaction_max_amount?: string;
  /** Like graduated_ranges, with percentages */
  graduated_percentage_ranges?: PercentageRange[];
  /** Event properties; usage is billed separately for each combination of their values */
  grouped_by?: string[];
}

/** Depends on the charge model. Without properties the charge costs nothing; members of other models are dropped */
export type ChargePropertiesUpdate = {
  /** A decimal of 0 or more */
  amount: string;
  /** Event properties; usage is billed separately for each combination of their values */
  grouped_by?: string[] | null;
} | {
  /** Each unit has the price of its range */
  graduated_ranges: UnitRange[];
  /** Event properties; usage is billed separately for each combination of their values */
  grouped_by?: string[] | null;
} | {
  /** All units have the price of the range of the total */
  volume_ranges: UnitRange[];
  /** Event properties; usage is billed separately for each combination of their values */
  grouped_by?: string[] | null;
} | {
  /** A decimal of 0 or more */
  amount: string;
  /** Free units */
  free_units: number;
  /** Units per package; a started package is billed in full */
  package_size: number;
  /** Event properties; usage is billed separately for each combination of their values */
  grouped_by?: string[] | null;
} | {
  /** Percentage of the value of each event */
  rate: string;
  /** Fixed amount per event */
  fixed_amount?: string | null;
  /** Number of free events */
  free_units_per_events?: number | null;
  /** Free units */
  free_units_per_total_aggregation?: string | null;
  /** Minimum amount per event */
  per_transaction_min_amount?: string | null;
  /** Maximum amount per event */
  per_transaction_max_amount?: string | null;
  /** Event properties; usage is billed separately for each combination of their values */
  grouped_by?: string[] | null;
} | {
  /** Like graduated_ranges, with percentages */
  graduated_percentage_ranges: PercentageRange[];
  /** Event properties; usage is billed separately for each combination of their values */
  grouped_by?: string[] | null;
} | {
};

export interface ChargeUpdate {
  /** `svc_id` of the charge to change; absent for a new one. A charge that is sent back as it was read is known by its `svc_id`. */
  id?: string;
  /** The `svc_id` of a billable metric */
  billable_metric_id?: string | null;
  /** The `code` of a billable metric, instead of `billable_metric_id` */
  billable_metric_code?: string | null;
  charge_model?: "standard" | "graduated" | "volume" | "package" | "percentage" | "graduated_percentage";
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
  /** Charge a fee for each event as it arrives. Not available for every model and metric */
  pay_in_advance?: boolean | null;
  /** False: fees in advance are not invoiced */
  invoiceable?: boolean | null;
  /** Collect paid fees in advance that are not invoiced on one invoice */
  regroup_paid_fees?: "invoice" | null;
  /** Units count in proportion to the days of use; only for recurring metrics */
  prorated?: boolean | null;
  /** Minimum amount of the charge per period; not for charges in advance */
  min_amount_cents?: number | null;
  properties?: ChargePropertiesUpdate | null;
  /** Events that match a filter are billed at the price of the filter */
  filters?: ChargeFilterUpdate[] | null;
  /** Codes of taxes */
  tax_codes?: string[] | null;
}

export interface ChargeUsage {
  /** For a prorated charge the full units; for a charge in advance the highest total, which is what was charged */
  units: string;
  /** The same as `units` */
  total_aggregated_units: string;
  /** For a unique count, its value */
  events_count: number;
  /** Without taxes; each filter and group is rounded separately */
  amount_cents: number;
  amount_currency: string;
  charge: {
    /** Assigned by the service; UUID v7 */
    svc_id: string;
    charge_model: "standard" | "graduated" | "volume" | "package" | "percentage" | "graduated_percentage";
    invoice_display_name: string | null;
  };
  billable_metric: {
    /** Assigned by the service; UUID v7 */
    svc_id: string;
    name: string;
    code: string;
    aggregation_type: string;
  };
  /** One for each filter of the charge and, with null values, one for events that match no filter; empty without filters */
  filters: FilterUsage[];
  /** One for each group that has usage; empty if the charge is not grouped */
  grouped_usage: Array<{
    /** For a prorated charge the full units; for a charge in advance the highest total, which is what was charged */
    units: string;
    /** The same as `units` */
    total_aggregated_units: string;
    /** For a unique count, its value */
    events_count: number;
    /** Without taxes; each filter and group is rounded separately */
    amount_cents: number;
    /** Property → value; null if the events have none */
    grouped_by: Record<string, string | null>;
    /** One for each filter of the charge and, with null values, one for events that match no filter; empty without filters */
    filters: FilterUsage[];
  }>;
}

/** A CloudEvent in JSON (structured mode). Other attributes are allowed, and not stored. */
export interface CloudEvent {
  specversion: "1.0";
  /** With `source`, identifies the event: `source#id` is its `transaction_id`. A repeat counts once */
  id: string;
  /** Who sent the event. With `id`, it has at most 254 characters */
  source: string;
  /** Code of the billable metric */
  type: string;
  /** The `external_subscription_id` */
  subject: string;
  /** RFC 3339 with an offset; to the microsecond. The default is the time of receipt. */
  time?: string | null;
  /** The properties of the event. Numbers keep every digit. */
  data?: Record<string, unknown> | null;
  /** Binary data cannot be counted. Send `data`. */
  data_base64?: null;
}

/** The steps of the computation. Exact and whole amounts are in minor units */
export interface ComputedInvoiceDerivation {
  currency: string;
  fees: Array<{
    id: string;
    label: string;
    amountMinor: string;
    taxes: Array<{
      code: string;
      name: string;
      rate: string;
    }>;
  }>;
  coupons: Array<{
    code: string;
    /** A fixed amount or a rate */
    discount: Record<string, unknown>;
    base: string;
    creditMinor: string;
    shares: Array<{
      feeId: string;
      remaining: string;
      share: string;
    }>;
  }>;
  taxes: Array<{
    code: string;
    name: string;
    rate: string;
    bases: Array<{
      feeId: string;
      base: string;
    }>;
    exact: string;
    amountMinor: string;
  }>;
  creditNotes: Array<{
    number: string;
    balanceMinor: string;
    amountMinor: string;
  }>;
  wallets: Array<{
    rate: string;
    balanceMinor: string;
    amountMinor: string;
    credits: string;
  }>;
  figures: Record<string, string>;
}

export interface ContributionsMeta {
  /** Cursor of the next page; null on the last page */
  next_cursor: string | null;
  /** Carried-over usage plus the contributions of all events up to here */
  running_exact_amount_cents: string;
}

export interface Coupon {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  code: string;
  description: string | null;
  coupon_type: "fixed_amount" | "percentage";
  amount_cents: number | null;
  amount_currency: string | null;
  /** A decimal */
  percentage_rate: string | null;
  frequency: "once" | "recurring" | "forever";
  frequency_duration: number | null;
  reusable: boolean;
  /** Also true if all of its plans are deleted: then the coupon applies to nothing */
  limited_plans: boolean;
  plan_codes: string[];
  /** Also true if all of its metrics are deleted */
  limited_billable_metrics: boolean;
  billable_metric_codes: string[];
  expiration: "no_expiration" | "time_limit";
  /** ISO 8601, UTC */
  expiration_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** From when the coupon can no longer be applied: its expiration_at, once that has passed */
  terminated_at: string | null;
}

export interface CouponCreate {
  name: string;
  /** Unique in the organization */
  code: string;
  description?: string | null;
  /** Whether the discount is a fixed amount or a percentage */
  coupon_type: "fixed_amount" | "percentage";
  /** Required for a fixed amount; in the smallest unit of the currency */
  amount_cents?: number | null;
  /** ISO 4217, such as EUR */
  amount_currency?: string | null;
  /** Required for a percentage: a decimal above 0 and below 1000, with at most 5 decimal places */
  percentage_rate?: string | null;
  /** How long it lasts: until it is used up, for a number of invoices, or forever */
  frequency: "once" | "recurring" | "forever";
  /** Number of invoices; required for `recurring`, ignored otherwise */
  frequency_duration?: number | null;
  expiration: "no_expiration" | "time_limit";
  /** An instant in the future, until which the coupon can be applied; required for `time_limit`, ignored otherwise */
  expiration_at?: string | null;
  /** Whether a customer can get the coupon more than once; the default is true */
  reusable?: boolean | null;
  /** What the coupon may be used for; an update replaces it as a whole. Send at most one of the two lists; without a list, everything */
  applies_to?: {
    /** Only fees of these plans */
    plan_codes?: string[] | null;
    /** Only fees of charges on these billable metrics */
    billable_metric_codes?: string[] | null;
  } | null;
}

export interface CouponUpdate {
  name?: string;
  /** Unique in the organization */
  code?: string;
  description?: string | null;
  /** Whether the discount is a fixed amount or a percentage */
  coupon_type?: "fixed_amount" | "percentage";
  /** Required for a fixed amount; in the smallest unit of the currency */
  amount_cents?: number | null;
  /** ISO 4217, such as EUR */
  amount_currency?: string | null;
  /** Required for a percentage: a decimal above 0 and below 1000, with at most 5 decimal places */
  percentage_rate?: string | null;
  /** How long it lasts: until it is used up, for a number of invoices, or forever */
  frequency?: "once" | "recurring" | "forever";
  /** Number of invoices; required for `recurring`, ignored otherwise */
  frequency_duration?: number | null;
  expiration?: "no_expiration" | "time_limit";
  /** An instant in the future, until which the coupon can be applied; required for `time_limit`, ignored otherwise */
  expiration_at?: string | null;
  /** Whether a customer can get the coupon more than once; the default is true */
  reusable?: boolean | null;
  /** What the coupon may be used for; an update replaces it as a whole. Send at most one of the two lists; without a list, everything */
  applies_to?: {
    /** Only fees of these plans */
    plan_codes?: string[] | null;
    /** Only fees of charges on these billable metrics */
    billable_metric_codes?: string[] | null;
  } | null;
}

export interface Credit {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  amount_cents: number;
  amount_currency: string;
  /** True for coupons, false for credit notes */
  before_taxes: boolean;
  item: {
    /** Assigned by the service; UUID v7 */
    svc_item_id: string;
    type: string;
    /** For a credit note its number */
    code: string;
    /** For a credit note the number of the credited invoice */
    name: string;
  };
  invoice: {
    /** Assigned by the service; UUID v7 */
    svc_id: string;
    payment_status: string;
  };
}

export interface CreditNote {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Order among the notes of the invoice, from 1 */
  sequential_id: number;
  number: string;
  /** The credited invoice */
  svc_invoice_id: string;
  invoice_number: string;
  /** Local date */
  issuing_date: string;
  /** null: the note has no credit */
  credit_status: "available" | "consumed" | "voided" | null;
  /** null: the note has no refund */
  refund_status: "pending" | "succeeded" | "failed" | null;
  reason: "duplicated_charge" | "product_unsatisfactory" | "order_change" | "order_cancellation" | "fraudulent_charge" | "other";
  description: string | null;
  currency: string;
  /** Taxes included */
  total_amount_cents: number;
  taxes_amount_cents: number;
  taxes_rate: number;
  /** The items less their share of coupons */
  sub_total_excluding_taxes_amount_cents: number;
  /** The unused part of the credit */
  balance_amount_cents: number;
  credit_amount_cents: number;
  refund_amount_cents: number;
  /** Always 0: a note never reduces the amount due of its own invoice */
  offset_amount_cents: number;
  /** The share of coupons in the items */
  coupons_adjustment_amount_cents: number;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  updated_at: string;
  file_url: string | null;
  items: CreditNoteItem[];
  applied_taxes: CreditNoteAppliedTax[];
}

export interface CreditNoteAppliedTax {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_credit_note_id: string;
  /** Assigned by the service; UUID v7 */
  svc_tax_id: string;
  tax_name: string;
  tax_code: string;
  tax_rate: number;
  tax_description: string | null;
  /** The taxable amount */
  base_amount_cents: number;
  amount_cents: number;
  amount_currency: string;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface CreditNoteCreate {
  invoice_id: string;
  /** Default: `other` */
  reason?: "duplicated_charge" | "product_unsatisfactory" | "order_change" | "order_cancellation" | "fraudulent_charge" | "other" | null;
  description?: string | null;
  /** For later invoices; default: 0 */
  credit_amount_cents?: number | null;
  /** Refund in money for a paid invoice; default: 0 */
  refund_amount_cents?: number | null;
  /** Which fees are credited, and how much of each */
  items: Array<{
    fee_id: string;
    /** Part of the fee, before coupons and taxes */
    amount_cents: number;
  }>;
}

export interface CreditNoteEstimate {
  /** Assigned by the service; UUID v7 */
  svc_invoice_id: string;
  invoice_number: string;
  currency: string;
  taxes_amount_cents: number;
  taxes_rate: number;
  sub_total_excluding_taxes_amount_cents: number;
  /** For these items, taxes included */
  max_creditable_amount_cents: number;
  /** 0 unless the invoice is paid */
  max_refundable_amount_cents: number;
  coupons_adjustment_amount_cents: number;
  items: Array<{
    /** Assigned by the service; UUID v7 */
    svc_fee_id: string;
    amount_cents: number;
  }>;
  applied_taxes: EstimatedCreditNoteTax[];
}

export interface CreditNoteItem {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  amount_cents: number;
  amount_currency: string;
  fee: Fee;
}

export interface CreditNoteItemOfChange {
  svc_id: null;
  amount_cents: number;
  amount_currency: string;
  fee: Fee;
}

export interface CreditNoteOfChange {
  svc_id: null;
  sequential_id: null;
  number: null;
  /** The credited invoice */
  svc_invoice_id: string;
  invoice_number: string;
  /** Local date */
  issuing_date: string;
  /** null: the note has no credit */
  credit_status: "available" | "consumed" | "voided" | null;
  /** null: the note has no refund */
  refund_status: "pending" | "succeeded" | "failed" | null;
  reason: "duplicated_charge" | "product_unsatisfactory" | "order_change" | "order_cancellation" | "fraudulent_charge" | "other";
  description: string | null;
  currency: string;
  /** Taxes included */
  total_amount_cents: number;
  taxes_amount_cents: number;
  taxes_rate: number;
  /** The items less their share of coupons */
  sub_total_excluding_taxes_amount_cents: number;
  /** The unused part of the credit */
  balance_amount_cents: number;
  credit_amount_cents: number;
  refund_amount_cents: number;
  /** Always 0: a note never reduces the amount due of its own invoice */
  offset_amount_cents: number;
  /** The share of coupons in the items */
  coupons_adjustment_amount_cents: number;
  created_at: null;
  updated_at: null;
  file_url: null;
  items: CreditNoteItemOfChange[];
  applied_taxes: CreditNoteTaxOfChange[];
}

export interface CreditNoteTaxOfChange {
  svc_id: null;
  svc_credit_note_id: null;
  /** Assigned by the service; UUID v7 */
  svc_tax_id: string;
  tax_name: string;
  tax_code: string;
  tax_rate: number;
  tax_description: string | null;
  /** The taxable amount */
  base_amount_cents: number;
  amount_cents: number;
  amount_currency: string;
  created_at: null;
}

export interface CreditNoteWithCustomer {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Order among the notes of the invoice, from 1 */
  sequential_id: number;
  number: string;
  /** The credited invoice */
  svc_invoice_id: string;
  invoice_number: string;
  /** Local date */
  issuing_date: string;
  /** null: the note has no credit */
  credit_status: "available" | "consumed" | "voided" | null;
  /** null: the note has no refund */
  refund_status: "pending" | "succeeded" | "failed" | null;
  reason: "duplicated_charge" | "product_unsatisfactory" | "order_change" | "order_cancellation" | "fraudulent_charge" | "other";
  description: string | null;
  currency: string;
  /** Taxes included */
  total_amount_cents: number;
  taxes_amount_cents: number;
  taxes_rate: number;
  /** The items less their share of coupons */
  sub_total_excluding_taxes_amount_cents: number;
  /** The unused part of the credit */
  balance_amount_cents: number;
  credit_amount_cents: number;
  refund_amount_cents: number;
  /** Always 0: a note never reduces the amount due of its own invoice */
  offset_amount_cents: number;
  /** The share of coupons in the items */
  coupons_adjustment_amount_cents: number;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  updated_at: string;
  file_url: string | null;
  items: CreditNoteItem[];
  applied_taxes: CreditNoteAppliedTax[];
  customer: Customer;
}

export interface CreditOfChange {
  svc_id: null;
  amount_cents: number;
  amount_currency: string;
  /** True for coupons, false for credit notes */
  before_taxes: boolean;
  item: {
    /** Null for a credit note that the change itself would make */
    svc_item_id: string | null;
    type: string;
    /** For a credit note its number; null if the change would make it */
    code: string | null;
    /** For a credit note the number of the credited invoice */
    name: string;
  };
  invoice: {
    svc_id: null;
    payment_status: string;
  };
}

export interface CreditsDerivation {
  type: "credit";
  credits: string;
  rate: string;
  currency: string;
  lessMinor: string;
  amountMinor: string;
}

export interface Customer {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  external_id: string;
  /** Order of creation in the organization, from 1 */
  sequential_id: number;
  slug: string;
  /** The test clock that the customer uses */
  test_clock_id: string | null;
  name: string | null;
  firstname: string | null;
  lastname: string | null;
  customer_type: "company" | "individual" | null;
  legal_name: string | null;
  legal_number: string | null;
  tax_identification_number: string | null;
  email: string | null;
  phone: string | null;
  url: string | null;
  logo_url: string | null;
  address_line1: string | null;
  address_line2: string | null;
  city: string | null;
  state: string | null;
  zipcode: string | null;
  country: string | null;
  shipping_address: {
    address_line1: string | null;
    address_line2: string | null;
    city: string | null;
    state: string | null;
    zipcode: string | null;
    country: string | null;
  };
  currency: string | null;
  timezone: string | null;
  /** The customer's own, or else the organization's */
  applicable_timezone: string;
  net_payment_term: number | null;
  external_salesforce_id: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  updated_at: string;
  billing_configuration: {
    invoice_grace_period: number | null;
    payment_provider: string | null;
    payment_provider_code: string | null;
    document_locale: string | null;
    provider_customer_id: string | null;
    sync: boolean;
    sync_with_provider: boolean;
    provider_payment_methods?: string[];
  };
  metadata: Array<{
    /** Assigned by the service; UUID v7 */
    svc_id: string;
    key: string;
    value: string;
    display_in_invoice: boolean;
    /** ISO 8601, UTC */
    created_at: string;
  }>;
  /** The customer's own, or else the defaults of the organization */
  taxes?: Tax[];
}

export interface CustomerMetadataUpdate {
  id?: string | null;
  /** Id of the pair to change; absent for a new pair */
  svc_id?: string | null;
  key: string;
  value: string;
  display_in_invoice: boolean;
}

export interface CustomerUpsert {
  /** Your id for the customer */
  external_id: string;
  /** The test clock that the customer uses; can be set at creation only */
  test_clock_id?: string | null;
  name?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  customer_type?: "company" | "individual" | null;
  legal_name?: string | null;
  legal_number?: string | null;
  tax_identification_number?: string | null;
  /** One email address, or several separated by commas */
  email?: string | null;
  phone?: string | null;
  url?: string | null;
  logo_url?: string | null;
  address_line1?: string | null;
  address_line2?: string | null;
  city?: string | null;
  state?: string | null;
  zipcode?: string | null;
  /** ISO 3166 alpha-2 */
  country?: string | null;
  shipping_address?: {
    address_line1?: string | null;
    address_line2?: string | null;
    city?: string | null;
    state?: string | null;
    zipcode?: string | null;
    /** ISO 3166 alpha-2 */
    country?: string | null;
  } | null;
  /** ISO 4217, such as EUR */
  currency?: string | null;
  /** IANA time zone; overrides the organization's */
  timezone?: string | null;
  /** Days until an invoice is due; overrides the organization's */
  net_payment_term?: number | null;
  external_salesforce_id?: string | null;
  billing_configuration?: {
    /** Days during which a draft invoice can still change */
    invoice_grace_period?: number | null;
    /** One of stripe, gocardless, adyen */
    payment_provider?: string | null;
    payment_provider_code?: string | null;
    provider_customer_id?: string | null;
    sync?: boolean | null;
    sync_with_provider?: boolean | null;
    /** ISO 639-1, pt-BR or zh-TW. Documents have words for en, fr, de, es, it, nb, sv; others are drawn in English */
    document_locale?: "aa" | "ab" | "ae" | "af" | "ak" | "am" | "an" | "ar" | "as" | "av" | "ay" | "az" | "ba" | "be" | "bg" | "bi" | "bm" | "bn" | "bo" | "br" | "bs" | "ca" | "ce" | "ch" | "co" | "cr" | "cs" | "cu" | "cv" | "cy" | "da" | "de" | "dv" | "dz" | "ee" | "el" | "en" | "eo" | "es" | "et" | "eu" | "fa" | "ff" | "fi" | "fj" | "fo" | "fr" | "fy" | "ga" | "gd" | "gl" | "gn" | "gu" | "gv" | "ha" | "he" | "hi" | "ho" | "hr" | "ht" | "hu" | "hy" | "hz" | "ia" | "id" | "ie" | "ig" | "ii" | "ik" | "io" | "is" | "it" | "iu" | "ja" | "jv" | "ka" | "kg" | "ki" | "kj" | "kk" | "kl" | "km" | "kn" | "ko" | "kr" | "ks" | "ku" | "kv" | "kw" | "ky" | "la" | "lb" | "lg" | "li" | "ln" | "lo" | "lt" | "lu" | "lv" | "mg" | "mh" | "mi" | "mk" | "ml" | "mn" | "mr" | "ms" | "mt" | "my" | "na" | "nb" | "nd" | "ne" | "ng" | "nl" | "nn" | "no" | "nr" | "nv" | "ny" | "oc" | "oj" | "om" | "or" | "os" | "pa" | "pi" | "pl" | "ps" | "pt" | "qu" | "rm" | "rn" | "ro" | "ru" | "rw" | "sa" | "sc" | "sd" | "se" | "sg" | "si" | "sk" | "sl" | "sm" | "sn" | "so" | "sq" | "sr" | "ss" | "st" | "su" | "sv" | "sw" | "ta" | "te" | "tg" | "th" | "ti" | "tk" | "tl" | "tn" | "to" | "tr" | "ts" | "tt" | "tw" | "ty" | "ug" | "uk" | "ur" | "uz" | "ve" | "vi" | "vo" | "wa" | "wo" | "xh" | "yi" | "yo" | "za" | "zh" | "zu" | "pt-BR" | "zh-TW" | null;
    provider_payment_methods?: Array<"card" | "sepa_debit" | "us_bank_account" | "bacs_debit"> | null;
  } | null;
  metadata?: CustomerMetadataUpdate[];
  tax_codes?: string[];
}

export interface CustomerUsage {
  /** Start of the period, or of the subscription if that is later */
  from_datetime: string;
  /** Last second of the period */
  to_datetime: string;
  /** Local date on which the period will be invoiced */
  issuing_date: string;
  currency: string;
  /** Without taxes */
  amount_cents: number;
  /** The exact taxes of all charges, rounded once */
  taxes_amount_cents: number;
  /** With taxes */
  total_amount_cents: number;
  /** Null: the period is not invoiced yet */
  svc_invoice_id: string | null;
  /** One for each charge of the plan, even without usage, by name of the metric */
  charges_usage: ChargeUsage[];
}

export interface DocumentsOfChange {
  /** Those that the change makes, in their order. At an end on the real clock, they wait some minutes for late usage */
  invoices: InvoiceOfChange[];
  /** For unused days that were paid in advance */
  credit_notes: CreditNoteOfChange[];
}

export interface Error {
  /** The HTTP status */
  status: number;
  /** The name of the status */
  error: string;
  /** For programs; listed in the error reference */
  code?: string;
  /** What is wrong, and what to do */
  message: string;
  /** Name of a member → codes */
  error_details?: Record<string, string[]>;
  /** Each fault of the request */
  errors?: Fault[];
  /** Also in the header `X-Request-Id` */
  request_id: string;
  /** Where the code is explained */
  docs_url?: string;
}

export interface EstimatedAppliedTax {
  svc_id: null;
  svc_fee_id: null;
  /** Assigned by the service; UUID v7 */
  svc_tax_id: string;
  tax_name: string;
  tax_code: string;
  tax_rate: number;
  tax_description: string | null;
  amount_cents: number;
  amount_currency: string;
  created_at: null;
}

export interface EstimatedCreditNoteTax {
  /** Assigned by the service; UUID v7 */
  svc_tax_id: string;
  tax_name: string;
  tax_code: string;
  tax_rate: number;
  tax_description: string | null;
  /** The taxable amount */
  base_amount_cents: number;
  amount_cents: number;
  amount_currency: string;
}

export interface EstimatedFee {
  svc_id: null;
  /** Null if the fee has no charge */
  svc_charge_id: string | null;
  /** Null if the fee has no filter */
  svc_charge_filter_id: string | null;
  svc_invoice_id: null;
  svc_true_up_fee_id: null;
  svc_true_up_parent_fee_id: null;
  /** Assigned by the service; UUID v7 */
  svc_subscription_id: string;
  external_subscription_id: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  item: EstimatedFeeItem;
  /** As in `item` */
  filter_invoice_display_name: string | null;
  pay_in_advance: boolean;
  invoiceable: boolean;
  /** Without taxes */
  amount_cents: number;
  amount_currency: string;
  /** Less coupons, without taxes; rounded for each fee */
  sub_total_excluding_taxes_amount_cents: number;
  taxes_amount_cents: number;
  taxes_rate: number;
  /** With taxes */
  total_amount_cents: number;
  total_amount_currency: string;
  units: string;
  /** For a weighted sum the value at the end of the period, otherwise the units; null if nothing is counted */
  total_aggregated_units: string | null;
  description: null;
  /** The effective price of one unit */
  precise_unit_amount: string;
  events_count: number;
  payment_status: "pending";
  created_at: null;
  succeeded_at: null;
  failed_at: null;
  refunded_at: null;
  /** How the amount was computed, by charge model */
  amount_details: Record<string, unknown>;
  /** Start of the period */
  from_date: string;
  /** The last second of the period */
  to_date: string;
  event_transaction_id: null;
  applied_taxes: EstimatedAppliedTax[];
}

export interface EstimatedFeeItem {
  type: "charge";
  /** Code of the metric, the plan or the add-on */
  code: string;
  name: string;
  invoice_display_name: string;
  /** Key → values */
  filters: Record<string, unknown> | null;
  filter_invoice_display_name: string | null;
  /** Id of the metric, the subscription or the add-on */
  svc_item_id: string;
  item_type: "BillableMetric";
  /** Property → value */
  grouped_by: Record<string, unknown>;
}

export interface Event {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  transaction_id: string;
  svc_customer_id: string | null;
  code: string;
  /** ISO 8601, UTC, with milliseconds */
  timestamp: string;
  properties: Record<string, unknown>;
  svc_subscription_id: string | null;
  external_subscription_id: string;
  /** ISO 8601, UTC */
  created_at: string;
  /** The billing status. `open`: the event may still be billed. */
  status: "billed" | "open" | "not_billed";
  /** Why it is not billed. `late`: it was received after its period was invoiced. `before_start`, `after_end`, `no_subscription`: no subscription was active then. `before_billing_began`: dated or received before its charge or subscription was billed. `no_charge`, `charge_removed`: the plan has no charge on its metric, or no longer has one. `unknown_code`: no metric has its code. `invalid_property`: it lacks the property that the metric counts. `invoice_voided`: the invoice that billed it was voided or deleted. `skipped_at_end`: its subscription ended without a last invoice. */
  reason: "late" | "before_start" | "after_end" | "before_billing_began" | "trial_free" | "no_charge" | "charge_removed" | "unknown_code" | "no_subscription" | "invalid_property" | "invoice_voided" | "skipped_by_operator" | "skipped_at_end" | null;
  /** For a billed event: the fees that include it. Empty if their amount is zero. */
  svc_fee_ids: string[];
}

export interface EventContribution {
  /** Assigned by the service; UUID v7 */
  svc_event_id: string;
  transaction_id: string;
  /** ISO 8601, UTC */
  timestamp: string;
  /** False if the event has no value that the metric can count; it contributed nothing */
  is_counted: boolean;
  /** What the event added to the units of the fee, exact as amounts are */
  units: string;
  /** Exact amount: plain decimals, or a fraction if the decimals never end. Exact amounts add up */
  exact_amount_cents: string;
  /** The exact amount rounded to 15 decimals */
  precise_amount_cents: string;
}

export interface EventCreate {
  /** Identifies the event within its subscription, forever. A repeat counts once */
  transaction_id: string;
  external_subscription_id: string;
  /** Code of the billable metric */
  code: string;
  /** Unix time in seconds, as a number or a string, or ISO 8601 with an offset; to the microsecond. The default is the time of receipt. */
  timestamp?: number | string | null;
  /** Custom fields, including the one that the metric's `field_name` names. Numbers keep every digit. */
  properties?: Record<string, unknown> | null;
}

export interface EventsErrors {
  /** Events that are not billed because no billable metric has their code */
  invalid_code: string[];
  /** Events that are not billed because they lack the property that the metric needs, or it is not a number */
  missing_aggregation_property: string[];
  /** Events that lack a dimension of the metric, or have a value that it does not know. No filter matches them; if they are billed, they are billed at the charge's own price */
  missing_group_key: string[];
}

export interface EventsMeta {
  /** The number of this page. Null on a page by cursor. */
  current_page: number | null;
  next_page: number | null;
  prev_page: number | null;
  /** Null if there are more than 10,000 events, and on a page by cursor */
  total_pages: number | null;
  /** Null if there are more than 10,000 events, and on a page by cursor */
  total_count: number | null;
  /** The `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface ExplanationLine {
  name: "carried_over" | "events" | "flat_amount" | "units_rounding" | "other_days" | "not_below_zero" | "amount" | "required" | "already_billed" | "rounding";
  label: string;
  /** Exact amount: plain decimals, or a fraction if the decimals never end. Exact amounts add up */
  exact_amount_cents: string;
  /** The exact amount rounded to 15 decimals */
  precise_amount_cents: string;
}

export interface Fault {
  /** Where it is in the request */
  path: string;
  /** For programs */
  code: string;
  /** What is wrong, and what to do */
  message: string;
  /** The values that are allowed */
  allowed?: unknown[];
  limit?: {
    minimum?: number;
    maximum?: number;
    minLength?: number;
    maxLength?: number;
  };
}

export interface Fee {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Null if the fee has no charge */
  svc_charge_id: string | null;
  /** Null if the fee has no filter */
  svc_charge_filter_id: string | null;
  /** Null for a standalone fee */
  svc_invoice_id: string | null;
  /** The fee that raises the charge to its minimum */
  svc_true_up_fee_id: string | null;
  /** The fee that this fee raises to a minimum */
  svc_true_up_parent_fee_id: string | null;
  /** Assigned by the service; UUID v7 */
  svc_subscription_id: string | null;
  external_subscription_id: string | null;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  item: FeeItem;
  /** As in `item` */
  filter_invoice_display_name: string | null;
  pay_in_advance: boolean;
  invoiceable: boolean;
  /** Without taxes */
  amount_cents: number;
  amount_currency: string;
  /** Less coupons, without taxes; rounded for each fee */
  sub_total_excluding_taxes_amount_cents: number;
  taxes_amount_cents: number;
  taxes_rate: number;
  /** With taxes */
  total_amount_cents: number;
  total_amount_currency: string;
  units: string;
  /** For a weighted sum the value at the end of the period, otherwise the units; null if nothing is counted */
  total_aggregated_units: string | null;
  description: string | null;
  /** The effective price of one unit */
  precise_unit_amount: string;
  /** For a unique count its value; null if nothing is counted */
  events_count: number | null;
  payment_status: "pending" | "succeeded" | "failed" | "refunded";
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  succeeded_at: string | null;
  /** ISO 8601, UTC */
  failed_at: string | null;
  /** ISO 8601, UTC */
  refunded_at: string | null;
  /** How the amount was computed, by charge model */
  amount_details: Record<string, unknown>;
  /** Start of the period */
  from_date: string | null;
  /** The last second of the period */
  to_date: string | null;
  /** The event of a fee in advance */
  event_transaction_id: string | null;
  /** Omitted inside an invoice */
  applied_taxes?: FeeAppliedTax[];
}

export interface FeeAppliedTax {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_fee_id: string;
  /** Assigned by the service; UUID v7 */
  svc_tax_id: string;
  tax_name: string;
  tax_code: string;
  tax_rate: number;
  tax_description: string | null;
  amount_cents: number;
  amount_currency: string;
  /** ISO 8601, UTC */
  created_at: string;
}

/** The steps of the computation. The amount can be computed from them alone. Numbers are exact text */
export type FeeDerivation = SubscriptionFeeDerivation | UsageFeeDerivation | AdvanceFeeDerivation | TrueUpDerivation | OneOffFeeDerivation | CreditsDerivation;

export interface FeeExplanation {
  /** Assigned by the service; UUID v7 */
  svc_fee_id: string;
  /** Null for a standalone fee */
  svc_invoice_id: string | null;
  currency: string;
  amount_cents: number;
  units: string;
  window: {
    /** Included */
    from: string;
    /** Not included */
    to: string;
    timezone: string;
    /** First local date that counts for proration; first and last day are included */
    first_day: string;
    last_day: string;
    /** Days of the full period, the divisor of proration */
    period_days: number;
  } | null;
  /** Key → values */
  filters: Record<string, unknown> | null;
  /** Property → value */
  grouped_by: Record<string, unknown>;
  /** Null if the fee is not for usage in a window */
  events_counted: number | null;
  /** Events without a value that the metric can count */
  events_ignored: number | null;
  /** The lines add up to `amount_cents` */
  lines: ExplanationLine[];
  /** The fee's share of each coupon */
  coupons: Array<{
    code: string;
    /** Exact amount: plain decimals, or a fraction if the decimals never end. Exact amounts add up */
    exact_amount_cents: string;
    /** The exact amount rounded to 15 decimals */
    precise_amount_cents: string;
  }>;
  taxes: Array<{
    code: string;
    name: string;
    rate: number;
    amount_cents: number;
  }>;
  derivation: FeeDerivation;
  /** Text for people, in English */
  text: string[];
}

export interface FeeItem {
  type: "charge" | "add_on" | "subscription" | "credit" | "commitment";
  /** Code of the metric, the plan or the add-on */
  code: string;
  name: string;
  invoice_display_name: string;
  /** Key → values */
  filters: Record<string, unknown> | null;
  filter_invoice_display_name: string | null;
  /** Id of the metric, the subscription or the add-on */
  svc_item_id: string;
  item_type: string;
  /** Property → value */
  grouped_by: Record<string, unknown>;
}

export interface FilterUsage {
  /** For a prorated charge the full units; for a charge in advance the highest total, which is what was charged */
  units: string;
  /** The same as `units` */
  total_aggregated_units: string;
  /** For a unique count, its value */
  events_count: number;
  /** Without taxes; each filter and group is rounded separately */
  amount_cents: number;
  invoice_display_name: string | null;
  /** Key → values, as in the charge */
  values: Record<string, string[]> | null;
}

export interface HeldInvoice {
  /** Id of the invoice, which is visible after its release */
  svc_invoice_id: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  /** The interrupted step: create the invoice, or finalize a draft */
  step: "issue" | "finalize";
  /** When it was held, for the last time */
  held_at: string;
  /** How often it was held */
  times: number;
  /** The figures that differ, with both results */
  differences: Array<{
    figure: string;
    first: string | null;
    second: string | null;
  }>;
  /** `released`: by an operator, or because both computations agreed later */
  status: "held" | "released";
  /** ISO 8601, UTC */
  released_at: string | null;
  /** What the operator gave as reason */
  release_reason: string | null;
}

export interface HeldInvoiceWithComputations {
  /** Id of the invoice, which is visible after its release */
  svc_invoice_id: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  /** The interrupted step: create the invoice, or finalize a draft */
  step: "issue" | "finalize";
  /** When it was held, for the last time */
  held_at: string;
  /** How often it was held */
  times: number;
  /** The figures that differ, with both results */
  differences: Array<{
    figure: string;
    first: string | null;
    second: string | null;
  }>;
  /** `released`: by an operator, or because both computations agreed later */
  status: "held" | "released";
  /** ISO 8601, UTC */
  released_at: string | null;
  /** What the operator gave as reason */
  release_reason: string | null;
  /** The first computation, with which a release finalizes the invoice: its derivation, and that of each fee */
  first: Record<string, unknown>;
  /** The second opinion: the same figures, computed by other means */
  second: Record<string, unknown>;
}

export interface IdentityProvider {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  /** An OpenID Connect issuer, as a URL */
  issuer: string;
  client_id: string;
  /** Lower case. People with these mail addresses sign in here, once the operator has approved the domain */
  mail_domains: string[];
  /** Those of them that the operator has approved for this organization */
  approved_mail_domains: string[];
  /** Without it, nobody signs in here, and its sessions end */
  enabled: boolean;
  /** The code of the role that people get who sign in here for the first time; null lets in invited people only. Not `owner` */
  auto_join_role: string | null;
  /** Where the provider redirects to: register it there */
  redirect_uri: string;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  updated_at: string;
}

export interface IdentityProviderInput {
  /** Shown to owners and admins */
  name: string;
  /** An OpenID Connect issuer, as a URL. It cannot be changed: make another provider instead */
  issuer: string;
  /** It cannot be changed: make another provider instead */
  client_id: string;
  /** Stored sealed, and never shown */
  client_secret: string;
  /** Lower case. People with these mail addresses sign in here, once the operator has approved the domain */
  mail_domains: string[];
  /** Without it, nobody signs in here, and its sessions end */
  enabled?: boolean;
  /** The code of the role that people get who sign in here for the first time; null lets in invited people only. Not `owner` */
  auto_join_role?: string | null;
}

export interface IdentityProviderUpdate {
  /** Shown to owners and admins */
  name?: string;
  /** Stored sealed, and never shown */
  client_secret?: string;
  /** Lower case. People with these mail addresses sign in here, once the operator has approved the domain */
  mail_domains?: string[];
  /** Without it, nobody signs in here, and its sessions end */
  enabled?: boolean;
  /** The code of the role that people get who sign in here for the first time; null lets in invited people only. Not `owner` */
  auto_join_role?: string | null;
}

export interface Invitation {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  email: string;
  /** The code of the role that the person gets */
  role: string;
  /** ISO 8601, UTC */
  created_at: string;
  /** The link works until then */
  expires_at: string;
  /** What became of the email: only the response that creates the invitation says it. `off`: no mail server is set */
  mail_status: "sent" | "failed" | "off" | null;
  /** The link to pass on, if the email was not sent. Only the response that creates the invitation shows it */
  link: string | null;
}

export interface InvitationCreate {
  /** The mail address of the person */
  email: string;
  /** The code of a role: `owner`, `admin`, `finance`, `developer`, `support`, or one of the organization */
  role: string;
}

export interface Invoice {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Order of finalization for the customer, from 1; null for a draft */
  sequential_id: number | null;
  number: string;
  /** Local date; for a draft the day of its automatic finalization */
  issuing_date: string;
  /** Local date */
  payment_due_date: string;
  /** Days from issue until the due date */
  net_payment_term: number;
  invoice_type: "subscription" | "one_off" | "credit" | "advance_charges";
  status: "draft" | "finalized" | "voided";
  payment_status: "pending" | "succeeded" | "failed";
  /** ISO 8601, UTC */
  payment_dispute_lost_at: string | null;
  payment_overdue: boolean;
  currency: string;
  /** Without taxes */
  fees_amount_cents: number;
  coupons_amount_cents: number;
  /** Always 0: an invoice is for a whole period */
  progressive_billing_credit_amount_cents: number;
  /** Fees less coupons */
  sub_total_excluding_taxes_amount_cents: number;
  /** The exact taxes of all fees, rounded once */
  taxes_amount_cents: number;
  sub_total_including_taxes_amount_cents: number;
  credit_notes_amount_cents: number;
  prepaid_credit_amount_cents: number;
  /** The amount to pay */
  total_amount_cents: number;
  /** All payments in force */
  total_paid_amount_cents: number;
  /** The part that was written off because it will not be paid */
  total_written_off_amount_cents: number;
  /** Total less payments and write-offs; 0 for a draft or a voided invoice. Credit notes do not change it. */
  total_due_amount_cents: number;
  purchase_order_number: string | null;
  file_url: string | null;
  version_number: number;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  updated_at: string;
  /** ISO 8601, UTC */
  voided_at: string | null;
  customer: Customer;
  metadata: InvoiceMetadata[];
  applied_taxes: InvoiceAppliedTax[];
}

export interface InvoiceAppliedTax {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_invoice_id: string;
  /** Assigned by the service; UUID v7 */
  svc_tax_id: string;
  tax_name: string;
  tax_code: string;
  tax_rate: number;
  tax_description: string | null;
  amount_cents: number;
  amount_currency: string;
  /** The taxable amount */
  fees_amount_cents: number;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface InvoiceCreate {
  external_customer_id: string;
  /** ISO 4217, such as EUR */
  currency?: string | null;
  purchase_order_number?: string | null;
  fees?: OneOffFee[] | null;
}

export type InvoiceDerivation = ComputedInvoiceDerivation | RegroupedInvoiceDerivation;

export interface InvoiceExplanation {
  /** Assigned by the service; UUID v7 */
  svc_invoice_id: string;
  currency: string | null;
  total_amount_cents: number;
  fees: Array<{
    /** Assigned by the service; UUID v7 */
    svc_fee_id: string;
    name: string;
    amount_cents: number;
    /** Text for people, in English */
    text: string[];
  }>;
  derivation: InvoiceDerivation | null;
  /** Text for people, in English */
  text: string[];
}

export interface InvoiceMetadata {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  key: string;
  value: string;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface InvoiceOfChange {
  svc_id: null;
  sequential_id: null;
  number: null;
  /** Local date; for a draft the day of its automatic finalization */
  issuing_date: string;
  /** Local date */
  payment_due_date: string;
  /** Days from issue until the due date */
  net_payment_term: number;
  invoice_type: "subscription" | "one_off" | "credit" | "advance_charges";
  /** `draft` if the customer has a grace period */
  status: "draft" | "finalized";
  payment_status: "pending" | "succeeded" | "failed";
  /** ISO 8601, UTC */
  payment_dispute_lost_at: string | null;
  payment_overdue: boolean;
  currency: string;
  /** Without taxes */
  fees_amount_cents: number;
  coupons_amount_cents: number;
  /** Always 0: an invoice is for a whole period */
  progressive_billing_credit_amount_cents: number;
  /** Fees less coupons */
  sub_total_excluding_taxes_amount_cents: number;
  /** The exact taxes of all fees, rounded once */
  taxes_amount_cents: number;
  sub_total_including_taxes_amount_cents: number;
  credit_notes_amount_cents: number;
  prepaid_credit_amount_cents: number;
  /** The amount to pay */
  total_amount_cents: number;
  /** All payments in force */
  total_paid_amount_cents: number;
  /** The part that was written off because it will not be paid */
  total_written_off_amount_cents: number;
  /** Total less payments and write-offs; 0 for a draft or a voided invoice. Credit notes do not change it. */
  total_due_amount_cents: number;
  purchase_order_number: string | null;
  file_url: string | null;
  version_number: number;
  created_at: null;
  updated_at: null;
  /** ISO 8601, UTC */
  voided_at: string | null;
  customer: Customer;
  metadata: InvoiceMetadata[];
  applied_taxes: PreviewAppliedTax[];
  subscriptions: Subscription[];
  fees: PreviewFee[];
  credits: CreditOfChange[];
}

export interface InvoicePage {
  /** From 1 */
  number: number;
  /** The drawing, whose root is `svg` */
  svg: string;
}

export interface InvoicePreview {
  svc_id: null;
  sequential_id: null;
  number: null;
  /** Local date; for a draft the day of its automatic finalization */
  issuing_date: string;
  /** Local date */
  payment_due_date: string;
  /** Days from issue until the due date */
  net_payment_term: number;
  invoice_type: "subscription" | "one_off" | "credit" | "advance_charges";
  status: "draft" | "finalized" | "voided";
  payment_status: "pending" | "succeeded" | "failed";
  /** ISO 8601, UTC */
  payment_dispute_lost_at: string | null;
  payment_overdue: boolean;
  currency: string;
  /** Without taxes */
  fees_amount_cents: number;
  coupons_amount_cents: number;
  /** Always 0: an invoice is for a whole period */
  progressive_billing_credit_amount_cents: number;
  /** Fees less coupons */
  sub_total_excluding_taxes_amount_cents: number;
  /** The exact taxes of all fees, rounded once */
  taxes_amount_cents: number;
  sub_total_including_taxes_amount_cents: number;
  credit_notes_amount_cents: number;
  prepaid_credit_amount_cents: number;
  /** The amount to pay */
  total_amount_cents: number;
  /** All payments in force */
  total_paid_amount_cents: number;
  /** The part that was written off because it will not be paid */
  total_written_off_amount_cents: number;
  /** Total less payments and write-offs; 0 for a draft or a voided invoice. Credit notes do not change it. */
  total_due_amount_cents: number;
  purchase_order_number: string | null;
  file_url: string | null;
  version_number: number;
  created_at: null;
  updated_at: null;
  /** ISO 8601, UTC */
  voided_at: string | null;
  customer: Customer;
  metadata: InvoiceMetadata[];
  applied_taxes: PreviewAppliedTax[];
  subscriptions: Subscription[];
  fees: PreviewFee[];
  credits: PreviewCredit[];
}

/** The views of the list, each with the filters that list its invoices. `all`: every invoice. `draft`: `status=draft`. `to_pay`: finalized, not paid and not overdue, also after a failed payment; without lost disputes: `status=finalized`, `payment_status[]=pending`, `payment_status[]=failed`, `payment_overdue=false`, `payment_dispute_lost=false`. `overdue`: not paid, and the due date has passed: `payment_overdue=true`. `paid`: `status=finalized`, `payment_status=succeeded`; also invoices with nothing to pay. `voided`: `status=voided`. `payment_failed`: `status=finalized`, `payment_status=failed`; each is also in `to_pay` or `overdue`, or has a lost dispute. `dispute_lost`: `payment_dispute_lost=true`. */
export interface InvoiceSummary {
  all: InvoiceSummaryView;
  draft: InvoiceSummaryView;
  to_pay: InvoiceSummaryView;
  overdue: InvoiceSummaryView;
  paid: InvoiceSummaryView;
  voided: InvoiceSummaryView;
  payment_failed: InvoiceSummaryView;
  dispute_lost: InvoiceSummaryView;
}

export interface InvoiceSummaryAmounts {
  currency: string;
  /** The sum of the totals */
  total_amount_cents: number;
  /** The sum of the amounts due: totals less payments and write-offs; 0 for drafts and voided invoices */
  total_due_amount_cents: number;
}

export interface InvoiceSummaryView {
  /** The number of invoices */
  count: number;
  /** By currency, in the order of their codes */
  amounts: InvoiceSummaryAmounts[];
}

export interface InvoiceUpdate {
  payment_status?: "pending" | "succeeded" | "failed";
  /** The full list: omitted pairs are deleted */
  metadata?: Array<{
    /** The `svc_id` of the pair to change */
    id?: string | null;
    svc_id?: string | null;
    key: string;
    value: string;
  }>;
}

export interface InvoiceVerification {
  /** Assigned by the service; UUID v7 */
  svc_invoice_id: string;
  number: string;
  /** Whether every recomputed member equals the stored one */
  status: "same" | "different";
  /** The engine that computed the invoice */
  made_with: {
    engine_version: string;
    zone_data_version: string;
  };
  /** The engine that recomputed it now */
  recomputed_with: {
    engine_version: string;
    zone_data_version: string;
  };
  differences: Array<{
    /** Its path */
    member: string;
    stored: string | null;
    recomputed: string | null;
  }>;
  causes: Array<{
    cause: "event_added" | "event_missing" | "event_changed" | "plan_version" | "zone_data" | "engine" | "inputs_changed" | "result_changed";
    message: string;
    /** Up to 20 events that can be named */
    transaction_ids: string[];
  }>;
}

export interface InvoiceWithFees {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Order of finalization for the customer, from 1; null for a draft */
  sequential_id: number | null;
  number: string;
  /** Local date; for a draft the day of its automatic finalization */
  issuing_date: string;
  /** Local date */
  payment_due_date: string;
  /** Days from issue until the due date */
  net_payment_term: number;
  invoice_type: "subscription" | "one_off" | "credit" | "advance_charges";
  status: "draft" | "finalized" | "voided";
  payment_status: "pending" | "succeeded" | "failed";
  /** ISO 8601, UTC */
  payment_dispute_lost_at: string | null;
  payment_overdue: boolean;
  currency: string;
  /** Without taxes */
  fees_amount_cents: number;
  coupons_amount_cents: number;
  /** Always 0: an invoice is for a whole period */
  progressive_billing_credit_amount_cents: number;
  /** Fees less coupons */
  sub_total_excluding_taxes_amount_cents: number;
  /** The exact taxes of all fees, rounded once */
  taxes_amount_cents: number;
  sub_total_including_taxes_amount_cents: number;
  credit_notes_amount_cents: number;
  prepaid_credit_amount_cents: number;
  /** The amount to pay */
  total_amount_cents: number;
  /** All payments in force */
  total_paid_amount_cents: number;
  /** The part that was written off because it will not be paid */
  total_written_off_amount_cents: number;
  /** Total less payments and write-offs; 0 for a draft or a voided invoice. Credit notes do not change it. */
  total_due_amount_cents: number;
  purchase_order_number: string | null;
  file_url: string | null;
  version_number: number;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  updated_at: string;
  /** ISO 8601, UTC */
  voided_at: string | null;
  customer: Customer;
  metadata: InvoiceMetadata[];
  applied_taxes: InvoiceAppliedTax[];
  subscriptions: Subscription[];
  fees: Fee[];
  credits: Credit[];
}

export interface ListMeta {
  /** The number of this page. Null on a page by cursor. */
  current_page: number | null;
  next_page: number | null;
  prev_page: number | null;
  /** The number of pages. Null on a page by cursor. */
  total_pages: number | null;
  /** The number of records that match. Null on a page by cursor. */
  total_count: number | null;
  /** The `cursor` of the next page; null on the last page */
  next_cursor: string | null;
}

export interface Mail {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** The attached invoice */
  svc_invoice_id: string | null;
  /** The attached credit note */
  svc_credit_note_id: string | null;
  recipients: string[];
  subject: string;
  /** `queued`, `sending`, `sent`, `failed` (refused, or all attempts failed), `unknown` (the connection or the service ended before the server answered: the email may have been sent, and is not retried automatically), `suppressed` (email is off, or the organization is a sandbox) */
  status: string;
  attempts: number;
  /** Why the email was not sent, or which recipients were refused */
  last_error: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** When the email was sent or the last attempt ended */
  settled_at: string | null;
}

export interface Member {
  /** The id of the person */
  svc_id: string;
  email: string;
  name: string;
  /** The code of the role */
  role: string;
  /** When the person became a member */
  created_at: string;
}

export interface MemberUpdate {
  /** The code of a role: `owner`, `admin`, `finance`, `developer`, `support`, or one of the organization */
  role: string;
}

export interface Message {
  /** The same as in the header `webhook-id` of its webhooks */
  svc_id: string;
  webhook_type: string;
  object_type: string;
  /** ISO 8601, UTC */
  created_at: string;
  /** The exact text that webhooks carry: JSON with `webhook_type` and the object */
  payload: string;
}

export interface MessagesMeta {
  /** Where to read on, also if there are no messages yet */
  next_cursor: string;
  /** Whether there are more messages now */
  has_more: boolean;
}

export interface Meta {
  current_page: number;
  next_page: number | null;
  prev_page: number | null;
  total_pages: number;
  total_count: number;
}

export interface MinimumCommitment {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  plan_code: string;
  invoice_display_name: string | null;
  amount_cents: number;
  interval: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  updated_at: string;
  taxes: Tax[];
}

/** An empty object or null removes the commitment; absent members stay */
export interface MinimumCommitmentUpdate {
  /** Minimum amount per period; required for a new commitment */
  amount_cents?: number;
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
  /** Codes of taxes */
  tax_codes?: string[] | null;
  /** Alias of tax_codes, which takes precedence */
  taxes?: string[] | null;
}

export interface NestedPlan {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  invoice_display_name: string | null;
  code: string;
  interval: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
  description: string | null;
  amount_cents: number;
  amount_currency: string;
  /** Days; 0 for none */
  trial_period: number;
  pay_in_advance: boolean;
  /** Null unless the interval is longer than a quarter */
  bill_charges_monthly: boolean | null;
  /** The parent of a plan with overrides */
  parent_id: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  charges: Charge[];
  taxes: Tax[];
  minimum_commitment?: MinimumCommitment;
}

export interface OneOffFee {
  add_on_code: string;
  /** A decimal; default: 1 */
  units?: string | number | null;
  /** The price of one unit; default: the amount of the add-on */
  unit_amount_cents?: number | null;
  description?: string | null;
  /** Replaces the taxes of the add-on */
  tax_codes?: string[] | null;
}

export interface OneOffFeeDerivation {
  type: "one_off";
  currency: string;
  unitAmountMinor: string;
  units: string;
  amountMinor: string;
}

export interface Organization {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  /** ISO 8601, UTC */
  created_at: string;
  default_currency: string;
  /** URL of the first webhook endpoint; empty if there is none */
  webhook_url: string;
  webhook_urls: string[];
  country: string | null;
  address_line1: string | null;
  address_line2: string | null;
  city: string | null;
  state: string | null;
  zipcode: string | null;
  email: string | null;
  legal_name: string | null;
  legal_number: string | null;
  tax_identification_number: string | null;
  timezone: string;
  net_payment_term: number;
  email_settings: string[];
  document_numbering: string;
  document_number_prefix: string;
  include_deprecated_fields: boolean;
  ignore_unknown_members: boolean;
  field_prefix: string;
  billing_configuration: {
    invoice_footer: string | null;
    invoice_grace_period: number;
    document_locale: string;
    logo_url: string | null;
    /** Why the last attempt to fetch the logo failed */
    logo_error: string | null;
  };
  /** The taxes that apply to the organization by default */
  taxes: Tax[];
}

export interface OrganizationUpdate {
  name?: string;
  /** Changes or creates the first webhook endpoint; null, or empty text as in answers, deletes it */
  webhook_url?: string | null;
  /** ISO 3166 alpha-2 */
  country?: string | null;
  address_line1?: string | null;
  address_line2?: string | null;
  city?: string | null;
  state?: string | null;
  zipcode?: string | null;
  email?: string | null;
  legal_name?: string | null;
  legal_number?: string | null;
  tax_identification_number?: string | null;
  /** Days until an invoice is due */
  net_payment_term?: number;
  /** IANA time zone */
  timezone?: string;
  /** ISO 4217, such as EUR */
  default_currency?: string;
  document_numbering?: "per_customer" | "per_organization";
  document_number_prefix?: string;
  /** True: requests, responses and webhooks also have the members removed on 2024-07-09. This description leaves them out; they are listed in docs/reference/deprecated-members.md. A change takes effect everywhere within 5 seconds */
  include_deprecated_fields?: boolean;
  /** True: members and query parameters that an operation does not know are ignored and named in a `Warning` header. False: they are refused. A change takes effect everywhere within 5 seconds */
  ignore_unknown_members?: boolean;
  /** What the names of members such as `svc_id` and of headers such as `X-Svc-Signature` begin with, in place of `svc`: in requests, responses, webhooks and this description. 2 to 8 letters from a to z that no other member begins with. A change takes effect everywhere within 5 seconds */
  field_prefix?: string;
  email_settings?: Array<"invoice.finalized" | "credit_note.created">;
  billing_configuration?: {
    invoice_footer?: string | null;
    /** Days during which a draft invoice can still change */
    invoice_grace_period?: number;
    /** ISO 639-1, pt-BR or zh-TW. Documents have words for en, fr, de, es, it, nb, sv; others are drawn in English */
    document_locale?: "aa" | "ab" | "ae" | "af" | "ak" | "am" | "an" | "ar" | "as" | "av" | "ay" | "az" | "ba" | "be" | "bg" | "bi" | "bm" | "bn" | "bo" | "br" | "bs" | "ca" | "ce" | "ch" | "co" | "cr" | "cs" | "cu" | "cv" | "cy" | "da" | "de" | "dv" | "dz" | "ee" | "el" | "en" | "eo" | "es" | "et" | "eu" | "fa" | "ff" | "fi" | "fj" | "fo" | "fr" | "fy" | "ga" | "gd" | "gl" | "gn" | "gu" | "gv" | "ha" | "he" | "hi" | "ho" | "hr" | "ht" | "hu" | "hy" | "hz" | "ia" | "id" | "ie" | "ig" | "ii" | "ik" | "io" | "is" | "it" | "iu" | "ja" | "jv" | "ka" | "kg" | "ki" | "kj" | "kk" | "kl" | "km" | "kn" | "ko" | "kr" | "ks" | "ku" | "kv" | "kw" | "ky" | "la" | "lb" | "lg" | "li" | "ln" | "lo" | "lt" | "lu" | "lv" | "mg" | "mh" | "mi" | "mk" | "ml" | "mn" | "mr" | "ms" | "mt" | "my" | "na" | "nb" | "nd" | "ne" | "ng" | "nl" | "nn" | "no" | "nr" | "nv" | "ny" | "oc" | "oj" | "om" | "or" | "os" | "pa" | "pi" | "pl" | "ps" | "pt" | "qu" | "rm" | "rn" | "ro" | "ru" | "rw" | "sa" | "sc" | "sd" | "se" | "sg" | "si" | "sk" | "sl" | "sm" | "sn" | "so" | "sq" | "sr" | "ss" | "st" | "su" | "sv" | "sw" | "ta" | "te" | "tg" | "th" | "ti" | "tk" | "tl" | "tn" | "to" | "tr" | "ts" | "tt" | "tw" | "ty" | "ug" | "uk" | "ur" | "uz" | "ve" | "vi" | "vo" | "wa" | "wo" | "xh" | "yi" | "yo" | "za" | "zh" | "zu" | "pt-BR" | "zh-TW";
    /** A PNG or JPEG of at most 1 MiB, for documents. It is fetched when you set it */
    logo_url?: string | null;
  };
}

export interface ParkedItem {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** `event`: it creates no fee. `invoice`: it is not created or finalized. `wallet`: a top-up, an expiry or an ongoing balance. `fee_refund`: the refund of a paid fee, to be settled manually. */
  kind: "event" | "invoice" | "wallet" | "fee_refund";
  object: {
    type: string;
    /** Id of the object */
    svc_id: string;
    /** `external_id` of the object; `transaction_id` of an event; null if it has none */
    external_id: string | null;
  };
  /** Why the item cannot be billed. After a failed retry: why the retry failed */
  reason: string;
  /** The number of attempts */
  attempts: number;
  /** ISO 8601, UTC */
  parked_at: string;
  status: "parked" | "retried" | "skipped";
}

export interface PercentageRange {
  /** 0 in the first range; in others, one more than the end of the range before */
  from_value: number;
  /** Null in the last range only */
  to_value: number | null;
  /** Percent */
  rate: string;
  /** A decimal of 0 or more */
  flat_amount: string;
}

export type PermissionResource = "activity" | "add_on" | "analytic" | "api_key" | "applied_coupon" | "billable_metric" | "billing_run" | "coupon" | "credit_note" | "customer" | "customer_usage" | "event" | "fee" | "held_invoice" | "identity_provider" | "invoice" | "mail" | "member" | "message" | "organization" | "payment" | "plan" | "plan_override" | "role" | "subscription" | "tax" | "test_clock" | "wallet" | "wallet_transaction" | "webhook_endpoint" | "webhook_jwt_public_key";

/** What the key may do, by resource. `*` stands for all ordinary resources, and never for `api_key`, `member`, `role` or `identity_provider`. */
export interface Permissions {
  "*"?: Array<"read" | "write">;
  activity?: Array<"read" | "write">;
  add_on?: Array<"read" | "write">;
  analytic?: Array<"read" | "write">;
  api_key?: Array<"read" | "write">;
  applied_coupon?: Array<"read" | "write">;
  billable_metric?: Array<"read" | "write">;
  billing_run?: Array<"read" | "write">;
  coupon?: Array<"read" | "write">;
  credit_note?: Array<"read" | "write">;
  customer?: Array<"read" | "write">;
  customer_usage?: Array<"read" | "write">;
  event?: Array<"read" | "write">;
  fee?: Array<"read" | "write">;
  held_invoice?: Array<"read" | "write">;
  identity_provider?: Array<"read" | "write">;
  invoice?: Array<"read" | "write">;
  mail?: Array<"read" | "write">;
  member?: Array<"read" | "write">;
  message?: Array<"read" | "write">;
  organization?: Array<"read" | "write">;
  payment?: Array<"read" | "write">;
  plan?: Array<"read" | "write">;
  plan_override?: Array<"read" | "write">;
  role?: Array<"read" | "write">;
  subscription?: Array<"read" | "write">;
  tax?: Array<"read" | "write">;
  test_clock?: Array<"read" | "write">;
  wallet?: Array<"read" | "write">;
  wallet_transaction?: Array<"read" | "write">;
  webhook_endpoint?: Array<"read" | "write">;
  webhook_jwt_public_key?: Array<"read" | "write">;
}

export interface Plan {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  invoice_display_name: string | null;
  code: string;
  interval: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
  description: string | null;
  amount_cents: number;
  amount_currency: string;
  /** Days; 0 for none */
  trial_period: number;
  pay_in_advance: boolean;
  /** Null unless the interval is longer than a quarter */
  bill_charges_monthly: boolean | null;
  customers_count: number;
  active_subscriptions_count: number;
  draft_invoices_count: number;
  /** The parent of a plan with overrides */
  parent_id: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  charges: Charge[];
  taxes: Tax[];
  minimum_commitment?: MinimumCommitment;
}

export interface PlanCreate {
  name: string;
  /** Unique in the organization */
  code: string;
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
  description?: string | null;
  interval: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
  amount_cents: number;
  /** ISO 4217, such as EUR */
  amount_currency: string;
  /** Bill the base fee at the start of the period. Each charge has its own setting */
  pay_in_advance: boolean;
  /** Days */
  trial_period?: number | null;
  /** Only for a yearly or semiannual plan */
  bill_charges_monthly?: boolean | null;
  /** Codes of taxes */
  tax_codes?: string[] | null;
  minimum_commitment?: MinimumCommitmentUpdate | null;
  charges?: ChargeCreate[] | null;
}

export interface PlanOverrides {
  name?: string;
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
  description?: string | null;
  amount_cents?: number;
  /** ISO 4217, such as EUR */
  amount_currency?: string;
  /** Days */
  trial_period?: number | null;
  /** Codes of taxes */
  tax_codes?: string[] | null;
  minimum_commitment?: MinimumCommitmentUpdate | null;
  /** A charge keeps its metric. Once the subscription has started, it also keeps its model, timing and proration */
  charges?: ChargeOverrides[] | null;
}

export interface PlanUpdate {
  name?: string;
  /** Unique in the organization */
  code?: string;
  /** Shown on invoices instead of the name */
  invoice_display_name?: string | null;
  description?: string | null;
  interval?: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly";
  amount_cents?: number;
  /** ISO 4217, such as EUR */
  amount_currency?: string;
  /** Bill the base fee at the start of the period. Each charge has its own setting */
  pay_in_advance?: boolean;
  /** Days */
  trial_period?: number | null;
  /** Only for a yearly or semiannual plan */
  bill_charges_monthly?: boolean | null;
  /** Codes of taxes */
  tax_codes?: string[] | null;
  minimum_commitment?: MinimumCommitmentUpdate | null;
  /** Also reprice periods that have ended and are not finalized: drafts, and invoices that are about to be created. Otherwise they keep the prices that were in force when their period ended */
  apply_to_drafts?: boolean | null;
  /** All charges of the plan; charges that are not listed are removed. Absent or null: all stay */
  charges?: ChargeUpdate[] | null;
}

export interface PreviewAppliedTax {
  svc_id: null;
  svc_invoice_id: null;
  /** Assigned by the service; UUID v7 */
  svc_tax_id: string;
  tax_name: string;
  tax_code: string;
  tax_rate: number;
  tax_description: string | null;
  amount_cents: number;
  amount_currency: string;
  /** The taxable amount */
  fees_amount_cents: number;
  created_at: null;
}

export interface PreviewCredit {
  svc_id: null;
  amount_cents: number;
  amount_currency: string;
  /** True for coupons, false for credit notes */
  before_taxes: boolean;
  item: {
    /** Assigned by the service; UUID v7 */
    svc_item_id: string;
    type: string;
    /** For a credit note its number */
    code: string;
    /** For a credit note the number of the credited invoice */
    name: string;
  };
  invoice: {
    svc_id: null;
    payment_status: string;
  };
}

export interface PreviewFee {
  svc_id: null;
  /** Null if the fee has no charge */
  svc_charge_id: string | null;
  /** Null if the fee has no filter */
  svc_charge_filter_id: string | null;
  svc_invoice_id: null;
  svc_true_up_fee_id: null;
  svc_true_up_parent_fee_id: null;
  /** Assigned by the service; UUID v7 */
  svc_subscription_id: string | null;
  external_subscription_id: string | null;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  item: FeeItem;
  /** As in `item` */
  filter_invoice_display_name: string | null;
  pay_in_advance: boolean;
  invoiceable: boolean;
  /** Without taxes */
  amount_cents: number;
  amount_currency: string;
  /** Less coupons, without taxes; rounded for each fee */
  sub_total_excluding_taxes_amount_cents: number;
  taxes_amount_cents: number;
  taxes_rate: number;
  /** With taxes */
  total_amount_cents: number;
  total_amount_currency: string;
  units: string;
  /** For a weighted sum the value at the end of the period, otherwise the units; null if nothing is counted */
  total_aggregated_units: string | null;
  description: string | null;
  /** The effective price of one unit */
  precise_unit_amount: string;
  /** For a unique count its value; null if nothing is counted */
  events_count: number | null;
  payment_status: "pending" | "succeeded" | "failed" | "refunded";
  created_at: null;
  /** ISO 8601, UTC */
  succeeded_at: string | null;
  /** ISO 8601, UTC */
  failed_at: string | null;
  /** ISO 8601, UTC */
  refunded_at: string | null;
  /** How the amount was computed, by charge model */
  amount_details: Record<string, unknown>;
  /** Start of the period */
  from_date: string | null;
  /** The last second of the period */
  to_date: string | null;
  /** The event of a fee in advance */
  event_transaction_id: string | null;
  /** Omitted inside an invoice */
  applied_taxes?: FeeAppliedTax[];
}

export interface PriceDerivation {
  /** The steps of the charge model, in units of the currency */
  pricing: {
    model: string;
  };
  currency: string;
  /** In units of the currency, before the one rounding */
  exact: string;
  amountMinor: string;
}

export interface QuantityDerivation {
  window: {
    from: string;
    /** Not included */
    to: string;
    timeZone: string;
    firstDay: string;
    lastDay: string;
    periodDays: number;
  };
  /** Its id and values; null for events that match no filter */
  filter: Record<string, unknown> | null;
  /** Property → value */
  group: Record<string, unknown>;
  eventsCounted: string;
  eventsIgnored: string;
  /** The figures behind the units, by aggregation */
  basis: {
    type: "count" | "sum" | "max" | "latest" | "unique_count" | "weighted_sum";
    [name: string]: unknown;
  };
}

export interface ReceivedEvent {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  transaction_id: string;
  svc_customer_id: string | null;
  code: string;
  /** ISO 8601, UTC, with milliseconds */
  timestamp: string;
  properties: Record<string, unknown>;
  svc_subscription_id: string | null;
  external_subscription_id: string;
  /** ISO 8601, UTC */
  created_at: string;
  /** `duplicate`: this event was stored before, or earlier in the batch, and counts once. */
  outcome: "created" | "duplicate";
}

export interface RegroupedInvoiceDerivation {
  type: "regrouped";
  /** The paid fees that the invoice collects */
  feeIds: string[];
}

export interface Role {
  code: string;
  name: string;
  /** Every organization has it, and it cannot be changed */
  is_built_in: boolean;
  /** What the role allows: resources, each once, with what may be done. What is not listed is not allowed */
  permissions: RolePermission[];
  /** Null for a role that every organization has */
  created_at: string | null;
}

export interface RoleCreate {
  /** Unique in the organization; not one of the roles that every organization has */
  code: string;
  name: string;
  /** What the role allows: resources, each once, with what may be done. What is not listed is not allowed */
  permissions: RolePermission[];
}

export interface RolePermission {
  resource: PermissionResource;
  actions: Array<"read" | "write">;
}

export interface RoleUpdate {
  name?: string;
  /** What the role allows: resources, each once, with what may be done. What is not listed is not allowed */
  permissions?: RolePermission[];
}

export interface SampleData {
  /** `making` and `removing` take about 20 seconds: read it again until it changes. */
  status: "none" | "making" | "ready" | "failed" | "removing";
  /** Percent */
  progress: number;
  /** Sample customers that exist */
  customers: number;
  /** Their invoices, drafts included */
  invoices: number;
  /** The test clock of the sample customers */
  svc_test_clock_id: string | null;
  /** Why it failed */
  error: string | null;
  /** When it was requested last */
  started_at: string | null;
  /** ISO 8601, UTC */
  finished_at: string | null;
}

export interface SearchResult {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Of customers and subscriptions */
  external_id: string | null;
  /** Of plans, billable metrics, coupons and add-ons */
  code: string | null;
  /** Its name or number; without one, what names it in the API */
  title: string;
  /** What tells it apart: an email, a code, a customer or a number */
  subtitle: string;
}

export interface SearchResults {
  /** By name, legal name, external id or email. Missing if the caller may not read them */
  customers?: SearchResult[];
  /** By name or external id, in every status. Missing if the caller may not read them */
  subscriptions?: SearchResult[];
  /** By name or code. Missing if the caller may not read them */
  plans?: SearchResult[];
  /** By name or code. Missing if the caller may not read them */
  billable_metrics?: SearchResult[];
  /** By number, id, or their customer. Missing if the caller may not read them */
  invoices?: SearchResult[];
  /** By number, or their customer. Missing if the caller may not read them */
  credit_notes?: SearchResult[];
  /** By name or code. Missing if the caller may not read them */
  coupons?: SearchResult[];
  /** By name or code. Missing if the caller may not read them */
  add_ons?: SearchResult[];
}

export interface SecurityLog {
  /** The first day */
  from: string;
  /** The last day */
  to: string;
  /** The newest day first. What did not happen has no entry */
  counts: Array<{
    /** In UTC */
    day: string;
    /** `key_used`: a request with an API key. `key_refused`: one with a key that has expired or was revoked. `sign_in_succeeded`, `sign_in_failed`: of a person who is a member */
    kind: "sign_in_succeeded" | "sign_in_failed" | "export" | "key_used" | "key_refused";
    count: number;
  }>;
}

export interface SignInRules {
  /** After so many minutes without a request, a session reaches this organization no more; default 30 */
  session_idle_minutes: number;
  /** So many hours after the sign-in, a session reaches this organization no more; default 12 */
  session_max_hours: number;
  /** Only people who signed in with a second factor reach the organization */
  requires_second_factor: boolean;
  /** Only people who signed in through an identity provider of the organization reach it */
  requires_sso: boolean;
}

export interface SignInRulesUpdate {
  /** After so many minutes without a request, a session reaches this organization no more; default 30 */
  session_idle_minutes?: number;
  /** So many hours after the sign-in, a session reaches this organization no more; default 12 */
  session_max_hours?: number;
  /** Only people who signed in with a second factor reach the organization */
  requires_second_factor?: boolean;
  /** Only people who signed in through an identity provider of the organization reach it */
  requires_sso?: boolean;
}

export interface Subscription {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  external_id: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  /** Empty if there is none */
  name: string;
  plan_code: string;
  /** The base fee of the plan for a period */
  plan_amount_cents: number;
  plan_amount_currency: string;
  status: "pending" | "active" | "terminated" | "canceled";
  billing_time: "calendar" | "anniversary";
  /** The requested start; anniversaries count from its day */
  subscription_at: string;
  /** When it began; null while it is pending */
  started_at: string | null;
  /** ISO 8601, UTC */
  trial_ended_at: string | null;
  /** When it ends by itself; null for never */
  ending_at: string | null;
  /** What happens at its end to the unused days that were paid in advance; null if its plan is paid in arrears */
  on_termination_credit_note: "credit" | "refund" | "skip" | null;
  /** Whether its end makes an invoice of the usage and the base fee in arrears since the last period */
  on_termination_invoice: "generate" | "skip";
  /** ISO 8601, UTC */
  terminated_at: string | null;
  /** When it was canceled before it began */
  canceled_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  previous_plan_code: string | null;
  next_plan_code: string | null;
  /** Local date on which the next plan takes over */
  downgrade_plan_date: string | null;
  /** Start of the period whose usage is billed next */
  current_billing_period_started_at: string | null;
  /** Last second of the period whose usage is billed next */
  current_billing_period_ending_at: string | null;
}

export interface SubscriptionChangePreview {
  /** From then on, what is billed differs: now, at the end of the period, or at a start or end in the future */
  takes_effect_at: string;
  now: DocumentsOfChange;
  next_invoice_before: InvoiceOfChange | null;
  next_invoice_after: InvoiceOfChange | null;
}

export interface SubscriptionCreate {
  /** The customer is created if it does not exist */
  external_customer_id: string;
  plan_code: string;
  /** Your id for the subscription; events refer to it. Unique among active and pending subscriptions */
  external_id: string;
  name?: string | null;
  /** `calendar` periods, the default, or periods from the day of `subscription_at` */
  billing_time?: "calendar" | "anniversary" | null;
  /** The default is now. On a past day, the subscription begins then, and periods that are over are not billed */
  subscription_at?: string | null;
  /** When the subscription ends by itself; on a local day after today and after the start. Null for never */
  ending_at?: string | null;
  /** What happens to unused days that were paid in advance when the subscription ends: `credit` them (the default), `refund` what was paid of them and credit the rest, or `skip` them. Ignored if the plan is paid in arrears. A change of plan is no end */
  on_termination_credit_note?: "credit" | "refund" | "skip" | null;
  /** `generate` the last invoice when the subscription ends (the default), or `skip` it: then the usage, the base fee in arrears and the minimum commitment of the period that ends are never billed. A change of plan is no end */
  on_termination_invoice?: "generate" | "skip" | null;
  plan_overrides?: PlanOverrides | null;
}

export interface SubscriptionFeeDerivation {
  type: "subscription_fee";
  planAmountMinor: string;
  firstDay: string;
  lastDay: string;
  days: number;
  /** Days of the trial */
  freeDays: number;
  periodDays: number;
  exactMinor: string;
  amountMinor: string;
}

export interface SubscriptionToPreview {
  /** Your id for the subscription; events refer to it. Unique among active and pending subscriptions */
  external_id: string;
  /** The customer is created if it does not exist */
  external_customer_id?: string;
  plan_code?: string;
  name?: string | null;
  /** `calendar` periods, the default, or periods from the day of `subscription_at` */
  billing_time?: "calendar" | "anniversary" | null;
  /** The default is now. On a past day, the subscription begins then, and periods that are over are not billed */
  subscription_at?: string | null;
  /** When the subscription ends by itself; on a local day after today and after the start. Null for never */
  ending_at?: string | null;
  /** What happens to unused days that were paid in advance when the subscription ends: `credit` them (the default), `refund` what was paid of them and credit the rest, or `skip` them. Ignored if the plan is paid in arrears. A change of plan is no end */
  on_termination_credit_note?: "credit" | "refund" | "skip" | null;
  /** `generate` the last invoice when the subscription ends (the default), or `skip` it: then the usage, the base fee in arrears and the minimum commitment of the period that ends are never billed. A change of plan is no end */
  on_termination_invoice?: "generate" | "skip" | null;
  plan_overrides?: PlanOverrides | null;
}

export interface SubscriptionUpdate {
  name?: string | null;
  /** When the subscription ends by itself; on a local day after today and after the start. Null for never */
  ending_at?: string | null;
  /** What happens to unused days that were paid in advance when the subscription ends: `credit` them (the default), `refund` what was paid of them and credit the rest, or `skip` them. Ignored if the plan is paid in arrears. A change of plan is no end */
  on_termination_credit_note?: "credit" | "refund" | "skip" | null;
  /** `generate` the last invoice when the subscription ends (the default), or `skip` it: then the usage, the base fee in arrears and the minimum commitment of the period that ends are never billed. A change of plan is no end */
  on_termination_invoice?: "generate" | "skip" | null;
  /** Only for a subscription that has not begun; ignored otherwise */
  subscription_at?: string | null;
  plan_overrides?: PlanOverrides | null;
  /** Also reprice periods that have ended and are not finalized: drafts, and invoices that are about to be created. Otherwise they keep the prices that were in force when their period ended */
  apply_to_drafts?: boolean | null;
}

export interface SubscriptionWithCustomer {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  external_id: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  /** Empty if there is none */
  name: string;
  plan_code: string;
  /** The base fee of the plan for a period */
  plan_amount_cents: number;
  plan_amount_currency: string;
  status: "pending" | "active" | "terminated" | "canceled";
  billing_time: "calendar" | "anniversary";
  /** The requested start; anniversaries count from its day */
  subscription_at: string;
  /** When it began; null while it is pending */
  started_at: string | null;
  /** ISO 8601, UTC */
  trial_ended_at: string | null;
  /** When it ends by itself; null for never */
  ending_at: string | null;
  /** What happens at its end to the unused days that were paid in advance; null if its plan is paid in arrears */
  on_termination_credit_note: "credit" | "refund" | "skip" | null;
  /** Whether its end makes an invoice of the usage and the base fee in arrears since the last period */
  on_termination_invoice: "generate" | "skip";
  /** ISO 8601, UTC */
  terminated_at: string | null;
  /** When it was canceled before it began */
  canceled_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  previous_plan_code: string | null;
  next_plan_code: string | null;
  /** Local date on which the next plan takes over */
  downgrade_plan_date: string | null;
  /** Start of the period whose usage is billed next */
  current_billing_period_started_at: string | null;
  /** Last second of the period whose usage is billed next */
  current_billing_period_ending_at: string | null;
  plan: NestedPlan;
  customer: Customer;
}

export interface SubscriptionWithPlan {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  external_id: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  /** Empty if there is none */
  name: string;
  plan_code: string;
  /** The base fee of the plan for a period */
  plan_amount_cents: number;
  plan_amount_currency: string;
  status: "pending" | "active" | "terminated" | "canceled";
  billing_time: "calendar" | "anniversary";
  /** The requested start; anniversaries count from its day */
  subscription_at: string;
  /** When it began; null while it is pending */
  started_at: string | null;
  /** ISO 8601, UTC */
  trial_ended_at: string | null;
  /** When it ends by itself; null for never */
  ending_at: string | null;
  /** What happens at its end to the unused days that were paid in advance; null if its plan is paid in arrears */
  on_termination_credit_note: "credit" | "refund" | "skip" | null;
  /** Whether its end makes an invoice of the usage and the base fee in arrears since the last period */
  on_termination_invoice: "generate" | "skip";
  /** ISO 8601, UTC */
  terminated_at: string | null;
  /** When it was canceled before it began */
  canceled_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  previous_plan_code: string | null;
  next_plan_code: string | null;
  /** Local date on which the next plan takes over */
  downgrade_plan_date: string | null;
  /** Start of the period whose usage is billed next */
  current_billing_period_started_at: string | null;
  /** Last second of the period whose usage is billed next */
  current_billing_period_ending_at: string | null;
  plan: NestedPlan;
}

export interface Tax {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string;
  code: string;
  rate: number;
  description: string | null;
  applied_to_organization: boolean;
  add_ons_count: number;
  /** Directly, or as a default of the organization */
  customers_count: number;
  /** Directly, or as a default of the organization */
  plans_count: number;
  charges_count: number;
  commitments_count: number;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface TaxCreate {
  name: string;
  /** Unique in the organization */
  code: string;
  /** A percentage from 0 to less than 1000, with at most 10 decimals, as text */
  rate: string | number;
  description?: string | null;
  /** True makes it a default of the organization */
  applied_to_organization?: boolean;
}

export interface TaxUpdate {
  name?: string;
  /** Unique in the organization */
  code?: string;
  /** A percentage from 0 to less than 1000, with at most 10 decimals, as text */
  rate?: string | number;
  description?: string | null;
  /** True makes it a default of the organization */
  applied_to_organization?: boolean;
}

export interface TestClock {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  name: string | null;
  /** The current time of the clock */
  now: string;
  status: "ready" | "advancing";
  /** While it advances: everything due before this instant is done */
  reached: string | null;
  /** While it advances: the target of the advance */
  advancing_to: string | null;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface TrueUpDerivation {
  type: "charge_minimum" | "commitment";
  minimumMinor: string;
  days: number;
  periodDays: number;
  requiredMinor: string;
  usedMinor: string;
}

export interface UnitRange {
  /** 0 in the first range; in others, one more than the end of the range before */
  from_value: number;
  /** Null in the last range only */
  to_value: number | null;
  /** A decimal of 0 or more */
  per_unit_amount: string;
  /** A decimal of 0 or more */
  flat_amount: string;
}

export interface UsageFeeDerivation {
  type: "usage" | "renewal";
  quantity: QuantityDerivation;
  fee: PriceDerivation;
}

export interface Wallet {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_customer_id: string;
  external_customer_id: string;
  status: "active" | "terminated";
  currency: string;
  name: string | null;
  code: string | null;
  /** Key → text or null */
  metadata: Record<string, unknown>;
  /** Always false: purchased credits are invoiced at once */
  invoice_requires_successful_payment: boolean;
  /** The value of one credit, in units of the currency */
  rate_amount: string;
  /** 1 is used first; within a priority, the oldest wallet */
  priority: number;
  credits_balance: string;
  /** The current balance */
  balance_cents: number;
  credits_ongoing_balance: string;
  /** The balance if the usage of the open periods were billed now */
  ongoing_balance_cents: number;
  credits_ongoing_usage_balance: string;
  /** The part of that usage that this wallet covers */
  ongoing_usage_balance_cents: number;
  /** Used on invoices */
  consumed_credits: string;
  /** ISO 8601, UTC */
  created_at: string;
  /** From then on its credits cannot be used */
  expiration_at: string | null;
  /** When the ongoing balance was last computed */
  last_balance_sync_at: string | null;
  /** ISO 8601, UTC */
  last_consumed_credit_at: string | null;
  /** ISO 8601, UTC */
  terminated_at: string | null;
  /** At most one */
  recurring_transaction_rules: WalletRule[];
}

export interface WalletCreate {
  external_customer_id: string;
  /** The value of one credit, in units of the currency */
  rate_amount: string;
  name?: string | null;
  /** Unique among the customer's active wallets */
  code?: string | null;
  /** Up to 50 keys, each with a text or null */
  metadata?: Record<string, unknown> | null;
  /** Only false: purchased credits are invoiced at once */
  invoice_requires_successful_payment?: false | null;
  /** ISO 4217, such as EUR */
  currency?: string | null;
  /** 1 is used first; default: 50 */
  priority?: number | null;
  /** Purchased credits: an invoice is issued, and the credits count after it is paid; a decimal string */
  paid_credits?: string | null;
  /** Free credits, which count at once; a decimal string */
  granted_credits?: string | null;
  /** In the future */
  expiration_at?: string | null;
  /** The top-up rule: at most one, replaced as a whole */
  recurring_transaction_rules?: WalletRuleUpdate[] | null;
}

export interface WalletRule {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  trigger: "interval" | "threshold";
  method: "fixed" | "target";
  interval: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly" | null;
  paid_credits: string;
  granted_credits: string;
  threshold_credits: string | null;
  target_ongoing_balance: string | null;
  /** ISO 8601, UTC */
  started_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface WalletRuleUpdate {
  trigger: "interval" | "threshold";
  /** Mandatory for `interval` */
  interval?: "weekly" | "monthly" | "quarterly" | "semiannual" | "yearly" | null;
  /** Mandatory for `threshold`: the ongoing balance that triggers the top-up; a decimal string */
  threshold_credits?: string | null;
  /** Default: `fixed` */
  method?: "fixed" | "target" | null;
  /** For the method `fixed`; default: the credits that the wallet was created with; a decimal string */
  paid_credits?: string | null;
  /** For the method `fixed`; default: the credits that the wallet was created with; a decimal string */
  granted_credits?: string | null;
  /** Mandatory for `target`: the ongoing balance to reach; a decimal string */
  target_ongoing_balance?: string | null;
  /** The days count from this instant; default: the creation of the wallet */
  started_at?: string | null;
}

export interface WalletTransaction {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_wallet_id: string;
  /** Only a purchase is pending, until it is paid */
  status: "pending" | "settled" | "failed";
  transaction_status: "purchased" | "granted" | "voided" | "invoiced";
  transaction_type: "inbound" | "outbound";
  /** Manually, or by a rule */
  source: "manual" | "interval" | "threshold";
  /** What the invoice of a purchase calls the credits */
  name: string | null;
  metadata: Array<{
    key: string;
    value: string;
  }>;
  /** Always 50: within a wallet, granted credits are used before purchased ones, then the oldest */
  priority: number;
  invoice_requires_successful_payment: false;
  /** In units of the currency */
  amount: string;
  credit_amount: string;
  /** The rest of inbound credits. It is 0 for returned and pending credits, and null for outbound ones */
  remaining_amount_cents: number | null;
  /** The invoice that sold the credits, that the credits paid, or whose payment bounced or was paid after all */
  svc_invoice_id: string | null;
  /** The voided invoice whose credits were returned */
  svc_voided_invoice_id: string | null;
  /** The credit note that refunded purchased credits */
  svc_credit_note_id: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  settled_at: string | null;
  /** ISO 8601, UTC */
  failed_at: string | null;
}

export interface WalletTransactionCreate {
  wallet_id: string;
  /** To buy; a decimal string */
  paid_credits?: string | null;
  /** To give; a decimal string */
  granted_credits?: string | null;
  /** The credits to remove; a decimal string */
  voided_credits?: string | null;
  /** What the invoice of a purchase calls the credits */
  name?: string | null;
  metadata?: Array<{
    key: string;
    value: string;
  }> | null;
  /** Only false: purchased credits are invoiced at once */
  invoice_requires_successful_payment?: false | null;
}

export interface WalletTransactionWithWallet {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Assigned by the service; UUID v7 */
  svc_wallet_id: string;
  /** Only a purchase is pending, until it is paid */
  status: "pending" | "settled" | "failed";
  transaction_status: "purchased" | "granted" | "voided" | "invoiced";
  transaction_type: "inbound" | "outbound";
  /** Manually, or by a rule */
  source: "manual" | "interval" | "threshold";
  /** What the invoice of a purchase calls the credits */
  name: string | null;
  metadata: Array<{
    key: string;
    value: string;
  }>;
  /** Always 50: within a wallet, granted credits are used before purchased ones, then the oldest */
  priority: number;
  invoice_requires_successful_payment: false;
  /** In units of the currency */
  amount: string;
  credit_amount: string;
  /** The rest of inbound credits. It is 0 for returned and pending credits, and null for outbound ones */
  remaining_amount_cents: number | null;
  /** The invoice that sold the credits, that the credits paid, or whose payment bounced or was paid after all */
  svc_invoice_id: string | null;
  /** The voided invoice whose credits were returned */
  svc_voided_invoice_id: string | null;
  /** The credit note that refunded purchased credits */
  svc_credit_note_id: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** ISO 8601, UTC */
  settled_at: string | null;
  /** ISO 8601, UTC */
  failed_at: string | null;
  wallet: Wallet;
}

export interface WalletUpdate {
  name?: string | null;
  /** Unique among the customer's active wallets */
  code?: string | null;
  /** Up to 50 keys, each with a text or null */
  metadata?: Record<string, unknown> | null;
  /** Only false: purchased credits are invoiced at once */
  invoice_requires_successful_payment?: false | null;
  /** In the future */
  expiration_at?: string | null;
  /** The top-up rule: at most one, replaced as a whole */
  recurring_transaction_rules?: WalletRuleUpdate[] | null;
}

export interface Webhook {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Id of the message, the same for every endpoint and on every attempt: `webhook-id` and `X-Svc-Unique-Key` in the request */
  unique_key: string;
  /** The endpoint, which may have been deleted since */
  svc_webhook_endpoint_id: string;
  webhook_type: string;
  object_type: string;
  /** The object of the message */
  object_id: string;
  /** `pending`: not tried yet. `retrying`: will be tried again. `succeeded`: delivered. `failed`: given up, or its endpoint is disabled or deleted. */
  status: "pending" | "retrying" | "succeeded" | "failed";
  /** Status of the last attempt */
  http_status: number | null;
  /** Why there was no response, or no attempt */
  last_error: string | null;
  /** Earliest time of the next attempt; null once the webhook is settled */
  next_attempt_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** When it succeeded or was given up */
  settled_at: string | null;
  /** When it was last sent again on request */
  replayed_at: string | null;
  /** Oldest first */
  attempts: WebhookAttempt[];
}

export interface WebhookAttempt {
  /** Counted from 1. Earlier attempts are kept when a webhook is sent again */
  number: number;
  url: string;
  /** As sent, without the long `X-Svc-Signature` */
  request_headers: Record<string, unknown>;
  /** ISO 8601, UTC */
  started_at: string;
  /** Until the response was read, or the attempt failed */
  duration_ms: number;
  http_status: number | null;
  /** The first 4,096 characters */
  response_body: string | null;
  /** Why there was no response */
  error: string | null;
}

export interface WebhookEndpoint {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** The organization of the endpoint */
  svc_organization_id: string;
  webhook_url: string;
  name: string | null;
  /** The types of messages that it receives; null: all */
  event_types: string[] | null;
  signature_algo: string;
  /** Set if the endpoint answered 410, or accepted nothing for as long as a message is retried. Any change enables it again. */
  disabled_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** Key of both HMAC signatures. `X-Svc-Signature` uses this text as is; `webhook-signature` uses the bytes that the Base64 after `whsec_` encodes. Only the responses that create the endpoint or rotate its secret show it; all others have null. */
  secret: string | null;
  /** The last four characters of the secret */
  secret_last4: string;
}

export interface WebhookEndpointCreate {
  /** Unique in the organization. An https URL with a public name, on port 443 or 8443; for development, the setting `OUTBOUND_TRUSTED_HOSTS` names hosts that may be private */
  webhook_url: string;
  /** A name for people */
  name?: string | null;
  /** The types of messages that the endpoint receives. Null, an empty list or `*`: all */
  event_types?: WebhookTypeOrAll[] | null;
  /** Algorithm of the header `X-Svc-Signature`; the default is `hmac` */
  signature_algo?: "jwt" | "hmac";
}

export interface WebhookEndpointUpdate {
  /** Unique in the organization. An https URL with a public name, on port 443 or 8443; for development, the setting `OUTBOUND_TRUSTED_HOSTS` names hosts that may be private */
  webhook_url?: string;
  /** A name for people */
  name?: string | null;
  /** The types of messages that the endpoint receives. Null, an empty list or `*`: all */
  event_types?: WebhookTypeOrAll[] | null;
  /** Algorithm of the header `X-Svc-Signature`; the default is `hmac` */
  signature_algo?: "jwt" | "hmac";
}

export interface WebhookEndpointWithoutSecret {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** The organization of the endpoint */
  svc_organization_id: string;
  webhook_url: string;
  name: string | null;
  /** The types of messages that it receives; null: all */
  event_types: string[] | null;
  signature_algo: string;
  /** Set if the endpoint answered 410, or accepted nothing for as long as a message is retried. Any change enables it again. */
  disabled_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
}

export interface WebhookReplay {
  /** How many are sent again */
  count: number;
  /** How many match but have a disabled or deleted endpoint */
  skipped_count: number;
  /** ISO 8601, UTC */
  replayed_at: string;
}

export interface WebhookReplayCreate {
  webhook_endpoint_id?: string;
  webhook_type?: WebhookType;
  /** `svc_id` of the object of the messages */
  object_id?: string;
  status?: "pending" | "retrying" | "succeeded" | "failed";
  /** ISO 8601, inclusive. Only webhooks created then or earlier */
  created_at_to?: string;
  /** ISO 8601, inclusive. Only webhooks created then or later */
  created_at_from: string;
}

export type WebhookType = "billable_metric.created" | "billable_metric.deleted" | "billable_metric.updated" | "billing.parked" | "credit_note.created" | "credit_note.generated" | "customer.created" | "customer.updated" | "events.errors" | "fee.created" | "invoice.created" | "invoice.drafted" | "invoice.generated" | "invoice.held" | "invoice.one_off_created" | "invoice.paid_credit_added" | "invoice.payment_dispute_lost" | "invoice.payment_overdue" | "invoice.payment_status_updated" | "invoice.voided" | "plan.created" | "plan.deleted" | "plan.updated" | "subscription.canceled" | "subscription.started" | "subscription.terminated" | "subscription.termination_alert" | "subscription.trial_ended" | "subscription.updated" | "wallet.created" | "wallet.depleted_ongoing_balance" | "wallet.terminated" | "wallet.updated" | "wallet_transaction.created" | "wallet_transaction.updated" | "webhook_endpoint.disabled";

export type WebhookTypeOrAll = "billable_metric.created" | "billable_metric.deleted" | "billable_metric.updated" | "billing.parked" | "credit_note.created" | "credit_note.generated" | "customer.created" | "customer.updated" | "events.errors" | "fee.created" | "invoice.created" | "invoice.drafted" | "invoice.generated" | "invoice.held" | "invoice.one_off_created" | "invoice.paid_credit_added" | "invoice.payment_dispute_lost" | "invoice.payment_overdue" | "invoice.payment_status_updated" | "invoice.voided" | "plan.created" | "plan.deleted" | "plan.updated" | "subscription.canceled" | "subscription.started" | "subscription.terminated" | "subscription.termination_alert" | "subscription.trial_ended" | "subscription.updated" | "wallet.created" | "wallet.depleted_ongoing_balance" | "wallet.terminated" | "wallet.updated" | "wallet_transaction.created" | "wallet_transaction.updated" | "webhook_endpoint.disabled" | "*";

export interface WebhookWithPayload {
  /** Assigned by the service; UUID v7 */
  svc_id: string;
  /** Id of the message, the same for every endpoint and on every attempt: `webhook-id` and `X-Svc-Unique-Key` in the request */
  unique_key: string;
  /** The endpoint, which may have been deleted since */
  svc_webhook_endpoint_id: string;
  webhook_type: string;
  object_type: string;
  /** The object of the message */
  object_id: string;
  /** `pending`: not tried yet. `retrying`: will be tried again. `succeeded`: delivered. `failed`: given up, or its endpoint is disabled or deleted. */
  status: "pending" | "retrying" | "succeeded" | "failed";
  /** Status of the last attempt */
  http_status: number | null;
  /** Why there was no response, or no attempt */
  last_error: string | null;
  /** Earliest time of the next attempt; null once the webhook is settled */
  next_attempt_at: string | null;
  /** ISO 8601, UTC */
  created_at: string;
  /** When it succeeded or was given up */
  settled_at: string | null;
  /** When it was last sent again on request */
  replayed_at: string | null;
  /** Oldest first */
  attempts: WebhookAttempt[];
  /** The exact text that is sent on every attempt */
  payload: string;
}
