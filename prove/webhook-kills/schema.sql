-- What the campaign writes down beside the service's own tables. No unique key where a double must be countable.
create schema if not exists prove;

create sequence if not exists prove.worker_numbers;

create table if not exists prove.campaign (
  organization_id uuid not null,
  api_key text not null,
  seed integer not null,
  customers integer not null default 0,
  seconds double precision not null default 0
);

create table if not exists prove.kills (
  worker integer primary key,
  was_starting boolean not null,
  -- Deliveries that were under way, whoever sent them.
  under_way integer not null
);

-- Written before the answer, by the process that is never killed.
create table if not exists prove.received (
  endpoint_id uuid not null,
  message_id uuid not null,
  digest bytea not null,
  answered integer not null,
  -- Signatures that were not right.
  faults text[] not null
);

grant usage on schema prove to tallystick_app, tallystick_dispatcher, tallystick_verifier;
grant select, insert, update, delete on all tables in schema prove to tallystick_app, tallystick_dispatcher;
grant select on all tables in schema prove to tallystick_verifier;
grant usage on all sequences in schema prove to tallystick_app, tallystick_dispatcher;
