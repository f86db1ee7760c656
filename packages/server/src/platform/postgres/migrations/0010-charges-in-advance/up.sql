-- How far the events of an organization have been looked at for fees in advance: for shard n at n + 1 the last position that was.
-- Whoever makes fees holds the row, and moves it in the transaction of the fees. It is made with the first charge in advance, at the
-- heads of that moment: what was accepted before it makes no fee.
create table advance_cursors (
  organization_id uuid primary key references organizations (id),
  positions bigint[] not null check (array_position(positions, null) is null and 0 <= all (positions)),
  -- A failed attempt moves it on, and so does every step, so that organizations take turns.
  ready_at timestamptz not null,
  attempts integer not null default 0,
  last_error text
);
select protect_tenant_table('advance_cursors');
-- The dispatcher looks, over all organizations, which of them has events that nobody has looked at; at nothing else of them.
create policy dispatch on advance_cursors for select to tallystick_dispatcher using (true);
create policy dispatch_claim on advance_cursors for update to tallystick_dispatcher using (true) with check (true);
grant select on advance_cursors to tallystick_dispatcher;
grant update (ready_at, attempts, last_error) on advance_cursors to tallystick_dispatcher;
create policy dispatch on event_heads for select to tallystick_dispatcher using (true);
grant select on event_heads to tallystick_dispatcher;

create function keep_advance_cursor() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'DELETE' or exists (
    select from unnest(old.positions) with ordinality as shard (position, number)
    where new.positions[shard.number] is null or new.positions[shard.number] < shard.position
  ) then
    raise exception 'events of organization % are not looked at again', old.organization_id;
  end if;
  return null;
end
$$;
-- After, so that row level security answers first.
create trigger goes_forward after update or delete on advance_cursors for each row execute function keep_advance_cursor();

-- Metrics that ever had a charge in advance: events of the others are passed over unread.
create table advance_metrics (
  organization_id uuid not null references organizations (id),
  billable_metric_id uuid not null,
  primary key (organization_id, billable_metric_id),
  foreign key (organization_id, billable_metric_id) references billable_metrics (organization_id, id)
);
select protect_tenant_table('advance_metrics');

create function begin_advance_fees() returns trigger
  language plpgsql
  as $$
begin
  insert into advance_cursors (organization_id, positions, ready_at)
  select new.organization_id, coalesce(array_agg(coalesce(head.position, 0) order by shard.number), '{}'), '-infinity'
  from generate_series(0, (select max(shard) from event_heads where organization_id = new.organization_id)) as shard (number)
  left join event_heads head on head.organization_id = new.organization_id and head.shard = shard.number
  on conflict do nothing;
  insert into advance_metrics (organization_id, billable_metric_id)
  select distinct new.organization_id, (charge ->> 'billable_metric_id')::uuid
  from jsonb_array_elements(new.terms -> 'charges') as charge where charge -> 'pay_in_advance' = 'true'
  on conflict do nothing;
  return null;
end
$$;
create trigger begins_advance_fees after insert on plan_versions for each row
  when (new.terms -> 'charges' @> '[{"pay_in_advance": true}]') execute function begin_advance_fees();

-- What the events of one filter and group of a charge have come to in a period, as core gives it: the next fee is priced from it.
create table advance_tallies (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  subscription_id uuid not null,
  charge_id uuid not null,
  charge_filter_id uuid,
  grouped_by jsonb not null check (jsonb_typeof(grouped_by) = 'object'),
  -- The period, by its start.
  from_at timestamptz not null,
  -- Of the plan, by which the events so far were put into filters and groups.
  plan_version integer not null,
  tally jsonb not null check (jsonb_typeof(tally) = 'object'),
  -- How many fees were made from it.
  fees bigint not null check (fees >= 0),
  primary key (organization_id, id),
  foreign key (organization_id, subscription_id) references subscriptions (organization_id, id),
  foreign key (organization_id, charge_id) references charges (organization_id, id)
);
select protect_tenant_table('advance_tallies');
-- By a digest of the group, because values of properties may be longer than an index takes.
create unique index advance_tallies_once on advance_tallies
  (organization_id, subscription_id, charge_id, from_at, charge_filter_id, md5(grouped_by::text)) nulls not distinct;

-- Of unique counts: the values that are in use, by their digests, for the same reason.
create table advance_values (
  organization_id uuid not null references organizations (id),
  tally_id uuid not null,
  value_digest bytea not null check (length(value_digest) = 32),
  primary key (organization_id, tally_id, value_digest),
  foreign key (organization_id, tally_id) references advance_tallies (organization_id, id)
);
select protect_tenant_table('advance_values');

-- Fees that stand alone until they are paid, and then are put on one invoice. Of several periods they may have one key.
alter table fees add column regroups boolean not null default false;
alter table fees add check (not regroups or not invoiceable);
create index fees_regroup on fees (organization_id, subscription_id, succeeded_at)
  where regroups and invoice_id is null and deleted_at is null and payment_status = 'succeeded';
drop index fees_once_on_invoice;
create unique index fees_once_on_invoice on fees (organization_id, invoice_id, fee_key, subscription_id)
  nulls not distinct where invoice_id is not null and not regroups;
-- The one above does not find all fees of an invoice any more.
create index fees_invoice on fees (organization_id, invoice_id) where invoice_id is not null;
