-- A new message does not wait longer than an hour for its first attempt.
select organization_id, id as message_id, webhook_type, object_id, ready_at
from outbox
where dispatched_at is null and attempts = 0
  and ready_at < current_setting('verify.now')::timestamptz - interval '1 hour'
  -- Workers that catch up after a pause take the oldest work first and have not reached this row yet.
  and ready_at < coalesce(
    (
      select min(ready_at) from outbox
      where dispatched_at > current_setting('verify.now')::timestamptz - interval '1 hour'
    ),
    'infinity'
  )
