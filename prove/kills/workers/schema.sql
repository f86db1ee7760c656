-- No unique key where a double must be countable.

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

-- What the receiver acknowledged.
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

-- The jobs that were locked, by whichever worker, when a worker had been killed.
create table if not exists prove.locked (
  killed integer not null,
  message_id uuid not null,
  locked_by text not null
);
