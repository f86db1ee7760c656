-- What is stored of an event belongs to its key, and every key has what was sent, unless it is of a month that was dropped:
-- months are dropped from the oldest on.
with first as (
  select date_trunc('month', coalesce(min(received_at), current_setting('verify.now')::timestamptz), 'UTC') as month from events
)
select organization_id, key.id as key_id, event.id as event_id, key.received_at, event.shard, event.position
from event_keys key
full join events event using (organization_id, external_subscription_id, transaction_id)
where (key.id, key.received_at, key."timestamp") is distinct from (event.id, event.received_at, event."timestamp")
  and not (event.id is null and key.received_at < (select month from first))
