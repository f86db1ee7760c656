create table billable_metrics (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  code text not null check (code <> ''),
  name text not null check (name <> ''),
  description text,
  aggregation_type text not null check (
    aggregation_type in ('count_agg', 'sum_agg', 'max_agg', 'unique_count_agg', 'weighted_sum_agg', 'latest_agg')
  ),
  field_name text,
  recurring boolean not null,
  weighted_interval text check (weighted_interval = 'seconds'),
  -- [{key, values}], replaced as a whole.
  filters jsonb not null check (jsonb_typeof(filters) = 'array'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  check ((aggregation_type = 'count_agg') = (field_name is null)),
  check ((aggregation_type = 'weighted_sum_agg') = (weighted_interval is not null)),
  check (not recurring or aggregation_type in ('sum_agg', 'unique_count_agg', 'weighted_sum_agg'))
);
select protect_tenant_table('billable_metrics');
create unique index billable_metrics__code on billable_metrics (organization_id, code) where deleted_at is null;
create index billable_metrics_list on billable_metrics (organization_id, created_at desc, id desc)
  where deleted_at is null;

create table plans (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  code text not null check (code <> ''),
  -- Set on the plan of one subscription that differs from its parent; it has the parent's code.
  parent_id uuid,
  -- The newest version: what the API shows and the next bill uses.
  version integer not null check (version > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, parent_id) references plans (organization_id, id),
  check (parent_id <> id)
);
select protect_tenant_table('plans');
create unique index plans__code on plans (organization_id, code) where deleted_at is null and parent_id is null;
create index plans_list on plans (organization_id, created_at desc, id desc)
  where deleted_at is null and parent_id is null;
create index plans_parent on plans (organization_id, parent_id) where parent_id is not null;

-- What a plan said from one edit to the next: its terms and those of its charges and filters, with their ids. Taxes are not
-- part of a version: a bill records the taxes it applied.
create table plan_versions (
  organization_id uuid not null references organizations (id),
  plan_id uuid not null,
  version integer not null check (version > 0),
  terms jsonb not null check (jsonb_typeof(terms) = 'object'),
  created_at timestamptz not null,
  primary key (organization_id, plan_id, version),
  foreign key (organization_id, plan_id) references plans (organization_id, id)
);
select protect_tenant_table('plan_versions');
-- Deferred: a plan and its first version are made in one transaction.
alter table plans
  add foreign key (organization_id, id, version) references plan_versions (organization_id, plan_id, version)
  deferrable initially deferred;

create function keep_plan_version() returns trigger
  language plpgsql
  as $$
begin
  raise exception 'version % of plan % never changes: bills were made from it', old.version, old.plan_id;
end
$$;
-- After, so that row level security answers first.
create trigger never_changes after update or delete on plan_versions for each row execute function keep_plan_version();

-- Who a charge is, over all versions of its plan.
create table charges (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  plan_id uuid not null,
  billable_metric_id uuid not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, plan_id) references plans (organization_id, id),
  foreign key (organization_id, billable_metric_id) references billable_metrics (organization_id, id)
);
select protect_tenant_table('charges');
create index charges_plan on charges (organization_id, plan_id) where deleted_at is null;
create index charges_metric on charges (organization_id, billable_metric_id, plan_id) where deleted_at is null;

create table charge_filters (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  charge_id uuid not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, charge_id) references charges (organization_id, id)
);
select protect_tenant_table('charge_filters');
create index charge_filters_charge on charge_filters (organization_id, charge_id) where deleted_at is null;

-- Who the commitment of a plan is; its amount is in the plan's version.
create table minimum_commitments (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  plan_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, plan_id) references plans (organization_id, id)
);
select protect_tenant_table('minimum_commitments');
create unique index minimum_commitments_plan on minimum_commitments (organization_id, plan_id) where deleted_at is null;

