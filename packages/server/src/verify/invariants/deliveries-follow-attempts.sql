-- A delivery has as many attempts as it counts, numbered without a gap. Of the attempts since the last manual retry, only the last can have
-- succeeded; the delivery succeeded if that one did.
select delivery.organization_id, delivery.id as delivery_id, delivery.status, delivery.attempts, log.attempts as logged, log.taken
from webhook_deliveries delivery
cross join lateral (
  select count(*) as attempts, coalesce(max(number), 0) as last,
    count(*) filter (where http_status in (200, 201, 202, 204) and number > delivery.attempts_before) as taken,
    coalesce(
      bool_or(http_status in (200, 201, 202, 204)) filter (where number = delivery.attempts and number > delivery.attempts_before), false
    ) as is_taken
  from webhook_attempts attempt
  where attempt.organization_id = delivery.organization_id and attempt.delivery_id = delivery.id
) as log
where log.attempts <> delivery.attempts or log.last <> delivery.attempts
  or log.is_taken <> (delivery.status = 'succeeded') or log.taken <> (delivery.status = 'succeeded')::integer
