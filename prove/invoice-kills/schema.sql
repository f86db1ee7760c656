-- What the campaign writes down beside the service's own tables.
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
  open_transactions integer not null,
  at timestamptz not null default clock_timestamp()
);

-- A pause in the middle of a transaction that makes an invoice, where a kill leaves most behind: between its fees, its number and its
-- message. It costs no work, and so paces the workers too.
create or replace function prove.linger() returns trigger language plpgsql as $$
begin
  perform pg_sleep(random() * 0.1);
  return null;
end
$$;
create or replace trigger linger after insert on fees for each statement execute function prove.linger();
create or replace trigger linger after insert on outbox for each statement execute function prove.linger();
create or replace trigger linger after insert on bills for each statement execute function prove.linger();
create or replace trigger linger after update on counters for each statement execute function prove.linger();

grant usage on schema prove to tallystick_app, tallystick_dispatcher;
grant execute on function prove.linger to tallystick_app, tallystick_dispatcher;
grant select, insert, update, delete on all tables in schema prove to tallystick_app, tallystick_dispatcher;
grant usage on all sequences in schema prove to tallystick_app, tallystick_dispatcher;
