/**
 * What of the published client has nothing behind it here, by reason. The journey of the client fails if something is missing from these
 * lists, and if something in them works by now.
 */

const listed = (byReason: Record<string, string>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(byReason).flatMap(([reason, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, reason]),
    ),
  );

/** Operations without a route. */
export const WITHOUT_ROUTE = listed({
  "an organization is one billing entity": `
    billingEntities.listBillingEntities billingEntities.createBillingEntity billingEntities.getBillingEntity
    billingEntities.updateBillingEntity`,
  "no route yet: logs of activity and of the API": `
    activityLogs.findAllActivityLogs activityLogs.findActivityLog apiLogs.findAllApiLogs apiLogs.findApiLog`,
  "no route yet: analytics": `
    analytics.findAllGrossRevenues analytics.findAllInvoiceCollections analytics.findAllInvoicedUsages analytics.findAllMrrs
    analytics.findAllOverdueBalances analytics.findAllUsages`,
  "a metric has no expression": "billableMetrics.evaluateBillableMetricExpression",
  "no features and entitlements": `
    features.createFeature features.findAllFeatures features.updateFeature features.destroyFeature features.findFeature
    features.deleteFeaturePrivilege plans.createEntitlement plans.findAllEntitlements plans.updateEntitlement plans.findEntitlement
    plans.destroyEntitlement plans.removeEntitlementPrivilege subscriptions.findAllSubscriptionEntitlements
    subscriptions.updateSubscriptionEntitlements subscriptions.destroySubscriptionEntitlement
    subscriptions.destroySubscriptionEntitlementPrivilege`,
  "metadata is changed with its record, or is not supported": `
    creditNotes.replaceCreditNoteMetadata creditNotes.mergeCreditNoteMetadata creditNotes.deleteAllCreditNoteMetadata
    creditNotes.deleteCreditNoteMetadataKey customers.replaceCustomerWalletMetadata customers.mergeCustomerWalletMetadata
    customers.deleteAllCustomerWalletMetadata customers.deleteCustomerWalletMetadataKey plans.replacePlanMetadata
    plans.mergePlanMetadata plans.deleteAllPlanMetadata plans.deletePlanMetadataKey wallets.replaceWalletMetadata
    wallets.mergeWalletMetadata wallets.deleteAllWalletMetadata wallets.deleteWalletMetadataKey`,
  "use the list of the records with external_customer_id": `
    customers.findAllCustomerAppliedCoupons customers.findAllCustomerCreditNotes customers.findAllCustomerInvoices
    customers.findAllCustomerSubscriptions customers.findAllCustomerWallets`,
  "use /wallets": `
    customers.createCustomerWallet customers.updateCustomerWallet customers.findCustomerWallet customers.destroyCustomerWallet`,
  "no route yet: alerts": `
    customers.getCustomerWalletAlerts customers.createCustomerWalletAlert customers.deleteAllCustomerWalletAlerts
    customers.getCustomerWalletAlert customers.updateCustomerWalletAlert customers.deleteCustomerWalletAlert
    subscriptions.getSubscriptionAlerts subscriptions.createSubscriptionAlert subscriptions.deleteAllSubscriptionAlerts
    subscriptions.getSubscriptionAlert subscriptions.updateSubscriptionAlert subscriptions.deleteSubscriptionAlert`,
  "no route yet: projected and lifetime usage": `
    customers.findCustomerProjectedUsage subscriptions.getSubscriptionLifetimeUsage subscriptions.updateSubscriptionLifetimeUsage`,
  "no route yet: payments": `
    customers.findAllCustomerPayments customers.findAllCustomerPaymentRequests customers.generateCustomerCheckoutUrl
    customers.findAllCustomersPaymentMethods customers.paymentMethodSetAsDefault customers.destroyPaymentMethod
    invoices.invoicePaymentUrl invoices.retryPayment paymentReceipts.findAllPaymentReceipts paymentReceipts.findPaymentReceipt
    paymentRequests.createPaymentRequest paymentRequests.findAllPaymentRequests paymentRequests.findPaymentRequest
    payments.createPayment payments.findAllPayments payments.findPayment walletTransactions.walletTransactionPaymentUrl`,
  "no route yet: the customer portal": "customers.getCustomerPortalUrl",
  "no route yet: estimates of fees in advance": "events.eventEstimateInstantFees events.eventBatchEstimateInstantFees",
  "a draft is not deleted: void it once it is final": "invoices.deleteInvoice",
  "no quotes and orders": `
    orderForms.findAllOrderForms orderForms.findOrderForm orderForms.markOrderFormAsSigned orderForms.voidOrderForm orders.findAllOrders
    orders.findOrder orders.executeOrder quotes.findAllQuotes quotes.findQuote quotes.findAllQuoteVersions
    quoteVersions.findQuoteVersion quoteVersions.approveQuoteVersion quoteVersions.voidQuoteVersion quoteVersions.cloneQuoteVersion`,
  "charges and filters are changed with their plan": `
    plans.createPlanCharge plans.findAllPlanCharges plans.findPlanCharge plans.updatePlanCharge plans.destroyPlanCharge
    plans.createPlanChargeFilter plans.findAllPlanChargeFilters plans.findPlanChargeFilter plans.updatePlanChargeFilter
    plans.destroyPlanChargeFilter`,
  "no fixed charges": `
    plans.createPlanFixedCharge plans.findAllPlanFixedCharges plans.findPlanFixedCharge plans.updatePlanFixedCharge
    plans.destroyPlanFixedCharge subscriptions.findAllSubscriptionFixedCharges subscriptions.findSubscriptionFixedCharge
    subscriptions.overrideSubscriptionFixedCharge`,
  "charges of a subscription are changed by plan_overrides": `
    subscriptions.findAllSubscriptionCharges subscriptions.findSubscriptionCharge subscriptions.overrideSubscriptionCharge
    subscriptions.createSubscriptionChargeFilter subscriptions.findAllSubscriptionChargeFilters
    subscriptions.findSubscriptionChargeFilter subscriptions.updateSubscriptionChargeFilter
    subscriptions.destroySubscriptionChargeFilter`,
  "no route yet: which credits a debit used": `
    walletTransactions.findAllWalletTransactionConsumptions walletTransactions.findAllWalletTransactionFundings`,
});

