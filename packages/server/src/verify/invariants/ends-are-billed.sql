-- Every ended subscription has exactly one terminating bill, at the instant of its end. No other subscription has one.
select s.organization_id, s.id as subscription_id, s.status, s.terminated_at, count(b.id) as bills,
  min(b.occurred_at) as billed_at
from subscriptions s
left join bills b on b.organization_id = s.organization_id and b.subscription_id = s.id and b.reason = 'terminating'
group by s.organization_id, s.id
having count(b.id) <> case s.status when 'terminated' then 1 else 0 end or min(b.occurred_at) <> s.terminated_at
