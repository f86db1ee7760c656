// Generated from the API description by npm run generate. Do not edit.
import type { Http, RequestOptions } from "../http.ts";
import type { List } from "../list.ts";
import type { AddOn, AddOnCreate, AddOnUpdate, AppliedCoupon, AppliedCouponCreate, AppliedCouponWithCredits, BillableMetric, BillableMetricCreate, BillableMetricUpdate, ContributionsMeta, Coupon, CouponCreate, CouponUpdate, Credit, CreditNote, CreditNoteCreate, CreditNoteEstimate, Customer, CustomerUpsert, CustomerUsage, EstimatedFee, Event, EventContribution, EventCreate, EventsMeta, Fee, FeeExplanation, Invoice, InvoiceCreate, InvoiceExplanation, InvoicePreview, InvoiceUpdate, InvoiceVerification, InvoiceWithFees, ListMeta, Mail, Meta, Organization, OrganizationUpdate, ParkedItem, Plan, PlanCreate, PlanUpdate, ReceivedEvent, Subscription, SubscriptionCreate, SubscriptionUpdate, SubscriptionWithPlan, Tax, TaxCreate, TaxUpdate, TestClock, Wallet, WalletCreate, WalletTransaction, WalletTransactionCreate, WalletUpdate, Webhook, WebhookEndpoint, WebhookEndpointCreate, WebhookEndpointUpdate, WebhookReplay, WebhookReplayCreate, WebhookWithPayload } from "./schemas.ts";

export interface ListAddOnsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "name" | "-name" | "code" | "-code" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name or code, in any case */
  search_term?: string | undefined;
  code?: string | undefined;
}

export interface ListAppliedCouponsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** One or several of: `active`, `terminated` */
  status?: "active" | "terminated" | ReadonlyArray<"active" | "terminated"> | undefined;
  external_customer_id?: string | undefined;
  coupon_code?: string | undefined;
}

export interface ListBillableMetricsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "name" | "-name" | "code" | "-code" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name or code, in any case */
  search_term?: string | undefined;
  code?: string | undefined;
}

export interface ListCouponsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "name" | "-name" | "code" | "-code" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name or code, in any case */
  search_term?: string | undefined;
  code?: string | undefined;
}

export interface ListCreditNotesQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "issuing_date" | "-issuing_date" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the number of the note, or of the name, id or email of its customer, in any case */
  search_term?: string | undefined;
  /** One or several of: `available`, `consumed`, `voided` */
  credit_status?: "available" | "consumed" | "voided" | ReadonlyArray<"available" | "consumed" | "voided"> | undefined;
  /** One or several of: `pending`, `succeeded`, `failed` */
  refund_status?: "pending" | "succeeded" | "failed" | ReadonlyArray<"pending" | "succeeded" | "failed"> | undefined;
  /** One or several of: `duplicated_charge`, `product_unsatisfactory`, `order_change`, `order_cancellation`, `fraudulent_charge`, `other` */
  reason?: "duplicated_charge" | "product_unsatisfactory" | "order_change" | "order_cancellation" | "fraudulent_charge" | "other" | ReadonlyArray<"duplicated_charge" | "product_unsatisfactory" | "order_change" | "order_cancellation" | "fraudulent_charge" | "other"> | undefined;
  external_customer_id?: string | undefined;
  invoice_id?: string | undefined;
  currency?: string | undefined;
}

export interface ListCustomersQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "name" | "-name" | "external_id" | "-external_id" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name, legal name, external id or email, in any case */
  search_term?: string | undefined;
  external_id?: string | undefined;
  currency?: string | undefined;
}

export interface GetCurrentUsageQuery {
  /** External id of an active subscription of the customer */
  external_subscription_id: string | undefined;
  /** `false` omits taxes: they are 0. The default is true */
  apply_taxes?: boolean | undefined;
}

export interface ListPastUsageQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  external_subscription_id: string | undefined;
  billable_metric_code?: string | undefined;
  /** How many of the newest periods to show */
  periods_count?: number | undefined;
}

export interface ListEventsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-timestamp`. */
  sort?: "timestamp" | "-timestamp" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** One or several of: `billed`, `open`, `not_billed` */
  status?: "billed" | "open" | "not_billed" | ReadonlyArray<"billed" | "open" | "not_billed"> | undefined;
  /** One or several of: `late`, `before_start`, `after_end`, `before_billing_began`, `trial_free`, `no_charge`, `charge_removed`, `unknown_code`, `no_subscription`, `invalid_property`, `invoice_voided`, `skipped_by_operator`, `skipped_at_end` */
  reason?: "late" | "before_start" | "after_end" | "before_billing_began" | "trial_free" | "no_charge" | "charge_removed" | "unknown_code" | "no_subscription" | "invalid_property" | "invoice_voided" | "skipped_by_operator" | "skipped_at_end" | ReadonlyArray<"late" | "before_start" | "after_end" | "before_billing_began" | "trial_free" | "no_charge" | "charge_removed" | "unknown_code" | "no_subscription" | "invalid_property" | "invoice_voided" | "skipped_by_operator" | "skipped_at_end"> | undefined;
  code?: string | undefined;
  external_subscription_id?: string | undefined;
  /** ISO 8601, inclusive */
  timestamp_from?: string | undefined;
  /** ISO 8601, inclusive */
  timestamp_to?: string | undefined;
}

export interface ListFeesQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** One or several of: `charge`, `add_on`, `subscription`, `credit`, `commitment` */
  fee_type?: "charge" | "add_on" | "subscription" | "credit" | "commitment" | ReadonlyArray<"charge" | "add_on" | "subscription" | "credit" | "commitment"> | undefined;
  /** One or several of: `pending`, `succeeded`, `failed`, `refunded` */
  payment_status?: "pending" | "succeeded" | "failed" | "refunded" | ReadonlyArray<"pending" | "succeeded" | "failed" | "refunded"> | undefined;
  invoice_id?: string | undefined;
  external_customer_id?: string | undefined;
  external_subscription_id?: string | undefined;
  billable_metric_code?: string | undefined;
  currency?: string | undefined;
  event_transaction_id?: string | undefined;
  created_at_from?: string | undefined;
  created_at_to?: string | undefined;
  succeeded_at_from?: string | undefined;
  succeeded_at_to?: string | undefined;
  failed_at_from?: string | undefined;
  failed_at_to?: string | undefined;
  refunded_at_from?: string | undefined;
  refunded_at_to?: string | undefined;
}

export interface ListFeeEventsQuery {
  /** The `next_cursor` of the previous page */
  cursor?: string | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
}

export interface ListInvoicesQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-issuing_date`. */
  sort?: "issuing_date" | "-issuing_date" | "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the invoice number, or of the name, id or email of its customer, in any case */
  search_term?: string | undefined;
  /** One or several of: `draft`, `finalized`, `voided` */
  status?: "draft" | "finalized" | "voided" | ReadonlyArray<"draft" | "finalized" | "voided"> | undefined;
  /** One or several of: `pending`, `succeeded`, `failed` */
  payment_status?: "pending" | "succeeded" | "failed" | ReadonlyArray<"pending" | "succeeded" | "failed"> | undefined;
  /** One or several of: `subscription`, `one_off`, `credit`, `advance_charges` */
  invoice_type?: "subscription" | "one_off" | "credit" | "advance_charges" | ReadonlyArray<"subscription" | "one_off" | "credit" | "advance_charges"> | undefined;
  external_customer_id?: string | undefined;
  issuing_date_from?: string | undefined;
  issuing_date_to?: string | undefined;
  /** `true` for overdue invoices, `false` for the others */
  payment_overdue?: "true" | "false" | "1" | "0" | undefined;
  /** `true` for invoices with a lost dispute, `false` for the others */
  payment_dispute_lost?: "true" | "false" | "1" | "0" | undefined;
  currency?: string | undefined;
}

