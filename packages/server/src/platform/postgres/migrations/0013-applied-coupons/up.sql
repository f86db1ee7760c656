-- A coupon in a customer's hands, on the terms on which it was applied.
create table applied_coupons (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  coupon_id uuid not null,
  status text not null check (status in ('active', 'terminated')),
  amount_cents bigint check (amount_cents > 0),
  amount_currency text,
  percentage_rate numeric(8, 5) check (percentage_rate > 0),
  frequency text not null check (frequency in ('once', 'recurring', 'forever')),
  frequency_duration integer check (frequency_duration > 0),
  -- Of an amount that is spent once: what the ledger says is left. Null: it has no such amount.
  amount_left_cents bigint check (amount_left_cents >= 0 and amount_left_cents <= amount_cents),
  -- Invoices it can still be used on. Null: as many as it takes.
  uses_left integer check (uses_left >= 0),
  -- By the clock of the customer.
  created_at timestamptz not null,
  updated_at timestamptz not null,
  terminated_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  foreign key (organization_id, coupon_id) references coupons (organization_id, id),
  check (num_nonnulls(amount_cents, percentage_rate) = 1),
  check ((amount_cents is null) = (amount_currency is null)),
  check ((frequency = 'recurring') = (frequency_duration is not null)),
  check ((frequency = 'once' and amount_cents is not null) = (amount_left_cents is not null)),
  check ((frequency = 'recurring' or (frequency = 'once' and percentage_rate is not null)) = (uses_left is not null)),
  check (uses_left <= coalesce(frequency_duration, 1)),
  check ((status = 'terminated') = (terminated_at is not null)),
  -- What is used up is over.
  check (status = 'terminated' or coalesce(amount_left_cents, uses_left::bigint, 1) > 0)
);
select protect_tenant_table('applied_coupons');
create index applied_coupons_list on applied_coupons (organization_id, created_at desc, id desc);
create index applied_coupons_customer on applied_coupons (organization_id, customer_id, created_at desc, id desc);
create index applied_coupons_active on applied_coupons (organization_id, customer_id) where status = 'active';
create index applied_coupons_coupon on applied_coupons (organization_id, coupon_id);

create function keep_applied_coupon() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array['status', 'amount_left_cents', 'uses_left', 'updated_at', 'terminated_at'];
begin
  if tg_op = 'DELETE' then
    raise exception 'applied coupon % is never deleted', old.id;
  end if;
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception 'the terms of applied coupon % never change', old.id;
  end if;
  return null;
end
$$;
create trigger stays_as_applied after update or delete on applied_coupons for each row execute function keep_applied_coupon();

-- What an invoice was paid with before money: each coupon and credit note once, as it was called then.
create table invoice_credits (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  invoice_id uuid not null,
  kind text not null check (kind in ('coupon', 'credit_note')),
  -- The applied coupon or the credit note.
  owner_id uuid not null,
  -- The coupon, or again the credit note.
  item_id uuid not null,
  item_code text not null,
  item_name text not null,
  amount_cents bigint not null check (amount_cents > 0),
  -- Order of use.
  position integer not null check (position >= 0),
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, invoice_id, kind, owner_id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id)
);
select protect_tenant_table('invoice_credits');
create index invoice_credits_owner on invoice_credits (organization_id, owner_id);
create trigger stays_as_billed after insert or update or delete on invoice_credits
  for each row execute function keep_invoice_part();

create function count_invoice_credits() returns trigger
  language plpgsql
  as $$
begin
  if exists (
    select from (values ('coupon', new.coupons_amount_cents), ('credit_note', new.credit_notes_amount_cents)) as figure (kind, amount)
    where figure.amount <> (
      select coalesce(sum(amount_cents), 0) from invoice_credits
      where organization_id = new.organization_id and invoice_id = new.id and kind = figure.kind
    )
  ) then
    raise exception 'the credits of invoice % do not add up', new.id;
  end if;
  return null;
end
$$;
create trigger credits_add_up after update on invoices for each row
  when (old.status in ('generating', 'draft') and new.status <> 'generating') execute function count_invoice_credits();
