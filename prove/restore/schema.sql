-- What the workers of a campaign take their numbers from.
create schema if not exists prove;
create sequence if not exists prove.worker_numbers;
grant usage on schema prove to tallystick_dispatcher;
grant usage on all sequences in schema prove to tallystick_dispatcher;