/** Operations with a route that cannot succeed. */
export const REFUSED = listed({
  "no invoice fails here: billing is tried again by itself, and what fails is a parked item": "invoices.retryInvoice",
  "a preview takes {invoice: {external_subscription_id}}; the client sends the terms themselves":
    "invoices.invoicePreview",
});

/** Members and parameters (`?`) of requests that are refused as unknown, or that an update ignores because its answer has them. */
export const NOT_TAKEN = listed({
  "an organization is one billing entity": `
    ?billing_entity_codes[] customer.billing_entity_code invoice.billing_entity_code subscription.billing_entity_code
    wallet.billing_entity_code organization.slug ?self_billed customer.account_type ?account_type[]`,
  "no payments yet": `
    invoice.payment_method invoice.skip_psp subscription.payment_method wallet.payment_method authorization
    wallet.recurring_transaction_rules.payment_method wallet_transaction.payment_method ?partially_paid ?settlements[]`,
  "a metric has no expression and does not round": `
    billable_metric.expression billable_metric.rounding_function billable_metric.rounding_precision`,
  "no sections on invoices, integrations and settings that go with them": `
    invoice.invoice_custom_section subscription.invoice_custom_section wallet.invoice_custom_section
    wallet.recurring_transaction_rules.invoice_custom_section wallet_transaction.invoice_custom_section
    customer.skip_invoice_custom_sections customer.invoice_custom_section_codes customer.integration_customers`,
  "invoices of zero are always made, and their dates have one rule": `
    customer.finalize_zero_amount_invoice organization.finalize_zero_amount_invoice
    customer.billing_configuration.subscription_invoice_issuing_date_anchor
    customer.billing_configuration.subscription_invoice_issuing_date_adjustment`,
  "no fixed charges, dynamic prices, pricing units, thresholds and wallets of a charge": `
    plan.fixed_charges plan.bill_fixed_charges_monthly event.precise_total_amount_cents events.precise_total_amount_cents
    plan.charges.applied_pricing_unit plan.charges.accepts_target_wallet plan.usage_thresholds subscription.usage_thresholds
    subscription.progressive_billing_disabled wallet.applies_to`,
  "a charge has an id and no code; other plans do not follow": "plan.charges.code plan.cascade_updates",
  "no metadata and purchase orders there": `
    plan.metadata credit_note.metadata wallet.transaction_metadata wallet.transaction_name subscription.purchase_order_number
    wallet.purchase_order_number wallet_transaction.purchase_order_number ?purchase_order_number ?metadata[key]
    wallet.recurring_transaction_rules.transaction_metadata wallet.recurring_transaction_rules.transaction_name
    wallet.recurring_transaction_rules.purchase_order_number`,
  "a credit note credits or refunds; it does not offset, and a void makes none": `
    credit_note.offset_amount_cents generate_credit_note refund_amount credit_amount`,
  "the fee of an add-on has the add-on's name and the day of the invoice": `
    invoice.fees.invoice_display_name invoice.fees.from_datetime invoice.fees.to_datetime`,
  "subscriptions of a customer that are billed together are on one invoice, and start without a condition": `
    subscription.consolidate_invoice subscription.activation_rules`,
  "an amount to buy has no limits": `
    wallet.paid_top_up_min_amount_cents wallet.paid_top_up_max_amount_cents wallet.ignore_paid_top_up_limits_on_creation
    wallet_transaction.ignore_paid_top_up_limits`,
  "an update keeps the priority, and replaces the one rule, whose id stays": `
    wallet.priority wallet.recurring_transaction_rules.lago_id wallet.recurring_transaction_rules.grants_target_top_up
    wallet.recurring_transaction_rules.expiration_at wallet.recurring_transaction_rules.invoice_requires_successful_payment`,
  "the filter is named status[] or payment_status[]": "?statuses[] ?payment_statuses[]",
  "not a filter of the list": `
    ?issuing_date_from ?issuing_date_to ?invoice_number ?amount_from ?amount_to ?types[] ?countries[] ?states[] ?zipcodes[]
    ?currencies[] ?currency ?has_tax_identification_number ?customer_type ?has_customer_type ?overridden ?timestamp_from_started_at`,
  "usage is answered whole": `
    ?charge_id ?charge_code ?billable_metric_code ?group ?filter_by_charge_id ?filter_by_charge_code ?filter_by_group ?full_usage
    ?filter_by_presentation`,
});

