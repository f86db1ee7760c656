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
grant execute on function prove.linger to tallystick_app, tallystick_dispatcher;
