-- What the campaign writes down beside the service's own tables.
create schema if not exists prove;

create sequence if not exists prove.worker_numbers;

create table if not exists prove.campaign (
  organization_id uuid not null,
  api_key text not null,
  seed integer not null,
  -- How many chunks of events are stored. The next may be as well.
  chunks integer not null default 0,
  engine_kills integer not null default 0,
  engine_kills_in_flight integer not null default 0,
  seconds double precision not null default 0
);

create table if not exists prove.kills (
  worker integer primary key,
  was_starting boolean not null,
  -- Lanes that had sent a batch and not closed it.
  in_flight integer not null
);

grant usage on schema prove to tallystick_app, tallystick_dispatcher, tallystick_verifier;
grant select, insert, update, delete on all tables in schema prove to tallystick_app, tallystick_dispatcher;
grant select on all tables in schema prove to tallystick_verifier;
grant usage on all sequences in schema prove to tallystick_app, tallystick_dispatcher;
