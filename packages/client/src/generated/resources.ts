// Generated from the API description by npm run generate. Do not edit.
import type { RequestOptions } from "../http.ts";
import type { List } from "../list.ts";
import type { Activity, AddOn, AddOnCreate, AddOnUpdate, ApiKey, ApiKeyCreate, ApiKeyWithToken, AppliedCoupon, AppliedCouponCreate, AppliedCouponWithCredits, BillableMetric, BillableMetricCreate, BillableMetricUpdate, BillingRun, ContributionsMeta, Coupon, CouponCreate, CouponUpdate, Credit, CreditNote, CreditNoteCreate, CreditNoteEstimate, Customer, CustomerUpsert, CustomerUsage, EstimatedFee, Event, EventContribution, EventCreate, EventsMeta, Fee, FeeExplanation, HeldInvoice, HeldInvoiceWithComputations, IdentityProvider, IdentityProviderInput, IdentityProviderUpdate, Invitation, InvitationCreate, Invoice, InvoiceCreate, InvoiceExplanation, InvoicePage, InvoicePreview, InvoiceSummary, InvoiceUpdate, InvoiceVerification, InvoiceWithFees, ListMeta, Mail, Member, MemberUpdate, Message, MessagesMeta, Meta, Organization, OrganizationUpdate, ParkedItem, Plan, PlanCreate, PlanUpdate, ReceivedEvent, Role, RoleCreate, RoleUpdate, SampleData, SearchResults, SecurityLog, SignInRules, SignInRulesUpdate, Subscription, SubscriptionChangePreview, SubscriptionCreate, SubscriptionToPreview, SubscriptionUpdate, SubscriptionWithPlan, Tax, TaxCreate, TaxUpdate, TestClock, Wallet, WalletCreate, WalletTransaction, WalletTransactionCreate, WalletUpdate, Webhook, WebhookEndpoint, WebhookEndpointCreate, WebhookEndpointUpdate, WebhookReplay, WebhookReplayCreate, WebhookWithPayload } from "./schemas.ts";

export interface ListActivitiesQuery {
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
  /** One or several of: `key`, `person`, `command`, `service` */
  actor_kind?: "key" | "person" | "command" | "service" | ReadonlyArray<"key" | "person" | "command" | "service"> | undefined;
  actor_id?: string | undefined;
  object_type?: string | undefined;
  /** `svc_id` of the object */
  object_id?: string | undefined;
  operation?: string | undefined;
}

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

