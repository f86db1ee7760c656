-- A deleted customer has no active or pending subscription. Only its last invoices, its own end, and fees that are paid late may still be
-- due. Coupons and wallets may stay active until the last invoice and the end are done.
with gone as (
  select c.organization_id, c.id, exists (
      select from invoices i
      where i.organization_id = c.organization_id and i.customer_id = c.id and i.status in ('generating', 'draft')
    ) or exists (
      select from due_instants d
      where d.organization_id = c.organization_id and d.customer_id = c.id and d.kind = 'customer_end' and d.done_at is null
    ) as is_ending
  from customers c
  where c.deleted_at is not null
)
select c.organization_id, c.id as customer_id, s.id as subscription_id, null::uuid as wallet_id, null::uuid as applied_coupon_id,
  null::uuid as due_instant_id
from gone c
join subscriptions s
  on s.organization_id = c.organization_id and s.customer_id = c.id and s.status in ('active', 'pending')
union all
select c.organization_id, c.id, null, null, null, d.id
from gone c
join due_instants d on d.organization_id = c.organization_id and d.customer_id = c.id and d.done_at is null
where d.parked_at is null and case d.kind
  when 'invoice_overdue' then false
  when 'late_fees_regrouping' then false
  when 'customer_end' then false
  when 'invoice' then false
  when 'invoice_finalization' then false
  when 'invoice_closing' then false
  when 'paid_fees_regrouping' then false
  -- These end with their wallet.
  when 'wallet_expiry' then not c.is_ending
  when 'wallet_top_up' then not c.is_ending
  else true
end
union all
select c.organization_id, c.id, null, w.id, null, null
from gone c
join wallets w on w.organization_id = c.organization_id and w.customer_id = c.id and w.status = 'active'
where not c.is_ending
union all
select c.organization_id, c.id, null, null, a.id, null
from gone c
join applied_coupons a on a.organization_id = c.organization_id and a.customer_id = c.id and a.status = 'active'
where not c.is_ending
