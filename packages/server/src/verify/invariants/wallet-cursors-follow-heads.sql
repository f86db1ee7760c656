-- The cursor of ongoing balances is never ahead of the accepted events, so the next accepted event is not skipped.
select cursor.organization_id, looked.shard - 1 as shard, looked.position, head.position as head
from wallet_cursors cursor
cross join unnest(cursor.positions) with ordinality as looked (position, shard)
left join event_heads head on head.organization_id = cursor.organization_id and head.shard = looked.shard - 1
where looked.position > coalesce(head.position, 0)
