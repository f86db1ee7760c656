-- A weighted sum must have its interval. Other metrics keep one that was sent, to show it again, and do not use it.
alter table billable_metrics drop constraint billable_metrics_check1;
alter table billable_metrics add constraint billable_metrics_weighted_interval
  check (aggregation_type <> 'weighted_sum_agg' or weighted_interval is not null);
