alter table plan_versions
  -- When the edit was made on the real clock. null: made in an earlier release, at created_at.
  add column made_at timestamptz,
  -- The metrics of its charges as they were then, by their ids. null: made in an earlier release.
  add column metrics jsonb check (jsonb_typeof(metrics) = 'object');

-- Where the test clocks of a plan's subscribers stood when a version was made: for them it is in force from that instant on. A clock
-- without a row had no subscriber then, so that whatever is billed on it is billed after the edit.
create table plan_version_clocks (
  organization_id uuid not null references organizations (id),
  plan_id uuid not null,
  version integer not null,
  test_clock_id uuid not null,
  in_force_at timestamptz not null,
  primary key (organization_id, plan_id, version, test_clock_id),
  foreign key (organization_id, plan_id, version) references plan_versions (organization_id, plan_id, version),
  foreign key (organization_id, test_clock_id) references test_clocks (organization_id, id)
);
select protect_tenant_table('plan_version_clocks');
create trigger never_changes after update or delete on plan_version_clocks
  for each row execute function keep_plan_version();

-- By which version of which plan a bill is priced. null: written by an earlier release.
alter table invoice_bills
  add column priced_plan_id uuid,
  -- For what has ended: usage, a fee in arrears, a commitment.
  add column priced_version integer,
  -- For what begins: a fee in advance, charges that are renewed.
  add column opening_version integer,
  -- When an edit was applied to it on request.
  add column repriced_at timestamptz,
  add constraint invoice_bills_prices check (
    num_nulls(priced_plan_id, priced_version, opening_version) in (0, 3)
    and (repriced_at is null or priced_plan_id is not null)
  ),
  add constraint invoice_bills_priced_version foreign key (organization_id, priced_plan_id, priced_version)
    references plan_versions (organization_id, plan_id, version),
  add constraint invoice_bills_opening_version foreign key (organization_id, priced_plan_id, opening_version)
    references plan_versions (organization_id, plan_id, version);

create function keep_invoice_bill() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'UPDATE' and (new.bill_id, new.invoice_id, new.subscription_id)
    is distinct from (old.bill_id, old.invoice_id, old.subscription_id) then
    raise exception 'bill % stays on invoice %', old.bill_id, old.invoice_id;
  end if;
  if not is_invoice_open(
    coalesce(new.organization_id, old.organization_id), coalesce(new.invoice_id, old.invoice_id)
  ) then
    raise exception 'invoice % is finalized', coalesce(new.invoice_id, old.invoice_id);
  end if;
  return null;
end
$$;
-- Until its invoice is finalized a bill may be repriced. Nothing else of it changes.
drop trigger stays_as_billed on invoice_bills;
create trigger stays_as_billed after insert or update or delete on invoice_bills
  for each row execute function keep_invoice_bill();
