-- A fee that was paid, or paid and refunded, is never deleted, and every published fee still exists.
select organization_id, id as fee_id, payment_status, deleted_at, null::uuid as message_id
from fees
where deleted_at is not null and payment_status in ('succeeded', 'refunded')
union all
select message.organization_id, message.object_id, null, null, message.id
from outbox message
where message.webhook_type = 'fee.created' and not exists (
  select from fees where fees.organization_id = message.organization_id and fees.id = message.object_id
)
