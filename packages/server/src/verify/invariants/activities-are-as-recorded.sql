-- Every activity of the trail is as it was recorded and has its seal, every seal has its activity, and a difference is missing only where
-- a later activity of the trail says that it was erased.
select organization_id, id as activity, fault
from (
  select coalesce(a.organization_id, s.organization_id) as organization_id, coalesce(a.id, s.activity_id) as id,
    case
      when a.id is null then 'the activity is gone'
      when s.activity_id is null then 'the activity has no seal'
      when s.recorded_at <> a.created_at
        or s.row_digest <> sha256(convert_to(json_build_array(
          a.organization_id, a.id, (extract(epoch from a.created_at) * 1000000)::bigint, a.actor_kind, a.actor_id, a.address, a.operation,
          a.object_type, a.object_id, a.request_id, encode(a.difference_digest, 'hex'))::text, 'UTF8'))
        then 'the activity was changed'
      when a.difference is not null
        and a.difference_digest is distinct from sha256(a.salt || convert_to(a.difference::text, 'UTF8'))
        then 'the difference was changed'
      when a.erased_by is not null and not exists (
        select from activities e
        where e.organization_id = a.organization_id and e.id = a.erased_by and e.operation = 'eraseActivities'
          and e.difference::jsonb -> 'activities' -> 0 ? a.id::text
      ) then 'no activity says that the difference was erased'
    end as fault
  from activities a
  full join activity_seals s on s.organization_id = a.organization_id and s.activity_id = a.id
) as activity
where fault is not null
