-- What is given back of an invoice: as credit for later ones, or in money.
create table credit_notes (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  -- The invoice it credits.
  invoice_id uuid not null,
  -- Counted per invoice, without gap.
  sequential_id bigint not null check (sequential_id > 0),
  number text not null,
  invoice_number text not null,
  reason text not null check (
    reason in ('duplicated_charge', 'product_unsatisfactory', 'order_change', 'order_cancellation', 'fraudulent_charge', 'other')
  ),
  description text,
  currency text not null,
  issuing_date date not null,
  coupons_adjustment_amount_cents bigint not null check (coupons_adjustment_amount_cents >= 0),
  sub_total_excluding_taxes_amount_cents bigint not null check (sub_total_excluding_taxes_amount_cents >= 0),
  taxes_amount_cents bigint not null check (taxes_amount_cents >= 0),
  taxes_rate numeric not null check (taxes_rate >= 0),
  total_amount_cents bigint not null check (total_amount_cents > 0),
  credit_amount_cents bigint not null check (credit_amount_cents >= 0),
  refund_amount_cents bigint not null check (refund_amount_cents >= 0),
  -- What the ledger says is left of the credit.
  balance_amount_cents bigint not null check (balance_amount_cents >= 0 and balance_amount_cents <= credit_amount_cents),
  -- null: it has no credit, or nothing is refunded.
  credit_status text check (credit_status in ('available', 'consumed', 'voided')),
  refund_status text check (refund_status in ('pending', 'succeeded', 'failed')),
  -- Made by itself, for the days of this subscription that were paid and not used.
  unused_of_subscription_id uuid,
  derivation jsonb not null check (jsonb_typeof(derivation) = 'object'),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  voided_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id),
  foreign key (organization_id, unused_of_subscription_id) references subscriptions (organization_id, id),
  check (sub_total_excluding_taxes_amount_cents + taxes_amount_cents = total_amount_cents),
  check (credit_amount_cents + refund_amount_cents = total_amount_cents),
  check ((credit_amount_cents = 0) = (credit_status is null)),
  check ((refund_amount_cents = 0) = (refund_status is null)),
  check ((balance_amount_cents > 0) = (credit_status is not distinct from 'available')),
  check ((credit_status is not distinct from 'voided') = (voided_at is not null))
);
select protect_tenant_table('credit_notes');
create unique index credit_notes_of_invoice on credit_notes (organization_id, invoice_id, sequential_id);
-- Unused days are given back once.
create unique index credit_notes_of_subscription on credit_notes (organization_id, unused_of_subscription_id)
  where unused_of_subscription_id is not null;
create index credit_notes_list on credit_notes (organization_id, created_at desc, id desc);
create index credit_notes_customer on credit_notes (organization_id, customer_id, created_at desc, id desc);
create index credit_notes_available on credit_notes (organization_id, customer_id) where credit_status = 'available';

create table credit_note_items (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  credit_note_id uuid not null,
  fee_id uuid not null,
  -- Order on the note.
  line integer not null check (line >= 0),
  amount_cents bigint not null check (amount_cents >= 0),
  -- A note that is made by itself may credit a fraction of a cent.
  precise_amount_cents numeric not null check (precise_amount_cents >= 0),
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, credit_note_id, line),
  foreign key (organization_id, credit_note_id) references credit_notes (organization_id, id),
  foreign key (organization_id, fee_id) references fees (organization_id, id)
);
select protect_tenant_table('credit_note_items');
create index credit_note_items_fee on credit_note_items (organization_id, fee_id);

create table credit_note_taxes (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  credit_note_id uuid not null,
  tax_id uuid not null,
  tax_code text not null,
  tax_name text not null,
  tax_description text,
  tax_rate numeric not null check (tax_rate >= 0),
  base_amount_cents bigint not null check (base_amount_cents >= 0),
  amount_cents bigint not null check (amount_cents >= 0),
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, credit_note_id, tax_id, tax_rate),
  foreign key (organization_id, credit_note_id) references credit_notes (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('credit_note_taxes');

create function keep_credit_note() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array['balance_amount_cents', 'credit_status', 'refund_status', 'updated_at', 'voided_at'];
begin
  if tg_op = 'DELETE' then
    raise exception 'credit note % is never deleted', old.id;
  end if;
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception 'credit note % never changes', old.id;
  end if;
  if old.credit_status = 'voided' and new.credit_status <> 'voided' then
    raise exception 'credit note % stays void', old.id;
  end if;
  return null;
end
$$;
create trigger stays_as_issued after update or delete on credit_notes for each row execute function keep_credit_note();

create function keep_credit_note_part() returns trigger
  language plpgsql
  as $$
begin
  raise exception 'a part of credit note % never changes', old.credit_note_id;
end
$$;
create trigger stays_as_issued after update or delete on credit_note_items
  for each row execute function keep_credit_note_part();
create trigger stays_as_issued after update or delete on credit_note_taxes
  for each row execute function keep_credit_note_part();

-- The notes of an invoice never come to more than the invoice, nor refunds to more than it asked for; those of a fee never to more than
-- the fee.
create function bound_credit_notes() returns trigger
  language plpgsql
  as $$
begin
  if exists (
    select from invoices as invoice
    where organization_id = new.organization_id and id = new.invoice_id and exists (
      select from credit_notes where organization_id = new.organization_id and invoice_id = new.invoice_id
      having sum(credit_notes.total_amount_cents)
          > invoice.fees_amount_cents - invoice.coupons_amount_cents + invoice.taxes_amount_cents
        or sum(refund_amount_cents) > invoice.total_amount_cents
    )
  ) then
    raise exception 'the credit notes of invoice % come to more than it', new.invoice_id;
  end if;
  return null;
end
$$;
create trigger stays_within_invoice after insert on credit_notes for each row execute function bound_credit_notes();

create function bound_credit_items() returns trigger
  language plpgsql
  as $$
begin
  if (select sum(amount_cents) from credit_note_items where organization_id = new.organization_id and fee_id = new.fee_id)
    > (select amount_cents from fees where organization_id = new.organization_id and id = new.fee_id) then
    raise exception 'the credit notes of fee % come to more than it', new.fee_id;
  end if;
  return null;
end
$$;
create trigger stays_within_fee after insert on credit_note_items for each row execute function bound_credit_items();
