-- The newest version of each definition is what the definition is, and versions are counted from 1.
with definitions as (
  select organization_id, 'billable_metric' as kind, id, to_jsonb(m) as body from billable_metrics m
  union all
  select organization_id, 'tax', id, to_jsonb(t) from taxes t
  union all
  select c.organization_id, 'coupon', c.id, to_jsonb(c) || jsonb_build_object('plan_ids', plans.ids, 'billable_metric_ids', metrics.ids)
  from coupons c
  cross join lateral (
    select coalesce(jsonb_agg(plan_id order by plan_id), '[]') as ids from coupon_plans
    where organization_id = c.organization_id and coupon_id = c.id
  ) as plans
  cross join lateral (
    select coalesce(jsonb_agg(billable_metric_id order by billable_metric_id), '[]') as ids from coupon_billable_metrics
    where organization_id = c.organization_id and coupon_id = c.id
  ) as metrics
  union all
  select a.organization_id, 'add_on', a.id, to_jsonb(a) || jsonb_build_object('tax_ids', taxes.ids)
  from add_ons a
  cross join lateral (
    select coalesce(jsonb_agg(tax_id order by tax_id), '[]') as ids from add_on_taxes
    where organization_id = a.organization_id and add_on_id = a.id
  ) as taxes
  union all
  select id, 'organization', id, to_jsonb(o) from organizations o
),
versions as (
  select organization_id, kind, definition_id, max(version) as newest, count(*) as versions
  from definition_versions group by organization_id, kind, definition_id
)
select coalesce(d.organization_id, v.organization_id) as organization_id, coalesce(d.kind, v.kind) as kind,
  coalesce(d.id, v.definition_id) as definition, v.newest
from definitions d
full join versions v on v.organization_id = d.organization_id and v.kind = d.kind and v.definition_id = d.id
left join definition_versions n
  on n.organization_id = v.organization_id and n.kind = v.kind and n.definition_id = v.definition_id and n.version = v.newest
where d.id is null or n.body is null or v.newest <> v.versions
  -- A column that a later release added is in the next version, and one that it dropped is in the earlier ones.
  or exists (
    select from jsonb_each(n.body) as recorded
    where d.body ? recorded.key and d.body -> recorded.key is distinct from recorded.value
  )