create table plan_taxes (
  organization_id uuid not null references organizations (id),
  plan_id uuid not null,
  tax_id uuid not null,
  primary key (organization_id, plan_id, tax_id),
  foreign key (organization_id, plan_id) references plans (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('plan_taxes');
create index plan_taxes_tax on plan_taxes (organization_id, tax_id);

create table charge_taxes (
  organization_id uuid not null references organizations (id),
  charge_id uuid not null,
  tax_id uuid not null,
  primary key (organization_id, charge_id, tax_id),
  foreign key (organization_id, charge_id) references charges (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('charge_taxes');
create index charge_taxes_tax on charge_taxes (organization_id, tax_id);

create table commitment_taxes (
  organization_id uuid not null references organizations (id),
  commitment_id uuid not null,
  tax_id uuid not null,
  primary key (organization_id, commitment_id, tax_id),
  foreign key (organization_id, commitment_id) references minimum_commitments (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('commitment_taxes');
create index commitment_taxes_tax on commitment_taxes (organization_id, tax_id);

create table add_ons (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  code text not null check (code <> ''),
  name text not null check (name <> ''),
  invoice_display_name text,
  description text,
  amount_cents bigint not null check (amount_cents > 0),
  amount_currency text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id)
);
select protect_tenant_table('add_ons');
create unique index add_ons__code on add_ons (organization_id, code) where deleted_at is null;
create index add_ons_list on add_ons (organization_id, created_at desc, id desc) where deleted_at is null;

create table add_on_taxes (
  organization_id uuid not null references organizations (id),
  add_on_id uuid not null,
  tax_id uuid not null,
  primary key (organization_id, add_on_id, tax_id),
  foreign key (organization_id, add_on_id) references add_ons (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('add_on_taxes');
create index add_on_taxes_tax on add_on_taxes (organization_id, tax_id);

create table coupons (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  code text not null check (code <> ''),
  name text not null check (name <> ''),
  description text,
  coupon_type text not null check (coupon_type in ('fixed_amount', 'percentage')),
  amount_cents bigint check (amount_cents > 0),
  amount_currency text,
  percentage_rate numeric(8, 5) check (percentage_rate > 0),
  frequency text not null check (frequency in ('once', 'recurring', 'forever')),
  frequency_duration integer check (frequency_duration > 0),
  reusable boolean not null,
  limited_to text check (limited_to in ('plans', 'billable_metrics')),
  -- null: does not expire.
  expiration_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  check (
    (coupon_type = 'fixed_amount') = (amount_cents is not null)
    and (coupon_type = 'fixed_amount') = (amount_currency is not null)
    and (coupon_type = 'percentage') = (percentage_rate is not null)
  ),
  check ((frequency = 'recurring') = (frequency_duration is not null))
);
select protect_tenant_table('coupons');
create unique index coupons__code on coupons (organization_id, code) where deleted_at is null;
create index coupons_list on coupons (organization_id, created_at desc, id desc) where deleted_at is null;

create table coupon_plans (
  organization_id uuid not null references organizations (id),
  coupon_id uuid not null,
  plan_id uuid not null,
  primary key (organization_id, coupon_id, plan_id),
  foreign key (organization_id, coupon_id) references coupons (organization_id, id),
  foreign key (organization_id, plan_id) references plans (organization_id, id)
);
select protect_tenant_table('coupon_plans');
create index coupon_plans_plan on coupon_plans (organization_id, plan_id);

create table coupon_billable_metrics (
  organization_id uuid not null references organizations (id),
  coupon_id uuid not null,
  billable_metric_id uuid not null,
  primary key (organization_id, coupon_id, billable_metric_id),
  foreign key (organization_id, coupon_id) references coupons (organization_id, id),
  foreign key (organization_id, billable_metric_id) references billable_metrics (organization_id, id)
);
select protect_tenant_table('coupon_billable_metrics');
create index coupon_billable_metrics_metric on coupon_billable_metrics (organization_id, billable_metric_id);