export interface ListMailsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** One or several of: `queued`, `sending`, `sent`, `failed`, `unknown`, `suppressed` */
  status?: "queued" | "sending" | "sent" | "failed" | "unknown" | "suppressed" | ReadonlyArray<"queued" | "sending" | "sent" | "failed" | "unknown" | "suppressed"> | undefined;
}

export interface ListParkedItemsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-parked_at`. */
  sort?: "parked_at" | "-parked_at" | undefined;
  /** One or several of: `parked`, `retried`, `skipped` */
  status?: "parked" | "retried" | "skipped" | ReadonlyArray<"parked" | "retried" | "skipped"> | undefined;
  /** One or several of: `event`, `invoice`, `wallet`, `fee_refund` */
  kind?: "event" | "invoice" | "wallet" | "fee_refund" | ReadonlyArray<"event" | "invoice" | "wallet" | "fee_refund"> | undefined;
}

export interface ListPlansQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "name" | "-name" | "code" | "-code" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name or code, in any case */
  search_term?: string | undefined;
  code?: string | undefined;
}

export interface ListSubscriptionsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `started_at`. */
  sort?: "started_at" | "-started_at" | "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name or external id, in any case */
  search_term?: string | undefined;
  /** One or several of: `pending`, `active`, `terminated`, `canceled` */
  status?: "pending" | "active" | "terminated" | "canceled" | ReadonlyArray<"pending" | "active" | "terminated" | "canceled"> | undefined;
  external_customer_id?: string | undefined;
  plan_code?: string | undefined;
  external_id?: string | undefined;
}

export interface GetSubscriptionQuery {
  /** Status of the subscription with this external_id; the default is `active` */
  status?: "pending" | "active" | "terminated" | "canceled" | undefined;
}

export interface UpdateSubscriptionQuery {
  /** Status of the subscription with this external_id; the default is `active` */
  status?: "pending" | "active" | "terminated" | "canceled" | undefined;
}

export interface TerminateSubscriptionQuery {
  /** Status of the subscription with this external_id; the default is `active` */
  status?: "pending" | "active" | "terminated" | "canceled" | undefined;
  /** What happens to unused days that were paid in advance when the subscription ends: `credit` them (the default), `refund` what was paid of them and credit the rest, or `skip` them. Ignored if the plan is paid in arrears. A change of plan is no end */
  on_termination_credit_note?: "credit" | "refund" | "skip" | undefined;
  /** `generate` the last invoice when the subscription ends (the default), or `skip` it: then the usage, the base fee in arrears and the minimum commitment of the period that ends are never billed. A change of plan is no end */
  on_termination_invoice?: "generate" | "skip" | undefined;
}

export interface ListTaxesQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "name" | "-name" | "code" | "-code" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name or code, in any case */
  search_term?: string | undefined;
  code?: string | undefined;
}

export interface ListTestClocksQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name, in any case */
  search_term?: string | undefined;
  /** One or several of: `ready`, `advancing` */
  status?: "ready" | "advancing" | ReadonlyArray<"ready" | "advancing"> | undefined;
}

export interface ListWalletsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name, in any case */
  search_term?: string | undefined;
  /** One or several of: `active`, `terminated` */
  status?: "active" | "terminated" | ReadonlyArray<"active" | "terminated"> | undefined;
  external_customer_id?: string | undefined;
  code?: string | undefined;
  currency?: string | undefined;
}

export interface ListWalletTransactionsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** One or several of: `pending`, `settled`, `failed` */
  status?: "pending" | "settled" | "failed" | ReadonlyArray<"pending" | "settled" | "failed"> | undefined;
  /** One or several of: `purchased`, `granted`, `voided`, `invoiced` */
  transaction_status?: "purchased" | "granted" | "voided" | "invoiced" | ReadonlyArray<"purchased" | "granted" | "voided" | "invoiced"> | undefined;
  /** One or several of: `inbound`, `outbound` */
  transaction_type?: "inbound" | "outbound" | ReadonlyArray<"inbound" | "outbound"> | undefined;
}

export interface ListWebhookEndpointsQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the URL, in any case */
  search_term?: string | undefined;
}

export interface ListWebhooksQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** One or several of: `pending`, `retrying`, `succeeded`, `failed` */
  status?: "pending" | "retrying" | "succeeded" | "failed" | ReadonlyArray<"pending" | "retrying" | "succeeded" | "failed"> | undefined;
  /** One or several of: `billable_metric.created`, `billable_metric.deleted`, `billable_metric.updated`, `billing.parked`, `credit_note.created`, `credit_note.generated`, `customer.created`, `customer.updated`, `events.errors`, `fee.created`, `invoice.created`, `invoice.drafted`, `invoice.generated`, `invoice.held`, `invoice.one_off_created`, `invoice.paid_credit_added`, `invoice.payment_dispute_lost`, `invoice.payment_overdue`, `invoice.payment_status_updated`, `invoice.voided`, `plan.created`, `plan.deleted`, `plan.updated`, `subscription.canceled`, `subscription.started`, `subscription.terminated`, `subscription.termination_alert`, `subscription.trial_ended`, `subscription.updated`, `wallet.created`, `wallet.depleted_ongoing_balance`, `wallet.terminated`, `wallet.updated`, `wallet_transaction.created`, `wallet_transaction.updated`, `webhook_endpoint.disabled` */
  webhook_type?: "billable_metric.created" | "billable_metric.deleted" | "billable_metric.updated" | "billing.parked" | "credit_note.created" | "credit_note.generated" | "customer.created" | "customer.updated" | "events.errors" | "fee.created" | "invoice.created" | "invoice.drafted" | "invoice.generated" | "invoice.held" | "invoice.one_off_created" | "invoice.paid_credit_added" | "invoice.payment_dispute_lost" | "invoice.payment_overdue" | "invoice.payment_status_updated" | "invoice.voided" | "plan.created" | "plan.deleted" | "plan.updated" | "subscription.canceled" | "subscription.started" | "subscription.terminated" | "subscription.termination_alert" | "subscription.trial_ended" | "subscription.updated" | "wallet.created" | "wallet.depleted_ongoing_balance" | "wallet.terminated" | "wallet.updated" | "wallet_transaction.created" | "wallet_transaction.updated" | "webhook_endpoint.disabled" | ReadonlyArray<"billable_metric.created" | "billable_metric.deleted" | "billable_metric.updated" | "billing.parked" | "credit_note.created" | "credit_note.generated" | "customer.created" | "customer.updated" | "events.errors" | "fee.created" | "invoice.created" | "invoice.drafted" | "invoice.generated" | "invoice.held" | "invoice.one_off_created" | "invoice.paid_credit_added" | "invoice.payment_dispute_lost" | "invoice.payment_overdue" | "invoice.payment_status_updated" | "invoice.voided" | "plan.created" | "plan.deleted" | "plan.updated" | "subscription.canceled" | "subscription.started" | "subscription.terminated" | "subscription.termination_alert" | "subscription.trial_ended" | "subscription.updated" | "wallet.created" | "wallet.depleted_ongoing_balance" | "wallet.terminated" | "wallet.updated" | "wallet_transaction.created" | "wallet_transaction.updated" | "webhook_endpoint.disabled"> | undefined;
  webhook_endpoint_id?: string | undefined;
  /** `svc_id` of the object of the messages */
  object_id?: string | undefined;
  /** ISO 8601, inclusive. Only webhooks created then or later */
  created_at_from?: string | undefined;
  /** ISO 8601, inclusive. Only webhooks created then or earlier */
  created_at_to?: string | undefined;
}

export class AddOnsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List add-ons. Newest first. */
  list(query: ListAddOnsQuery = {}, options: RequestOptions = {}): List<AddOn, ListMeta> {
    return this.#http.list("GET /add_ons", [], "add_ons", { ...options, query });
  }

  /** Create an add-on. Something that is billed once, on an invoice of its own. */
  create(addOn: AddOnCreate, options: RequestOptions = {}): Promise<AddOn> {
    return this.#http.one("POST /add_ons", [], "add_on", { ...options, body: { add_on: addOn } });
  }

  /** Show an add-on. Found by its code. */
  get(code: string, options: RequestOptions = {}): Promise<AddOn> {
    return this.#http.one("GET /add_ons/{code}", [code], "add_on", { ...options });
  }

  /** Change an add-on. Only the members present in the body change. Existing invoices stay unchanged. */
  update(code: string, addOn: AddOnUpdate, options: RequestOptions = {}): Promise<AddOn> {
    return this.#http.one("PUT /add_ons/{code}", [code], "add_on", { ...options, body: { add_on: addOn } });
  }

  /** Delete an add-on. Its code can be used again. Existing invoices stay unchanged. */
  delete(code: string, options: RequestOptions = {}): Promise<AddOn> {
    return this.#http.one("DELETE /add_ons/{code}", [code], "add_on", { ...options });
  }
}

export class AppliedCouponsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List applied coupons. Newest first, each with the amounts it credited on invoices. */
  list(query: ListAppliedCouponsQuery = {}, options: RequestOptions = {}): List<AppliedCouponWithCredits, ListMeta> {
    return this.#http.list("GET /applied_coupons", [], "applied_coupons", { ...options, query });
  }

  /** Apply a coupon to a customer. Uses the terms of the coupon, except for the terms in the request. */
  apply(appliedCoupon: AppliedCouponCreate, options: RequestOptions = {}): Promise<AppliedCoupon> {
    return this.#http.one("POST /applied_coupons", [], "applied_coupon", { ...options, body: { applied_coupon: appliedCoupon } });
  }
}

export class BillableMetricsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List billable metrics. Newest first. */
  list(query: ListBillableMetricsQuery = {}, options: RequestOptions = {}): List<BillableMetric, ListMeta> {
    return this.#http.list("GET /billable_metrics", [], "billable_metrics", { ...options, query });
  }

  /** Create a billable metric. Its code must not be in use in the organization. */
  create(billableMetric: BillableMetricCreate, options: RequestOptions = {}): Promise<BillableMetric> {
    return this.#http.one("POST /billable_metrics", [], "billable_metric", { ...options, body: { billable_metric: billableMetric } });
  }

  /** Show a billable metric. Found by its code. */
  get(code: string, options: RequestOptions = {}): Promise<BillableMetric> {
    return this.#http.one("GET /billable_metrics/{code}", [code], "billable_metric", { ...options });
  }

  /** Change a billable metric. Once a plan has a charge on the metric, only `name`, `description` and `filters` can change; other members are ignored. Values removed from `filters` are also removed from the filters of charges. */
  update(code: string, billableMetric: BillableMetricUpdate, options: RequestOptions = {}): Promise<BillableMetric> {
    return this.#http.one("PUT /billable_metrics/{code}", [code], "billable_metric", { ...options, body: { billable_metric: billableMetric } });
  }

  /** Delete a billable metric. Its charges are removed from their plans. Its code can be used again. */
  delete(code: string, options: RequestOptions = {}): Promise<BillableMetric> {
    return this.#http.one("DELETE /billable_metrics/{code}", [code], "billable_metric", { ...options });
  }
}

export class CouponsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List coupons. Newest first. */
  list(query: ListCouponsQuery = {}, options: RequestOptions = {}): List<Coupon, ListMeta> {
    return this.#http.list("GET /coupons", [], "coupons", { ...options, query });
  }

  /** Create a coupon. Its code must not be in use in the organization. */
  create(coupon: CouponCreate, options: RequestOptions = {}): Promise<Coupon> {
    return this.#http.one("POST /coupons", [], "coupon", { ...options, body: { coupon } });
  }

  /** Show a coupon. Found by its code. */
  get(code: string, options: RequestOptions = {}): Promise<Coupon> {
    return this.#http.one("GET /coupons/{code}", [code], "coupon", { ...options });
  }

  /** Change a coupon. Only the members present in the body change. Once the coupon was applied to a customer, only name, description, expiration and expiration_at can change; other members are ignored. */
  update(code: string, coupon: CouponUpdate, options: RequestOptions = {}): Promise<Coupon> {
    return this.#http.one("PUT /coupons/{code}", [code], "coupon", { ...options, body: { coupon } });
  }

  /** Delete a coupon. Its code can be used again. */
  delete(code: string, options: RequestOptions = {}): Promise<Coupon> {
    return this.#http.one("DELETE /coupons/{code}", [code], "coupon", { ...options });
  }
}

export class CreditNotesResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List credit notes. Newest first. */
  list(query: ListCreditNotesQuery = {}, options: RequestOptions = {}): List<CreditNote, ListMeta> {
    return this.#http.list("GET /credit_notes", [], "credit_notes", { ...options, query });
  }

  /** Create a credit note. Credit and refund together equal the items, less their share of coupons, plus taxes. The credit absorbs a rounding difference of one cent. */
  create(creditNote: CreditNoteCreate, options: RequestOptions = {}): Promise<CreditNote> {
    return this.#http.one("POST /credit_notes", [], "credit_note", { ...options, body: { credit_note: creditNote } });
  }

  /** Estimate a credit note. The total of a note on these items, and how much of it can be credited or refunded. */
  estimate(creditNote: {
    invoice_id: string;
    /** Which fees are credited, and how much of each */
    items: Array<{
      fee_id: string;
      /** Part of the fee, before coupons and taxes */
      amount_cents: number;
    }>;
  }, options: RequestOptions = {}): Promise<CreditNoteEstimate> {
    return this.#http.one("POST /credit_notes/estimate", [], "estimated_credit_note", { ...options, body: { credit_note: creditNote } });
  }

  /** Show a credit note. With its items and taxes. */
  get(id: string, options: RequestOptions = {}): Promise<CreditNote> {
    return this.#http.one("GET /credit_notes/{svc_id}", [id], "credit_note", { ...options });
  }

  /** Set the status of a refund. A note without a refund does not change. */
  update(id: string, creditNote: {
    refund_status?: "pending" | "succeeded" | "failed" | null;
  }, options: RequestOptions = {}): Promise<CreditNote> {
    return this.#http.one("PUT /credit_notes/{svc_id}", [id], "credit_note", { ...options, body: { credit_note: creditNote } });
  }

  /** Get the PDF of a credit note. While the PDF is not ready, the response is 202 and its creation begins. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days. */
  download(id: string, options: RequestOptions = {}): Promise<CreditNote> {
    return this.#http.one("POST /credit_notes/{svc_id}/download", [id], "credit_note", { ...options });
  }

  /** Email a credit note. Sends an email that failed or may be lost, or a document that was not emailed, to the customer's current addresses. A sent email is not sent again. */
  resendEmail(id: string, options: RequestOptions = {}): Promise<Mail> {
    return this.#http.one("POST /credit_notes/{svc_id}/resend_email", [id], "mail", { ...options });
  }

  /** Void a credit note. The rest of its credit can no longer be used. Used credit stays used. */
  void(id: string, options: RequestOptions = {}): Promise<CreditNote> {
    return this.#http.one("PUT /credit_notes/{svc_id}/void", [id], "credit_note", { ...options });
  }
}

export class CustomersResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List customers. Newest first. */
  list(query: ListCustomersQuery = {}, options: RequestOptions = {}): List<Customer, ListMeta> {
    return this.#http.list("GET /customers", [], "customers", { ...options, query });
  }

  /** Create or update a customer. Finds the customer by external_id. An update changes only the members present in the body. */
  upsert(customer: CustomerUpsert, options: RequestOptions = {}): Promise<Customer> {
    return this.#http.one("POST /customers", [], "customer", { ...options, body: { customer } });
  }

  /** Show a customer. With the taxes that apply. */
  get(externalId: string, options: RequestOptions = {}): Promise<Customer> {
    return this.#http.one("GET /customers/{external_id}", [externalId], "customer", { ...options });
  }

  /** Delete a customer. The external_id can be used again. Finalized invoices stay. */
  delete(externalId: string, options: RequestOptions = {}): Promise<Customer> {
    return this.#http.one("DELETE /customers/{external_id}", [externalId], "customer", { ...options });
  }

  /** Remove an applied coupon. The coupon is no longer used. Earlier credits on invoices stay. */
  removeAppliedCoupon(externalId: string, id: string, options: RequestOptions = {}): Promise<AppliedCoupon> {
    return this.#http.one("DELETE /customers/{external_id}/applied_coupons/{svc_id}", [externalId, id], "applied_coupon", { ...options });
  }

  /** Show a customer's usage in the current period. Includes all events of the period that were accepted so far, priced like the invoice at the end of the period, without coupons, credits, minimums and the base fee of the plan. A charge in advance shows the price of its highest total: the fees of its events are rounded one by one, so their sum may differ slightly. */
  getCurrentUsage(externalId: string, query: GetCurrentUsageQuery, options: RequestOptions = {}): Promise<CustomerUsage> {
    return this.#http.one("GET /customers/{external_id}/current_usage", [externalId], "customer_usage", { ...options, query });
  }

  /** Show the usage of a customer in closed periods. As it was billed, newest period first. */
  listPastUsage(externalId: string, query: ListPastUsageQuery, options: RequestOptions = {}): List<CustomerUsage, Meta> {
    return this.#http.list("GET /customers/{external_id}/past_usage", [externalId], "usage_periods", { ...options, query });
  }
}

export class EventsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List usage events. Latest timestamp first. With `status` or `reason`, a request looks through up to 10,000 events: a page can hold fewer than requested, and `next_cursor` goes on from there. */
  list(query: ListEventsQuery = {}, options: RequestOptions = {}): List<Event, EventsMeta> {
    return this.#http.list("GET /events", [], "events", { ...options, query });
  }

  /** Send a usage event. The event is stored and deduplicated before the response. A repeat returns the stored event; a different body with the same `transaction_id` and subscription is refused. The code and the subscription need not exist yet. */
  send(event: EventCreate, options: RequestOptions = {}): Promise<ReceivedEvent> {
    return this.#http.one("POST /events", [], "event", { ...options, body: { event } });
  }

  /** Send 1 to 100 usage events. All or nothing: if one event is invalid or conflicts with a stored one, none is stored. Identical repeats are allowed. */
  sendBatch(events: EventCreate[], options: RequestOptions = {}): Promise<ReceivedEvent[]> {
    return this.#http.one("POST /events/batch", [], "events", { ...options, body: { events } });
  }

  /** Estimate the fees of an event. The cost of the event if it arrived now: one fee for each charge in advance on its metric. Nothing is stored, so the ids are null. */
  estimateFees(event: {
    /** Ignored */
    transaction_id?: unknown;
    /** Ignored */
    timestamp?: unknown;
    /** External id of an active subscription */
    external_subscription_id: string;
    /** Code of a billable metric that the plan charges in advance */
    code: string;
    /** The properties of the event */
    properties?: Record<string, unknown> | null;
  }, options: RequestOptions = {}): Promise<EstimatedFee[]> {
    return this.#http.one("POST /events/estimate_fees", [], "fees", { ...options, body: { event } });
  }

  /** Show a usage event. If several subscriptions have an event with this `transaction_id`, shows the one that was received last. */
  get(transactionId: string, options: RequestOptions = {}): Promise<Event> {
    return this.#http.one("GET /events/{transaction_id}", [transactionId], "event", { ...options });
  }
}

export class FeesResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List fees. Oldest first. */
  list(query: ListFeesQuery = {}, options: RequestOptions = {}): List<Fee, ListMeta> {
    return this.#http.list("GET /fees", [], "fees", { ...options, query });
  }

  /** Show a fee. With its taxes. */
  get(id: string, options: RequestOptions = {}): Promise<Fee> {
    return this.#http.one("GET /fees/{svc_id}", [id], "fee", { ...options });
  }

  /** Set the payment status of a fee. Only for a fee without an invoice. Other fees are paid with their invoice. */
  update(id: string, fee: {
    payment_status: "pending" | "succeeded" | "failed" | "refunded";
  }, options: RequestOptions = {}): Promise<Fee> {
    return this.#http.one("PUT /fees/{svc_id}", [id], "fee", { ...options, body: { fee } });
  }

  /** Delete a fee. Only for a fee without an invoice. */
  delete(id: string, options: RequestOptions = {}): Promise<Fee> {
    return this.#http.one("DELETE /fees/{svc_id}", [id], "fee", { ...options });
  }

  /** Explain a fee. How the amount of the fee was computed, from data stored when it was billed, with the lines that add up to it. */
  getExplanation(id: string, options: RequestOptions = {}): Promise<FeeExplanation> {
    return this.#http.one("GET /fees/{svc_id}/explanation", [id], "explanation", { ...options });
  }

  /** List the events of a fee with their contributions. Events are in order of time. The contributions on all pages add up to the line `events` of the explanation. Later pages are as fast as the first. */
  listEvents(id: string, query: ListFeeEventsQuery = {}, options: RequestOptions = {}): List<EventContribution, ContributionsMeta> {
    return this.#http.list("GET /fees/{svc_id}/explanation/events", [id], "events", { ...options, query });
  }
}

export class InvoicesResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List invoices. Last issued first. Lists omit fees, subscriptions and credits; show a single invoice to get them. */
  list(query: ListInvoicesQuery = {}, options: RequestOptions = {}): List<Invoice, ListMeta> {
    return this.#http.list("GET /invoices", [], "invoices", { ...options, query });
  }

  /** Bill add-ons at once. Creates a one-off invoice that is finalized now, without coupons, credit notes and prepaid credits. */
  create(invoice: InvoiceCreate, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("POST /invoices", [], "invoice", { ...options, body: { invoice } });
  }

  /** Show the next invoice of a subscription. The next invoice of the subscription, with all subscriptions of the customer that are billed together, from current data. Nothing is stored or spent, so ids, number and timestamps are null. */
  preview(invoice: {
    /** Of an active subscription */
    external_subscription_id: string;
  }, options: RequestOptions = {}): Promise<InvoicePreview> {
    return this.#http.one("POST /invoices/preview", [], "invoice", { ...options, body: { invoice } });
  }

  /** Show an invoice. With its fees, subscriptions and credits. */
  get(id: string, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("GET /invoices/{svc_id}", [id], "invoice", { ...options });
  }

  /** Set the payment status or metadata of an invoice. Only the members present in the body change. */
  update(id: string, invoice: InvoiceUpdate, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("PUT /invoices/{svc_id}", [id], "invoice", { ...options, body: { invoice } });
  }

  /** Get the PDF of a finalized invoice. While the PDF is not ready, the response is 202 and its creation begins. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days. */
  download(id: string, options: RequestOptions = {}): Promise<Invoice> {
    return this.#http.one("POST /invoices/{svc_id}/download", [id], "invoice", { ...options });
  }

  /** Get the PDF of a finalized invoice. While the PDF is not ready, the response is 202 and its creation begins. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days. */
  downloadPdf(id: string, options: RequestOptions = {}): Promise<Invoice> {
    return this.#http.one("POST /invoices/{svc_id}/download_pdf", [id], "invoice", { ...options });
  }

  /** Explain an invoice. How the total of the invoice and the amount of each fee were computed, step by step. */
  getExplanation(id: string, options: RequestOptions = {}): Promise<InvoiceExplanation> {
    return this.#http.one("GET /invoices/{svc_id}/explanation", [id], "explanation", { ...options });
  }

  /** Finalize a draft. The invoice is recomputed, numbered, and issued today. */
  finalize(id: string, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("PUT /invoices/{svc_id}/finalize", [id], "invoice", { ...options });
  }

  /** Mark the dispute of an invoice as lost. Not for a draft. A lost dispute stays lost. */
  loseDispute(id: string, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("POST /invoices/{svc_id}/lose_dispute", [id], "invoice", { ...options });
  }

  /** Recompute a draft. Uses current usage, prices and taxes for the same periods. An invoice that is not a draft does not change. */
  refresh(id: string, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("PUT /invoices/{svc_id}/refresh", [id], "invoice", { ...options });
  }

  /** Email a finalized invoice. Sends an email that failed or may be lost, or a document that was not emailed, to the customer's current addresses. A sent email is not sent again. */
  resendEmail(id: string, options: RequestOptions = {}): Promise<Mail> {
    return this.#http.one("POST /invoices/{svc_id}/resend_email", [id], "mail", { ...options });
  }

  /** Retry a failed invoice. A failed invoice is retried automatically until it succeeds, so no invoice is ever in that state. */
  retry(id: string, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("POST /invoices/{svc_id}/retry", [id], "invoice", { ...options });
  }

  /** Recompute an invoice and compare. Recomputes a finalized invoice from its stored inputs and the events of its snapshot, and compares every member. If a member differs, the response names the input that changed. */
  getVerification(id: string, options: RequestOptions = {}): Promise<InvoiceVerification> {
    return this.#http.one("GET /invoices/{svc_id}/verification", [id], "verification", { ...options });
  }

  /** Void an invoice. Its number stays used, and its period is not billed again. */
  void(id: string, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("POST /invoices/{svc_id}/void", [id], "invoice", { ...options });
  }

  /** Write off the amount due of an invoice. The written-off amount is no longer due, and the invoice is not overdue for it. The invoice and its documents do not change. */
  writeOff(id: string, body: {
    /** A part of the amount due; default: all of it */
    amount_cents?: number | null;
    /** Why it will not be paid */
    reason: string;
  }, options: RequestOptions = {}): Promise<InvoiceWithFees> {
    return this.#http.one("POST /invoices/{svc_id}/write_off", [id], "invoice", { ...options, body });
  }
}

export class MailsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List the emails that deliver documents to customers. Newest first. */
  list(query: ListMailsQuery = {}, options: RequestOptions = {}): List<Mail, ListMeta> {
    return this.#http.list("GET /mails", [], "mails", { ...options, query });
  }
}

export class OrganizationResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** Show the organization. The one that the API key belongs to. */
  get(options: RequestOptions = {}): Promise<Organization> {
    return this.#http.one("GET /organizations", [], "organization", { ...options });
  }

  /** Change the organization. Only the members present in the body change. */
  update(organization: OrganizationUpdate, options: RequestOptions = {}): Promise<Organization> {
    return this.#http.one("PUT /organizations", [], "organization", { ...options, body: { organization } });
  }
}

export class ParkedItemsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List parked items. An item that cannot be billed is parked, and everything else goes on. Newest first; by default only items that wait for an operator (see `status`). */
  list(query: ListParkedItemsQuery = {}, options: RequestOptions = {}): List<ParkedItem, ListMeta> {
    return this.#http.list("GET /parked_items", [], "parked_items", { ...options, query });
  }

  /** Show a parked item. In any status. */
  get(id: string, options: RequestOptions = {}): Promise<ParkedItem> {
    return this.#http.one("GET /parked_items/{svc_id}", [id], "parked_item", { ...options });
  }

  /** Retry a parked item. Retries at once. On success the status is `retried`: an event is priced as if it were accepted now, an invoice takes its number now. On failure the item stays `parked`, with one more attempt and the new reason. */
  retry(id: string, body: {
    /** Mandatory: the reason, stored for later review */
    reason?: string;
  } = {}, options: RequestOptions = {}): Promise<ParkedItem> {
    return this.#http.one("POST /parked_items/{svc_id}/retry", [id], "parked_item", { ...options, body });
  }

  /** Skip a parked item. Permanent. An event becomes `not_billed` with the reason `skipped_by_operator`; an invoice is never created; the refund of a fee counts as settled manually. */
  skip(id: string, body: {
    /** Mandatory: the reason, stored for later review */
    reason?: string;
  } = {}, options: RequestOptions = {}): Promise<ParkedItem> {
    return this.#http.one("POST /parked_items/{svc_id}/skip", [id], "parked_item", { ...options, body });
  }
}

export class PlansResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List plans. Newest first. */
  list(query: ListPlansQuery = {}, options: RequestOptions = {}): List<Plan, ListMeta> {
    return this.#http.list("GET /plans", [], "plans", { ...options, query });
  }

  /** Create a plan. Its code must not be in use in the organization. */
  create(plan: PlanCreate, options: RequestOptions = {}): Promise<Plan> {
    return this.#http.one("POST /plans", [], "plan", { ...options, body: { plan } });
  }

  /** Show a plan. Found by its code. */
  get(code: string, options: RequestOptions = {}): Promise<Plan> {
    return this.#http.one("GET /plans/{code}", [code], "plan", { ...options });
  }

  /** Change a plan. Only the members present in the body change. Once the plan has subscriptions, only `name`, `invoice_display_name`, `description`, `amount_cents`, `tax_codes`, `minimum_commitment` and `charges` can change, and in existing charges only `properties`, `filters`, `invoice_display_name` and `tax_codes`. Another value for other members is refused. New prices apply to periods that end after the edit, and to fees in advance of periods that begin after it. `apply_to_drafts` applies them to drafts too. */
  update(code: string, plan: PlanUpdate, options: RequestOptions = {}): Promise<Plan> {
    return this.#http.one("PUT /plans/{code}", [code], "plan", { ...options, body: { plan } });
  }

  /** Delete a plan. Its code can be used again. */
  delete(code: string, options: RequestOptions = {}): Promise<Plan> {
    return this.#http.one("DELETE /plans/{code}", [code], "plan", { ...options });
  }
}

export class SubscriptionsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List subscriptions. Oldest start first. Only active ones, unless `status` says otherwise. */
  list(query: ListSubscriptionsQuery = {}, options: RequestOptions = {}): List<Subscription, ListMeta> {
    return this.#http.list("GET /subscriptions", [], "subscriptions", { ...options, query });
  }

  /** Create a subscription, or change its plan. For the external_id of an existing subscription and another plan: a plan that costs as much or more per year takes effect at once, a cheaper one at the end of the period. With the same plan nothing changes. */
  create(subscription: SubscriptionCreate, options: RequestOptions = {}): Promise<SubscriptionWithPlan> {
    return this.#http.one("POST /subscriptions", [], "subscription", { ...options, body: { subscription } });
  }

  /** Show a subscription. With its plan. */
  get(externalId: string, query: GetSubscriptionQuery = {}, options: RequestOptions = {}): Promise<SubscriptionWithPlan> {
    return this.#http.one("GET /subscriptions/{external_id}", [externalId], "subscription", { ...options, query });
  }

  /** Change a subscription. Only the members present in the body change. `plan_overrides` gives the subscription a plan of its own, for periods that end after the change and for advance fees of periods that begin after it. `apply_to_drafts` reprices its drafts too. */
  update(externalId: string, subscription: SubscriptionUpdate, query: UpdateSubscriptionQuery = {}, options: RequestOptions = {}): Promise<SubscriptionWithPlan> {
    return this.#http.one("PUT /subscriptions/{external_id}", [externalId], "subscription", { ...options, body: { subscription }, query });
  }

  /** End a subscription. An active subscription is terminated now; a pending one (`status=pending`) is canceled. The parameters `on_termination_credit_note` and `on_termination_invoice` replace what the subscription says about its end. */
  terminate(externalId: string, query: TerminateSubscriptionQuery = {}, options: RequestOptions = {}): Promise<SubscriptionWithPlan> {
    return this.#http.one("DELETE /subscriptions/{external_id}", [externalId], "subscription", { ...options, query });
  }
}

export class TaxesResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List taxes. Newest first. */
  list(query: ListTaxesQuery = {}, options: RequestOptions = {}): List<Tax, ListMeta> {
    return this.#http.list("GET /taxes", [], "taxes", { ...options, query });
  }

  /** Create a tax. Its code must not be in use in the organization. */
  create(tax: TaxCreate, options: RequestOptions = {}): Promise<Tax> {
    return this.#http.one("POST /taxes", [], "tax", { ...options, body: { tax } });
  }

  /** Show a tax. Found by its code. */
  get(code: string, options: RequestOptions = {}): Promise<Tax> {
    return this.#http.one("GET /taxes/{code}", [code], "tax", { ...options });
  }

  /** Change a tax. Only the members present in the body change. */
  update(code: string, tax: TaxUpdate, options: RequestOptions = {}): Promise<Tax> {
    return this.#http.one("PUT /taxes/{code}", [code], "tax", { ...options, body: { tax } });
  }

  /** Delete a tax. It is removed from everything it applied to. Finalized invoices keep it. */
  delete(code: string, options: RequestOptions = {}): Promise<Tax> {
    return this.#http.one("DELETE /taxes/{code}", [code], "tax", { ...options });
  }
}

export class TestClocksResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List test clocks. Newest first. */
  list(query: ListTestClocksQuery = {}, options: RequestOptions = {}): List<TestClock, ListMeta> {
    return this.#http.list("GET /test_clocks", [], "test_clocks", { ...options, query });
  }

  /** Create a test clock. Only in sandbox organizations. A customer created with its id uses the clock's time. */
  create(testClock: {
    name?: string | null;
    now: string;
  }, options: RequestOptions = {}): Promise<TestClock> {
    return this.#http.one("POST /test_clocks", [], "test_clock", { ...options, body: { test_clock: testClock } });
  }

  /** Show a test clock. With its progress while it advances. */
  get(id: string, options: RequestOptions = {}): Promise<TestClock> {
    return this.#http.one("GET /test_clocks/{svc_id}", [id], "test_clock", { ...options });
  }

  /** Delete a test clock and its customers. Refused while it advances. */
  delete(id: string, options: RequestOptions = {}): Promise<TestClock> {
    return this.#http.one("DELETE /test_clocks/{svc_id}", [id], "test_clock", { ...options });
  }

  /** Advance a test clock. Runs everything due for its customers up to that instant, in order, each at its own instant. Waits up to 25 s. If it takes longer, the response has the status `advancing` and the work continues. Advancing to the clock's current time changes nothing, so the call can be repeated. A target more than 25 years ahead needs `confirm: true`. Stop an advance with `POST /test_clocks/{svc_id}/cancel`. */
  advance(id: string, testClock: {
    now: string;
    /** That a target more than 25 years ahead is meant. Without effect on nearer ones. */
    confirm?: boolean;
  }, options: RequestOptions = {}): Promise<TestClock> {
    return this.#http.one("POST /test_clocks/{svc_id}/advance", [id], "test_clock", { ...options, body: { test_clock: testClock } });
  }

  /** Stop an advancing test clock. The clock stays at the instant it has reached, and everything due up to then is done. What is due later runs with the next advance. A clock that does not advance stays unchanged, so the call can be repeated. */
  cancel(id: string, options: RequestOptions = {}): Promise<TestClock> {
    return this.#http.one("POST /test_clocks/{svc_id}/cancel", [id], "test_clock", { ...options });
  }
}

export class WalletTransactionsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** Buy, grant or void credits. Creates one transaction for each kind in the request. Purchased credits count after their invoice is paid. */
  create(walletTransaction: WalletTransactionCreate, options: RequestOptions = {}): Promise<WalletTransaction[]> {
    return this.#http.one("POST /wallet_transactions", [], "wallet_transactions", { ...options, body: { wallet_transaction: walletTransaction } });
  }

  /** Show a wallet transaction. With what is left of it. */
  get(id: string, options: RequestOptions = {}): Promise<WalletTransaction> {
    return this.#http.one("GET /wallet_transactions/{svc_id}", [id], "wallet_transaction", { ...options });
  }
}

export class WalletsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List wallets. Newest first. */
  list(query: ListWalletsQuery = {}, options: RequestOptions = {}): List<Wallet, ListMeta> {
    return this.#http.list("GET /wallets", [], "wallets", { ...options, query });
  }

  /** Create a wallet. A customer can have several wallets. They are used by priority, then by age. */
  create(wallet: WalletCreate, options: RequestOptions = {}): Promise<Wallet> {
    return this.#http.one("POST /wallets", [], "wallet", { ...options, body: { wallet } });
  }

  /** Show a wallet. With its balances and its top-up rule. */
  get(id: string, options: RequestOptions = {}): Promise<Wallet> {
    return this.#http.one("GET /wallets/{svc_id}", [id], "wallet", { ...options });
  }

  /** Change a wallet. Changes only name, code, metadata, expiration_at and recurring_transaction_rules, each if it is in the body. */
  update(id: string, wallet: WalletUpdate, options: RequestOptions = {}): Promise<Wallet> {
    return this.#http.one("PUT /wallets/{svc_id}", [id], "wallet", { ...options, body: { wallet } });
  }

  /** Terminate a wallet. Voids the balance and the unpaid purchases. A purchase that cannot be voided and is paid later is refunded by a credit note. */
  terminate(id: string, options: RequestOptions = {}): Promise<Wallet> {
    return this.#http.one("DELETE /wallets/{svc_id}", [id], "wallet", { ...options });
  }

  /** List the transactions of a wallet. Newest first. */
  listTransactions(id: string, query: ListWalletTransactionsQuery = {}, options: RequestOptions = {}): List<WalletTransaction, ListMeta> {
    return this.#http.list("GET /wallets/{svc_id}/wallet_transactions", [id], "wallet_transactions", { ...options, query });
  }
}

export class WebhookEndpointsResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List webhook endpoints. Newest first. */
  list(query: ListWebhookEndpointsQuery = {}, options: RequestOptions = {}): List<WebhookEndpoint, ListMeta> {
    return this.#http.list("GET /webhook_endpoints", [], "webhook_endpoints", { ...options, query });
  }

  /** Create a webhook endpoint. The endpoint receives every change from now on, and no earlier ones. Keep the `secret` of the response: it is not shown again. */
  create(webhookEndpoint: WebhookEndpointCreate, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#http.one("POST /webhook_endpoints", [], "webhook_endpoint", { ...options, body: { webhook_endpoint: webhookEndpoint } });
  }

  /** Show a webhook endpoint. With its state. */
  get(id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#http.one("GET /webhook_endpoints/{svc_id}", [id], "webhook_endpoint", { ...options });
  }

  /** Change a webhook endpoint. Only the members present in the body change. A disabled endpoint is enabled again. */
  update(id: string, webhookEndpoint: WebhookEndpointUpdate, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#http.one("PUT /webhook_endpoints/{svc_id}", [id], "webhook_endpoint", { ...options, body: { webhook_endpoint: webhookEndpoint } });
  }

  /** Delete a webhook endpoint. Messages that were not delivered to it yet are given up. */
  delete(id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#http.one("DELETE /webhook_endpoints/{svc_id}", [id], "webhook_endpoint", { ...options });
  }

  /** Replace the secret of a webhook endpoint. The response shows the new secret, once. For 24 hours, `webhook-signature` has a signature with the new secret and one with the old secret, separated by a space; `X-Svc-Signature` uses the new secret at once. */
  rotateSecret(id: string, options: RequestOptions = {}): Promise<WebhookEndpoint> {
    return this.#http.one("POST /webhook_endpoints/{svc_id}/rotate_secret", [id], "webhook_endpoint", { ...options });
  }
}

export class WebhooksResource {
  readonly #http: Http;
  constructor(http: Http) {
    this.#http = http;
  }

  /** List webhooks. A webhook is a message for an endpoint, with every attempt to deliver it. Newest first. Webhooks are kept for 90 days. */
  list(query: ListWebhooksQuery = {}, options: RequestOptions = {}): List<Webhook, ListMeta> {
    return this.#http.list("GET /webhooks", [], "webhooks", { ...options, query });
  }

  /** Show the public key of JWT signatures. To check the header `X-Svc-Signature` of endpoints whose algorithm is `jwt`. */
  getPublicKey(options: RequestOptions = {}): Promise<{
    /** Base64 of the PEM */
    public_key: string;
  }> {
    return this.#http.one("GET /webhooks/json_public_key", [], "webhook", { ...options });
  }

  /** Send all webhooks again that match a filter. Like `retry`, for each webhook created before this request. The work continues after the response; each webhook has `replayed_at` once it is queued. */
  replay(replay: WebhookReplayCreate, options: RequestOptions = {}): Promise<WebhookReplay> {
    return this.#http.one("POST /webhooks/replay", [], "replay", { ...options, body: { replay } });
  }

  /** Show a webhook, with its payload. And with every attempt to deliver it. */
  get(id: string, options: RequestOptions = {}): Promise<WebhookWithPayload> {
    return this.#http.one("GET /webhooks/{svc_id}", [id], "webhook", { ...options });
  }

  /** Send a webhook again. Works for failed, delivered and waiting webhooks. The webhook is sent as soon as its endpoint accepts attempts, under the same id, in the same bytes. A settled webhook gets its full number of attempts again. An attempt in progress is not duplicated. */
  retry(id: string, options: RequestOptions = {}): Promise<Webhook> {
    return this.#http.one("POST /webhooks/{svc_id}/retry", [id], "webhook", { ...options });
  }
}

/** Every resource of the API. */
export class Resources {
  readonly addOns: AddOnsResource;
  readonly appliedCoupons: AppliedCouponsResource;
  readonly billableMetrics: BillableMetricsResource;
  readonly coupons: CouponsResource;
  readonly creditNotes: CreditNotesResource;
  readonly customers: CustomersResource;
  readonly events: EventsResource;
  readonly fees: FeesResource;
  readonly invoices: InvoicesResource;
  readonly mails: MailsResource;
  readonly organization: OrganizationResource;
  readonly parkedItems: ParkedItemsResource;
  readonly plans: PlansResource;
  readonly subscriptions: SubscriptionsResource;
  readonly taxes: TaxesResource;
  readonly testClocks: TestClocksResource;
  readonly walletTransactions: WalletTransactionsResource;
  readonly wallets: WalletsResource;
  readonly webhookEndpoints: WebhookEndpointsResource;
  readonly webhooks: WebhooksResource;

  constructor(http: Http) {
    this.addOns = new AddOnsResource(http);
    this.appliedCoupons = new AppliedCouponsResource(http);
    this.billableMetrics = new BillableMetricsResource(http);
    this.coupons = new CouponsResource(http);
    this.creditNotes = new CreditNotesResource(http);
    this.customers = new CustomersResource(http);
    this.events = new EventsResource(http);
    this.fees = new FeesResource(http);
    this.invoices = new InvoicesResource(http);
    this.mails = new MailsResource(http);
    this.organization = new OrganizationResource(http);
    this.parkedItems = new ParkedItemsResource(http);
    this.plans = new PlansResource(http);
    this.subscriptions = new SubscriptionsResource(http);
    this.taxes = new TaxesResource(http);
    this.testClocks = new TestClocksResource(http);
    this.walletTransactions = new WalletTransactionsResource(http);
    this.wallets = new WalletsResource(http);
    this.webhookEndpoints = new WebhookEndpointsResource(http);
    this.webhooks = new WebhooksResource(http);
  }
}
