-- Roles belong to the cluster, not to a database, so they are made here and not in a migration.
-- Run by the login of MIGRATE_DATABASE_URL before every migration; safe to repeat. An administrator can make the roles before; otherwise the
-- login needs CREATEROLE the first time. It must own the database (or be a superuser) to hand out rights on it.
do $$
declare
  role_name text;
  may_act_as text := case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end;
begin
  foreach role_name in array array['tallystick_owner', 'tallystick_app', 'tallystick_dispatcher', 'tallystick_verifier'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin', role_name);
      exception when duplicate_object or unique_violation then
        null; -- another process created it at the same moment
      end;
    end if;
    -- From Postgres 16 on, creating a role does not allow acting as it.
    if not pg_has_role(current_user, role_name, may_act_as) then
      begin
        execute format('grant %I to %I', role_name, current_user);
      exception when insufficient_privilege then
        -- The other roles are for other logins.
        if role_name = 'tallystick_owner' then
          raise exception 'the role % exists and % may not act as it: let an administrator run "grant % to %"',
            role_name, current_user, role_name, current_user;
        end if;
      end;
    end if;
  end loop;
  execute format('grant create on database %I to tallystick_owner', current_database());
  -- The job library creates its own schema as the dispatcher. The privilege is revoked below once that is done, and not granted again: while
  -- the service runs, its login must not be able to create a schema that the migrations would search.
  if to_regnamespace('graphile_worker') is null then
    execute format('grant create on database %I to tallystick_dispatcher', current_database());
  end if;
  -- A temporary table would hide the table of that name from the next user of a pooled connection.
  execute format('revoke temporary on database %I from public', current_database());
end
$$;

revoke create on schema public from public;
grant usage, create on schema public to tallystick_owner;
grant usage on schema public to tallystick_app, tallystick_dispatcher, tallystick_verifier;
