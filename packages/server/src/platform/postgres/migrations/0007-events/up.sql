-- Which events there are, for ever: the primary key is the proof that none is counted twice. Only what a repeat is compared with,
-- and where its payload lies; the payload can go, this stays. No reference to organizations here and in events: it would be looked
-- up once a row. The heads below have it.
create table event_keys (
  organization_id uuid not null,
  id uuid not null,
  "timestamp" timestamptz not null,
  received_at timestamptz not null,
  external_subscription_id text not null,
  -- First in the key, so that an event is found by it alone.
  transaction_id text not null,
  -- Of code and properties. Not of the timestamp: a repeat without one is the same event.
  body_digest bytea not null check (length(body_digest) = 16),
  primary key (organization_id, transaction_id, external_subscription_id)
) partition by hash (organization_id, external_subscription_id);
select protect_tenant_table('event_keys');

do $$
declare
  name text;
begin
  for part in 0..15 loop
    name := format('event_keys_%s', to_char(part, 'FM00'));
    execute format('create table %I partition of event_keys for values with (modulus 16, remainder %s)', name, part);
    perform protect_tenant_table(name::regclass);
  end loop;
end
$$;

-- What was sent, by month received, so that an old month can be dropped as a whole.
create table events (
  organization_id uuid not null,
  id uuid not null,
  -- To the microsecond, cut.
  "timestamp" timestamptz not null,
  received_at timestamptz not null,
  -- Order of acceptance within a shard, 1, 2, 3 …: once a position can be read, no smaller one can appear.
  position bigint not null,
  shard smallint not null,
  -- Of identity, timestamp and body: 128 bits, so that sets of events are compared by count and sum modulo 2^128.
  digest numeric(39, 0) not null,
  external_subscription_id text not null,
  transaction_id text not null,
  code text not null,
  -- As shown: numbers in plain decimals, so that properties->>key is the canonical text of every text, number and boolean.
  properties jsonb not null,
  -- The canonical texts of the others, objects and lists; null where there are none.
  canonical jsonb,
  primary key (organization_id, shard, position, received_at)
) partition by range (received_at);
select protect_tenant_table('events');
create index events_usage on events (organization_id, external_subscription_id, code, "timestamp");
create index events_list on events (organization_id, "timestamp", id);

-- Catches what comes in a month that has no partition, so that ingestion never fails for want of one.
create table events_default partition of events default;
select protect_tenant_table('events_default');

-- Makes the partitions of this month and the next ones; called by a scheduled job. A month of which events lie in the default
-- partition already stays there.
create function make_event_partitions(months_ahead integer) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp
  as $$
declare
  month timestamp;
  name text;
