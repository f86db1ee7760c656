-- A quantity has up to 18 digits before the point; what has more is no number for cells either. In place, so that no row goes by unseen.
alter table cells_mv {cluster} modify query
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
    (field = '' or match(text, '^-?0{0,6}[0-9]{1,18}([.][0-9]{1,18})?$')) as fits,
    (fits or match(text, '^-?0*[0-9]{1,18}([.][0-9]+)?$')) as is_number,
    toDecimal256OrZero(text, 18) as value,
    arrayMap(name -> if(mapContains(properties, name), concat('=', properties[name]), ''), names) as dimensions
  from (select * from {local:relay_in} where throwIf(send_before < now64(3), 'sent too late') = 0) as sent
  array join derivations as derivation
)
group by organization_id, derivation_id, external_subscription_id, hour, shard, dimensions, received_month;
