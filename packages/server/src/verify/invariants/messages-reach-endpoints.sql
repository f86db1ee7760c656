-- A dispatched message has a delivery for each endpoint that existed then and received its type, and none for an endpoint that was created later.
select message.organization_id, message.id as message_id, endpoint.id as endpoint_id, 'is not sent' as what, message.dispatched_at
from outbox message
join webhook_endpoints endpoint on endpoint.organization_id = message.organization_id
where message.dispatched_at is not null and message.forgotten_at is null
  -- An endpoint exists once its transaction commits, which may be a little after its created_at.
  and endpoint.created_at < message.created_at - interval '1 minute'
  and (endpoint.event_types is null or message.webhook_type = any(endpoint.event_types))
  -- Which types it received before they were last set is not stored.
  and (endpoint.event_types_since is null or endpoint.event_types_since < message.created_at - interval '1 minute')
  and (endpoint.deleted_at is null or endpoint.deleted_at > message.dispatched_at + interval '1 minute')
  and not exists (
    select from webhook_deliveries delivery
    where delivery.organization_id = message.organization_id and delivery.message_id = message.id
      and delivery.endpoint_id = endpoint.id
  )
union all
select delivery.organization_id, delivery.message_id, delivery.endpoint_id, 'is older than the endpoint', message.dispatched_at
from webhook_deliveries delivery
join outbox message on message.organization_id = delivery.organization_id and message.id = delivery.message_id
join webhook_endpoints endpoint on endpoint.organization_id = delivery.organization_id and endpoint.id = delivery.endpoint_id
where message.created_at < endpoint.created_at
union all
select delivery.organization_id, delivery.message_id, delivery.endpoint_id, 'has nothing to send', message.dispatched_at
from webhook_deliveries delivery
join outbox message on message.organization_id = delivery.organization_id and message.id = delivery.message_id
where message.forgotten_at is not null or message.dispatched_at is null
