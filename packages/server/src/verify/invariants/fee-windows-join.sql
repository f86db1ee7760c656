-- The fee windows of a subscription's bills join without gap or overlap. Each ends with a fee period or with the subscription.
select w.organization_id, w.subscription_id, w.bill_id, w.reason, w.fee_from, w.fee_to, w.previous_to
from (
  select organization_id, subscription_id, id as bill_id, reason, fee_from, fee_to, lag(fee_to) over life as previous_to
  from bills
  where fee_from is not null
  window life as (partition by organization_id, subscription_id order by fee_from, fee_to)
) as w
left join subscriptions s on s.organization_id = w.organization_id and s.id = w.subscription_id
left join subscription_periods p
  on p.organization_id = w.organization_id and p.subscription_id = w.subscription_id and p.kind = 'fee' and p.ends_at = w.fee_to
where w.fee_from <> w.previous_to
  or case w.reason when 'terminating' then w.fee_to is distinct from s.terminated_at else p.ends_at is null end
