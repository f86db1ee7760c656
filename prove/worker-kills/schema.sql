-- What the campaign writes down beside the service's own tables. No unique key where a double must be countable.
create schema if not exists prove;

create sequence if not exists prove.worker_numbers;

create table if not exists prove.campaign (
  organization_id uuid not null,
  seed integer not null,
  batches integer not null default 0,
  seconds double precision not null default 0
);

-- The effect of a due row, in the transaction that consumes it.
create table if not exists prove.effects (
  number bigint generated always as identity,
  due_id uuid not null,
  customer_id uuid not null,
  due_at timestamptz not null,
  rank smallint not null,
  worker integer not null
);

-- The effect of an outbox row, in the transaction that dispatches it.
create table if not exists prove.handed (
  message_id uuid not null,
  worker integer not null
);

-- The effect of a job: a row with a unique key, so that the handler is safe to repeat.
create table if not exists prove.deliveries (
  message_id uuid primary key,
  worker integer not null
);

-- What the receiver acknowledged; it is in the process that is never killed.
create table if not exists prove.received (
  message_id uuid not null
);

-- Written outside the transaction of the work, before its effect: what a killed worker had begun.
create table if not exists prove.attempts (
  source text not null check (source in ('due', 'outbox', 'job')),
  item_id uuid not null,
  worker integer not null,
  locked_by text,
  at timestamptz not null default clock_timestamp()
);
create index if not exists attempts_item on prove.attempts (item_id);

create table if not exists prove.kills (
  number integer generated always as identity primary key,
  worker integer not null unique,
  was_starting boolean not null,
  delay_ms integer not null,
  killed_at timestamptz not null,
  connections_gone_ms double precision not null
);

-- The jobs that were locked, by whomever, when a worker had been killed.
create table if not exists prove.held (
  kill integer not null references prove.kills (number),
  message_id uuid not null,
  locked_by text not null
);

grant usage on schema prove to tallystick_app, tallystick_dispatcher;
grant select, insert, update, delete on all tables in schema prove to tallystick_app, tallystick_dispatcher;
grant usage on all sequences in schema prove to tallystick_app, tallystick_dispatcher;