/** Members of answers that are not as the client's types say. */
export const DIFFERENT = new Map(
  Object.entries({
    "is missing": {
      "an organization is one billing entity":
        "CreditNoteObject.billing_entity_code InvoiceBaseObject.billing_entity_code",
      "fees are whole minor units, each rounded once": `
        FeeObject.sub_total_excluding_taxes_precise_amount_cents
        CreditNoteEstimated.estimated_credit_note.precise_taxes_amount_cents
        CreditNoteEstimated.estimated_credit_note.precise_coupons_adjustment_amount_cents`,
      "a credit note does not offset": "CreditNoteEstimated.estimated_credit_note.max_offsettable_amount_cents",
      "no payments yet": "WalletTransactionObject.payment_method",
      "what is left of a purchase is `remaining_amount_cents`": "WalletTransactionObject.remaining_credit_amount",
      "a document that is not ready is answered with 202 and `status`; the next request has it": `
        Invoice.invoice CreditNote.credit_note`,
    },
    "is null": {
      "a plan paid in arrears has no unused days": "SubscriptionObject.on_termination_credit_note",
      "the types have a member `…OrNull`, or an optional one, where they mean null": `
        Address.country BillableMetricObject.weighted_interval ChargeObject.regroup_paid_fees CreditNoteObject.credit_status
        CreditNoteObject.refund_status CustomerBaseObject.country CustomerBaseObject.customer_type CustomerBaseObject.timezone
        CustomerBillingConfiguration.document_locale CustomerBillingConfiguration.invoice_grace_period
        CustomerBillingConfiguration.payment_provider CustomerBillingConfiguration.payment_provider_code
        CustomerBillingConfiguration.provider_customer_id CustomerChargeFiltersUsageObject.invoice_display_name
        CustomerChargeFiltersUsageObject.values CreditNoteEstimated.estimated_credit_note.applied_taxes.tax_description
        OrganizationObject.country PlanObject.description PlanObject.invoice_display_name`,
      "only a fee of usage has it": "FeeObject.total_aggregated_units",
      "a draft has no number": "InvoiceBaseObject.sequential_id",
    },
  }).flatMap(([fault, byReason]) =>
    [...listed(byReason)].map(([member, reason]): [string, string] => [`${member} ${fault}`, reason]),
  ),
);
