-- Every ended subscription has exactly one terminating bill, at the instant of its end, unless it was agreed that its end is not billed. No
-- other subscription has one.
select s.organization_id, s.id as subscription_id, s.status, s.terminated_at, s.on_termination_invoice, count(b.id) as bills,
  min(b.occurred_at) as billed_at
from subscriptions s
left join bills b on b.organization_id = s.organization_id and b.subscription_id = s.id and b.reason = 'terminating'
group by s.organization_id, s.id
having count(b.id) <> case
    when s.status <> 'terminated' or s.end_cause = 'ended' and s.on_termination_invoice = 'skip' then 0
    else 1
  end or min(b.occurred_at) <> s.terminated_at
