-- What the naive worker needs: a mark on due rows, and the right to finish rows outside of an organization.
alter table due_instants add column if not exists taken boolean not null default false;
grant update (taken, done_at) on due_instants to tallystick_dispatcher;
grant update (dispatched_at) on outbox to tallystick_dispatcher;
