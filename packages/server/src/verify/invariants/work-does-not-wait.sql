-- New due work starts within an hour. On an idle test clock everything due is done, except for work that became due within the last hour.
with recent as (
  select organization_id, customer_id, ready_at
  from due_instants
  where done_at > current_setting('verify.now')::timestamptz - interval '1 hour' and test_clock_id is null
)
select d.organization_id, 'due instant' as what, d.id, d.kind, d.subject_id, d.due_at, d.ready_at
from due_instants d
where d.done_at is null and d.parked_at is null and d.test_clock_id is null and d.attempts = 0
  and d.ready_at < current_setting('verify.now')::timestamptz - interval '1 hour'
  -- This row waits for earlier work of its customer, which was tried and may fail for long.
  and not exists (
    select from due_instants earlier
    where earlier.organization_id = d.organization_id and earlier.customer_id = d.customer_id and earlier.done_at is null
      and earlier.parked_at is null and (earlier.due_at, earlier.rank, earlier.id) < (d.due_at, d.rank, d.id)
  )
  -- This row waited for that work until just now.
  and not exists (
    select from recent where recent.organization_id = d.organization_id and recent.customer_id = d.customer_id
  )
  -- Workers that catch up after a pause take the oldest work first and have not reached this row yet.
  and d.ready_at < coalesce((select min(ready_at) from recent), 'infinity')
union all
select d.organization_id, 'due instant of a test clock', d.id, d.kind, d.subject_id, d.due_at, d.ready_at
from due_instants d
join test_clocks t on t.organization_id = d.organization_id and t.id = d.test_clock_id
where d.done_at is null and d.parked_at is null and t.advancing_to is null and d.due_at <= t.now
  -- Work that becomes due at once on such a clock runs right after the request, or in a job. A UUID v7 starts with its creation time.
  and not (
    substr(d.id::text, 15, 1) = '7' and to_timestamp(('x' || translate(left(d.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
      > current_setting('verify.now')::timestamptz - interval '1 hour'
  )
union all
select t.organization_id, 'advance of a test clock', t.id, null, null, t.advancing_to, t.ready_at
from test_clocks t
where t.advancing_to is not null and t.deleted_at is null and t.attempts = 0
  and t.ready_at < current_setting('verify.now')::timestamptz - interval '1 hour'
