-- A consumer processes every event within an hour, unless the consumer fails and retries.
select cursor.organization_id, cursor.what, cursor.shard, cursor.position, event.received_at
from (
  select c.organization_id, 'cursor of fees in advance' as what, head.shard, coalesce(c.positions[head.shard + 1], 0) as position
  from advance_cursors c
  join event_heads head on head.organization_id = c.organization_id and head.position > coalesce(c.positions[head.shard + 1], 0)
  where c.attempts = 0
  union all
  select c.organization_id, 'cursor of wallets', head.shard, coalesce(c.positions[head.shard + 1], 0)
  from wallet_cursors c
  join event_heads head on head.organization_id = c.organization_id and head.position > coalesce(c.positions[head.shard + 1], 0)
  where c.attempts = 0
) as cursor
join events event on event.organization_id = cursor.organization_id and event.shard = cursor.shard
  and event.position = cursor.position + 1 and event.received_at < current_setting('verify.now')::timestamptz - interval '1 hour'
