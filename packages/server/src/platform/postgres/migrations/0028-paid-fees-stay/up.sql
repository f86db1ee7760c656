-- A fee that was paid, or paid and refunded, is neither deleted nor replaced. What was deleted before stays so: new rows alone are checked.
alter table fees add constraint fees_paid_stay
  check (deleted_at is null or payment_status not in ('succeeded', 'refunded')) not valid;

create or replace function keep_fee() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array['payment_status', 'succeeded_at', 'failed_at', 'refunded_at', 'deleted_at'];
begin
  if tg_op = 'UPDATE' then
    -- A fee that stood alone may be put on an invoice once.
    if to_jsonb(new) - changing - (case when old.invoice_id is null then 'invoice_id' else '' end)
      is distinct from to_jsonb(old) - changing - (case when old.invoice_id is null then 'invoice_id' else '' end) then
      raise exception 'fee % never changes', old.id;
    end if;
  elsif tg_op = 'DELETE' then
    if old.invoice_id is null then
      if old.payment_status in ('succeeded', 'refunded') then
        raise exception 'fee % was paid and is never deleted', old.id;
      end if;
      if is_invoice_open(old.organization_id, (
        select invoice_id from invoice_bills where organization_id = old.organization_id and bill_id = old.bill_id
      )) is not true then
        raise exception 'fee % is never deleted: hide it', old.id;
      end if;
    elsif not is_invoice_open(old.organization_id, old.invoice_id) then
      raise exception 'fee % is on a finalized invoice', old.id;
    end if;
  elsif new.invoice_id is not null and not is_invoice_open(new.organization_id, new.invoice_id) then
    raise exception 'invoice % is finalized and takes no more fees', new.invoice_id;
  end if;
  return null;
end
$$;

-- A fee that stands alone stays as it is when the draft of its bill is computed again, with other events and perhaps another version of
-- its plan. What it was measured by is kept here then, so that it can still be explained.
create table kept_windows (
  organization_id uuid not null references organizations (id),
  fee_id uuid not null,
  external_subscription_id text not null,
  code text not null,
  from_at timestamptz not null,
  cut bigint[] not null check (array_position(cut, null) is null),
  plan_id uuid not null,
  plan_version integer not null,
  metric jsonb not null check (jsonb_typeof(metric) = 'object'),
  primary key (organization_id, fee_id),
  foreign key (organization_id, fee_id) references fees (organization_id, id),
  foreign key (organization_id, plan_id, plan_version) references plan_versions (organization_id, plan_id, version)
);
select protect_tenant_table('kept_windows');

-- Fees that were paid after the end of their subscription waited for a bill that never comes. They become due now; one whose boundary
-- is still to come is put off until then. The owner is bound by row level security as well, so it is taken off for what follows.
alter table fees no force row level security;
alter table subscriptions no force row level security;
alter table customers no force row level security;
alter table test_clocks no force row level security;
alter table due_instants no force row level security;
alter table applied_coupons no force row level security;
insert into due_instants (organization_id, id, kind, subject_id, customer_id, test_clock_id, due_at, rank, ready_at)
select late.organization_id, gen_random_uuid(), 'late_fees_regrouping', late.subscription_id, late.customer_id, customer.test_clock_id,
  coalesce(test_clock.now, now()), 67, coalesce(test_clock.now, now())
from (
  select distinct fee.organization_id, fee.subscription_id, fee.customer_id
  from fees fee
  join subscriptions subscription
    on subscription.organization_id = fee.organization_id and subscription.id = fee.subscription_id
  where fee.regroups and fee.invoice_id is null and fee.deleted_at is null and fee.payment_status = 'succeeded'
    and subscription.status = 'terminated'
) as late
join customers customer on customer.organization_id = late.organization_id and customer.id = late.customer_id
left join test_clocks test_clock
  on test_clock.organization_id = customer.organization_id and test_clock.id = customer.test_clock_id
where test_clock.deleted_at is null
on conflict do nothing;

-- The void of an invoice could give a deleted customer its coupon back.
update applied_coupons as applied set status = 'terminated', terminated_at = applied.updated_at
from customers customer
where customer.organization_id = applied.organization_id and customer.id = applied.customer_id
  and customer.deleted_at is not null and applied.status = 'active';
alter table applied_coupons force row level security;
alter table fees force row level security;
alter table subscriptions force row level security;
alter table customers force row level security;
alter table test_clocks force row level security;
alter table due_instants force row level security;
