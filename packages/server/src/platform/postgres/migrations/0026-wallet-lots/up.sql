-- Each inbound transaction of a wallet is a lot: it says how much of it is left, and the wallet holds the sum of its lots.
alter table wallet_transactions
  -- What is left of a lot. Outbound transactions, and what only returns value to lots, have nothing.
  add column remaining_amount_cents bigint not null default 0 check (remaining_amount_cents >= 0),
  -- Of a purchase: what comes into the wallet once it is paid.
  add column withheld_amount_cents bigint not null default 0 check (withheld_amount_cents >= 0),
  -- Of a purchase that was settled and is not paid any more.
  add column bounced_at timestamptz,
  -- A purchase that was settled and not paid when lots were introduced: it keeps its credits until its payment changes again.
  add column predates_lots boolean not null default false,
  -- The purchase that this takes back because its payment bounced, or gives again because it was paid after all.
  add column corrects_transaction_id uuid;

alter table wallet_transactions drop constraint wallet_transactions_check1;
alter table wallet_transactions
  add foreign key (organization_id, corrects_transaction_id) references wallet_transactions (organization_id, id),
  add check (
    (transaction_status in ('purchased', 'invoiced') or corrects_transaction_id is not null) = (invoice_id is not null)
  ),
  add check (corrects_transaction_id is null or transaction_status in ('voided', 'purchased')),
  add check (remaining_amount_cents + withheld_amount_cents <= amount_cents),
  add check (
    remaining_amount_cents = 0
    or (transaction_type = 'inbound' and status = 'settled' and voided_invoice_id is null and corrects_transaction_id is null)
  ),
  add check (withheld_amount_cents = 0 or (transaction_status = 'purchased' and corrects_transaction_id is null)),
  -- A purchase that is not paid holds nothing.
  add check (bounced_at is null or (transaction_status = 'purchased' and status = 'settled' and remaining_amount_cents = 0));

drop index wallet_transactions_purchase;
create unique index wallet_transactions_purchase on wallet_transactions (organization_id, invoice_id)
  where transaction_status = 'purchased' and corrects_transaction_id is null;
create index wallet_transactions_lots on wallet_transactions (organization_id, wallet_id) where remaining_amount_cents > 0;
create index wallet_transactions_corrects on wallet_transactions (organization_id, corrects_transaction_id)
  where corrects_transaction_id is not null;

-- How much a transaction took from a lot (below zero), or returned to it.
create table wallet_lot_movements (
  organization_id uuid not null references organizations (id),
  transaction_id uuid not null,
  lot_id uuid not null,
  amount_cents bigint not null check (amount_cents <> 0),
  primary key (organization_id, transaction_id, lot_id),
  foreign key (organization_id, transaction_id) references wallet_transactions (organization_id, id),
  foreign key (organization_id, lot_id) references wallet_transactions (organization_id, id)
);
select protect_tenant_table('wallet_lot_movements');
revoke update, delete on wallet_lot_movements from tallystick_app;
create index wallet_lot_movements_lot on wallet_lot_movements (organization_id, lot_id);

create or replace function keep_wallet_transaction() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array[
    'status', 'settled_at', 'failed_at', 'remaining_amount_cents', 'withheld_amount_cents', 'bounced_at', 'predates_lots'
  ];
begin
  if tg_op = 'DELETE' or to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception 'wallet transaction % never changes', old.id;
  end if;
  if old.status = 'settled' and (new.status, new.settled_at, new.failed_at)
    is distinct from (old.status, old.settled_at, old.failed_at) then
    raise exception 'wallet transaction % is settled', old.id;
  end if;
  return null;
end
$$;

-- What is given up of an invoice because it will never be paid.
alter table invoices
  add column written_off_amount_cents bigint not null default 0 check (written_off_amount_cents >= 0),
  add check (written_off_amount_cents <= total_amount_cents),
  add check (written_off_amount_cents = 0 or status = 'finalized'),
  add check (not payment_overdue or written_off_amount_cents < total_amount_cents);

create table invoice_write_offs (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  invoice_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  reason text not null check (reason <> ''),
  -- By the clock of the customer.
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id)
);
select protect_tenant_table('invoice_write_offs');
revoke update, delete on invoice_write_offs from tallystick_app;
create index invoice_write_offs_invoice on invoice_write_offs (organization_id, invoice_id);

create or replace function keep_invoice() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array[
    'status', 'payment_status', 'payment_overdue', 'payment_dispute_lost_at', 'voided_at', 'updated_at',
    'written_off_amount_cents'
  ];
begin
  if tg_op = 'DELETE' then
    raise exception 'invoice % is never deleted', old.id;
  end if;
  if new.written_off_amount_cents < old.written_off_amount_cents then
    raise exception 'what was written off of invoice % stays so', old.id;
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

-- Refunds never come to more than was to be paid: what is written off is not.
create or replace function bound_credit_notes() returns trigger
  language plpgsql
  as $$
begin
  if exists (
    select from invoices as invoice
    where organization_id = new.organization_id and id = new.invoice_id and exists (
      select from credit_notes where organization_id = new.organization_id and invoice_id = new.invoice_id
      having sum(credit_notes.total_amount_cents)
          > invoice.fees_amount_cents - invoice.coupons_amount_cents + invoice.taxes_amount_cents
        or (new.refund_amount_cents > 0
          and sum(refund_amount_cents) > invoice.total_amount_cents - invoice.written_off_amount_cents)
    )
  ) then
    raise exception 'the credit notes of invoice % come to more than it', new.invoice_id;
  end if;
  return null;
