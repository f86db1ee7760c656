-- The tally of a filter and group includes every fee made from it, and every fee in advance was made from a tally.
with made as (
  select organization_id, subscription_id, charge_id, charge_filter_id, grouped_by, from_at, count(*) as fees
  from fees
  where event_id is not null
  group by organization_id, subscription_id, charge_id, charge_filter_id, grouped_by, from_at
)
select coalesce(tally.organization_id, made.organization_id) as organization_id, tally.id as tally_id,
  coalesce(tally.subscription_id, made.subscription_id) as subscription_id, coalesce(tally.charge_id, made.charge_id) as charge_id,
  tally.fees as counted, made.fees as made
from advance_tallies tally
full join made
  on made.organization_id = tally.organization_id and made.subscription_id = tally.subscription_id
  and made.charge_id = tally.charge_id and made.from_at = tally.from_at and made.grouped_by = tally.grouped_by
  and coalesce(made.charge_filter_id, made.charge_id) = coalesce(tally.charge_filter_id, tally.charge_id)
where tally.id is null or coalesce(made.fees, 0) <> tally.fees
  or (tally.tally #>> '{usage,events}')::numeric < tally.fees and not exists (
    -- An edit of the filters moves earlier events to another filter, but their fees stay.
    select from charges
    join plan_versions v
      on v.organization_id = charges.organization_id and v.plan_id = charges.plan_id and v.version <= tally.plan_version
    cross join jsonb_array_elements(v.terms -> 'charges') as charge
    where charges.organization_id = tally.organization_id and charges.id = tally.charge_id and charge ->> 'id' = charges.id::text
    having count(distinct charge -> 'filters') > 1
  )
