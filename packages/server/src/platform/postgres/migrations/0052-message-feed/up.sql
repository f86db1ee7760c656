-- The feed of messages: those that were dispatched, in the order of a position that is given at dispatch.
alter table outbox add column position bigint;
create unique index outbox_feed on outbox (organization_id, position) where position is not null;

-- The last position of each organization. The row stays locked from the dispatch to its commit, so that no smaller position can become
-- readable after a larger one.
create table message_heads (
  organization_id uuid not null references organizations (id),
  position bigint not null check (position > 0),
  -- Of the messages whose payload was deleted, the last one: a cursor before it has missed something.
  forgotten_position bigint not null default 0 check (forgotten_position between 0 and position),
  primary key (organization_id)
);
select protect_tenant_table('message_heads');
