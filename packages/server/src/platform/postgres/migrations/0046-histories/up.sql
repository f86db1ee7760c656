-- Definitions as they were. A version is the whole definition after a change; plans have theirs in plan_versions.
create table definition_versions (
  organization_id uuid not null references organizations (id),
  kind text not null check (kind in ('billable_metric', 'tax', 'coupon', 'add_on', 'organization')),
  definition_id uuid not null,
  version integer not null check (version > 0),
  body jsonb not null check (jsonb_typeof(body) = 'object'),
  created_at timestamptz not null,
  primary key (organization_id, kind, definition_id, version)
);
select protect_tenant_table('definition_versions');
revoke update, delete on definition_versions from tallystick_app;

-- States as they were. Only changes are recorded, because the first `before` says what the state was until then: an object without a row
-- has its current state since it was made, or since this table was. No reference to the subject, which may be of several tables.
create table state_changes (
  organization_id uuid not null references organizations (id),
  -- In the order of the changes of a subject, whose row is locked by each.
  id bigint generated always as identity,
  kind text not null check (
    kind in (
      'invoice_payment_status', 'invoice_dispute', 'invoice_overdue', 'invoice_void', 'fee_payment_status', 'subscription_plan'
    )
  ),
  subject_id uuid not null,
  customer_id uuid not null,
  -- Of customers with a test clock, the time of that clock.
  at timestamptz not null,
  before text,
  after text,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  check (before is distinct from after)
);
select protect_tenant_table('state_changes');
revoke update, delete on state_changes from tallystick_app;
create index state_changes_of_subject on state_changes (organization_id, subject_id, kind, id);
create index state_changes_of_customer on state_changes (organization_id, customer_id, at);

create function keep_history() returns trigger
  language plpgsql
  as $$
begin
  raise exception 'rows of % are history and never change', tg_table_name;
end
$$;
create trigger never_changes after update or delete on definition_versions for each row execute function keep_history();
create trigger never_changes after update or delete on state_changes for each row execute function keep_history();

-- All columns that define the thing. New columns are in it by themselves. In UTC, because the text of an instant depends on the zone.
create function definition_body(definition_kind text, organization uuid, definition uuid) returns jsonb
  language sql stable
  set timezone to 'UTC'
  as $$
  select to_jsonb(m) from billable_metrics m
    where definition_kind = 'billable_metric' and organization_id = organization and id = definition
  union all
  select to_jsonb(t) from taxes t where definition_kind = 'tax' and organization_id = organization and id = definition
  union all
  select to_jsonb(c) || jsonb_build_object(
      'plan_ids', array(
        select plan_id from coupon_plans where organization_id = organization and coupon_id = definition order by plan_id
      ),
      'billable_metric_ids', array(
        select billable_metric_id from coupon_billable_metrics
        where organization_id = organization and coupon_id = definition order by billable_metric_id
      )
    )
    from coupons c where definition_kind = 'coupon' and organization_id = organization and id = definition
  union all
  select to_jsonb(a) || jsonb_build_object(
      'tax_ids', array(select tax_id from add_on_taxes where organization_id = organization and add_on_id = definition order by tax_id)
    )
    from add_ons a where definition_kind = 'add_on' and organization_id = organization and id = definition
  union all
  -- Not settings: what was fetched from the address of the logo, a pause of the operator, and an address that endpoints have.
  select to_jsonb(o) - array['logo_digest', 'logo_error', 'billing_paused_at', 'webhook_url']
    from organizations o where definition_kind = 'organization' and organization = definition and id = definition
  $$;

-- At the end of the transaction, so that a change of several rows is one version.
create function record_definition() returns trigger
  language plpgsql
  as $$
declare
  changed constant jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
  definition_kind constant text := tg_argv[0];
  definition constant uuid := changed ->> tg_argv[1];
  organization constant uuid := coalesce(changed ->> 'organization_id', changed ->> 'id');
  current_body jsonb;
  newest definition_versions;
begin
  -- Two changes of one definition take turns, so that each has a number of its own.
  perform pg_advisory_xact_lock(hashtextextended(format('definition %s %s', definition_kind, definition), 0));
  current_body := definition_body(definition_kind, organization, definition) - array['organization_id', 'id', 'created_at', 'updated_at'];
  if current_body is null then
    raise exception 'the % % cannot be read to record its version', definition_kind, definition;
  end if;
  select * into newest from definition_versions
    where organization_id = organization and kind = definition_kind and definition_id = definition
    order by version desc limit 1;
  if newest.body is distinct from current_body then
    insert into definition_versions (organization_id, kind, definition_id, version, body, created_at)
    values (
      organization, definition_kind, definition, coalesce(newest.version, 0) + 1, current_body,
      coalesce((changed ->> 'updated_at')::timestamptz, now())
    );
  end if;
  return null;
end
$$;
create constraint trigger records_definition after insert or update on billable_metrics deferrable initially deferred
  for each row execute function record_definition('billable_metric', 'id');
create constraint trigger records_definition after insert or update on taxes deferrable initially deferred
  for each row execute function record_definition('tax', 'id');
