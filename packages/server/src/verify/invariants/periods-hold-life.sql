-- The first periods of a subscription contain its start, or the moment when a backdated subscription was created. The last periods contain
-- its end. A subscription that has not started has no periods.
select s.organization_id, s.id as subscription_id, s.status, s.origin, wanted.kind, s.started_at, s.terminated_at,
  p.first_start, p.first_end, p.last_start, p.last_end
from subscriptions s
cross join (values ('fee'), ('charges')) as wanted (kind)
left join (
  select organization_id, subscription_id, kind, min(starts_at) as first_start, min(ends_at) as first_end,
    min(first_day) as first_day, min(last_day) as last_day, min(created_at) as made_at,
    max(starts_at) as last_start, max(ends_at) as last_end
  from subscription_periods
  group by organization_id, subscription_id, kind
) as p on p.organization_id = s.organization_id and p.subscription_id = s.id and p.kind = wanted.kind
where case
  when s.started_at is null then p.kind is not null
  else p.kind is null
    or s.started_at >= p.first_end
    or s.start_day > p.last_day
    or s.terminated_at not between p.last_start and p.last_end
    or case s.origin
      when 'backdated' then p.made_at < p.first_start or p.made_at >= p.first_end
      else s.started_at < p.first_start or s.start_day < p.first_day
    end
  end
