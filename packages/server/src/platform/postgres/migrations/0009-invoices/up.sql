-- Since when invoices wait; null: they do not.
alter table organizations add column billing_paused_at timestamptz;

create table invoices (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  invoice_type text not null check (invoice_type in ('subscription', 'one_off', 'credit', 'advance_charges')),
  -- generating: made with its first bill and invisible until its fees are computed.
  status text not null check (status in ('generating', 'draft', 'finalized', 'voided')),
  -- What its bills have in common beside customer and instant; null: it has none.
  invoice_key uuid,
  -- The instant it is of, whenever it is made, refreshed or finalized.
  occurred_at timestamptz not null,
  currency text,
  -- Counted per customer, and per organization where it numbers so; each without gap, taken when it is finalized.
  sequential_id bigint check (sequential_id > 0),
  organization_sequential_id bigint check (organization_sequential_id > 0),
  number text,
  issuing_date date,
  payment_due_date date,
  net_payment_term integer check (net_payment_term >= 0),
  -- The customer's, of which its dates are local days.
  time_zone text,
  -- Of a customer that was deleted before this was final: the taxes it had. Null: those it has.
  customer_tax_ids uuid[],
  finalized_at timestamptz,
  voided_at timestamptz,
  payment_status text not null check (payment_status in ('pending', 'succeeded', 'failed')),
  payment_overdue boolean not null default false,
  payment_dispute_lost_at timestamptz,
  fees_amount_cents bigint not null default 0 check (fees_amount_cents >= 0),
  coupons_amount_cents bigint not null default 0 check (coupons_amount_cents >= 0),
  taxes_amount_cents bigint not null default 0 check (taxes_amount_cents >= 0),
  credit_notes_amount_cents bigint not null default 0 check (credit_notes_amount_cents >= 0),
  prepaid_credit_amount_cents bigint not null default 0 check (prepaid_credit_amount_cents >= 0),
  total_amount_cents bigint not null default 0 check (total_amount_cents >= 0),
  taxes_rate numeric not null default 0 check (taxes_rate >= 0),
  -- All that it was computed from, and how: from these it can be made again.
  made_from jsonb check (jsonb_typeof(made_from) = 'object'),
  derivation jsonb check (jsonb_typeof(derivation) = 'object'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  check (
    fees_amount_cents - coupons_amount_cents + taxes_amount_cents - credit_notes_amount_cents - prepaid_credit_amount_cents
      = total_amount_cents
  ),
  check (coupons_amount_cents <= fees_amount_cents),
  check (
    status = 'generating'
    or num_nulls(currency, issuing_date, payment_due_date, net_payment_term, time_zone, made_from, derivation) = 0
  ),
  check (payment_due_date >= issuing_date),
  -- Drafts have no number, and what was numbered keeps it.
  check ((status in ('finalized', 'voided')) = (sequential_id is not null)),
  check ((sequential_id is null) = (number is null)),
  check ((sequential_id is null) = (finalized_at is null)),
  check ((status = 'voided') = (voided_at is not null)),
  check (status <> 'draft' or invoice_type = 'subscription'),
  check (not payment_overdue or (status = 'finalized' and payment_status <> 'succeeded' and payment_dispute_lost_at is null))
);
select protect_tenant_table('invoices');
-- Bills of one customer, key and instant are one invoice.
create unique index invoices_occasion on invoices (organization_id, customer_id, invoice_key, occurred_at)
  where invoice_key is not null;
create unique index invoices_number on invoices (organization_id, number) where number is not null;
create unique index invoices_of_customer on invoices (organization_id, customer_id, sequential_id)
  where sequential_id is not null;
create unique index invoices_of_organization on invoices (organization_id, organization_sequential_id)
  where organization_sequential_id is not null;
create index invoices_open on invoices (organization_id, customer_id) where status in ('generating', 'draft');
create index invoices_list on invoices (organization_id, issuing_date desc, created_at desc, id desc)
  where status <> 'generating';
create index invoices_customer on invoices (organization_id, customer_id, issuing_date desc, created_at desc, id desc)
  where status <> 'generating';

-- Which bills an invoice is made of, written with the bill.
create table invoice_bills (
  organization_id uuid not null references organizations (id),
  -- A bill is on one invoice for ever.
  bill_id uuid not null,
  invoice_id uuid not null,
  subscription_id uuid not null,
  primary key (organization_id, bill_id),
  unique (organization_id, invoice_id, subscription_id),
  foreign key (organization_id, bill_id) references bills (organization_id, id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id),
  foreign key (organization_id, subscription_id) references subscriptions (organization_id, id)
);
select protect_tenant_table('invoice_bills');
create index invoice_bills_subscription on invoice_bills (organization_id, subscription_id);

create table fees (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  -- null: of a charge that is not invoiced.
  invoice_id uuid,
  subscription_id uuid,
  bill_id uuid,
  -- The same whenever the invoice is made again.
  fee_key text not null,
  -- Order on the invoice.
  line integer not null check (line >= 0),
  fee_type text not null check (fee_type in ('subscription', 'charge', 'commitment', 'add_on', 'credit')),
  charge_id uuid,
  charge_filter_id uuid,
  -- What the fee is for, as it was named when it was billed.
  item_id uuid not null,
  item_code text not null,
  item jsonb not null check (jsonb_typeof(item) = 'object'),
  grouped_by jsonb not null check (jsonb_typeof(grouped_by) = 'object'),
  true_up_parent_fee_id uuid,
  pay_in_advance boolean not null,
  invoiceable boolean not null,
  is_renewal boolean not null,
  -- Of a fee in advance: the event that it is for.
  event_id uuid,
  event_transaction_id text,
  currency text not null,
  amount_cents bigint not null check (amount_cents >= 0),
  precise_amount_cents numeric not null,
  precise_unit_amount numeric not null,
  precise_coupons_amount_cents numeric not null check (precise_coupons_amount_cents >= 0),
  taxes_amount_cents bigint not null check (taxes_amount_cents >= 0),
  taxes_rate numeric not null check (taxes_rate >= 0),
  units numeric not null check (units >= 0),
  events_count bigint check (events_count >= 0),
  description text,
  from_at timestamptz,
  -- Not included.
  to_at timestamptz,
  payment_status text not null check (payment_status in ('pending', 'succeeded', 'failed', 'refunded')),
  succeeded_at timestamptz,
  failed_at timestamptz,
  refunded_at timestamptz,
  derivation jsonb not null check (jsonb_typeof(derivation) = 'object'),
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id),
  foreign key (organization_id, subscription_id) references subscriptions (organization_id, id),
  foreign key (organization_id, bill_id) references bills (organization_id, id),
  -- Deferred: a fee and what hangs on it come in one statement.
  foreign key (organization_id, true_up_parent_fee_id) references fees (organization_id, id) deferrable initially deferred,
  check ((from_at is null) = (to_at is null)),
  check (from_at <= to_at),
  check ((fee_type = 'charge') = (charge_id is not null)),
  check (fee_type in ('add_on', 'credit') = (subscription_id is null)),
  check (invoice_id is not null or (fee_type = 'charge' and not invoiceable)),
  check (deleted_at is null or invoice_id is null),
  check ((payment_status = 'succeeded') = (succeeded_at is not null)),
  check ((payment_status = 'failed') = (failed_at is not null)),
  check ((payment_status = 'refunded') = (refunded_at is not null)),
  check ((event_id is null) = (event_transaction_id is null))
);
select protect_tenant_table('fees');
-- No line is on an invoice twice, and no bill gives the same fee twice.
create unique index fees_once_on_invoice on fees (organization_id, invoice_id, fee_key, subscription_id)
  nulls not distinct where invoice_id is not null;