begin
  for month in
    select generate_series(this_month, this_month + make_interval(months => months_ahead), interval '1 month')
    from date_trunc('month', now() at time zone 'UTC') as this_month
  loop
    name := to_char(month, '"events_"YYYY"_"MM');
    continue when to_regclass(format('public.%I', name)) is not null;
    begin
      -- Attached rather than created as a partition: that would lock out readers of all others.
      execute format('create table public.%I (like public.events including all)', name);
      perform protect_tenant_table(format('public.%I', name)::regclass);
      execute format('alter table public.events attach partition public.%I for values from (%L) to (%L)',
        name, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
    exception when check_violation then
      raise warning 'events of % lie in the default partition and stay there', to_char(month, 'YYYY-MM');
    end;
  end loop;
end
$$;
revoke execute on function make_event_partitions from public;
grant execute on function make_event_partitions to tallystick_dispatcher;
select make_event_partitions(3);

-- The last position of each shard. Changed in the transaction that stores events and locked until its commit. A cut is the list of
-- these rows at one moment. Room on the page for the new versions of a row that changes with every statement.
create table event_heads (
  organization_id uuid not null references organizations (id),
  shard smallint not null,
  position bigint not null check (position >= 0),
  primary key (organization_id, shard)
) with (fillfactor = 20);
select protect_tenant_table('event_heads');

-- What became of every event that arrived; striped by writer, so that counting does not make writers wait.
create table event_counts (
  organization_id uuid not null references organizations (id),
  hour timestamptz not null,
  stripe smallint not null,
  received bigint not null default 0 check (received >= 0),
  new bigint not null default 0 check (new >= 0),
  duplicate bigint not null default 0 check (duplicate >= 0),
  conflict bigint not null default 0 check (conflict >= 0),
  rejected bigint not null default 0 check (rejected >= 0),
  primary key (organization_id, hour, stripe),
  check (received = new + duplicate + conflict + rejected)
) with (fillfactor = 20);
select protect_tenant_table('event_counts');

create function count_events(organization_id uuid, hour timestamptz, stripe smallint, new bigint, duplicate bigint,
    conflict bigint, rejected bigint) returns void
  language sql
  as $$
  insert into event_counts as counts (organization_id, hour, stripe, received, new, duplicate, conflict, rejected)
  values (count_events.organization_id, date_trunc('hour', count_events.hour, 'UTC'), count_events.stripe,
    count_events.new + count_events.duplicate + count_events.conflict + count_events.rejected,
    count_events.new, count_events.duplicate, count_events.conflict, count_events.rejected)
  on conflict (organization_id, hour, stripe) do update set
    received = counts.received + excluded.received,
    new = counts.new + excluded.new,
    duplicate = counts.duplicate + excluded.duplicate,
    conflict = counts.conflict + excluded.conflict,
    rejected = counts.rejected + excluded.rejected
$$;

-- Stores events, given as arrays side by side: one call is one transaction for one organization. Several requests can share it; one
-- with an event that conflicts with a stored one is left out as a whole. No two requests of a call may have a key in common.
-- Answers with the events that were there already: is_same says whether with this body. All others of requests without a conflict
-- are stored now.
--
-- Locks are taken in one order, so that writers wait for each other but never in a circle: keys by their order, head, counts.
-- Sequential scans are off because a plan made while the tables were empty would be kept when they no longer are. For the same
-- reason stored rows are looked up one by one (lateral, with a limit): a join of empty tables would be planned as one that reads all.
create function ingest_events(
  organization_id uuid, lane smallint, received timestamptz,
  requests smallint[], ids uuid[], subscriptions text[], transactions text[], body_digests bytea[],
  codes text[], timestamps timestamptz[], are_timed boolean[], digests numeric[], contents jsonb[], canonicals jsonb[]
) returns table (
  ordinal integer, is_same boolean, stored_id uuid, stored_timestamp timestamptz, stored_at timestamptz, stored_properties text
)
  language plpgsql set enable_seqscan = off
  as $$
#variable_conflict use_column
declare
  organization constant uuid := ingest_events.organization_id;
  given constant integer := cardinality(ids);
  fresh integer;
  inserted_ids uuid[];
  known_ids uuid[] := '{}';
  taken_back record;
  top bigint;
  repeats integer[] := '{}';
  conflicts integer[] := '{}';
  refused smallint[] := '{}';
begin
  perform set_config('app.organization_id', organization::text, true);

  with inserted as (
    insert into event_keys (organization_id, id, "timestamp", received_at, external_subscription_id, transaction_id, body_digest)
    select organization, row.id, row.instant, received, row.subscription, row.transaction, row.body
    from unnest(ids, timestamps, subscriptions, transactions, body_digests)
      with ordinality as row (id, instant, subscription, transaction, body, number)
    order by row.transaction collate "C", row.subscription collate "C", row.number
    on conflict do nothing
    returning id
  )
  select array_agg(id), count(*) into inserted_ids, fresh from inserted;

  -- Only what was not inserted is looked up: with few repeats among many events that is nearly nothing.
  if fresh < given then
    -- Not by <> all (inserted_ids), which compares each with each.
    known_ids := array (select unnest(ids) except select unnest(inserted_ids));
    select coalesce(array_agg(row.number) filter (where same.is_same), '{}'),
      coalesce(array_agg(row.number) filter (where not same.is_same), '{}'),
      coalesce(array_agg(row.request) filter (where not same.is_same), '{}')
    into repeats, conflicts, refused
    from unnest(ids, timestamps, subscriptions, transactions, body_digests, are_timed, requests)
      with ordinality as row (id, instant, subscription, transaction, body, is_timed, request, number)
    cross join lateral (
      select key.body_digest, key."timestamp" from event_keys key
      where key.organization_id = organization and key.transaction_id = row.transaction
        and key.external_subscription_id = row.subscription
      limit 1
    ) as key
    cross join lateral (
      select key.body_digest = row.body and (not row.is_timed or key."timestamp" = row.instant) as is_same
    ) as same
    where fresh = 0 or row.id = any (known_ids);
    if fresh + cardinality(repeats) + cardinality(conflicts) <> given then
      raise exception 'of % events % are new, % repeated and % in conflict',
        given, fresh, cardinality(repeats), cardinality(conflicts);
    end if;
  end if;

  if cardinality(refused) > 0 then
    for taken_back in
      select row.subscription, row.transaction, row.id
      from unnest(ids, subscriptions, transactions, requests) as row (id, subscription, transaction, request)
      where row.request = any (refused) and row.id <> all (known_ids)
    loop
      delete from event_keys key
      where key.organization_id = organization and key.transaction_id = taken_back.transaction
        and key.external_subscription_id = taken_back.subscription and key.id = taken_back.id;
      fresh := fresh - 1;
    end loop;
  end if;

  if fresh > 0 then
    update event_heads head set position = head.position + fresh
    where head.organization_id = organization and head.shard = lane returning head.position into top;
    if not found then
      insert into event_heads as head (organization_id, shard, position) values (organization, lane, fresh)
      on conflict (organization_id, shard) do update set position = head.position + excluded.position
      returning head.position into top;
    end if;
    insert into events (organization_id, id, "timestamp", received_at, position, shard, digest, external_subscription_id,
      transaction_id, code, properties, canonical)
    select organization, row.id, row.instant, received, top - fresh + row_number() over (order by row.number), lane,
      row.digest, row.subscription, row.transaction, row.code, row.content, row.canonical
    from unnest(ids, timestamps, digests, subscriptions, transactions, codes, contents, canonicals, requests)
      with ordinality as row (id, instant, digest, subscription, transaction, code, content, canonical, request, number)
    where row.request <> all (refused) and row.number <> all (repeats);
  end if;

  perform count_events(organization, received, lane, fresh, accepted, cardinality(conflicts),
    given - fresh - accepted - cardinality(conflicts))
  from (select count(*) as accepted from unnest(repeats) as number where requests[number] <> all (refused)) as counted;

  if fresh < given then
    return query
    select row.number::integer, row.number = any (repeats), key.id, key."timestamp", key.received_at, event.properties
    from unnest(subscriptions, transactions) with ordinality as row (subscription, transaction, number)
    left join lateral (
      select key.id, key."timestamp", key.received_at from event_keys key
      where key.organization_id = organization and key.transaction_id = row.transaction
        and key.external_subscription_id = row.subscription
      limit 1
    ) as key on true
    left join lateral (
      select event.properties::text as properties from events event
      where event.organization_id = organization and event."timestamp" = key."timestamp" and event.id = key.id
        and event.received_at = key.received_at
      limit 1
    ) as event on true
    where row.number = any (repeats || conflicts);
  end if;
end
$$;
