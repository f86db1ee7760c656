-- What is owed is a balance of the ledger: `receivable`, or `disputed` after a lost dispute. The owner is an invoice, or a fee that
-- stands alone.
alter table ledger_entries drop constraint ledger_entries_account_kind_check;
alter table ledger_entries add constraint ledger_entries_account_kind_check check (
  account_kind in (
    'coupon', 'credit_note', 'wallet', 'issued', 'purchased', 'granted', 'invoiced', 'refunded', 'voided', 'expired',
    'billed', 'receivable', 'disputed', 'prepaid', 'paid', 'overpaid', 'written_off', 'regrouped'
  )
);

alter table invoices
  -- All payments that count, also what exceeds the total.
  add column paid_amount_cents bigint not null default 0 check (paid_amount_cents >= 0),
  -- Its entries are in the ledger. False of drafts, and of invoices that the job `open_receivables` has not reached yet.
  add column has_receivable boolean not null default false,
  add check (not has_receivable or status in ('finalized', 'voided')),
  add check (paid_amount_cents = 0 or (has_receivable and status = 'finalized')),
  -- An invoice is paid if nothing is due of it; one that is written off as a whole may have any status.
  add check (
    not has_receivable or status <> 'finalized' or payment_status <> 'succeeded'
    or paid_amount_cents + written_off_amount_cents >= total_amount_cents
  ),
  add check (
    not has_receivable or status <> 'finalized' or payment_status = 'succeeded' or paid_amount_cents = 0
    or paid_amount_cents + written_off_amount_cents < total_amount_cents
  );
alter table fees
  add column has_receivable boolean not null default false;
create index invoices_without_receivable on invoices (organization_id, id)
  where not has_receivable and status in ('finalized', 'voided');
create index fees_without_receivable on fees (organization_id, id)
  where not has_receivable and invoice_id is null and deleted_at is null;

-- How far the job is with the documents of an organization that were there before.
create table receivable_openings (
  organization_id uuid primary key references organizations (id),
  opened_count bigint not null default 0 check (opened_count >= 0),
  created_at timestamptz not null,
  finished_at timestamptz
);
select protect_tenant_table('receivable_openings');
create policy directory on receivable_openings for select to tallystick_dispatcher using (true);
grant select on receivable_openings to tallystick_dispatcher;

alter table organizations no force row level security;
alter table receivable_openings no force row level security;
insert into receivable_openings (organization_id, created_at) select id, now() from organizations;
set constraints all immediate;
alter table receivable_openings force row level security;
alter table organizations force row level security;

create or replace function keep_invoice() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array[
    'status', 'payment_status', 'payment_overdue', 'payment_dispute_lost_at', 'voided_at', 'updated_at',
    'written_off_amount_cents', 'paid_amount_cents', 'has_receivable'
  ];
begin
  if tg_op = 'DELETE' then
    raise exception 'invoice % is never deleted', old.id;
  end if;
  if new.written_off_amount_cents < old.written_off_amount_cents
    and new.paid_amount_cents - old.paid_amount_cents <> old.written_off_amount_cents - new.written_off_amount_cents then
    raise exception 'what was written off of invoice % stays so unless it is paid', old.id;
  end if;
  if old.has_receivable and not new.has_receivable then
    raise exception 'the receivable of invoice % stays open', old.id;
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

create or replace function keep_fee() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array['payment_status', 'succeeded_at', 'failed_at', 'refunded_at', 'deleted_at', 'has_receivable'];
begin
  if tg_op = 'UPDATE' then
    -- A fee that stood alone may be put on an invoice once.
    if to_jsonb(new) - changing - (case when old.invoice_id is null then 'invoice_id' else '' end)
      is distinct from to_jsonb(old) - changing - (case when old.invoice_id is null then 'invoice_id' else '' end) then
      raise exception 'fee % never changes', old.id;
    end if;
    if old.has_receivable and not new.has_receivable then
      raise exception 'the receivable of fee % stays open', old.id;
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

create function balance_of(organization uuid, owner uuid, kinds text[]) returns numeric
  language sql stable
  as $$
  select coalesce(sum(amount_cents), 0) from ledger_entries
  where organization_id = organization and account_kind = any(kinds) and account_id = owner
$$;

-- What an invoice says of its payments is what the ledger says.
create function balance_invoice() returns trigger
  language plpgsql
  as $$
begin
  if exists (
    select from invoices as invoice
    where organization_id = new.organization_id and id = new.id and (
      balance_of(organization_id, id, '{paid}') <> paid_amount_cents
      or balance_of(organization_id, id, '{written_off}') <> written_off_amount_cents
      or balance_of(organization_id, id, '{receivable,disputed}') <> case status when 'finalized'
        then greatest(total_amount_cents - paid_amount_cents - written_off_amount_cents, 0) else 0 end
    )
  ) then
    raise exception 'the ledger does not agree with what is due of invoice %', new.id;
  end if;
  return null;
end
$$;
-- When the transaction ends, because row and entries are written one after the other.
create constraint trigger agrees_with_ledger after update on invoices
  deferrable initially deferred for each row
  when (
    new.has_receivable and old.status in ('finalized', 'voided') and (
      old.has_receivable, old.status, old.paid_amount_cents, old.written_off_amount_cents, old.payment_dispute_lost_at
    ) is distinct from (
      new.has_receivable, new.status, new.paid_amount_cents, new.written_off_amount_cents, new.payment_dispute_lost_at
    )
  ) execute function balance_invoice();

create function balance_fee() returns trigger
  language plpgsql
  as $$
begin
  if exists (
    select from fees
    cross join lateral (
      select invoice_id is null as is_alone, payment_status in ('succeeded', 'refunded') as is_paid,
        amount_cents + taxes_amount_cents as amount
    ) as owed
    where organization_id = new.organization_id and id = new.id and (
      balance_of(organization_id, id, '{paid}') <> case when is_alone and is_paid then amount else 0 end
      or balance_of(organization_id, id, '{receivable}')
        <> case when is_alone and not is_paid and deleted_at is null then amount else 0 end
    )
  ) then
    raise exception 'the ledger does not agree with what is due of fee %', new.id;
  end if;
  return null;
end
$$;
create constraint trigger agrees_with_ledger after update on fees
  deferrable initially deferred for each row
  when (
    new.has_receivable and (old.has_receivable, old.payment_status, old.invoice_id, old.deleted_at)
      is distinct from (new.has_receivable, new.payment_status, new.invoice_id, new.deleted_at)
  ) execute function balance_fee();

-- Refunds that were made: one transfer each.
alter table credit_notes no force row level security;
alter table ledger_entries no force row level security;
insert into ledger_entries (organization_id, id, transfer_id, account_kind, account_id, customer_id, currency, amount_cents,
  source_kind, source_id, occurred_at, created_at)
select organization_id, gen_random_uuid(), refund_id, entry.account_kind, id, customer_id, currency, entry.sign * refund_amount_cents,
  'refund', refund_id, updated_at, now()
from (
  select credit_notes.*, gen_random_uuid() as refund_id from credit_notes
  where refund_status = 'succeeded' and refund_amount_cents > 0
) as refunded
cross join (values ('issued', -1), ('refunded', 1)) as entry (account_kind, sign);
set constraints all immediate;
alter table credit_notes force row level security;
alter table ledger_entries force row level security;
