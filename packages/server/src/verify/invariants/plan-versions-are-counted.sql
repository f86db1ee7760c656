-- The versions of a plan are numbered from 1 without a gap, and the plan uses the last one.
select p.organization_id, p.id as plan_id, p.version, v.count as versions, v.first, v.last
from plans p
left join (
  select organization_id, plan_id, count(*), count(distinct version) as numbers, min(version) as first, max(version) as last
  from plan_versions
  group by organization_id, plan_id
) as v on v.organization_id = p.organization_id and v.plan_id = p.id
where (v.count, v.numbers, v.first, v.last) is distinct from (p.version::bigint, p.version::bigint, 1, p.version)
