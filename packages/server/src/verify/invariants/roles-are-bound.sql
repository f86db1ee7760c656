-- No role of the service can bypass row level security or become another role.
select null::uuid as organization_id, r.rolname as role,
  array(select m.roleid::regrole::text from pg_auth_members m where m.member = r.oid) as becomes
from pg_roles r
where r.rolname in ('tallystick_owner', 'tallystick_app', 'tallystick_dispatcher', 'tallystick_verifier')
  and (r.rolsuper or r.rolbypassrls or exists (select from pg_auth_members m where m.member = r.oid))