create unique index fees_once_of_bill on fees (organization_id, bill_id, fee_key) where bill_id is not null;
create unique index fees_once_of_event on fees (organization_id, event_id, charge_id) where event_id is not null;
create index fees_list on fees (organization_id, created_at, id) where deleted_at is null;
create index fees_customer on fees (organization_id, customer_id, created_at, id);
create index fees_subscription on fees (organization_id, subscription_id, from_at);
create index fees_parent on fees (organization_id, true_up_parent_fee_id) where true_up_parent_fee_id is not null;

-- Taxes as they were: names and rates of documents do not follow later changes.
create table fee_taxes (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  fee_id uuid not null,
  tax_id uuid not null,
  tax_code text not null,
  tax_name text not null,
  tax_description text,
  tax_rate numeric not null check (tax_rate >= 0),
  amount_cents bigint not null check (amount_cents >= 0),
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, fee_id, tax_id),
  foreign key (organization_id, fee_id) references fees (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('fee_taxes');

create table invoice_taxes (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  invoice_id uuid not null,
  tax_id uuid not null,
  tax_code text not null,
  tax_name text not null,
  tax_description text,
  tax_rate numeric not null check (tax_rate >= 0),
  fees_amount_cents bigint not null check (fees_amount_cents >= 0),
  amount_cents bigint not null check (amount_cents >= 0),
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, invoice_id, tax_id, tax_rate),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('invoice_taxes');

create table invoice_metadata (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  invoice_id uuid not null,
  key text not null check (char_length(key) between 1 and 20),
  value text not null check (char_length(value) <= 255),
  created_at timestamptz not null,
  primary key (organization_id, id),
  -- Deferred, so that two pairs can swap their keys in one request.
  constraint invoice_metadata__key unique (organization_id, invoice_id, key) deferrable initially deferred,
  foreign key (organization_id, invoice_id) references invoices (organization_id, id)
);
select protect_tenant_table('invoice_metadata');

-- A finalized invoice changes no more, but for whether it was paid, disputed or voided.
create function keep_invoice() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] :=
    array['status', 'payment_status', 'payment_overdue', 'payment_dispute_lost_at', 'voided_at', 'updated_at'];
