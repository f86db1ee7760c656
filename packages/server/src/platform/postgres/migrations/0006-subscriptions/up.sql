-- Equality and ranges in one exclusion constraint.
create extension if not exists btree_gist;

create table subscriptions (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  external_id text not null check (external_id <> ''),
  plan_id uuid not null,
  -- What it replaced, or waits to replace.
  previous_subscription_id uuid,
  name text not null,
  status text not null check (status in ('pending', 'active', 'terminated', 'canceled')),
  origin text not null check (origin in ('new', 'backdated', 'upgrade', 'downgrade')),
  billing_time text not null check (billing_time in ('calendar', 'anniversary')),
  -- The customer's, as far as it has taken effect: a move to another zone changes it once all that was due before is done.
  time_zone text not null,
  subscription_at timestamptz not null,
  ending_at timestamptz,
  started_at timestamptz,
  -- Local dates of the start and of what anniversaries count from: a move to another zone does not change them.
  start_day date,
  anchor date,
  first_started_at timestamptz,
  trial_ends_at timestamptz,
  trial_ended_at timestamptz check (trial_ended_at = trial_ends_at),
  -- Of a downgrade to come.
  takes_over_at timestamptz,
  takes_over_on date,
  terminated_at timestamptz,
  end_cause text check (end_cause in ('ended', 'upgraded', 'downgraded')),
  canceled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  foreign key (organization_id, plan_id) references plans (organization_id, id),
  foreign key (organization_id, previous_subscription_id) references subscriptions (organization_id, id),
  check ((status in ('active', 'terminated')) = (started_at is not null)),
  check ((started_at is null) = (start_day is null)),
  check ((started_at is null) = (anchor is null)),
  check ((started_at is null) = (first_started_at is null)),
  check (first_started_at <= started_at),
  check ((status = 'terminated') = (terminated_at is not null)),
  check ((status = 'terminated') = (end_cause is not null)),
  check (terminated_at >= started_at),
  check ((status = 'canceled') = (canceled_at is not null)),
  check ((takes_over_at is null) = (takes_over_on is null)),
  check (status <> 'pending' or (origin = 'downgrade') = (takes_over_at is not null)),
  check (status <> 'pending' or origin in ('new', 'downgrade')),
  check (origin not in ('upgrade', 'downgrade') or previous_subscription_id is not null),
  -- What lives under an external id is one customer's.
  constraint subscriptions_owner__external_id exclude using gist (
    organization_id with =, external_id with =, customer_id with <>
  ) where (status in ('active', 'pending'))
);
select protect_tenant_table('subscriptions');
create unique index subscriptions_active__external_id on subscriptions (organization_id, external_id)
  where status = 'active';
create unique index subscriptions_pending__external_id on subscriptions (organization_id, external_id)
  where status = 'pending';
create index subscriptions_external on subscriptions (organization_id, external_id, customer_id);
create index subscriptions_customer on subscriptions (organization_id, customer_id, status);
create index subscriptions_plan on subscriptions (organization_id, plan_id, status);
create index subscriptions_previous on subscriptions (organization_id, previous_subscription_id)
  where previous_subscription_id is not null;
create index subscriptions_list on subscriptions (organization_id, status, started_at, id);

create function keep_subscription_state() returns trigger
  language plpgsql
  as $$
begin
  if old.status in ('terminated', 'canceled') and new.status <> old.status then
    raise exception 'subscription % is % for ever', old.id, old.status;
  end if;
  if new.status = 'pending' and old.status <> 'pending' then
    raise exception 'subscription % was % and does not wait again', old.id, old.status;
  end if;
  if old.started_at is not null and (
    new.started_at, new.start_day, new.anchor, new.first_started_at, new.customer_id, new.external_id
  ) is distinct from (old.started_at, old.start_day, old.anchor, old.first_started_at, old.customer_id, old.external_id) then
    raise exception 'when subscription % began, and whose it is, never changes', old.id;
  end if;
  return null;
end
$$;
-- After, so that row level security answers first.
create trigger goes_forward after update on subscriptions for each row execute function keep_subscription_state();

-- Full periods, from the one that was open at the start to the one that is open now. The last of each kind is the open one.
create table subscription_periods (
  organization_id uuid not null references organizations (id),
  subscription_id uuid not null,
  -- What the fee is for, and what usage is billed by: they differ where a year's charges are billed monthly.
  kind text not null check (kind in ('fee', 'charges')),
  starts_at timestamptz not null,
  -- Not included: the next period begins there.
  ends_at timestamptz not null,
  first_day date not null,
  last_day date not null,
  created_at timestamptz not null,
  primary key (organization_id, subscription_id, kind, starts_at),
  foreign key (organization_id, subscription_id) references subscriptions (organization_id, id),
  check (starts_at < ends_at),
  check (first_day <= last_day),
  constraint subscription_periods_never_overlap exclude using gist (
    organization_id with =, subscription_id with =, kind with =, tstzrange(starts_at, ends_at) with &&
  )
);
select protect_tenant_table('subscription_periods');

-- What is to be billed: one row for each occasion, written with the change that gave it, and never changed.
create table bills (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  subscription_id uuid not null,
  reason text not null check (reason in ('starting', 'periodic', 'trial_end', 'terminating')),
  -- The instant of the occasion: the bill is of this moment, whenever it is made.
  occurred_at timestamptz not null,
  -- From then on it may be made: usage sent in the last seconds before a boundary or an end is in.
  ready_at timestamptz not null,
  -- Bills of a customer with one instant and one key are one invoice: the customer for periodic ones; the subscription that ended
  -- for the two of a change of plan.
  invoice_key uuid not null,
  fee_from timestamptz,
  fee_to timestamptz,
  charges_from timestamptz,
  charges_to timestamptz,
  -- All windows as core gave them: fee, charges, renewal, commitment.
  windows jsonb not null check (jsonb_typeof(windows) = 'object'),
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  foreign key (organization_id, subscription_id) references subscriptions (organization_id, id),
  check ((fee_from is null) = (fee_to is null)),
  -- Of an end on a boundary that was billed: the fee of that day, of which no time has passed.
  check (fee_from <= fee_to),
  check ((charges_from is null) = (charges_to is null)),
  check (charges_from < charges_to),
  check (ready_at >= occurred_at),
  unique (organization_id, subscription_id, reason, occurred_at),
  -- No usage and no day of a fee is billed twice.
  constraint bills_usage_once exclude using gist (
    organization_id with =, subscription_id with =, tstzrange(charges_from, charges_to) with &&
  ) where (charges_from is not null),
  constraint bills_fee_once exclude using gist (
    organization_id with =, subscription_id with =, tstzrange(fee_from, fee_to) with &&
  ) where (fee_from is not null)
);
select protect_tenant_table('bills');
-- A subscription begins once, ends once, and its trial ends once.
create unique index bills_once on bills (organization_id, subscription_id, reason) where reason <> 'periodic';
create index bills_ready on bills (ready_at);
create index bills_invoice on bills (organization_id, customer_id, occurred_at, invoice_key);

create function keep_bill() returns trigger
  language plpgsql
  as $$
begin
  raise exception 'bill % never changes', old.id;
end
$$;
create trigger never_changes after update or delete on bills for each row execute function keep_bill();

-- What a subject still has to do is replaced as a whole.
create index due_instants_subject on due_instants (organization_id, subject_id) where done_at is null;
