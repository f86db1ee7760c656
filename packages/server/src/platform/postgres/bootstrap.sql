-- Roles belong to the cluster, not to a database, so they are made here and not in a migration.
-- Run by the login of DATABASE_URL before every migration; safe to repeat. The login needs CREATEROLE the first time,
-- and must own the database (or be a superuser) to hand out rights on it.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tallystick_owner', 'tallystick_app', 'tallystick_dispatcher', 'tallystick_verifier'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    -- Always, though it may be granted already: from Postgres 16 on, whoever makes a role may not act as it by that alone.
    begin
      execute format('grant %I to %I', role_name, current_user);
    exception when insufficient_privilege then
      null;
    end;
  end loop;
  execute format('grant create on database %I to tallystick_owner', current_database());
  -- The job library makes its own schema as the dispatcher; the right is taken back below, once that is done.
  execute format('grant create on database %I to tallystick_dispatcher', current_database());
end
$$;

revoke create on schema public from public;
grant usage, create on schema public to tallystick_owner;
grant usage on schema public to tallystick_app, tallystick_dispatcher, tallystick_verifier;
