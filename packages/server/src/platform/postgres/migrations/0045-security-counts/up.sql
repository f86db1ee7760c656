-- What happened to keys, sign-ins and exports, counted by day. The nil UUID stands for an attempt of which no organization is known, so
-- there is no reference: no organization has it, and row level security shows these rows to none.
create table security_counts (
  organization_id uuid not null,
  day date not null,
  kind text not null check (
    kind in ('sign_in_succeeded', 'sign_in_failed', 'export', 'key_used', 'key_refused')
  ),
  count bigint not null check (count > 0),
  primary key (organization_id, day, kind)
);
select protect_tenant_table('security_counts');
revoke insert, update, delete on security_counts from tallystick_app;
-- Each process adds what it counted of all organizations, every few seconds.
create policy dispatch on security_counts to tallystick_dispatcher using (true) with check (true);
grant select, insert, update (count) on security_counts to tallystick_dispatcher;
