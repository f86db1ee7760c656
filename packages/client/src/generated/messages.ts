// Generated from the API description by npm run generate. Do not edit.
import type { BillableMetric, CreditNoteWithCustomer, Customer, EventsErrors, Fee, HeldInvoice, Invoice, InvoiceWithFees, ParkedItem, Plan, SubscriptionWithCustomer, Wallet, WalletTransactionWithWallet, WebhookEndpointWithoutSecret } from "./schemas.ts";

/** A message of a webhook. A later version of the service may send other types: ignore those that you do not know. */
export type WebhookMessage =
  /** A billable metric is created. */
  | {
    webhook_type: "billable_metric.created";
    object_type: "billable_metric";
    billable_metric: BillableMetric;
  }
  /** A billable metric is deleted. It is shown as it was before. */
  | {
    webhook_type: "billable_metric.deleted";
    object_type: "billable_metric";
    billable_metric: BillableMetric;
  }
  /** A billable metric is changed. */
  | {
    webhook_type: "billable_metric.updated";
    object_type: "billable_metric";
    billable_metric: BillableMetric;
  }
  /** An item cannot be billed and is parked, while everything else goes on. Retry or skip it. */
  | {
    webhook_type: "billing.parked";
    object_type: "parked_item";
    parked_item: ParkedItem;
  }
  /** A credit note is issued, manually or for prepaid unused time. */
  | {
    webhook_type: "credit_note.created";
    object_type: "credit_note";
    credit_note: CreditNoteWithCustomer;
  }
  /** The PDF of a credit note is ready; `file_url` is a link to it. */
  | {
    webhook_type: "credit_note.generated";
    object_type: "credit_note";
    credit_note: CreditNoteWithCustomer;
  }
  /** A customer is created. */
  | {
    webhook_type: "customer.created";
    object_type: "customer";
    customer: Customer;
  }
  /** A customer is changed. */
  | {
    webhook_type: "customer.updated";
    object_type: "customer";
    customer: Customer;
  }
  /** Sent five minutes past every hour, if events of the hour before are not billed, or match no filter. */
  | {
    webhook_type: "events.errors";
    object_type: "events_errors";
    events_errors: EventsErrors;
  }
  /** An event created a fee in advance. */
  | {
    webhook_type: "fee.created";
    object_type: "fee";
    fee: Fee;
  }
  /** An invoice is finalized. */
  | {
    webhook_type: "invoice.created";
    object_type: "invoice";
    invoice: InvoiceWithFees;
  }
  /** A draft invoice is created. It can change during its grace period. */
  | {
    webhook_type: "invoice.drafted";
    object_type: "invoice";
    invoice: InvoiceWithFees;
  }
  /** The PDF of an invoice is ready; `file_url` is a link to it. */
  | {
    webhook_type: "invoice.generated";
    object_type: "invoice";
    invoice: Invoice;
  }
  /** Two computations of an invoice differ: it is not finalized until an operator releases it. */
  | {
    webhook_type: "invoice.held";
    object_type: "held_invoice";
    held_invoice: HeldInvoice;
  }
  /** An invoice of add-ons is created. */
  | {
    webhook_type: "invoice.one_off_created";
    object_type: "invoice";
    invoice: InvoiceWithFees;
  }
  /** An invoice of prepaid credits is created. */
  | {
    webhook_type: "invoice.paid_credit_added";
    object_type: "invoice";
    invoice: InvoiceWithFees;
  }
  /** A dispute over the payment of an invoice is lost. */
  | {
    webhook_type: "invoice.payment_dispute_lost";
    object_type: "payment_dispute_lost";
    payment_dispute_lost: {
      invoice: InvoiceWithFees;
    };
  }
  /** The due date of an invoice has passed, and it is not paid. */
  | {
    webhook_type: "invoice.payment_overdue";
    object_type: "invoice";
    invoice: InvoiceWithFees;
  }
  /** The payment status of an invoice changed: it is paid, failed or open again. */
  | {
    webhook_type: "invoice.payment_status_updated";
    object_type: "invoice";
    invoice: InvoiceWithFees;
  }
  /** An invoice is voided. */
  | {
    webhook_type: "invoice.voided";
    object_type: "invoice";
    invoice: InvoiceWithFees;
  }
  /** A plan is created. */
  | {
    webhook_type: "plan.created";
    object_type: "plan";
    plan: Plan;
  }
  /** A plan is deleted. It is shown as it was before. */
  | {
    webhook_type: "plan.deleted";
    object_type: "plan";
    plan: Plan;
  }
  /** A plan is changed by a request. Plans that follow a changed or deleted metric have no message. */
  | {
    webhook_type: "plan.updated";
    object_type: "plan";
    plan: Plan;
  }
  /** A subscription is canceled before it begins. `subscription.terminated` is published as well, as before. */
  | {
    webhook_type: "subscription.canceled";
    object_type: "subscription";
    subscription: SubscriptionWithCustomer;
  }
  /** A subscription becomes active. */
  | {
    webhook_type: "subscription.started";
    object_type: "subscription";
    subscription: SubscriptionWithCustomer;
  }
  /** A subscription ends, or is canceled before it begins. */
  | {
    webhook_type: "subscription.terminated";
    object_type: "subscription";
    subscription: SubscriptionWithCustomer;
  }
  /** A subscription ends in 45 or 15 days. */
  | {
    webhook_type: "subscription.termination_alert";
    object_type: "subscription";
    subscription: SubscriptionWithCustomer;
  }
  /** The trial of a subscription has ended. */
  | {
    webhook_type: "subscription.trial_ended";
    object_type: "subscription";
    subscription: SubscriptionWithCustomer;
  }
  /** A subscription is changed by a request, or gets or loses a plan that follows it. The start and the end have messages of their own. */
  | {
    webhook_type: "subscription.updated";
    object_type: "subscription";
    subscription: SubscriptionWithCustomer;
  }
  /** A wallet is created. */
  | {
    webhook_type: "wallet.created";
    object_type: "wallet";
    wallet: Wallet;
  }
  /** The unbilled usage reaches the balance of a wallet. */
  | {
    webhook_type: "wallet.depleted_ongoing_balance";
    object_type: "wallet";
    wallet: Wallet;
  }
  /** A wallet ends: by a request, by its expiration, or with its customer. */
  | {
    webhook_type: "wallet.terminated";
    object_type: "wallet";
    wallet: Wallet;
  }
  /** A wallet is changed by a request. Its credits have messages of their own. */
  | {
    webhook_type: "wallet.updated";
    object_type: "wallet";
    wallet: Wallet;
  }
  /** Credits are bought, granted, voided or used. */
  | {
    webhook_type: "wallet_transaction.created";
    object_type: "wallet_transaction";
    wallet_transaction: WalletTransactionWithWallet;
  }
  /** Purchased credits are paid, or their payment failed. */
  | {
    webhook_type: "wallet_transaction.updated";
    object_type: "wallet_transaction";
    wallet_transaction: WalletTransactionWithWallet;
  }
  /** An endpoint answered 410, or accepted nothing for three days. The other endpoints receive this message. */
  | {
    webhook_type: "webhook_endpoint.disabled";
    object_type: "webhook_endpoint";
    webhook_endpoint: WebhookEndpointWithoutSecret;
  };
