-- A customer that was deleted has no subscription that lives, no wallet that can be used, and nothing that is still due, but that its
-- invoices, which stay, become overdue.
select c.organization_id, c.id as customer_id, s.id as subscription_id, null::uuid as wallet_id, null::uuid as due_instant_id
from customers c
join subscriptions s
  on s.organization_id = c.organization_id and s.customer_id = c.id and s.status in ('active', 'pending')
where c.deleted_at is not null
union all
select c.organization_id, c.id, null, null, d.id
from customers c
join due_instants d on d.organization_id = c.organization_id and d.customer_id = c.id and d.done_at is null
where c.deleted_at is not null and d.parked_at is null and d.kind <> 'invoice_overdue'
union all
select c.organization_id, c.id, null, w.id, null
from customers c
join wallets w on w.organization_id = c.organization_id and w.customer_id = c.id and w.status = 'active'
where c.deleted_at is not null
