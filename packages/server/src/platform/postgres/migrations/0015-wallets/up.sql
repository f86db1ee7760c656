-- Prepaid credits of a customer. Amounts are in minor units of the currency; credits follow from them by the rate.
create table wallets (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  name text,
  status text not null check (status in ('active', 'terminated')),
  currency text not null,
  -- What one credit is worth, in major units.
  rate_amount numeric not null check (rate_amount > 0),
  -- 1 is used first.
  priority integer not null check (priority between 1 and 50),
  -- What it holds: the sum of its ledger account, changed with it under the customer's lock.
  balance_cents bigint not null default 0 check (balance_cents >= 0),
  consumed_amount_cents bigint not null default 0 check (consumed_amount_cents >= 0),
  consumed_credits numeric not null default 0 check (consumed_credits >= 0),
  -- The part of the usage that is not billed yet which falls on it; its ongoing balance is what it holds less this.
  ongoing_usage_cents bigint not null default 0 check (ongoing_usage_cents >= 0),
  -- Whether its ongoing balance is 0 or below, and was told so.
  is_depleted boolean not null,
  -- What it began with: what a rule of fixed credits adds unless it says otherwise.
  initial_paid_credits numeric not null check (initial_paid_credits >= 0),
  initial_granted_credits numeric not null check (initial_granted_credits >= 0),
  expiration_at timestamptz,
  last_balance_sync_at timestamptz,
  last_consumed_credit_at timestamptz,
  terminated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  check ((status = 'terminated') = (terminated_at is not null))
);
select protect_tenant_table('wallets');
create index wallets_list on wallets (organization_id, created_at desc, id desc);
create index wallets_customer on wallets (organization_id, customer_id, created_at desc, id desc);

-- Rules by which a wallet fills itself. Those that were replaced or ended stay.
create table wallet_rules (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  wallet_id uuid not null,
  status text not null check (status in ('active', 'terminated')),
  trigger text not null check (trigger in ('interval', 'threshold')),
  interval text check (interval in ('weekly', 'monthly', 'quarterly', 'semiannual', 'yearly')),
  started_at timestamptz,
  threshold_credits numeric check (threshold_credits >= 0),
  method text not null check (method in ('fixed', 'target')),
  paid_credits numeric not null check (paid_credits >= 0),
  granted_credits numeric not null check (granted_credits >= 0),
  target_ongoing_balance numeric check (target_ongoing_balance >= 0),
  -- The last local day on which a rule by interval filled the wallet: a day comes once, also for who moves to another zone.
  last_day date,
  created_at timestamptz not null,
  terminated_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, wallet_id) references wallets (organization_id, id),
  check ((trigger = 'interval') = (interval is not null)),
  check ((trigger = 'threshold') = (threshold_credits is not null)),
  check ((method = 'target') = (target_ongoing_balance is not null)),
  check ((status = 'terminated') = (terminated_at is not null))
);
select protect_tenant_table('wallet_rules');
create unique index wallet_rules_one on wallet_rules (organization_id, wallet_id) where status = 'active';

create table wallet_transactions (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  wallet_id uuid not null,
  customer_id uuid not null,
  transaction_type text not null check (transaction_type in ('inbound', 'outbound')),
  transaction_status text not null check (transaction_status in ('purchased', 'granted', 'voided', 'invoiced')),
  status text not null check (status in ('pending', 'settled', 'failed')),
  source text not null check (source in ('manual', 'interval', 'threshold')),
  amount_cents bigint not null check (amount_cents > 0),
  credit_amount numeric not null check (credit_amount >= 0),
  -- The invoice by which it is bought, or that it paid.
  invoice_id uuid,
  -- The voided invoice whose use it gives back.
  voided_invoice_id uuid,
  -- The credit note by which what was bought went back in money.
  credit_note_id uuid,
  -- How the amount follows from credits, of those that were asked for.
  derivation jsonb check (jsonb_typeof(derivation) = 'object'),
  created_at timestamptz not null,
  settled_at timestamptz,
  failed_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, wallet_id) references wallets (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id),
  foreign key (organization_id, voided_invoice_id) references invoices (organization_id, id),
  check ((transaction_status in ('purchased', 'granted')) = (transaction_type = 'inbound')),
  check ((transaction_status in ('purchased', 'invoiced')) = (invoice_id is not null)),
  check (voided_invoice_id is null or transaction_status = 'granted'),
  check (credit_note_id is null or transaction_status = 'voided'),
  check (status = 'settled' or transaction_status = 'purchased'),
  check ((status = 'settled') = (settled_at is not null)),
  check ((status = 'failed') = (failed_at is not null))
);
select protect_tenant_table('wallet_transactions');
create index wallet_transactions_list on wallet_transactions (organization_id, wallet_id, created_at desc, id desc);
create index wallet_transactions_pending on wallet_transactions (organization_id, wallet_id) where status = 'pending';
create unique index wallet_transactions_refund on wallet_transactions (organization_id, credit_note_id)
  where credit_note_id is not null;