begin
  if tg_op = 'DELETE' then
    raise exception 'invoice % is never deleted', old.id;
  end if;
  if old.status in ('finalized', 'voided') then
    if new.status <> old.status and not (old.status = 'finalized' and new.status = 'voided') then
      raise exception 'invoice % is % and does not become %', old.id, old.status, new.status;
    end if;
    if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
      raise exception 'invoice % is finalized and never changes', old.id;
    end if;
  end if;
  if (old.organization_id, old.id, old.customer_id, old.invoice_type, old.invoice_key, old.occurred_at)
    is distinct from (new.organization_id, new.id, new.customer_id, new.invoice_type, new.invoice_key, new.occurred_at) then
    raise exception 'what invoice % is of never changes', old.id;
  end if;
  if old.status in ('generating', 'draft') and new.status <> 'generating' and new.fees_amount_cents <> (
    select coalesce(sum(amount_cents), 0) from fees where organization_id = new.organization_id and invoice_id = new.id
  ) then
    raise exception 'the fees of invoice % do not add up to %', new.id, new.fees_amount_cents;
  end if;
  return null;
end
$$;
-- After, so that row level security answers first.
create trigger stays_as_finalized after update or delete on invoices for each row execute function keep_invoice();

create function is_invoice_open(organization uuid, invoice uuid) returns boolean
  language sql stable
  as $$ select status in ('generating', 'draft') from invoices where organization_id = organization and id = invoice $$;

create function keep_fee() returns trigger
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
create trigger stays_as_billed after insert or update or delete on fees for each row execute function keep_fee();

create function keep_fee_tax() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'UPDATE' then
    raise exception 'tax % of a fee never changes', old.id;
  end if;
  if tg_op = 'DELETE' and exists (
    select from fees where organization_id = old.organization_id and id = old.fee_id
      and invoice_id is not null and not is_invoice_open(organization_id, invoice_id)
  ) then
    raise exception 'tax % is of a fee on a finalized invoice', old.id;
  end if;
  return null;
end
$$;
create trigger stays_as_billed after update or delete on fee_taxes for each row execute function keep_fee_tax();

create function keep_invoice_part() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'UPDATE' then
    raise exception 'a part of invoice % never changes', old.invoice_id;
  end if;
  if not is_invoice_open(
    coalesce(new.organization_id, old.organization_id), coalesce(new.invoice_id, old.invoice_id)
  ) then
    raise exception 'invoice % is finalized', coalesce(new.invoice_id, old.invoice_id);
  end if;
  return null;
end
$$;
create trigger stays_as_billed after insert or update or delete on invoice_taxes
  for each row execute function keep_invoice_part();
create trigger stays_as_billed after insert or update or delete on invoice_bills
  for each row execute function keep_invoice_part();
