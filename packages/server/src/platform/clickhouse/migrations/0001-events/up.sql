-- What the relay inserts into. It keeps nothing: each row goes into every table that a view fills from here, and a batch that
-- comes twice with its token is taken once by each of them.
create table if not exists {local:relay_in} {cluster} (
  organization_id UUID,
  external_subscription_id String,
  code String,
  -- Microseconds since 1970: ingestion takes the years 1 to 9999, and no type for dates holds them all.
  timestamp Int64,
  received_at DateTime64(6, 'UTC'),
  shard UInt16,
  position UInt64,
  id UUID,
  transaction_id String,
  digest UInt128,
  properties Map(String, String),
  derivations Array(Tuple(id UUID, field String, names Array(String))),
  -- Rows that come later are refused by every view: by then a token may be forgotten, and they may be here already. Only the first row
  -- of a batch says it.
  send_before DateTime64(3, 'UTC') default '2106-01-01 00:00:00'
) engine = Null;

{distributed:relay_in};

create table if not exists {local:events} {cluster} (
  organization_id UUID,
  external_subscription_id String,
  code String,
  timestamp Int64,
  received_at DateTime64(6, 'UTC'),
  shard UInt16,
  position UInt64,
  id UUID,
  transaction_id String,
  digest UInt128,
  properties Map(String, String)
) engine = {engine:MergeTree}
-- By receipt, as in Postgres: one batch holds events of any time, but was received in a month or two.
partition by toYYYYMM(received_at)
order by (organization_id, external_subscription_id, code, timestamp, received_at, shard, position)
-- Nothing is deleted: recurring metrics read from the start of a subscription, and events come late.
ttl toDateTime(received_at) + interval 13 month recompress codec(ZSTD(9))
settings {tokens};

{distributed:events};

create materialized view if not exists events_mv {cluster} to {local:events} as
select
  organization_id, external_subscription_id, code, timestamp, received_at, shard, position, id, transaction_id, digest,
  properties
from {local:relay_in}
where throwIf(send_before < now64(3), 'sent too late') = 0;
