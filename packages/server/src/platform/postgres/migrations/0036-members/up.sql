-- Members that clients of the same API send and read.
alter table customers
  add column firstname text,
  add column lastname text,
  add column customer_type text check (customer_type in ('company', 'individual'));

alter table wallets
  add column code text,
  add column metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object');
-- A terminated wallet leaves its code to the next one.
create unique index wallets__code on wallets (organization_id, customer_id, code) where status = 'active';

alter table wallet_transactions
  add column name text,
  add column metadata jsonb not null default '[]' check (jsonb_typeof(metadata) = 'array');

alter table invoices add column purchase_order_number text;
