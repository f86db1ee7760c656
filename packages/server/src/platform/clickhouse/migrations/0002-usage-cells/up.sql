-- What the events of an hour come to, for each derivation of Postgres' `rollup_derivations`: rows of one key are added up by merges, and
-- by whoever reads them. Hours count from 1970. `dimensions`: of each name of the derivation `=` and the text of that property, or nothing
-- where it is absent. By the month received, as events are, so that both let go of the same.
create table if not exists {local:usage_cells} {cluster} (
  organization_id UUID,
  derivation_id UUID,
  external_subscription_id String,
  hour Int64,
  shard UInt16,
  dimensions Array(String),
  received_month UInt32,
  seen SimpleAggregateFunction(sum, UInt64),
  seen_digest SimpleAggregateFunction(sum, UInt128),
  counted SimpleAggregateFunction(sum, UInt64),
  unfit SimpleAggregateFunction(sum, UInt64),
  digest SimpleAggregateFunction(sum, UInt128),
  total SimpleAggregateFunction(sum, Decimal(76, 18)),
  largest SimpleAggregateFunction(max, Nullable(Decimal(76, 18))),
  last_position SimpleAggregateFunction(max, UInt64)
) engine = {engine:AggregatingMergeTree}
partition by received_month
order by (organization_id, derivation_id, external_subscription_id, hour, shard, dimensions)
settings {tokens};

{distributed:usage_cells};

create materialized view if not exists cells_mv {cluster} to {local:usage_cells} as
select
  organization_id, derivation_id, external_subscription_id, hour, shard, dimensions, received_month,
  count() as seen, sum(event_digest) as seen_digest, countIf(fits) as counted, countIf(is_number and not fits) as unfit,
  sumIf(event_digest, fits) as digest, sumIf(value, fits) as total, maxOrNullIf(value, fits) as largest,
  max(position) as last_position
from (
  select
    organization_id, derivation.1 as derivation_id, external_subscription_id, shard, position,
    derivation.2 as field, derivation.3 as names,
    digest as event_digest, toYYYYMM(received_at) as received_month,
    intDiv(timestamp - positiveModulo(timestamp, 3600000000), 3600000000) as hour,
    properties[field] as text,
    (field = '' or match(text, '^-?[0-9]{1,24}([.][0-9]{1,18})?$')) as fits,
    (fits or match(text, '^-?[0-9]+([.][0-9]+)?$')) as is_number,
    toDecimal256OrZero(text, 18) as value,
    arrayMap(name -> if(mapContains(properties, name), concat('=', properties[name]), ''), names) as dimensions
  from (select * from {local:relay_in} where throwIf(send_before < now64(3), 'sent too late') = 0) as sent
  array join derivations as derivation
)
group by organization_id, derivation_id, external_subscription_id, hour, shard, dimensions, received_month;
