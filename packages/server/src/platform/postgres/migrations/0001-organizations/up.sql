-- The organization of this transaction. Unset, or set and ended ('' rather than null), means no rows.
create function current_organization() returns uuid
  language sql stable parallel safe
  as $$ select nullif(current_setting('app.organization_id', true), '')::uuid $$;

-- Every table of a tenant passes through here, so that none forgets a part of it.
create function protect_tenant_table(tenant_table regclass) returns void
  language plpgsql
  as $$
begin
  execute format('alter table %s enable row level security', tenant_table);
  execute format('alter table %s force row level security', tenant_table);
  execute format('create policy tenant on %s to tallystick_app
    using (organization_id = (select current_organization()))
    with check (organization_id = (select current_organization()))', tenant_table);
  execute format('create policy verification on %s for select to tallystick_verifier using (true)', tenant_table);
  execute format('grant select, insert, update, delete on %s to tallystick_app', tenant_table);
  execute format('grant select on %s to tallystick_verifier', tenant_table);
end
$$;

revoke execute on function protect_tenant_table from public;

create table organizations (
  id uuid primary key,
  name text not null check (name <> ''),
  is_sandbox boolean not null,
  default_currency text not null,
  timezone text not null,
  country text,
  address_line1 text,
  address_line2 text,
  city text,
  state text,
  zipcode text,
  email text,
  legal_name text,
  legal_number text,
  tax_identification_number text,
  webhook_url text,
  net_payment_term integer not null default 0 check (net_payment_term >= 0),
  email_settings text[] not null default '{}',
  document_numbering text not null default 'per_customer' check (document_numbering in ('per_customer', 'per_organization')),
  document_number_prefix text not null check (char_length(document_number_prefix) between 1 and 10),
  invoice_footer text check (char_length(invoice_footer) <= 600),
  invoice_grace_period integer not null default 0 check (invoice_grace_period >= 0),
  document_locale text not null default 'en',
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- An organization is its own tenant: the same protection, on its id.
alter table organizations enable row level security;
alter table organizations force row level security;
create policy tenant on organizations to tallystick_app
  using (id = (select current_organization()))
  with check (id = (select current_organization()));
create policy verification on organizations for select to tallystick_verifier using (true);
create policy directory on organizations for select to tallystick_dispatcher using (true);
grant select, insert, update on organizations to tallystick_app;
grant select on organizations to tallystick_verifier, tallystick_dispatcher;

-- Gapless numbers: a row per series, locked until the transaction that took a number ends.
create table counters (
  organization_id uuid not null references organizations (id),
  series text not null,
  value bigint not null check (value >= 0),
  primary key (organization_id, series)
);
select protect_tenant_table('counters');

create table api_keys (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- The readable part of the token, by which it is found; the token itself is nowhere.
  key_id text not null unique check (key_id ~ '^[0-9A-Za-z]{8}$'),
  token_hash bytea not null check (length(token_hash) = 32),
  name text not null,
  -- {"customer": ["read", "write"], …}; null means everything.
  permissions jsonb,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (organization_id, id)
);
select protect_tenant_table('api_keys');
-- A request comes with a key and no organization: finding it is the dispatcher's, and nothing else of the table.
create policy key_lookup on api_keys for select to tallystick_dispatcher using (true);
create policy key_use on api_keys for update to tallystick_dispatcher using (true) with check (true);
grant select on api_keys to tallystick_dispatcher;
grant update (last_used_at) on api_keys to tallystick_dispatcher;

create table idempotency_keys (
  organization_id uuid not null references organizations (id),
  key text not null check (char_length(key) between 1 and 255),
  request_hash bytea not null check (length(request_hash) = 32),
  status integer not null,
  -- The answer as it was given; json keeps the text as it is.
  answer json not null,
  created_at timestamptz not null,
  primary key (organization_id, key)
);
select protect_tenant_table('idempotency_keys');
create index idempotency_keys_age on idempotency_keys (created_at);
create policy expiry on idempotency_keys for select to tallystick_dispatcher using (true);
create policy expiry_delete on idempotency_keys for delete to tallystick_dispatcher using (true);
grant select (created_at), delete on idempotency_keys to tallystick_dispatcher;
