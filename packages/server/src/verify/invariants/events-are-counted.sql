-- Every received event is counted once as new, repeated, conflicting or rejected. There are as many new events as keys and as assigned
-- positions.
select organization_id, coalesce(counts.received, 0) as received, coalesce(counts.new, 0) as new,
  counts.outcomes, coalesce(keys.count, 0) as keys, coalesce(heads.positions, 0) as positions
from (
  select organization_id, sum(received) as received, sum(new) as new, sum(new + duplicate + conflict + rejected) as outcomes
  from event_counts
  group by organization_id
) as counts
full join (select organization_id, count(*) from event_keys group by organization_id) as keys using (organization_id)
full join (select organization_id, sum(position) as positions from event_heads group by organization_id) as heads
  using (organization_id)
where coalesce(counts.new, 0) <> coalesce(keys.count, 0)
  or coalesce(counts.new, 0) <> coalesce(heads.positions, 0)
  or coalesce(counts.received, 0) <> coalesce(counts.outcomes, 0)
