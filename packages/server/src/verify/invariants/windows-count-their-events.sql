-- An invoice counted or ignored every event of a metric in its window up to its snapshot. Usage windows have no gaps and no fee in advance
-- is missed, so every accepted event has exactly one status.
with kept as (
  -- Months are dropped from the oldest on. A window that began before the oldest remaining month may have lost events.
  select head.organization_id, max(
    case when first.position = 1 then '-infinity' else coalesce(first.received_at, 'infinity') end
  ) as since
  from event_heads head
  left join lateral (
    select position, received_at from events
    where organization_id = head.organization_id and shard = head.shard order by position limit 1
  ) as first on true
  group by head.organization_id
)
select counted.organization_id, counted.bill_id, counted.billable_metric_id, counted.from_at, counted.to_at, counted.events_counted,
  counted.events_ignored, found.events_counted as found_counted, found.events_ignored as found_ignored
from counted_windows counted
join bills bill on bill.organization_id = counted.organization_id and bill.id = counted.bill_id
left join kept on kept.organization_id = counted.organization_id
cross join lateral (
  select count(*) filter (where is_counted) as events_counted, count(*) filter (where is_counted is not true) as events_ignored
  from (
    select case counted.metric #>> '{aggregation,type}'
      when 'count' then true
      when 'unique_count' then coalesce(canonical ->> field, properties ->> field) is not null
      else jsonb_typeof(properties -> field) in ('number', 'string') and length(properties ->> field) <= 2002
        and properties ->> field ~ '^-?0*[0-9]{1,18}([.][0-9]+)?$'
    end as is_counted
    from events
    cross join (select counted.metric #>> '{aggregation,field}' as field) as of
    where events.organization_id = counted.organization_id
      and events.external_subscription_id = counted.external_subscription_id and events.code = counted.code
      and events."timestamp" >= counted.from_at and events."timestamp" <= counted.to_at
      -- At the exact instant of a plan change, a recurring metric also counts the events that came before the change.
      and (events."timestamp" < counted.to_at or counted.metric #>> '{aggregation,isRecurring}' = 'true'
        and counted.metric #>> '{aggregation,type}' <> 'weighted_sum'
        and events.position <= (bill.windows -> 'acceptedBefore' ->> events.shard)::bigint)
      and events.position <= counted.cut[events.shard + 1]
  ) as event
) as found
where found.events_counted > counted.events_counted or found.events_ignored > counted.events_ignored
  or counted.from_at >= coalesce(kept.since, '-infinity')
    and (found.events_counted, found.events_ignored) <> (counted.events_counted, counted.events_ignored)
