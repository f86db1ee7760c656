-- The order in which things happened to each customer, written down by the database itself. Whoever changes what a customer has to spend
-- holds the customer until its transaction ends, so the numbers of one transaction lie before or after those of another, not between them.
create schema if not exists prove;

create table if not exists prove.journal (
  number bigint generated always as identity primary key,
  transaction xid8 not null default pg_current_xact_id(),
  customer_id uuid not null,
  what text not null,
  id uuid not null,
  -- By the clock of the customer, where it decides about a wallet that expires.
  at timestamptz,
  -- How much is written off.
  cents bigint
);
create index if not exists journal_customer on prove.journal (customer_id, number);
create index if not exists journal_entry on prove.journal (id);

create or replace function prove.write_down() returns trigger language plpgsql security definer as $$
begin
  insert into prove.journal (customer_id, what, id, at)
  values (new.customer_id, tg_argv[0], new.id, (to_jsonb(new) ->> tg_argv[1])::timestamptz);
  return null;
end
$$;

-- The fees of an invoice are paid with it, a moment before, at the instant that decides whether its wallet has ended.
create or replace function prove.write_down_payment() returns trigger language plpgsql security definer as $$
begin
  insert into prove.journal (customer_id, what, id, at)
  select new.customer_id, tg_argv[0], new.id, max(coalesce(succeeded_at, failed_at))
  from fees where organization_id = new.organization_id and invoice_id = new.id;
  return null;
end
$$;

create or replace trigger finalized after update on invoices for each row
  when (old.status = 'draft' and new.status = 'finalized') execute function prove.write_down('finalize', 'finalized_at');
create or replace trigger paid after update on invoices for each row
  when (old.status = new.status and old.payment_status <> 'succeeded' and new.payment_status = 'succeeded')
  execute function prove.write_down_payment('pay');
create or replace trigger bounced after update on invoices for each row
  when (old.status = new.status and old.payment_status = 'succeeded' and new.payment_status <> 'succeeded')
  execute function prove.write_down_payment('bounce');
create or replace function prove.write_down_write_off() returns trigger language plpgsql security definer as $$
begin
  insert into prove.journal (customer_id, what, id, cents)
  values (new.customer_id, 'write off', new.id, new.written_off_amount_cents - old.written_off_amount_cents);
  return null;
end
$$;
create or replace trigger written_off after update on invoices for each row
  when (old.written_off_amount_cents < new.written_off_amount_cents) execute function prove.write_down_write_off();
create or replace trigger voided after update on invoices for each row
  when (old.status = 'finalized' and new.status = 'voided') execute function prove.write_down('void', 'voided_at');

create or replace trigger credited after insert on credit_notes for each row
  execute function prove.write_down('credit');
create or replace trigger note_voided after update on credit_notes for each row
  when (old.voided_at is null and new.voided_at is not null) execute function prove.write_down('void note', 'voided_at');

create or replace trigger opened after insert on wallets for each row
  execute function prove.write_down('open wallet', 'expiration_at');
create or replace trigger expires after update on wallets for each row
  when (old.expiration_at is distinct from new.expiration_at)
  execute function prove.write_down('change expiration', 'expiration_at');
create or replace trigger ended after update on wallets for each row
  when (old.status = 'active' and new.status = 'terminated') execute function prove.write_down('end wallet', 'terminated_at');
-- What invoices and notes do to wallets follows from them.
create or replace trigger filled after insert on wallet_transactions for each row
  when (
    new.transaction_status <> 'invoiced' and new.voided_invoice_id is null and new.credit_note_id is null
    and new.corrects_transaction_id is null
  )
  execute function prove.write_down('move credits');

create or replace trigger applied after insert on applied_coupons for each row
  execute function prove.write_down('apply coupon', 'created_at');
create or replace trigger coupon_ended after update on applied_coupons for each row
  when (old.status = 'active' and new.status = 'terminated')
  execute function prove.write_down('end coupon', 'terminated_at');

create or replace trigger moved after insert on ledger_entries for each row execute function prove.write_down('entry');

grant usage on schema prove to tallystick_verifier;
grant select on prove.journal to tallystick_verifier;
