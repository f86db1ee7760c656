-- Every processed event has its fee in advance. This applies if the subscription and the charge existed some seconds before the event, the
-- event has the field that the charge counts, and the event is neither parked nor skipped.
with charged as (
  select s.organization_id, s.id as subscription_id, s.external_id, s.terminated_at, s.plan_id, metric.code, metric.aggregation_type,
    metric.field_name, (charge ->> 'id')::uuid as charge_id, told.created_at as known_at, cursor.positions,
    greatest(s.started_at, (
      select min(period.starts_at) from subscription_periods period
      where period.organization_id = s.organization_id and period.subscription_id = s.id and period.kind = 'charges'
    )) as begins_at
  from advance_cursors cursor
  join subscriptions s on s.organization_id = cursor.organization_id and s.started_at is not null
  join outbox told
    on told.organization_id = s.organization_id and told.object_id = s.id and told.webhook_type = 'subscription.started'
  join plans on plans.organization_id = s.organization_id and plans.id = s.plan_id
  join plan_versions v
    on v.organization_id = plans.organization_id and v.plan_id = plans.id and v.version = plans.version
  cross join jsonb_array_elements(v.terms -> 'charges') as charge
  join billable_metrics metric
    on metric.organization_id = s.organization_id and metric.id = (charge ->> 'billable_metric_id')::uuid
  where charge -> 'pay_in_advance' = 'true'
)
select c.organization_id, c.subscription_id, c.charge_id, event.id as event_id, event.shard, event.position
from charged c
join events event
  on event.organization_id = c.organization_id and event.external_subscription_id = c.external_id and event.code = c.code
  and event."timestamp" >= c.begins_at and (c.terminated_at is null or event."timestamp" < c.terminated_at)
where event.position <= c.positions[event.shard + 1] and event.received_at > c.known_at + interval '10 seconds'
  and exists (
    select from plan_versions v
    where v.organization_id = c.organization_id and v.plan_id = c.plan_id
      -- For terms agreed on for a subscription on a test clock, created_at is the time of that clock.
      and coalesce(v.made_at, v.created_at) < event.received_at - interval '10 seconds'
      and v.terms -> 'charges' @> jsonb_build_array(jsonb_build_object('id', c.charge_id, 'pay_in_advance', true))
  )
  and case c.aggregation_type
    when 'count_agg' then true
    when 'unique_count_agg' then event.properties ->> c.field_name is not null
    when 'sum_agg' then event.properties ->> c.field_name ~ '^-?0*[0-9]{1,18}([.][0-9]{1,30})?$'
  end
  and not exists (
    select from parked_items item
    where item.organization_id = c.organization_id and item.object_id = event.id and item.kind = 'event'
  )
  and not exists (
    select from fees fee
    where fee.organization_id = c.organization_id and fee.event_id = event.id and fee.charge_id = c.charge_id
  )
