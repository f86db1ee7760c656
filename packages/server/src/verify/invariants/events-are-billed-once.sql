-- No event is in two windows of its metric: windows with the same external id do not overlap, unless the metric is recurring.
select organization_id, bill_id, billable_metric_id, from_at, to_at, previous_bill_id, previous_to
from (
  select organization_id, bill_id, billable_metric_id, from_at, to_at, lag(bill_id) over life as previous_bill_id,
    lag(to_at) over life as previous_to
  from counted_windows
  where metric #>> '{aggregation,isRecurring}' is distinct from 'true'
  window life as (partition by organization_id, external_subscription_id, code order by from_at, to_at)
) as windows
where from_at < previous_to
