-- Every stored event has its key, and every key has its event, unless the event's month was dropped. Months are dropped from the oldest on.
with first as (
  select date_trunc('month', coalesce(min(received_at), current_setting('verify.now')::timestamptz), 'UTC') as month from events
)
select organization_id, key.id as key_id, event.id as event_id, key.received_at, event.shard, event.position
from event_keys key
full join events event using (organization_id, external_subscription_id, transaction_id)
where (key.id, key.received_at, key."timestamp") is distinct from (event.id, event.received_at, event."timestamp")
  and not (event.id is null and key.received_at < (select month from first))
