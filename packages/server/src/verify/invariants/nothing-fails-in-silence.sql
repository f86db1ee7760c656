-- No work fails repeatedly without being reported. Work that cannot be done is parked after a few attempts, so nothing is tried ten times.
-- Work that waits for a temporary fault to pass is tried fewer than thirty times.
select organization_id, 'due instant' as what, id, kind, attempts
from due_instants
where done_at is null and parked_at is null and attempts >= case when last_error like 'passing: %' then 30 else 10 end
union all
select organization_id, 'cursor of fees in advance', null, null, attempts
from advance_cursors where attempts >= case when last_error like 'passing: %' then 30 else 10 end
union all
select organization_id, 'cursor of wallets', null, null, attempts
from wallet_cursors where attempts >= case when last_error like 'passing: %' then 30 else 10 end
union all
select organization_id, 'refresh of a balance', id, null, attempts
from wallet_refreshes where attempts >= case when last_error like 'passing: %' then 30 else 10 end
union all
select organization_id, 'advance of a test clock', id, null, attempts
from test_clocks
where advancing_to is not null and deleted_at is null and attempts >= case when last_error like 'passing: %' then 30 else 10 end
union all
-- A message has no operator to wait for: it is retried once an hour at most.
select organization_id, 'message', id, webhook_type, attempts
from outbox
where dispatched_at is null and attempts >= 10
