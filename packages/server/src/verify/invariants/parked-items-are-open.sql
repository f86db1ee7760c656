-- A parked due instant is open and has its parked item. A parked or skipped event has no fee. A retried event has its fee, or has nothing
-- left to bill.
select item.organization_id, item.id as parked_item_id, item.kind, item.status, 'its due instant is not parked' as fault
from parked_items item
join due_instants due on due.organization_id = item.organization_id and due.id = item.item_id
where item.status = 'parked' and due.parked_at is null
union all
select due.organization_id, due.id, due.kind, 'parked', 'its due instant has no parked item'
from due_instants due
where due.parked_at is not null and not exists (
  select from parked_items item
  where item.organization_id = due.organization_id and item.item_id = due.id and item.status = 'parked'
)
union all
select item.organization_id, item.id, item.kind, item.status, 'its event has a fee'
from parked_items item
where item.kind = 'event' and item.status in ('parked', 'skipped') and exists (
  select from fees fee where fee.organization_id = item.organization_id and fee.event_id = item.object_id
)
union all
select invoice.organization_id, invoice.id, 'invoice', 'skipped', 'no parked item says that it was skipped'
from invoices invoice
where invoice.skipped_at is not null and not exists (
  select from parked_items item
  where item.organization_id = invoice.organization_id and item.object_id = invoice.id and item.status = 'skipped'
)
