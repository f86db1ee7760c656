-- The usage windows of bills cover the life of a subscription without gap or overlap, from its start (or its first billed period) to its
-- end (or its open period). If its end is not billed, they cover it up to its last period.
with life as (
  select s.organization_id, s.id as subscription_id, greatest(s.started_at, p.first_start) as begins,
    case when s.end_cause = 'ended' and s.on_termination_invoice = 'skip' then p.last_start
      else coalesce(s.terminated_at, p.last_start)
    end as ends
  from subscriptions s
  join (
    select organization_id, subscription_id, min(starts_at) as first_start, max(starts_at) as last_start
    from subscription_periods
    where kind = 'charges'
    group by organization_id, subscription_id
  ) as p on p.organization_id = s.organization_id and p.subscription_id = s.id
  where s.started_at is not null
),
billed as (
  select organization_id, subscription_id, min(charges_from) as begins, max(charges_to) as ends,
    bool_or(charges_from <> previous_to) as has_gap
  from (
    select organization_id, subscription_id, charges_from, charges_to, lag(charges_to) over life as previous_to
    from bills
    where charges_from is not null
    window life as (partition by organization_id, subscription_id order by charges_from)
  ) as windows
  group by organization_id, subscription_id
)
select life.organization_id, life.subscription_id, life.begins, life.ends, billed.begins as billed_from,
  billed.ends as billed_to, billed.has_gap
from life
left join billed on billed.organization_id = life.organization_id and billed.subscription_id = life.subscription_id
where case
  when billed.begins is null then life.begins < life.ends
  else (billed.begins, billed.ends) is distinct from (life.begins, life.ends) or billed.has_gap
end