export interface ListApiKeysQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-created_at`. */
  sort?: "created_at" | "-created_at" | "name" | "-name" | undefined;
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the name, in any case */
  search_term?: string | undefined;
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

export interface ListHeldInvoicesQuery {
  /** The page number. Starts at 1, the default. */
  page?: number | undefined;
  /** Records per page. Default 100, at most 1000. */
  per_page?: number | undefined;
  /** The `next_cursor` of the previous page. Replaces `page`. Records that are added meanwhile do not shift the pages. */
  cursor?: string | undefined;
  /** Records per page, 1 to 1000. Replaces `per_page`. */
  limit?: number | undefined;
  /** The order; `-` reverses it. Default: `-held_at`. */
  sort?: "held_at" | "-held_at" | undefined;
  /** One or several of: `held`, `released` */
  status?: "held" | "released" | ReadonlyArray<"held" | "released"> | undefined;
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
  currency?: string | undefined;
  /** `true` for overdue invoices, `false` for the others */
  payment_overdue?: "true" | "false" | "1" | "0" | undefined;
  /** `true` for invoices with a lost dispute, `false` for the others */
  payment_dispute_lost?: "true" | "false" | "1" | "0" | undefined;
}

export interface GetInvoiceSummaryQuery {
  /** Created then or later. A date begins at midnight UTC. */
  created_from?: string | undefined;
  /** Created then or earlier, to the second. A date includes its whole day in UTC. */
  created_to?: string | undefined;
  /** Part of the invoice number, or of the name, id or email of its customer, in any case */
  search_term?: string | undefined;
  /** One or several of: `subscription`, `one_off`, `credit`, `advance_charges` */
  invoice_type?: "subscription" | "one_off" | "credit" | "advance_charges" | ReadonlyArray<"subscription" | "one_off" | "credit" | "advance_charges"> | undefined;
  external_customer_id?: string | undefined;
  issuing_date_from?: string | undefined;
  issuing_date_to?: string | undefined;
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

export interface ListMessagesQuery {
  /** The `next_cursor` of the last page. `latest` shows no message, and the cursor of the end. By default, from the oldest. */
  after?: string | undefined;
  /** Messages per page. Default 100, at most 1000. A page of large messages has fewer. */
  limit?: number | undefined;
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

export interface SearchRecordsQuery {
  /** A part of a name, number, code, external id or email */
  term: string | undefined;
}

export interface GetSecurityLogQuery {
  /** The first day. Default: 30 days before the last */
  from?: string | undefined;
  /** The last day. Default: today */
  to?: string | undefined;
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

export interface ActivitiesResource {
  /** List activities. Who changed what: every change through this API, the newest first. Received events are not activities, and neither are refused changes. */
  list(query?: ListActivitiesQuery, options?: RequestOptions): List<Activity, ListMeta>;

  /** Show an activity. Who changed what, when and from where. */
  getActivity(id: string, options?: RequestOptions): Promise<Activity>;
}

export interface AddOnsResource {
  /** List add-ons. Newest first. */
  list(query?: ListAddOnsQuery, options?: RequestOptions): List<AddOn, ListMeta>;

  /** Create an add-on. Something that is billed once, on an invoice of its own. */
  create(addOn: AddOnCreate, options?: RequestOptions): Promise<AddOn>;

  /** Show an add-on. Found by its code. */
  get(code: string, options?: RequestOptions): Promise<AddOn>;

  /** Change an add-on. Only the members present in the body change. Existing invoices stay unchanged. */
  update(code: string, addOn: AddOnUpdate, options?: RequestOptions): Promise<AddOn>;

  /** Delete an add-on. Its code can be used again. Existing invoices stay unchanged. */
  delete(code: string, options?: RequestOptions): Promise<AddOn>;
}

export interface ApiKeysResource {
  /** List API keys. Newest first, revoked ones included. Without tokens. */
  list(query?: ListApiKeysQuery, options?: RequestOptions): List<ApiKey, ListMeta>;

  /** Create an API key. Send `preset` or `permissions`. A caller hands out at most its own permissions, and a key that expires hands out no longer life than its own. Keep the `token` of the response: it is not shown again. */
  create(apiKey: ApiKeyCreate, options?: RequestOptions): Promise<ApiKeyWithToken>;

  /** Show an API key. Without its token. */
  get(keyId: string, options?: RequestOptions): Promise<ApiKey>;

  /** Revoke an API key. It stops working within 5 seconds, also if it is the key of this request or the last one. */
  delete(keyId: string, options?: RequestOptions): Promise<ApiKey>;

  /** Replace an API key. The new key has the name, permissions and expiry of the old one, which works until the overlap ends. A key is replaced once. The same limits apply as for a new key. Keep the `token` of the response: it is not shown again. */
  rotate(keyId: string, body?: {
    /** How long the old key works beside the new one; by default 86400 */
    overlap_seconds?: number;
  }, options?: RequestOptions): Promise<ApiKeyWithToken>;
}

export interface AppliedCouponsResource {
  /** List applied coupons. Newest first, each with the amounts it credited on invoices. */
  list(query?: ListAppliedCouponsQuery, options?: RequestOptions): List<AppliedCouponWithCredits, ListMeta>;

  /** Apply a coupon to a customer. Uses the terms of the coupon, except for the terms in the request. */
  apply(appliedCoupon: AppliedCouponCreate, options?: RequestOptions): Promise<AppliedCoupon>;
}

export interface BillableMetricsResource {
  /** List billable metrics. Newest first. */
  list(query?: ListBillableMetricsQuery, options?: RequestOptions): List<BillableMetric, ListMeta>;

  /** Create a billable metric. Its code must not be in use in the organization. */
  create(billableMetric: BillableMetricCreate, options?: RequestOptions): Promise<BillableMetric>;

  /** Show a billable metric. Found by its code. */
  get(code: string, options?: RequestOptions): Promise<BillableMetric>;

  /** Change a billable metric. Once a plan has a charge on the metric, only `name`, `description` and `filters` can change; other members are ignored. Values removed from `filters` are also removed from the filters of charges. */
  update(code: string, billableMetric: BillableMetricUpdate, options?: RequestOptions): Promise<BillableMetric>;

  /** Delete a billable metric. Its charges are removed from their plans. Its code can be used again. */
  delete(code: string, options?: RequestOptions): Promise<BillableMetric>;
}

export interface BillingRunResource {
  /** Show whether billing runs. The billing run creates and finalizes invoices at their instants. */
  get(options?: RequestOptions): Promise<BillingRun>;

  /** Pause billing. From now on, no invoice is created or finalized on its own; everything else goes on. Invoices in progress are still finished. Requests for a single invoice are processed, and test clocks ignore the pause. */
  pause(options?: RequestOptions): Promise<BillingRun>;

  /** Resume billing. Each waiting invoice is created or finalized once, as of its own instant. */
  resume(options?: RequestOptions): Promise<BillingRun>;
}

export interface CouponsResource {
  /** List coupons. Newest first. */
  list(query?: ListCouponsQuery, options?: RequestOptions): List<Coupon, ListMeta>;

  /** Create a coupon. Its code must not be in use in the organization. */
  create(coupon: CouponCreate, options?: RequestOptions): Promise<Coupon>;

  /** Show a coupon. Found by its code. */
  get(code: string, options?: RequestOptions): Promise<Coupon>;

  /** Change a coupon. Only the members present in the body change. Once the coupon was applied to a customer, only name, description, expiration and expiration_at can change; other members are ignored. */
  update(code: string, coupon: CouponUpdate, options?: RequestOptions): Promise<Coupon>;

  /** Delete a coupon. Its code can be used again. */
  delete(code: string, options?: RequestOptions): Promise<Coupon>;
}

export interface CreditNotesResource {
  /** List credit notes. Newest first. */
  list(query?: ListCreditNotesQuery, options?: RequestOptions): List<CreditNote, ListMeta>;

  /** Create a credit note. Credit and refund together equal the items, less their share of coupons, plus taxes. The credit absorbs a rounding difference of one cent. */
  create(creditNote: CreditNoteCreate, options?: RequestOptions): Promise<CreditNote>;

  /** Estimate a credit note. The total of a note on these items, and how much of it can be credited or refunded. */
  estimate(creditNote: {
    invoice_id: string;
    /** Which fees are credited, and how much of each */
    items: Array<{
      fee_id: string;
      /** Part of the fee, before coupons and taxes */
      amount_cents: number;
    }>;
  }, options?: RequestOptions): Promise<CreditNoteEstimate>;

  /** Show a credit note. With its items and taxes. */
  get(id: string, options?: RequestOptions): Promise<CreditNote>;

  /** Set the status of a refund. A note without a refund does not change. */
  update(id: string, creditNote: {
    refund_status?: "pending" | "succeeded" | "failed" | null;
  }, options?: RequestOptions): Promise<CreditNote>;

  /** Get the PDF of a credit note. While the PDF is not ready, the response is 202 and its creation begins. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days. */
  download(id: string, options?: RequestOptions): Promise<CreditNote>;

  /** Email a credit note. Sends an email that failed or may be lost, or a document that was not emailed, to the customer's current addresses. A sent email is not sent again. */
  resendEmail(id: string, options?: RequestOptions): Promise<Mail>;

  /** Void a credit note. The rest of its credit can no longer be used. Used credit stays used. */
  void(id: string, options?: RequestOptions): Promise<CreditNote>;
}

export interface CustomersResource {
  /** List customers. Newest first. */
  list(query?: ListCustomersQuery, options?: RequestOptions): List<Customer, ListMeta>;

  /** Create or update a customer. Finds the customer by external_id. An update changes only the members present in the body. */
  upsert(customer: CustomerUpsert, options?: RequestOptions): Promise<Customer>;

  /** Show a customer. With the taxes that apply. */
  get(externalId: string, options?: RequestOptions): Promise<Customer>;

  /** Delete a customer. The external_id can be used again. Finalized invoices stay. */
  delete(externalId: string, options?: RequestOptions): Promise<Customer>;

  /** Remove an applied coupon. The coupon is no longer used. Earlier credits on invoices stay. */
  removeAppliedCoupon(externalId: string, id: string, options?: RequestOptions): Promise<AppliedCoupon>;

  /** Show a customer's usage in the current period. Includes all events of the period that were accepted so far, priced like the invoice at the end of the period, without coupons, credits, minimums and the base fee of the plan. A charge in advance shows the price of its highest total: the fees of its events are rounded one by one, so their sum may differ slightly. */
  getCurrentUsage(externalId: string, query: GetCurrentUsageQuery, options?: RequestOptions): Promise<CustomerUsage>;

  /** Show the usage of a customer in closed periods. As it was billed, newest period first. */
  listPastUsage(externalId: string, query: ListPastUsageQuery, options?: RequestOptions): List<CustomerUsage, Meta>;
}

export interface EventsResource {
  /** List usage events. Latest timestamp first. With `status` or `reason`, a request looks through up to 10,000 events: a page can hold fewer than requested, and `next_cursor` goes on from there. */
  list(query?: ListEventsQuery, options?: RequestOptions): List<Event, EventsMeta>;

  /** Send a usage event. The event is stored and deduplicated before the response. A repeat returns the stored event; a different body with the same `transaction_id` and subscription is refused. The code and the subscription need not exist yet. CloudEvents are taken too, one or a list of up to 1,000, and answered with 204. */
  send(event: EventCreate, options?: RequestOptions): Promise<ReceivedEvent>;

  /** Send 1 to 100 usage events. All or nothing: if one event is invalid or conflicts with a stored one, none is stored. Identical repeats are allowed. */
  sendBatch(events: EventCreate[], options?: RequestOptions): Promise<ReceivedEvent[]>;

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
  }, options?: RequestOptions): Promise<EstimatedFee[]>;

  /** Show a usage event. If several subscriptions have an event with this `transaction_id`, shows the one that was received last. */
  get(transactionId: string, options?: RequestOptions): Promise<Event>;
}

export interface FeesResource {
  /** List fees. Oldest first. */
  list(query?: ListFeesQuery, options?: RequestOptions): List<Fee, ListMeta>;

  /** Show a fee. With its taxes. */
  get(id: string, options?: RequestOptions): Promise<Fee>;

  /** Set the payment status of a fee. Only for a fee without an invoice. Other fees are paid with their invoice. */
  update(id: string, fee: {
    payment_status: "pending" | "succeeded" | "failed" | "refunded";
  }, options?: RequestOptions): Promise<Fee>;

  /** Delete a fee. Only for a fee without an invoice. */
  delete(id: string, options?: RequestOptions): Promise<Fee>;

  /** Explain a fee. How the amount of the fee was computed, from data stored when it was billed, with the lines that add up to it. */
  getExplanation(id: string, options?: RequestOptions): Promise<FeeExplanation>;

  /** List the events of a fee with their contributions. Events are in order of time. The contributions on all pages add up to the line `events` of the explanation. Later pages are as fast as the first. */
  listEvents(id: string, query?: ListFeeEventsQuery, options?: RequestOptions): List<EventContribution, ContributionsMeta>;
}

export interface HeldInvoicesResource {
  /** List held invoices. An invoice is held if two computations of it differ. It is not finalized until an operator releases it. Last held first; by default only those that are held (see `status`). */
  list(query?: ListHeldInvoicesQuery, options?: RequestOptions): List<HeldInvoice, ListMeta>;

  /** Show a held invoice with both computations. In any status. */
  get(id: string, options?: RequestOptions): Promise<HeldInvoiceWithComputations>;

  /** Release a held invoice. Finalizes the invoice at once with the first computation, as of its own instant. */
  release(id: string, body?: {
    /** Mandatory: the reason, stored for later review */
    reason?: string;
  }, options?: RequestOptions): Promise<HeldInvoice>;
}

export interface IdentityProvidersResource {
  /** List identity providers. Oldest first, all on one page. */
  list(options?: RequestOptions): Promise<IdentityProvider[]>;

  /** Create an identity provider. People sign in through it by OpenID Connect. Register the `redirect_uri` of the answer there. Each mail domain works once the operator of the installation has approved it. */
  create(identityProvider: IdentityProviderInput, options?: RequestOptions): Promise<IdentityProvider>;

  /** Show an identity provider. Without its client secret. */
  get(id: string, options?: RequestOptions): Promise<IdentityProvider>;

  /** Change an identity provider. Only the members present in the body change. A provider that is disabled ends its sessions within 5 seconds. */
  update(id: string, identityProvider: IdentityProviderUpdate, options?: RequestOptions): Promise<IdentityProvider>;

  /** Delete an identity provider. Its sessions end within 5 seconds. People stay members, and it forgets who they are there. */
  delete(id: string, options?: RequestOptions): Promise<IdentityProvider>;
}

export interface InvitationsResource {
  /** List invitations. Those that nobody has accepted yet, oldest first, all on one page. */
  list(options?: RequestOptions): Promise<Invitation[]>;

  /** Invite a person. Sends an email with a link that works for 7 days and once. Without a mail server, the response shows the link: pass it on yourself. Nobody hands out more than they have. */
  create(invitation: InvitationCreate, options?: RequestOptions): Promise<Invitation>;

  /** Show an invitation. Found by its id. */
  get(id: string, options?: RequestOptions): Promise<Invitation>;

  /** Revoke an invitation. Its link stops working at once. */
  delete(id: string, options?: RequestOptions): Promise<Invitation>;
}

export interface InvoicesResource {
  /** List invoices. Last issued first. Lists omit fees, subscriptions and credits; show a single invoice to get them. */
  list(query?: ListInvoicesQuery, options?: RequestOptions): List<Invoice, ListMeta>;

  /** Bill add-ons at once. Creates a one-off invoice that is finalized now, without coupons, credit notes and prepaid credits. */
  create(invoice: InvoiceCreate, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Show the next invoice of a subscription. The next invoice of the subscription, with all subscriptions of the customer that are billed together, from current data. Nothing is stored or spent, so ids, number and timestamps are null. What another subscription that ends at the same instant gives back is not in it. */
  preview(invoice: {
    /** Of an active subscription */
    external_subscription_id: string;
  }, options?: RequestOptions): Promise<InvoicePreview>;

  /** Count and sum invoices. For each view of the list its number of invoices, and their amounts by currency, under the filters of the list that are not about states. `draft`, `to_pay`, `overdue`, `paid` and `voided` have no invoice in common. */
  getSummary(query?: GetInvoiceSummaryQuery, options?: RequestOptions): Promise<InvoiceSummary>;

  /** Show an invoice. With its fees, subscriptions and credits. */
  get(id: string, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Set the payment status or metadata of an invoice. Only the members present in the body change. */
  update(id: string, invoice: InvoiceUpdate, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Get the PDF of a finalized invoice. While the PDF is not ready, the response is 202 and its creation begins. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days. */
  download(id: string, options?: RequestOptions): Promise<Invoice>;

  /** Get the PDF of a finalized invoice. While the PDF is not ready, the response is 202 and its creation begins. Repeat the request, or wait for the webhook. Then `file_url` is a link that is valid for seven days. */
  downloadPdf(id: string, options?: RequestOptions): Promise<Invoice>;

  /** Explain an invoice. How the total of the invoice and the amount of each fee were computed, step by step. */
  getExplanation(id: string, options?: RequestOptions): Promise<InvoiceExplanation>;

  /** Finalize a draft. The invoice is recomputed, numbered, and issued today. */
  finalize(id: string, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Mark the dispute of an invoice as lost. Not for a draft. A lost dispute stays lost. */
  loseDispute(id: string, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Show the pages of an invoice. The document as its customer sees it, each page as an SVG. Also for a draft, with its current amounts. Texts are outlines, and there are no scripts: show a page as an image, with a `data:image/svg+xml` address. */
  getPages(id: string, options?: RequestOptions): Promise<InvoicePage[]>;

  /** Recompute a draft. Uses current usage, prices and taxes for the same periods. An invoice that is not a draft does not change. */
  refresh(id: string, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Email a finalized invoice. Sends an email that failed or may be lost, or a document that was not emailed, to the customer's current addresses. A sent email is not sent again. */
  resendEmail(id: string, options?: RequestOptions): Promise<Mail>;

  /** Retry a failed invoice. A failed invoice is retried automatically until it succeeds, so no invoice is ever in that state. */
  retry(id: string, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Recompute an invoice and compare. Recomputes a finalized invoice from its stored inputs and the events of its snapshot, and compares every member. If a member differs, the response names the input that changed. */
  getVerification(id: string, options?: RequestOptions): Promise<InvoiceVerification>;

  /** Void an invoice. Its number stays used, and its period is not billed again. */
  void(id: string, options?: RequestOptions): Promise<InvoiceWithFees>;

  /** Write off the amount due of an invoice. The written-off amount is no longer due, and the invoice is not overdue for it. The invoice and its documents do not change. */
  writeOff(id: string, body: {
    /** A part of the amount due; default: all of it */
    amount_cents?: number | null;
    /** Why it will not be paid */
    reason: string;
  }, options?: RequestOptions): Promise<InvoiceWithFees>;
}

export interface MailsResource {
  /** List the emails that deliver documents to customers. Newest first. */
  list(query?: ListMailsQuery, options?: RequestOptions): List<Mail, ListMeta>;
}

export interface MembersResource {
  /** List members. The people who may act for the organization, oldest first, all on one page. */
  list(options?: RequestOptions): Promise<Member[]>;

  /** Show a member. Found by the id of the person. */
  get(id: string, options?: RequestOptions): Promise<Member>;

  /** Change the role of a member. It applies within 5 seconds. The last owner stays one, and nobody hands out more than they have. */
  update(id: string, member: MemberUpdate, options?: RequestOptions): Promise<Member>;

  /** Remove a member. The person has no access from 5 seconds later on. The last owner cannot be removed. */
  delete(id: string, options?: RequestOptions): Promise<Member>;
}

export interface MessagesResource {
  /** Read published messages in order. What webhooks carry, for programs that no webhook reaches. Keep `next_cursor` and send it as `after` to read on: nothing is missed or shown twice. Messages appear when they are dispatched, usually within a second, and stay for `WEBHOOK_RETENTION_DAYS`. */
  list(query?: ListMessagesQuery, options?: RequestOptions): List<Message, MessagesMeta>;
}

export interface OrganizationResource {
  /** Show the organization. The one that the API key belongs to. */
  get(options?: RequestOptions): Promise<Organization>;

  /** Change the organization. Only the members present in the body change. */
  update(organization: OrganizationUpdate, options?: RequestOptions): Promise<Organization>;
}

export interface ParkedItemsResource {
  /** List parked items. An item that cannot be billed is parked, and everything else goes on. Newest first; by default only items that wait for an operator (see `status`). */
  list(query?: ListParkedItemsQuery, options?: RequestOptions): List<ParkedItem, ListMeta>;

  /** Show a parked item. In any status. */
  get(id: string, options?: RequestOptions): Promise<ParkedItem>;

  /** Retry a parked item. Retries at once. On success the status is `retried`: an event is priced as if it were accepted now, an invoice takes its number now. On failure the item stays `parked`, with one more attempt and the new reason. */
  retry(id: string, body?: {
    /** Mandatory: the reason, stored for later review */
    reason?: string;
  }, options?: RequestOptions): Promise<ParkedItem>;

  /** Skip a parked item. Permanent. An event becomes `not_billed` with the reason `skipped_by_operator`; an invoice is never created; the refund of a fee counts as settled manually. */
  skip(id: string, body?: {
    /** Mandatory: the reason, stored for later review */
    reason?: string;
  }, options?: RequestOptions): Promise<ParkedItem>;
}

export interface PlansResource {
  /** List plans. Newest first. */
  list(query?: ListPlansQuery, options?: RequestOptions): List<Plan, ListMeta>;

  /** Create a plan. Its code must not be in use in the organization. */
  create(plan: PlanCreate, options?: RequestOptions): Promise<Plan>;

  /** Show a plan. Found by its code. */
  get(code: string, options?: RequestOptions): Promise<Plan>;

  /** Change a plan. Only the members present in the body change. Once the plan has subscriptions, only `name`, `invoice_display_name`, `description`, `amount_cents`, `tax_codes`, `minimum_commitment` and `charges` can change, and in existing charges only `properties`, `filters`, `invoice_display_name` and `tax_codes`. Another value for other members is refused. New prices apply to periods that end after the edit, and to fees in advance of periods that begin after it. `apply_to_drafts` applies them to drafts too. */
  update(code: string, plan: PlanUpdate, options?: RequestOptions): Promise<Plan>;

  /** Delete a plan. Its code can be used again. */
  delete(code: string, options?: RequestOptions): Promise<Plan>;
}

export interface RolesResource {
  /** List roles. Those that every organization has, and then its own, all on one page. */
  list(options?: RequestOptions): Promise<Role[]>;

  /** Create a role. Nobody hands out more than they have: its permissions must be among yours. */
  create(role: RoleCreate, options?: RequestOptions): Promise<Role>;

  /** Show a role. Found by its code. */
  get(code: string, options?: RequestOptions): Promise<Role>;

  /** Change a role. Only the members present in the body change. It applies to its members within 5 seconds. */
  update(code: string, role: RoleUpdate, options?: RequestOptions): Promise<Role>;

  /** Delete a role. No member and no invitation may have it. */
  delete(code: string, options?: RequestOptions): Promise<Role>;
}

export interface SampleDataResource {
  /** Show whether the organization has sample data. Also how far the making or removing of it is. */
  get(options?: RequestOptions): Promise<SampleData>;

  /** Fill a sandbox organization with sample data. A company with 12 customers, 3 plans, 5 metrics and half a year of usage and invoices on a test clock. The amounts are the same each time. A worker makes it in about 20 seconds, and `GET /sample_data` shows the progress. If it is there already, nothing changes. */
  make(options?: RequestOptions): Promise<SampleData>;

  /** Remove the sample data. Deletes the sample customers with their test clock, and the sample catalog. Finalized invoices stay, because an invoice is never deleted. A worker does it, and `GET /sample_data` shows when it is done. */
  remove(options?: RequestOptions): Promise<SampleData>;
}

export interface SearchResource {
  /** Search records of every kind. At most 5 records of each kind that contain the term in any case, newest first. It needs no permission of its own: only the kinds that the caller may read are searched. */
  find(query: SearchRecordsQuery, options?: RequestOptions): Promise<SearchResults>;
}

export interface SecurityLogResource {
  /** Show the security log. Counts for each day in UTC. A use is in it a few seconds later. */
  get(query?: GetSecurityLogQuery, options?: RequestOptions): Promise<SecurityLog>;
}

export interface SignInRulesResource {
  /** Show the sign-in rules. What the organization demands of people who sign in. Keys are not affected. */
  get(options?: RequestOptions): Promise<SignInRules>;

  /** Change the sign-in rules. Only the members present in the body change. They apply to every session within 5 seconds. Only an owner changes them, and only to demands that the owner's own session meets. */
  update(signInRules: SignInRulesUpdate, options?: RequestOptions): Promise<SignInRules>;
}

export interface SubscriptionsResource {
  /** List subscriptions. Oldest start first. Only active ones, unless `status` says otherwise. */
  list(query?: ListSubscriptionsQuery, options?: RequestOptions): List<Subscription, ListMeta>;

  /** Create a subscription, or change its plan. For the external_id of an existing subscription and another plan: a plan that costs as much or more per year takes effect at once, a cheaper one at the end of the period. With the same plan nothing changes. */
  create(subscription: SubscriptionCreate, options?: RequestOptions): Promise<SubscriptionWithPlan>;

  /** Preview a change of a subscription. The invoices and credit notes that the change would make now, and the next invoice of the subscription without and with the change, from current data. The change itself runs and is rolled back: nothing is stored, spent or published, and a change that would be refused is refused in the same way. Ids, numbers and timestamps of what does not exist are null, and so is a next invoice of a subscription that is not active. Invoices of fees that were paid alone are not in it, nor top-ups of wallets. Needs `invoice:read` besides. */
  preview(body: {
    /** `create`: as `POST /subscriptions`. `plan`: the same for a subscription that exists; its customer need not be named. `update`: as `PUT /subscriptions/{external_id}`. `end`: as `DELETE /subscriptions/{external_id}` */
    change: "create" | "plan" | "update" | "end";
    subscription: SubscriptionToPreview;
    /** For `update` and `end`: the status of the subscription; the default is `active` */
    status?: "pending" | "active" | "terminated" | "canceled";
  }, options?: RequestOptions): Promise<SubscriptionChangePreview>;

  /** Show a subscription. With its plan. */
  get(externalId: string, query?: GetSubscriptionQuery, options?: RequestOptions): Promise<SubscriptionWithPlan>;

  /** Change a subscription. Only the members present in the body change. `plan_overrides` gives the subscription a plan of its own, for periods that end after the change and for advance fees of periods that begin after it. `apply_to_drafts` reprices its drafts too. */
  update(externalId: string, subscription: SubscriptionUpdate, query?: UpdateSubscriptionQuery, options?: RequestOptions): Promise<SubscriptionWithPlan>;

  /** End a subscription. An active subscription is terminated now; a pending one (`status=pending`) is canceled. The parameters `on_termination_credit_note` and `on_termination_invoice` replace what the subscription says about its end. */
  terminate(externalId: string, query?: TerminateSubscriptionQuery, options?: RequestOptions): Promise<SubscriptionWithPlan>;
}

export interface TaxesResource {
  /** List taxes. Newest first. */
  list(query?: ListTaxesQuery, options?: RequestOptions): List<Tax, ListMeta>;

  /** Create a tax. Its code must not be in use in the organization. */
  create(tax: TaxCreate, options?: RequestOptions): Promise<Tax>;

  /** Show a tax. Found by its code. */
  get(code: string, options?: RequestOptions): Promise<Tax>;

  /** Change a tax. Only the members present in the body change. */
  update(code: string, tax: TaxUpdate, options?: RequestOptions): Promise<Tax>;

  /** Delete a tax. It is removed from everything it applied to. Finalized invoices keep it. */
  delete(code: string, options?: RequestOptions): Promise<Tax>;
}

export interface TestClocksResource {
  /** List test clocks. Newest first. */
  list(query?: ListTestClocksQuery, options?: RequestOptions): List<TestClock, ListMeta>;

  /** Create a test clock. Only in sandbox organizations. A customer created with its id uses the clock's time. */
  create(testClock: {
    name?: string | null;
    now: string;
  }, options?: RequestOptions): Promise<TestClock>;

  /** Show a test clock. With its progress while it advances. */
  get(id: string, options?: RequestOptions): Promise<TestClock>;

  /** Delete a test clock and its customers. Refused while it advances. */
  delete(id: string, options?: RequestOptions): Promise<TestClock>;

  /** Advance a test clock. Runs everything due for its customers up to that instant, in order, each at its own instant. Waits up to 25 s. If it takes longer, the response has the status `advancing` and the work continues. Advancing to the clock's current time changes nothing, so the call can be repeated. A target more than 25 years ahead needs `confirm: true`. Stop an advance with `POST /test_clocks/{svc_id}/cancel`. */
  advance(id: string, testClock: {
    now: string;
    /** That a target more than 25 years ahead is meant. Without effect on nearer ones. */
    confirm?: boolean;
  }, options?: RequestOptions): Promise<TestClock>;

  /** Stop an advancing test clock. The clock stays at the instant it has reached, and everything due up to then is done. What is due later runs with the next advance. A clock that does not advance stays unchanged, so the call can be repeated. */
  cancel(id: string, options?: RequestOptions): Promise<TestClock>;
}

export interface WalletTransactionsResource {
  /** Buy, grant or void credits. Creates one transaction for each kind in the request. Purchased credits count after their invoice is paid. */
  create(walletTransaction: WalletTransactionCreate, options?: RequestOptions): Promise<WalletTransaction[]>;

  /** Show a wallet transaction. With what is left of it. */
  get(id: string, options?: RequestOptions): Promise<WalletTransaction>;
}

export interface WalletsResource {
  /** List wallets. Newest first. */
  list(query?: ListWalletsQuery, options?: RequestOptions): List<Wallet, ListMeta>;

  /** Create a wallet. A customer can have several wallets. They are used by priority, then by age. */
  create(wallet: WalletCreate, options?: RequestOptions): Promise<Wallet>;

  /** Show a wallet. With its balances and its top-up rule. */
  get(id: string, options?: RequestOptions): Promise<Wallet>;

  /** Change a wallet. Changes only name, code, metadata, expiration_at and recurring_transaction_rules, each if it is in the body. */
  update(id: string, wallet: WalletUpdate, options?: RequestOptions): Promise<Wallet>;

  /** Terminate a wallet. Voids the balance and the unpaid purchases. A purchase that cannot be voided and is paid later is refunded by a credit note. */
  terminate(id: string, options?: RequestOptions): Promise<Wallet>;

  /** List the transactions of a wallet. Newest first. */
  listTransactions(id: string, query?: ListWalletTransactionsQuery, options?: RequestOptions): List<WalletTransaction, ListMeta>;
}

export interface WebhookEndpointsResource {
  /** List webhook endpoints. Newest first. */
  list(query?: ListWebhookEndpointsQuery, options?: RequestOptions): List<WebhookEndpoint, ListMeta>;

  /** Create a webhook endpoint. The endpoint receives every change from now on, and no earlier ones. Keep the `secret` of the response: it is not shown again. */
  create(webhookEndpoint: WebhookEndpointCreate, options?: RequestOptions): Promise<WebhookEndpoint>;

  /** Show a webhook endpoint. With its state. */
  get(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;

  /** Change a webhook endpoint. Only the members present in the body change. A disabled endpoint is enabled again. */
  update(id: string, webhookEndpoint: WebhookEndpointUpdate, options?: RequestOptions): Promise<WebhookEndpoint>;

  /** Delete a webhook endpoint. Messages that were not delivered to it yet are given up. */
  delete(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;

  /** Replace the secret of a webhook endpoint. The response shows the new secret, once. For 24 hours, `webhook-signature` has a signature with the new secret and one with the old secret, separated by a space; `X-Svc-Signature` uses the new secret at once. */
  rotateSecret(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;
}

export interface WebhooksResource {
  /** List webhooks. A webhook is a message for an endpoint, with every attempt to deliver it. Newest first. Webhooks are kept for 90 days. */
  list(query?: ListWebhooksQuery, options?: RequestOptions): List<Webhook, ListMeta>;

  /** Show the public key of JWT signatures. To check the header `X-Svc-Signature` of endpoints whose algorithm is `jwt`. */
  getPublicKey(options?: RequestOptions): Promise<{
    /** Base64 of the PEM */
    public_key: string;
  }>;

  /** Send all webhooks again that match a filter. Like `retry`, for each webhook created before this request. The work continues after the response; each webhook has `replayed_at` once it is queued. */
  replay(replay: WebhookReplayCreate, options?: RequestOptions): Promise<WebhookReplay>;

  /** Show a webhook, with its payload. And with every attempt to deliver it. */
  get(id: string, options?: RequestOptions): Promise<WebhookWithPayload>;

  /** Send a webhook again. Works for failed, delivered and waiting webhooks. The webhook is sent as soon as its endpoint accepts attempts, under the same id, in the same bytes. A settled webhook gets its full number of attempts again. An attempt in progress is not duplicated. */
  retry(id: string, options?: RequestOptions): Promise<Webhook>;
}

/** Every resource of the API. */
export interface Resources {
  readonly activities: ActivitiesResource;
  readonly addOns: AddOnsResource;
  readonly apiKeys: ApiKeysResource;
  readonly appliedCoupons: AppliedCouponsResource;
  readonly billableMetrics: BillableMetricsResource;
  readonly billingRun: BillingRunResource;
  readonly coupons: CouponsResource;
  readonly creditNotes: CreditNotesResource;
  readonly customers: CustomersResource;
  readonly events: EventsResource;
  readonly fees: FeesResource;
  readonly heldInvoices: HeldInvoicesResource;
  readonly identityProviders: IdentityProvidersResource;
  readonly invitations: InvitationsResource;
  readonly invoices: InvoicesResource;
  readonly mails: MailsResource;
  readonly members: MembersResource;
  readonly messages: MessagesResource;
  readonly organization: OrganizationResource;
  readonly parkedItems: ParkedItemsResource;
  readonly plans: PlansResource;
  readonly roles: RolesResource;
  readonly sampleData: SampleDataResource;
  readonly search: SearchResource;
  readonly securityLog: SecurityLogResource;
  readonly signInRules: SignInRulesResource;
  readonly subscriptions: SubscriptionsResource;
  readonly taxes: TaxesResource;
  readonly testClocks: TestClocksResource;
  readonly walletTransactions: WalletTransactionsResource;
  readonly wallets: WalletsResource;
  readonly webhookEndpoints: WebhookEndpointsResource;
  readonly webhooks: WebhooksResource;
}

/**
 * By resource and method: verb; path; member of the answer, with [] for a list, whose name is by default the end of the path; member of
 * the body, = for that of the answer, * for a body without; ? with a query.
 */
export const METHODS = {
  activities: {
    list: "GET /activities []  ?",
    getActivity: "GET /activities/{svc_id} activity",
  },
  addOns: {
    list: "GET /add_ons []  ?",
    create: "POST /add_ons add_on =",
    get: "GET /add_ons/{code} add_on",
    update: "PUT /add_ons/{code} add_on =",
    delete: "DELETE /add_ons/{code} add_on",
  },
  apiKeys: {
    list: "GET /api_keys []  ?",
    create: "POST /api_keys api_key =",
    get: "GET /api_keys/{key_id} api_key",
    delete: "DELETE /api_keys/{key_id} api_key",
    rotate: "POST /api_keys/{key_id}/rotate api_key *",
  },
  appliedCoupons: {
    list: "GET /applied_coupons []  ?",
    apply: "POST /applied_coupons applied_coupon =",
  },
  billableMetrics: {
    list: "GET /billable_metrics []  ?",
    create: "POST /billable_metrics billable_metric =",
    get: "GET /billable_metrics/{code} billable_metric",
    update: "PUT /billable_metrics/{code} billable_metric =",
    delete: "DELETE /billable_metrics/{code} billable_metric",
  },
  billingRun: {
    get: "GET /billing_run billing_run",
    pause: "POST /billing_run/pause billing_run",
    resume: "POST /billing_run/resume billing_run",
  },
  coupons: {
    list: "GET /coupons []  ?",
    create: "POST /coupons coupon =",
    get: "GET /coupons/{code} coupon",
    update: "PUT /coupons/{code} coupon =",
    delete: "DELETE /coupons/{code} coupon",
  },
  creditNotes: {
    list: "GET /credit_notes []  ?",
    create: "POST /credit_notes credit_note =",
    estimate: "POST /credit_notes/estimate estimated_credit_note credit_note",
    get: "GET /credit_notes/{svc_id} credit_note",
    update: "PUT /credit_notes/{svc_id} credit_note =",
    download: "POST /credit_notes/{svc_id}/download credit_note",
    resendEmail: "POST /credit_notes/{svc_id}/resend_email mail",
    void: "PUT /credit_notes/{svc_id}/void credit_note",
  },
  customers: {
    list: "GET /customers []  ?",
    upsert: "POST /customers customer =",
    get: "GET /customers/{external_id} customer",
    delete: "DELETE /customers/{external_id} customer",
    removeAppliedCoupon: "DELETE /customers/{external_id}/applied_coupons/{svc_id} applied_coupon",
    getCurrentUsage: "GET /customers/{external_id}/current_usage customer_usage  ?",
    listPastUsage: "GET /customers/{external_id}/past_usage usage_periods[]  ?",
  },
  events: {
    list: "GET /events []  ?",
    send: "POST /events event =",
    sendBatch: "POST /events/batch events =",
    estimateFees: "POST /events/estimate_fees fees event",
    get: "GET /events/{transaction_id} event",
  },
  fees: {
    list: "GET /fees []  ?",
    get: "GET /fees/{svc_id} fee",
    update: "PUT /fees/{svc_id} fee =",
    delete: "DELETE /fees/{svc_id} fee",
    getExplanation: "GET /fees/{svc_id}/explanation explanation",
    listEvents: "GET /fees/{svc_id}/explanation/events []  ?",
  },
  heldInvoices: {
    list: "GET /held_invoices []  ?",
    get: "GET /held_invoices/{svc_id} held_invoice",
    release: "POST /held_invoices/{svc_id}/release held_invoice *",
  },
  identityProviders: {
    list: "GET /identity_providers identity_providers",
    create: "POST /identity_providers identity_provider =",
    get: "GET /identity_providers/{svc_id} identity_provider",
    update: "PUT /identity_providers/{svc_id} identity_provider =",
    delete: "DELETE /identity_providers/{svc_id} identity_provider",
  },
  invitations: {
    list: "GET /invitations invitations",
    create: "POST /invitations invitation =",
    get: "GET /invitations/{svc_id} invitation",
    delete: "DELETE /invitations/{svc_id} invitation",
  },
  invoices: {
    list: "GET /invoices []  ?",
    create: "POST /invoices invoice =",
    preview: "POST /invoices/preview invoice =",
    getSummary: "GET /invoices/summary invoice_summary  ?",
    get: "GET /invoices/{svc_id} invoice",
    update: "PUT /invoices/{svc_id} invoice =",
    download: "POST /invoices/{svc_id}/download invoice",
    downloadPdf: "POST /invoices/{svc_id}/download_pdf invoice",
    getExplanation: "GET /invoices/{svc_id}/explanation explanation",
    finalize: "PUT /invoices/{svc_id}/finalize invoice",
    loseDispute: "POST /invoices/{svc_id}/lose_dispute invoice",
    getPages: "GET /invoices/{svc_id}/pages pages",
    refresh: "PUT /invoices/{svc_id}/refresh invoice",
    resendEmail: "POST /invoices/{svc_id}/resend_email mail",
    retry: "POST /invoices/{svc_id}/retry invoice",
    getVerification: "GET /invoices/{svc_id}/verification verification",
    void: "POST /invoices/{svc_id}/void invoice",
    writeOff: "POST /invoices/{svc_id}/write_off invoice *",
  },
  mails: {
    list: "GET /mails []  ?",
  },
  members: {
    list: "GET /members members",
    get: "GET /members/{svc_id} member",
    update: "PUT /members/{svc_id} member =",
    delete: "DELETE /members/{svc_id} member",
  },
  messages: {
    list: "GET /messages []  ?",
  },
  organization: {
    get: "GET /organizations organization",
    update: "PUT /organizations organization =",
  },
  parkedItems: {
    list: "GET /parked_items []  ?",
    get: "GET /parked_items/{svc_id} parked_item",
    retry: "POST /parked_items/{svc_id}/retry parked_item *",
    skip: "POST /parked_items/{svc_id}/skip parked_item *",
  },
  plans: {
    list: "GET /plans []  ?",
    create: "POST /plans plan =",
    get: "GET /plans/{code} plan",
    update: "PUT /plans/{code} plan =",
    delete: "DELETE /plans/{code} plan",
  },
  roles: {
    list: "GET /roles roles",
    create: "POST /roles role =",
    get: "GET /roles/{code} role",
    update: "PUT /roles/{code} role =",
    delete: "DELETE /roles/{code} role",
  },
  sampleData: {
    get: "GET /sample_data sample_data",
    make: "POST /sample_data sample_data",
    remove: "DELETE /sample_data sample_data",
  },
  search: {
    find: "GET /search results  ?",
  },
  securityLog: {
    get: "GET /security_log security_log  ?",
  },
  signInRules: {
    get: "GET /sign_in_rules sign_in_rules",
    update: "PUT /sign_in_rules sign_in_rules =",
  },
  subscriptions: {
    list: "GET /subscriptions []  ?",
    create: "POST /subscriptions subscription =",
    preview: "POST /subscriptions/preview preview *",
    get: "GET /subscriptions/{external_id} subscription  ?",
    update: "PUT /subscriptions/{external_id} subscription = ?",
    terminate: "DELETE /subscriptions/{external_id} subscription  ?",
  },
  taxes: {
    list: "GET /taxes []  ?",
    create: "POST /taxes tax =",
    get: "GET /taxes/{code} tax",
    update: "PUT /taxes/{code} tax =",
    delete: "DELETE /taxes/{code} tax",
  },
  testClocks: {
    list: "GET /test_clocks []  ?",
    create: "POST /test_clocks test_clock =",
    get: "GET /test_clocks/{svc_id} test_clock",
    delete: "DELETE /test_clocks/{svc_id} test_clock",
    advance: "POST /test_clocks/{svc_id}/advance test_clock =",
    cancel: "POST /test_clocks/{svc_id}/cancel test_clock",
  },
  walletTransactions: {
    create: "POST /wallet_transactions wallet_transactions wallet_transaction",
    get: "GET /wallet_transactions/{svc_id} wallet_transaction",
  },
  wallets: {
    list: "GET /wallets []  ?",
    create: "POST /wallets wallet =",
    get: "GET /wallets/{svc_id} wallet",
    update: "PUT /wallets/{svc_id} wallet =",
    terminate: "DELETE /wallets/{svc_id} wallet",
    listTransactions: "GET /wallets/{svc_id}/wallet_transactions []  ?",
  },
  webhookEndpoints: {
    list: "GET /webhook_endpoints []  ?",
    create: "POST /webhook_endpoints webhook_endpoint =",
    get: "GET /webhook_endpoints/{svc_id} webhook_endpoint",
    update: "PUT /webhook_endpoints/{svc_id} webhook_endpoint =",
    delete: "DELETE /webhook_endpoints/{svc_id} webhook_endpoint",
    rotateSecret: "POST /webhook_endpoints/{svc_id}/rotate_secret webhook_endpoint",
  },
  webhooks: {
    list: "GET /webhooks []  ?",
    getPublicKey: "GET /webhooks/json_public_key webhook",
    replay: "POST /webhooks/replay replay =",
    get: "GET /webhooks/{svc_id} webhook",
    retry: "POST /webhooks/{svc_id}/retry webhook",
  },
} as const;
