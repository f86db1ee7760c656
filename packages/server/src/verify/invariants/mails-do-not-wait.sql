-- An email that is ready does not wait longer than an hour, unless workers are catching up with earlier ones.
select organization_id, id as mail_id, status, attempts, ready_at
from mails
where settled_at is null and ready_at < current_setting('verify.now')::timestamptz - interval '1 hour'
  and coalesce(leased_until < current_setting('verify.now')::timestamptz - interval '1 hour', true)
  and ready_at < coalesce(
    (select min(ready_at) from mails where settled_at > current_setting('verify.now')::timestamptz - interval '1 hour'), 'infinity'
  )
