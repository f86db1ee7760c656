-- The charges, filters and commitment of a plan are those in its newest version.
with newest as (
  select v.organization_id, v.plan_id, v.terms
  from plans p
  join plan_versions v on v.organization_id = p.organization_id and v.plan_id = p.id and v.version = p.version
),
named as (
  select organization_id, plan_id, 'charge' as part, charge ->> 'id' as id, charge ->> 'billable_metric_id' as belongs_to
  from newest cross join jsonb_array_elements(terms -> 'charges') as charge
  union all
  select organization_id, plan_id, 'filter', filter ->> 'id', charge ->> 'id'
  from newest
  cross join jsonb_array_elements(terms -> 'charges') as charge
  cross join jsonb_array_elements(charge -> 'filters') as filter
  union all
  select organization_id, plan_id, 'commitment', plan_id::text, plan_id::text
  from newest where jsonb_typeof(terms -> 'minimum_commitment') = 'object'
),
held as (
  select organization_id, plan_id, 'charge' as part, id::text, billable_metric_id::text as belongs_to
  from charges where deleted_at is null
  union all
  select f.organization_id, c.plan_id, 'filter', f.id::text, f.charge_id::text
  from charge_filters f
  join charges c on c.organization_id = f.organization_id and c.id = f.charge_id
  where f.deleted_at is null
  union all
  select organization_id, plan_id, 'commitment', plan_id::text, plan_id::text
  from minimum_commitments where deleted_at is null
)
select organization_id, plan_id, part, id,
  case
    when held.belongs_to is null then 'the version names it, but it is missing'
    when named.belongs_to is null then 'it exists, but the version does not name it'
    else 'it belongs to another parent than in the version'
  end as fault
from named
full join held using (organization_id, plan_id, part, id)
where named.belongs_to is distinct from held.belongs_to
