-- The relay cursor to ClickHouse is never ahead of the accepted events, and an open batch starts at the cursor.
select cursor.organization_id, copied.shard - 1 as shard, copied.position, head.position as head
from relay_cursors cursor
cross join unnest(cursor.positions) with ordinality as copied (position, shard)
left join event_heads head on head.organization_id = cursor.organization_id and head.shard = copied.shard - 1
where copied.position > coalesce(head.position, 0)
union all
select range.organization_id, range.shard, range.up_to, head.position
from relay_ranges range
left join relay_cursors cursor on cursor.organization_id = range.organization_id
left join event_heads head on head.organization_id = range.organization_id and head.shard = range.shard
where range.after <> coalesce(cursor.positions[range.shard + 1], 0) or range.up_to > coalesce(head.position, 0)
