-- The fee periods and the charges periods of a subscription each join: every period begins at the instant and on the day where the previous
-- one ends.
select organization_id, subscription_id, kind, starts_at, ends_at, first_day, last_day, previous_end, previous_day
from (
  select *, lag(ends_at) over life as previous_end, lag(last_day) over life as previous_day
  from subscription_periods
  window life as (partition by organization_id, subscription_id, kind order by starts_at)
) as periods
where starts_at <> previous_end or first_day <> previous_day + 1 or starts_at >= ends_at or first_day > last_day
