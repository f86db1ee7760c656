-- A termination alert is scheduled only for an active subscription with an end date, about 45 or 15 days before it, and at most twice.
select organization_id, subscription_id, due_at, ending_at
from (
  select d.organization_id, d.subject_id as subscription_id, d.due_at,
    case s.status when 'active' then s.ending_at end as ending_at,
    count(*) over (partition by d.organization_id, d.subject_id) as alerts,
    d.customer_id is distinct from s.customer_id as is_of_other
  from due_instants d
  left join subscriptions s on s.organization_id = d.organization_id and s.id = d.subject_id
  where d.kind = 'termination_alert' and d.done_at is null
) as alerts
-- Core counts local days. The extra day allows for time zones and for the time of day of the end.
where ending_at is null or is_of_other or alerts > 2
  or not (
    due_at between ending_at - interval '47 days' and ending_at - interval '44 days'
    or due_at between ending_at - interval '17 days' and ending_at - interval '14 days'
  )