create constraint trigger records_definition after insert or update on coupons deferrable initially deferred
  for each row execute function record_definition('coupon', 'id');
create constraint trigger records_definition after insert or update or delete on coupon_plans deferrable initially deferred
  for each row execute function record_definition('coupon', 'coupon_id');
create constraint trigger records_definition after insert or update or delete on coupon_billable_metrics deferrable initially deferred
  for each row execute function record_definition('coupon', 'coupon_id');
create constraint trigger records_definition after insert or update on add_ons deferrable initially deferred
  for each row execute function record_definition('add_on', 'id');
create constraint trigger records_definition after insert or update or delete on add_on_taxes deferrable initially deferred
  for each row execute function record_definition('add_on', 'add_on_id');
create constraint trigger records_definition after insert or update on organizations deferrable initially deferred
  for each row execute function record_definition('organization', 'id');

-- `real_at` is the instant of the change where the customer has no test clock.
create function record_state(
  organization uuid, state_kind text, subject uuid, customer uuid, real_at timestamptz, old_state text, new_state text
) returns void
  language plpgsql
  as $$
begin
  if old_state is not distinct from new_state then
    return;
  end if;
  insert into state_changes (organization_id, kind, subject_id, customer_id, at, before, after)
  values (
    organization, state_kind, subject, customer,
    coalesce(
      (
        select t.now from customers c join test_clocks t on t.organization_id = c.organization_id and t.id = c.test_clock_id
        where c.organization_id = organization and c.id = customer
      ),
      real_at
    ),
    old_state, new_state
  );
end
$$;

-- Of invoices that are final: before, their payment status says nothing.
create function record_invoice_states() returns trigger
  language plpgsql
  as $$
begin
  perform record_state(new.organization_id, 'invoice_payment_status', new.id, new.customer_id, new.updated_at,
    old.payment_status, new.payment_status);
  perform record_state(new.organization_id, 'invoice_overdue', new.id, new.customer_id, new.updated_at,
    old.payment_overdue::text, new.payment_overdue::text);
  perform record_state(new.organization_id, 'invoice_dispute', new.id, new.customer_id, new.updated_at,
    case when old.payment_dispute_lost_at is not null then 'lost' end, case when new.payment_dispute_lost_at is not null then 'lost' end);
  perform record_state(new.organization_id, 'invoice_void', new.id, new.customer_id, new.updated_at, old.status, new.status);
  return null;
end
$$;
create trigger records_states after update on invoices for each row
  when (
    old.status in ('finalized', 'voided')
    and (old.payment_status, old.payment_overdue, old.payment_dispute_lost_at, old.status)
      is distinct from (new.payment_status, new.payment_overdue, new.payment_dispute_lost_at, new.status)
  )
  execute function record_invoice_states();

create function record_fee_state() returns trigger
  language plpgsql
  as $$
begin
  perform record_state(new.organization_id, 'fee_payment_status', new.id, new.customer_id,
    coalesce(
      case new.payment_status
        when 'succeeded' then new.succeeded_at
        when 'failed' then new.failed_at
        when 'refunded' then new.refunded_at
      end,
      now()
    ),
    old.payment_status, new.payment_status);
  return null;
end
$$;
create trigger records_state after update on fees for each row when (old.payment_status is distinct from new.payment_status)
  execute function record_fee_state();

create function record_subscription_plan() returns trigger
  language plpgsql
  as $$
begin
  perform record_state(new.organization_id, 'subscription_plan', new.id, new.customer_id, new.updated_at,
    old.plan_id::text, new.plan_id::text);
  return null;
end
$$;
create trigger records_plan after update on subscriptions for each row when (old.plan_id is distinct from new.plan_id)
  execute function record_subscription_plan();

-- Version 1 of what is there: what it was before is not known.
alter table organizations no force row level security;
alter table billable_metrics no force row level security;
alter table taxes no force row level security;
alter table coupons no force row level security;
alter table coupon_plans no force row level security;
alter table coupon_billable_metrics no force row level security;
alter table add_ons no force row level security;
alter table add_on_taxes no force row level security;
alter table definition_versions no force row level security;
insert into definition_versions (organization_id, kind, definition_id, version, body, created_at)
  select organization_id, kind, id, 1,
    definition_body(kind, organization_id, id) - array['organization_id', 'id', 'created_at', 'updated_at'], now()
  from (
    select organization_id, 'billable_metric' as kind, id from billable_metrics
    union all select organization_id, 'tax', id from taxes
    union all select organization_id, 'coupon', id from coupons
    union all select organization_id, 'add_on', id from add_ons
    union all select id, 'organization', id from organizations
  ) as definition;
set constraints all immediate;
alter table definition_versions force row level security;
alter table add_on_taxes force row level security;
alter table add_ons force row level security;
alter table coupon_billable_metrics force row level security;
alter table coupon_plans force row level security;
alter table coupons force row level security;
alter table taxes force row level security;
alter table billable_metrics force row level security;
alter table organizations force row level security;
