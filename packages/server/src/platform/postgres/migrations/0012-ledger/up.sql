-- Every movement of value that a customer may spend: coupons, credit notes, prepaid credits. Rows are only ever added. A movement is a
-- transfer between two accounts of one owner (its value, and where value comes from or goes to), and its entries come to 0.
create table ledger_entries (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  transfer_id uuid not null,
  account_kind text not null check (
    account_kind in ('coupon', 'credit_note', 'wallet', 'issued', 'purchased', 'granted', 'invoiced', 'refunded', 'voided', 'expired')
  ),
  -- The applied coupon, credit note or wallet whose account it is.
  account_id uuid not null,
  customer_id uuid not null,
  currency text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  -- What made it happen, and which one.
  source_kind text not null check (source_kind <> ''),
  source_id uuid not null,
  -- By the clock of the customer.
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id)
);
select protect_tenant_table('ledger_entries');
revoke update, delete on ledger_entries from tallystick_app;
-- An effect happens once. It also finds the entries of an account.
create unique index ledger_entries_once on ledger_entries (organization_id, account_kind, account_id, source_kind, source_id);
create index ledger_entries_transfer on ledger_entries (organization_id, transfer_id);

create function keep_ledger_entry() returns trigger
  language plpgsql
  as $$
begin
  raise exception 'ledger entry % never changes', old.id;
end
$$;
-- After, so that row level security answers first.
create trigger stays_as_posted after update or delete on ledger_entries for each row execute function keep_ledger_entry();

create function balance_transfer() returns trigger
  language plpgsql
  as $$
begin
  if exists (
    select from ledger_entries where organization_id = new.organization_id and transfer_id = new.transfer_id
    group by currency having sum(amount_cents) <> 0
  ) then
    raise exception 'the entries of transfer % do not come to 0', new.transfer_id;
  end if;
  return null;
end
$$;
-- When the transaction ends, because entries come one after the other.
create constraint trigger comes_to_zero after insert on ledger_entries
  deferrable initially deferred for each row execute function balance_transfer();
