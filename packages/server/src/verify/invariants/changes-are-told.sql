-- Every start and end of a subscription, every end of a trial and every due alert has exactly one message. No message reports something
-- that did not happen.
with happened as (
  select organization_id, id as object_id, 'subscription.started' as webhook_type, 1::bigint as times
  from subscriptions where started_at is not null
  union all
  select organization_id, id, 'subscription.terminated', 1 from subscriptions where status in ('terminated', 'canceled')
  union all
  -- The end of a trial that was over before the subscription started is not published.
  select organization_id, subject_id, case kind when 'trial_end' then 'subscription.trial_ended' else 'subscription.termination_alert' end,
    count(*)
  from due_instants
  where kind in ('trial_end', 'termination_alert') and done_at is not null
  group by organization_id, subject_id, kind
),
told as (
  select organization_id, object_id, webhook_type, count(*) as times
  from outbox
  where webhook_type in (
    'subscription.started', 'subscription.terminated', 'subscription.trial_ended', 'subscription.termination_alert'
  )
  group by organization_id, object_id, webhook_type
)
select organization_id, object_id as subscription_id, webhook_type, coalesce(happened.times, 0) as happened,
  coalesce(told.times, 0) as told
from happened
full join told using (organization_id, object_id, webhook_type)
where happened.times is distinct from told.times
