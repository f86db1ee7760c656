-- Which hours of an organization's events were checked for what will never be billed, each once: the row and the message that says
-- what was found are one transaction.
create table event_checks (
  organization_id uuid not null references organizations (id),
  -- Its start, by the clock of receipt.
  hour timestamptz not null,
  id uuid not null,
  checked_at timestamptz not null,
  -- For shard n at n + 1 the first position that was received after the hour: what comes later is looked for from there on.
  next_positions bigint[] not null,
  primary key (organization_id, hour)
);
select protect_tenant_table('event_checks');

-- The dispatcher looks, over all organizations, in which hours events came that nobody has checked; at nothing else of them.
create policy unchecked on event_checks for select to tallystick_dispatcher using (true);
grant select (organization_id, hour) on event_checks to tallystick_dispatcher;
create policy unchecked on event_counts for select to tallystick_dispatcher using (true);
grant select (organization_id, hour, new) on event_counts to tallystick_dispatcher;
