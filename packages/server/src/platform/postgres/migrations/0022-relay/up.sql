-- Which accepted events are in ClickHouse: for shard n at n + 1 the last position that surely is. Made with the first event of an
-- organization, whether there is a ClickHouse or not: so one that is added later gets everything.
create table relay_cursors (
  organization_id uuid primary key references organizations (id),
  lane smallint not null check (lane between 0 and 3),
  positions bigint[] not null check (array_position(positions, null) is null and 0 <= all (positions)),
  -- When it was last taken into a batch, so that organizations take turns.
  taken_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
select protect_tenant_table('relay_cursors');
create index relay_cursors_lane on relay_cursors (lane, taken_at);
-- The dispatcher takes the events of many organizations at once, and notes how far it is; of themselves it sees nothing here.
create policy dispatch on relay_cursors for select to tallystick_dispatcher using (true);
create policy dispatch_move on relay_cursors for update to tallystick_dispatcher using (true) with check (true);
grant select on relay_cursors to tallystick_dispatcher;
grant update (positions, taken_at) on relay_cursors to tallystick_dispatcher;

-- Each lane sends one batch after the other. A batch is opened, sent, and closed; whoever finds it open may send it again.
create table relay_lanes (
  lane smallint primary key check (lane between 0 and 3),
  -- Goes up with every rebuild: tokens of the time before mean nothing after it.
  generation integer not null default 0,
  -- Of the batch that is open, or else of the last one.
  number bigint not null default 0,
  is_open boolean not null default false,
  -- 0: all rows of the batch. From 1 on: those that were found missing.
  stage integer not null default 0,
  -- Counts who took the lane: only the last one may close the batch.
  claim bigint not null default 0,
  leased_until timestamptz not null default '-infinity',
  -- How often this stage may have been sent, and when first; and when the lane last sent anything.
  sends integer not null default 0 check (sends >= 0),
  first_sent_at timestamptz,
  last_sent_at timestamptz,
  -- Rows may have been taken by an engine that was killed over it, or under a token that was forgotten: what is derived is in doubt.
  is_in_doubt boolean not null default false,
  -- Not before: so few batches a second that no token is forgotten in its time.
  ready_at timestamptz not null default '-infinity',
  -- After failures ever later; whoever needs the events now need not wait for it.
  retry_at timestamptz not null default '-infinity',
  failures integer not null default 0,
  last_error text,
  -- Which ClickHouse the lane's events are in: another one, or one that was made anew by others, has none of them.
  copy_id text,
  -- Since when ClickHouse is made anew; while it is being emptied nothing is sent.
  rebuilding_since timestamptz,
  is_emptying boolean not null default false,
  check ((sends > 0) = (first_sent_at is not null)),
  check (is_open or (sends = 0 and stage = 0 and not is_in_doubt)),
  check (not is_emptying or rebuilding_since is not null)
);
insert into relay_lanes (lane) select generate_series(0, 3);
alter table relay_lanes enable row level security;
alter table relay_lanes force row level security;
create policy dispatch on relay_lanes to tallystick_dispatcher using (true) with check (true);
create policy verification on relay_lanes for select to tallystick_verifier using (true);
grant select, update on relay_lanes to tallystick_dispatcher;
grant select on relay_lanes to tallystick_verifier;

-- What an open batch holds, in the order in which it is sent.
create table relay_ranges (
  organization_id uuid not null references organizations (id),
  lane smallint not null,
  shard smallint not null,
  -- Positions after the one, up to the other.
  after bigint not null check (after >= 0),
  up_to bigint not null,
  -- Of a later stage: the positions among them that were missing. Null: all.
  missing bigint[],
  -- By code what is derived from its events, as it was when the batch was opened: sent again, its rows are the same.
  derivations jsonb not null check (jsonb_typeof(derivations) = 'object'),
  primary key (organization_id, shard),
  check (up_to > after)
);
select protect_tenant_table('relay_ranges');
create index relay_ranges_lane on relay_ranges (lane);
create policy dispatch on relay_ranges to tallystick_dispatcher using (true) with check (true);
grant select, insert, update, delete on relay_ranges to tallystick_dispatcher;

create function relay_lane(organization_id uuid) returns smallint
  language sql immutable parallel safe
  return (get_byte(uuid_send(organization_id), 15) % 4)::smallint;

create function begin_relay_cursor() returns trigger
  language plpgsql
  as $$
begin
  insert into relay_cursors (organization_id, lane, positions)
  values (new.organization_id, relay_lane(new.organization_id), '{}')
  on conflict do nothing;
  return null;
end
$$;
-- Once for each organization and shard: heads are updated after that.
create trigger begins_relay after insert on event_heads for each row execute function begin_relay_cursor();

-- Those that have events already. The owner is bound by row level security as well, so it is taken off for this statement.
alter table event_heads no force row level security;
alter table relay_cursors no force row level security;
insert into relay_cursors (organization_id, lane, positions)
select distinct organization_id, relay_lane(organization_id), '{}'::bigint[] from event_heads;
alter table event_heads force row level security;
alter table relay_cursors force row level security;
