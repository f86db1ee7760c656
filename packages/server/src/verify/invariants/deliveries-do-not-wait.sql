-- A new delivery does not wait longer than an hour for its first attempt, unless its endpoint fails or its secrets cannot be opened.
select delivery.organization_id, delivery.id as delivery_id, delivery.endpoint_id, delivery.ready_at
from webhook_deliveries delivery
join webhook_endpoints endpoint on endpoint.organization_id = delivery.organization_id and endpoint.id = delivery.endpoint_id
where delivery.settled_at is null and delivery.attempts = 0 and endpoint.failures = 0 and endpoint.unopened_since is null
  and delivery.ready_at < current_setting('verify.now')::timestamptz - interval '1 hour'
  -- Workers that catch up after a pause take the oldest work first and have not reached this row yet.
  and delivery.ready_at < coalesce(
    (
      select min(other.ready_at) from webhook_deliveries other
      where other.organization_id = delivery.organization_id and other.endpoint_id = delivery.endpoint_id
        and other.settled_at > current_setting('verify.now')::timestamptz - interval '1 hour'
    ),
    'infinity'
  )
