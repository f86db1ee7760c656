-- How many events of each metric an invoice saw in the usage window of a bill, counted or not, up to its cut. What became of an event
-- is found here: the first window that holds it, and up to the cut, has billed it; one that holds it and was cut before it came, has not.
create table counted_windows (
  organization_id uuid not null references organizations (id),
  bill_id uuid not null,
  billable_metric_id uuid not null,
  invoice_id uuid not null,
  -- As events name them.
  external_subscription_id text not null,
  code text not null,
  -- Of a recurring metric from the first start on.
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- For shard n at n + 1 the last position that was read.
  cut bigint[] not null check (array_position(cut, null) is null),
  plan_id uuid not null,
  plan_version integer not null,
  -- Its aggregation and filters as they were: with the version of the plan they say which fee took an event.
  metric jsonb not null check (jsonb_typeof(metric) = 'object'),
  events_counted bigint not null check (events_counted >= 0),
  -- They lack what the metric counts.
  events_ignored bigint not null check (events_ignored >= 0),
  primary key (organization_id, bill_id, billable_metric_id),
  foreign key (organization_id, bill_id) references bills (organization_id, id),
  foreign key (organization_id, billable_metric_id) references billable_metrics (organization_id, id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id),
  foreign key (organization_id, plan_id, plan_version) references plan_versions (organization_id, plan_id, version),
  check (from_at <= to_at)
);
select protect_tenant_table('counted_windows');
create index counted_windows_events on counted_windows (organization_id, external_subscription_id, code, to_at);
create trigger stays_as_billed after insert or update or delete on counted_windows
  for each row execute function keep_invoice_part();
