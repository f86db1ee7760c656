-- A mail that is ready does not wait for an hour, unless workers catch up with what was ready earlier.
select organization_id, id as mail_id, status, attempts, ready_at
from mails
where settled_at is null and ready_at < current_setting('verify.now')::timestamptz - interval '1 hour'
  and coalesce(leased_until < current_setting('verify.now')::timestamptz - interval '1 hour', true)
  and ready_at < coalesce(
    (select min(ready_at) from mails where settled_at > current_setting('verify.now')::timestamptz - interval '1 hour'), 'infinity'
  )
