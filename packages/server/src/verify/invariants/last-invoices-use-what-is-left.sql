-- The wallets and coupons of a deleted customer end after its last invoices, so that these invoices can use them.
select customer.organization_id, customer.id as customer_id, invoice.id as invoice_id, wallet.id as wallet_id,
  null::uuid as applied_coupon_id, ended.amount_cents as unused_cents
from customers customer
join ledger_entries ended on ended.organization_id = customer.organization_id and ended.customer_id = customer.id
  and ended.account_kind = 'expired' and ended.source_kind = 'wallet_end' and ended.created_at >= customer.deleted_at
join wallets wallet on wallet.organization_id = ended.organization_id and wallet.id = ended.account_id
join invoices invoice on invoice.organization_id = customer.organization_id and invoice.customer_id = customer.id
  and invoice.invoice_type = 'subscription' and invoice.status = 'finalized' and invoice.total_amount_cents > 0
join outbox told on told.organization_id = invoice.organization_id and told.object_id = invoice.id
  and told.webhook_type = 'invoice.created' and told.created_at > ended.created_at
where customer.deleted_at is not null
  -- A wallet that expired ended for its own reason.
  and coalesce(wallet.expiration_at > ended.occurred_at, true)
  -- An event that was accepted during the deletion may be invoiced in advance after it.
  and exists (select from invoice_bills link where link.organization_id = invoice.organization_id and link.invoice_id = invoice.id)
union all
select customer.organization_id, customer.id, invoice.id, null, applied.id, applied.amount_left_cents
from customers customer
-- On the real clock, the same microsecond means the same request.
join applied_coupons applied on applied.organization_id = customer.organization_id and applied.customer_id = customer.id
  and applied.status = 'terminated' and applied.amount_left_cents > 0
join coupons coupon on coupon.organization_id = applied.organization_id and coupon.id = applied.coupon_id
  and coupon.limited_to is null and coupon.deleted_at is null and coalesce(coupon.expiration_at > applied.terminated_at, true)
join invoices invoice on invoice.organization_id = customer.organization_id and invoice.customer_id = customer.id
  and invoice.invoice_type = 'subscription' and invoice.status = 'finalized' and invoice.occurred_at = applied.terminated_at
  and invoice.currency = applied.amount_currency and invoice.fees_amount_cents > invoice.coupons_amount_cents
where customer.deleted_at is not null and customer.test_clock_id is null
