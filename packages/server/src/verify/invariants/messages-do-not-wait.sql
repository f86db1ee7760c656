-- A message that was never tried does not wait for an hour.
select organization_id, id as message_id, webhook_type, object_id, ready_at
from outbox
where dispatched_at is null and attempts = 0
  and ready_at < current_setting('verify.now')::timestamptz - interval '1 hour'
  -- Workers that catch up after a pause take what was ready first, and have not come to it.
  and ready_at < coalesce(
    (
      select min(ready_at) from outbox
      where dispatched_at > current_setting('verify.now')::timestamptz - interval '1 hour'
    ),
    'infinity'
  )
