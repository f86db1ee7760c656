-- The positions of a shard are consecutive up to its head, and each is used once, so that a sequential reader misses no event. Months are
-- dropped from the oldest on, so the first positions may be gone.
select organization_id, shard, head.position as head, coalesce(given.count, 0) as events, given.first, given.last
from event_heads head
full join (
  select organization_id, shard, count(*), count(distinct position) as positions, min(position) as first, max(position) as last
  from events
  group by organization_id, shard
) as given using (organization_id, shard)
where coalesce(given.count, 0) <> coalesce(given.positions, 0)
  or coalesce(given.count, 0) <> coalesce(given.last - given.first + 1, 0)
  or given.last <> coalesce(head.position, 0)
