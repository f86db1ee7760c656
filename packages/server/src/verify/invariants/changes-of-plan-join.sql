-- The two subscriptions of a plan change refer to each other and share instant, customer, external id, anniversaries and first start. A
-- pending downgrade waits for the end of the fee period of an active subscription.
select s.organization_id, s.id as subscription_id, s.status, s.origin, s.started_at, s.takes_over_at,
  p.id as previous_id, p.status as previous_status, p.end_cause, p.terminated_at
from subscriptions s
left join subscriptions p on p.organization_id = s.organization_id and p.id = s.previous_subscription_id
left join lateral (
  select ends_at, last_day from subscription_periods
  where s.status = 'pending' and organization_id = p.organization_id and subscription_id = p.id and kind = 'fee'
  order by starts_at desc limit 1
) as fee on true
where case
  when s.origin in ('new', 'backdated') then p.id is not null
  when s.status = 'canceled' then false
  else
    (s.customer_id, s.external_id, s.billing_time, s.subscription_at)
      is distinct from (p.customer_id, p.external_id, p.billing_time, p.subscription_at)
    or case s.status
      when 'pending' then
        (p.status, s.takes_over_at, s.takes_over_on) is distinct from ('active', fee.ends_at, fee.last_day + 1)
      else
        (s.started_at, s.anchor, s.first_started_at) is distinct from (p.terminated_at, p.anchor, p.first_started_at)
        or p.end_cause is distinct from case s.origin when 'upgrade' then 'upgraded' else 'downgraded' end
    end
  end
union all
select s.organization_id, s.id, s.status, s.origin, s.started_at, s.takes_over_at, null, null, s.end_cause, s.terminated_at
from subscriptions s
left join subscriptions n
  on n.organization_id = s.organization_id and n.previous_subscription_id = s.id and n.started_at is not null
where s.status = 'terminated'
group by s.organization_id, s.id
having count(n.id) <> case s.end_cause when 'ended' then 0 else 1 end
