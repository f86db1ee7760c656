-- Subscriptions of a customer with the same external id never overlap, and all of them store when the first one started.
select organization_id, id as subscription_id, started_at, first_started_at, previous_id, previous_end
from (
  select organization_id, id, started_at, first_started_at,
    min(started_at) over (partition by organization_id, customer_id, external_id) as first_start,
    lag(id) over life as previous_id,
    lag(coalesce(terminated_at, 'infinity')) over life as previous_end
  from subscriptions
  where started_at is not null
  window life as (
    partition by organization_id, customer_id, external_id order by started_at, terminated_at nulls last, id
  )
) as lives
where started_at < previous_end or first_started_at <> first_start
