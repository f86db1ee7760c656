-- Every charges period lies in a fee period of its subscription, and every fee period contains one. If charges are not billed monthly, the
-- two periods are the same.
select c.organization_id, c.subscription_id, c.starts_at as charges_from, c.ends_at as charges_to, f.starts_at as fee_from,
  f.ends_at as fee_to
from subscription_periods c
join subscriptions s on s.organization_id = c.organization_id and s.id = c.subscription_id
join plans p on p.organization_id = s.organization_id and p.id = s.plan_id
join plan_versions v on v.organization_id = p.organization_id and v.plan_id = p.id and v.version = p.version
left join subscription_periods f
  on f.organization_id = c.organization_id and f.subscription_id = c.subscription_id and f.kind = 'fee'
  and f.starts_at <= c.starts_at and c.ends_at <= f.ends_at and f.first_day <= c.first_day and c.last_day <= f.last_day
where c.kind = 'charges'
  and (
    f.starts_at is null
    or v.terms -> 'bill_charges_monthly' is distinct from 'true'
    and (c.starts_at, c.ends_at, c.first_day, c.last_day) is distinct from (f.starts_at, f.ends_at, f.first_day, f.last_day)
  )
union all
select f.organization_id, f.subscription_id, null, null, f.starts_at, f.ends_at
from subscription_periods f
where f.kind = 'fee' and not exists (
  select from subscription_periods c
  where c.organization_id = f.organization_id and c.subscription_id = f.subscription_id and c.kind = 'charges'
    and c.starts_at >= f.starts_at and c.starts_at < f.ends_at
)
