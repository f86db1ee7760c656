-- Every reference between tables includes the organization, so that no row can refer to a row of another organization. A person belongs to none.
select null::uuid as organization_id, k.conrelid::regclass::text as "table", k.conname as reference
from pg_constraint k
where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.confrelid <> 'users'::regclass
  and not exists (
    select from unnest(k.conkey, k.confkey) as pair (own, target)
    join pg_attribute own on own.attrelid = k.conrelid and own.attnum = pair.own
    join pg_attribute target on target.attrelid = k.confrelid and target.attnum = pair.target
    where own.attname = case k.conrelid when 'organizations'::regclass then 'id' else 'organization_id' end
      and target.attname = case k.confrelid when 'organizations'::regclass then 'id' else 'organization_id' end
  )
