-- What ClickHouse adds up of a metric's events by hour, so that a question of usage costs hours and not events: the field that is counted
-- and the properties that filters and groups tell events apart by. It is made where a question had to look at very many events.
create table rollup_derivations (
  organization_id uuid not null references organizations (id),
  -- Names its cells in ClickHouse too. What is derived anew gets a new id, so that old cells are never mixed with new ones.
  id uuid not null,
  code text not null,
  -- '' where events are counted.
  field text not null,
  -- In order, each once.
  names text[] not null check (array_position(names, null) is null and cardinality(names) <= 8),
  -- The subscription with the very many events: what its cells save decides whether there are any.
  asked_for text not null,
  asked_at timestamptz not null,
  -- wanted → building → live; refused: there would be nearly as many cells as events; retired: nobody reads its cells any more.
  state text not null check (state in ('wanted', 'building', 'live', 'refused', 'retired')),
  -- At index n + 1 a position of shard n: events up to it are added up in the background, later ones by the relay as they come.
  since bigint[] check (array_position(since, null) is null and 0 <= all (since)),
  -- Of the events up to there: all of the days until this one are added up.
  derived_through date,
  -- When the days after it were sent. They are not sent twice: where nobody knows what became of them, all is derived anew.
  chunk_begun_at timestamptz,
  created_at timestamptz not null,
  ready_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  primary key (organization_id, id),
  check ((state in ('building', 'live')) <= (since is not null)),
  check (chunk_begun_at is null or state = 'building')
);
select protect_tenant_table('rollup_derivations');
create unique index rollup_derivations_of_metric on rollup_derivations (organization_id, code, field, names) where state <> 'retired';
create index rollup_derivations_ready on rollup_derivations (ready_at);
-- The dispatcher looks, over all organizations, which of them is next. In its transactions the relay asks what to derive of the rows that
-- it sends, and has made anew what it cannot vouch for.
create policy dispatch on rollup_derivations for select to tallystick_dispatcher using (true);
create policy dispatch_claim on rollup_derivations for update to tallystick_dispatcher using (true) with check (true);
create policy dispatch_restart on rollup_derivations for insert to tallystick_dispatcher with check (state = 'wanted');
grant select, insert on rollup_derivations to tallystick_dispatcher;
grant update (state, chunk_begun_at, ready_at, attempts, last_error) on rollup_derivations to tallystick_dispatcher;
