-- Every charges period that is over has exactly one periodic bill, made by the work that was due at its end. No other periodic bill exists.
select organization_id, subscription_id, at, coalesce(period.count, 0) as periods, coalesce(bill.count, 0) as bills,
  coalesce(work.count, 0) as work_done
from (
  select organization_id, subscription_id, ends_at as at, count(*)
  from (
    select *, lead(starts_at) over (partition by organization_id, subscription_id order by starts_at) as next_start
    from subscription_periods
    where kind = 'charges'
  ) as periods
  where next_start is not null
  group by organization_id, subscription_id, ends_at
) as period
full join (
  select organization_id, subscription_id, occurred_at as at, count(*) from bills where reason = 'periodic'
  group by organization_id, subscription_id, occurred_at
) as bill using (organization_id, subscription_id, at)
full join (
  select organization_id, subject_id as subscription_id, due_at as at, count(*) from due_instants
  where kind = 'period_end' and done_at is not null
  group by organization_id, subject_id, due_at
) as work using (organization_id, subscription_id, at)
where (period.count, bill.count, work.count) is distinct from (1::bigint, 1::bigint, 1::bigint)