end
$$;

-- The wallets that there are. The owner of the tables is no tenant, so it sees rows only while row level security is not forced.
alter table wallets no force row level security;
alter table wallet_transactions no force row level security;
alter table wallet_lot_movements no force row level security;
alter table ledger_entries no force row level security;
alter table invoices no force row level security;

-- A wallet that has ended holds nothing: what was paid after its end could not be used.
insert into ledger_entries (organization_id, id, transfer_id, account_kind, account_id, customer_id, currency, amount_cents,
  source_kind, source_id, occurred_at, created_at)
select organization_id, gen_random_uuid(), transfer_id, entry.account_kind, id, customer_id, currency, entry.sign * balance_cents,
  'wallet_lots', id, now(), now()
from (select wallets.*, gen_random_uuid() as transfer_id from wallets where status = 'terminated' and balance_cents > 0) as ended
cross join (values ('wallet', -1), ('expired', 1)) as entry (account_kind, sign);
update wallets set balance_cents = 0 where status = 'terminated' and balance_cents > 0;

-- Everything that left a wallet, laid end to end over its lots in the order of spending: granted ones first, then the oldest. What a
-- void gave back had left for a while: it came from the first lots, and returned to them.
with lots as (
  select organization_id, wallet_id, id, sum(amount_cents) over in_order - amount_cents as begins, sum(amount_cents) over in_order as ends
  from wallet_transactions
  where transaction_type = 'inbound' and status = 'settled' and voided_invoice_id is null
  window in_order as (partition by organization_id, wallet_id order by transaction_status = 'purchased', created_at, id)
),
outbound as (
  select spent.organization_id, spent.wallet_id, spent.id, spent.amount_cents, spent.created_at, back.id as back_id
  from wallet_transactions spent
  left join wallet_transactions back on back.organization_id = spent.organization_id and back.wallet_id = spent.wallet_id
    and back.voided_invoice_id = spent.invoice_id and spent.transaction_status = 'invoiced'
  where spent.transaction_type = 'outbound'
),
taken as (
  select organization_id, wallet_id, id, back_id, sum(amount_cents) over in_order - amount_cents as begins,
    sum(amount_cents) over in_order as ends
  from outbound where back_id is null
  window in_order as (partition by organization_id, wallet_id order by created_at, id)
  union all
  select organization_id, wallet_id, id, back_id, 0, amount_cents from outbound where back_id is not null
),
parts as (
  select taken.organization_id, taken.id, taken.back_id, lots.id as lot_id,
    (least(taken.ends, lots.ends) - greatest(taken.begins, lots.begins))::bigint as amount_cents
  from taken
  join lots on lots.organization_id = taken.organization_id and lots.wallet_id = taken.wallet_id
    and lots.begins < taken.ends and taken.begins < lots.ends
)
insert into wallet_lot_movements (organization_id, transaction_id, lot_id, amount_cents)
select organization_id, id, lot_id, -amount_cents from parts
union all
select organization_id, back_id, lot_id, amount_cents from parts where back_id is not null;

update wallet_transactions lot set remaining_amount_cents = amount_cents + (
  select coalesce(sum(amount_cents), 0) from wallet_lot_movements moved
  where moved.organization_id = lot.organization_id and moved.lot_id = lot.id
)
from wallets wallet
where wallet.organization_id = lot.organization_id and wallet.id = lot.wallet_id and wallet.status = 'active'
  and lot.transaction_type = 'inbound' and lot.status = 'settled' and lot.voided_invoice_id is null;
update wallet_transactions set withheld_amount_cents = amount_cents
where transaction_status = 'purchased' and status <> 'settled';
update wallet_transactions lot set predates_lots = true
from invoices invoice
where invoice.organization_id = lot.organization_id and invoice.id = lot.invoice_id and invoice.payment_status <> 'succeeded'
  and lot.transaction_status = 'purchased' and lot.status = 'settled';

do $$
begin
  if exists (
    select from wallets where balance_cents <> (
      select coalesce(sum(remaining_amount_cents), 0) from wallet_transactions
      where wallet_transactions.organization_id = wallets.organization_id and wallet_id = wallets.id
    )
  ) then
    raise exception 'a wallet does not hold the sum of its lots: run "npm run verify" with the release before';
  end if;
end
$$;

-- Tables with triggers that still wait cannot be altered.
set constraints all immediate;
alter table wallets force row level security;
alter table wallet_transactions force row level security;
alter table wallet_lot_movements force row level security;
alter table ledger_entries force row level security;
alter table invoices force row level security;

alter table wallets add constraint wallets_ended_hold_nothing check (status <> 'terminated' or balance_cents = 0);

create function balance_wallet_lots() returns trigger
  language plpgsql
  as $$
declare
  wallet constant uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
begin
  if exists (
    select from wallets where organization_id = new.organization_id and id = wallet and balance_cents <> (
      select coalesce(sum(remaining_amount_cents), 0) from wallet_transactions
      where organization_id = new.organization_id and wallet_id = wallet and remaining_amount_cents > 0
    )
  ) then
    raise exception 'wallet % does not hold the sum of its lots', wallet;
  end if;
  return null;
end
$$;
-- When the transaction ends, because a lot and its wallet change one after the other.
create constraint trigger holds_its_lots after insert or update of balance_cents on wallets
  deferrable initially deferred for each row execute function balance_wallet_lots('id');
create constraint trigger is_held_by_its_wallet after insert or update of remaining_amount_cents on wallet_transactions
  deferrable initially deferred for each row execute function balance_wallet_lots('wallet_id');
