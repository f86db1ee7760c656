-- Row level security is forced on every table, and this check sees every table of an organization.
select null::uuid as organization_id, "table", fault
from (
  select c.oid::regclass::text as "table",
    case
      when not (c.relrowsecurity and c.relforcerowsecurity) then 'row level security is not forced'
      when is_of_tenant and not is_shown then 'this check does not see its rows'
    end as fault
  from pg_class c
  cross join lateral (
    select c.oid = 'organizations'::regclass or exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
    ) as is_of_tenant
  ) as tenant
  cross join lateral (
    select has_any_column_privilege('tallystick_verifier', c.oid, 'select') and exists (
      select from pg_policy p
      where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
        and 'tallystick_verifier'::regrole = any(p.polroles) and pg_get_expr(p.polqual, p.polrelid) = 'true'
    ) as is_shown
  ) as shown
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'f')
) as tables
where fault is not null