-- A purchase has an invoice of its own; an invoice takes from a wallet once, and what it took is given back once.
create unique index wallet_transactions_purchase on wallet_transactions (organization_id, invoice_id)
  where transaction_status = 'purchased';
create unique index wallet_transactions_use on wallet_transactions (organization_id, invoice_id, wallet_id)
  where transaction_status = 'invoiced';
create unique index wallet_transactions_return on wallet_transactions (organization_id, voided_invoice_id, wallet_id)
  where voided_invoice_id is not null;

create function keep_wallet_transaction() returns trigger
  language plpgsql
  as $$
declare
  changing constant text[] := array['status', 'settled_at', 'failed_at'];
begin
  if tg_op = 'DELETE' or to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception 'wallet transaction % never changes', old.id;
  end if;
  if old.status = 'settled' then
    raise exception 'wallet transaction % is settled', old.id;
  end if;
  return null;
end
$$;
-- After, so that row level security answers first.
create trigger stays_as_settled after update or delete on wallet_transactions
  for each row execute function keep_wallet_transaction();

create function keep_wallet() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'DELETE' or (old.customer_id, old.currency, old.rate_amount) is distinct from (new.customer_id, new.currency, new.rate_amount) then
    raise exception 'what wallet % holds credits of never changes', old.id;
  end if;
  if old.status = 'terminated' and new.status <> 'terminated' then
    raise exception 'wallet % has ended', old.id;
  end if;
  return null;
end
$$;
create trigger stays_as_made after update or delete on wallets for each row execute function keep_wallet();

-- How far the events of an organization have been looked at for ongoing balances: for shard n at n + 1 the last position that was. It is
-- made with the first wallet, at the heads of that moment.
create table wallet_cursors (
  organization_id uuid primary key references organizations (id),
  positions bigint[] not null check (array_position(positions, null) is null and 0 <= all (positions)),
  ready_at timestamptz not null,
  attempts integer not null default 0,
  last_error text
);
select protect_tenant_table('wallet_cursors');
-- The dispatcher looks, over all organizations, which of them has events that nobody has looked at.
create policy dispatch on wallet_cursors for select to tallystick_dispatcher using (true);
create policy dispatch_claim on wallet_cursors for update to tallystick_dispatcher using (true) with check (true);
grant select on wallet_cursors to tallystick_dispatcher;
grant update (ready_at, attempts, last_error) on wallet_cursors to tallystick_dispatcher;

-- Customers whose ongoing balances are to be computed again. Only added and deleted, so that nobody waits for anybody to ask.
create table wallet_refreshes (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  -- Balances or invoices changed: what was measured before that is of no use. Otherwise there is just more usage.
  is_change boolean not null,
  ready_at timestamptz not null,
  attempts integer not null default 0,
  last_error text,
  primary key (organization_id, id),
  foreign key (organization_id, customer_id) references customers (organization_id, id)
);
select protect_tenant_table('wallet_refreshes');
create index wallet_refreshes_ready on wallet_refreshes (ready_at);
create index wallet_refreshes_customer on wallet_refreshes (organization_id, customer_id);
-- The dispatcher looks, over all organizations, who waits; at nothing else of them.
create policy dispatch on wallet_refreshes for select to tallystick_dispatcher using (true);
create policy dispatch_claim on wallet_refreshes for update to tallystick_dispatcher using (true) with check (true);
grant select on wallet_refreshes to tallystick_dispatcher;
grant update (ready_at, attempts, last_error) on wallet_refreshes to tallystick_dispatcher;
