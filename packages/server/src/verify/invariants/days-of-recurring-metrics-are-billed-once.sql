-- After a plan change, no local day of a recurring metric is billed by both the old and the new charge, unless the day was returned.
with parts as (
  select b.organization_id, b.customer_id, s.external_id, b.subscription_id, b.id as bill_id, b.occurred_at, c.billable_metric_id,
    case
      when p.part ->> 'type' = 'days' then
        daterange((p.part ->> 'firstDay')::date, (p.part ->> 'lastDay')::date, '[]')
      else daterange(period.first_day, period.last_day, '[]')
    end as days
  from bills b
  join subscriptions s on s.organization_id = b.organization_id and s.id = b.subscription_id
  cross join lateral jsonb_each(
    case when jsonb_typeof(b.windows -> 'parts') = 'object' then b.windows -> 'parts' else '{}' end
  ) as p (charge_id, part)
  join charges c on c.organization_id = b.organization_id and c.id::text = p.charge_id
  left join subscription_periods period on period.organization_id = b.organization_id
    and period.subscription_id = b.subscription_id and period.kind = 'charges'
    and tstzrange(period.starts_at, period.ends_at) @> coalesce(b.charges_from, b.occurred_at)
  where p.part ->> 'type' in ('days', 'whole')
),
returned as (
  select b.organization_id, b.customer_id, s.external_id, b.occurred_at, c.billable_metric_id,
    daterange((r.days ->> 'firstDay')::date, (r.days ->> 'lastDay')::date, '[]') as days
  from bills b
  join subscriptions s on s.organization_id = b.organization_id and s.id = b.subscription_id
  cross join lateral jsonb_array_elements(
    case when jsonb_typeof(b.windows -> 'returned') = 'array' then b.windows -> 'returned' else '[]' end
  ) as r (days)
  join charges c on c.organization_id = b.organization_id and c.id::text = r.days ->> 'chargeId'
),
billed as (
  select part.*, datemultirange(part.days) - coalesce((
    select range_agg(back.days) from returned back
    where back.organization_id = part.organization_id and back.customer_id = part.customer_id
      and back.external_id = part.external_id and back.billable_metric_id = part.billable_metric_id
      and back.occurred_at >= part.occurred_at
  ), '{}'::datemultirange) as kept
  from parts part
  where not isempty(part.days)
)
select one.organization_id, one.bill_id, other.bill_id as other_bill_id, one.billable_metric_id, one.kept * other.kept as days
from billed one
join billed other on other.organization_id = one.organization_id and other.customer_id = one.customer_id
  and other.external_id = one.external_id and other.billable_metric_id = one.billable_metric_id
  and other.subscription_id > one.subscription_id
where one.kept && other.kept
  -- After an end without a successor, a subscription with the same external id is a new contract.
  and not exists (
    select from subscriptions ended
    where ended.organization_id = one.organization_id and ended.customer_id = one.customer_id
      and ended.external_id = one.external_id and ended.end_cause = 'ended'
      and ended.id >= one.subscription_id and ended.id < other.subscription_id
  )
