-- What the harness writes down beside the service's own tables.
create schema if not exists prove;

-- A worker is known by its number, also after the campaign was stopped and went on.
create sequence if not exists prove.worker_numbers;

create table if not exists prove.campaign (
  organization_id uuid not null,
  api_key text not null,
  seed integer not null,
  -- How much work was made: the customers, batches or chunks of the subject.
  made integer not null default 0,
  seconds double precision not null default 0
);

create table if not exists prove.kills (
  worker integer primary key,
  was_starting boolean not null,
  killed_at timestamptz not null,
  connections_gone_ms double precision not null,
  -- What the kill interrupted, as the subject counts it.
  under_way integer not null
);
