create table test_clocks (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text,
  -- Where the clock stands: while it advances, the instant reached so far.
  now timestamptz not null,
  -- Where it is going; null when it stands still.
  advancing_to timestamptz check (advancing_to >= now),
  attempts integer not null default 0,
  last_error text,
  ready_at timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id)
);
select protect_tenant_table('test_clocks');
create index test_clocks_list on test_clocks (organization_id, created_at desc, id desc) where deleted_at is null;
create index test_clocks_advancing on test_clocks (ready_at) where advancing_to is not null;
create policy dispatch on test_clocks for select to tallystick_dispatcher using (true);
create policy dispatch_claim on test_clocks for update to tallystick_dispatcher using (true) with check (true);
grant select on test_clocks to tallystick_dispatcher;
grant update (ready_at, attempts, last_error) on test_clocks to tallystick_dispatcher;

-- Time never goes back, whoever writes.
create function keep_test_clock_forward() returns trigger
  language plpgsql
  as $$
begin
  if new.now < old.now then
    raise exception 'test clock % would go back from % to %', old.id, old.now, new.now;
  end if;
  return new;
end
$$;
create trigger forward_only before update of now on test_clocks for each row execute function keep_test_clock_forward();

create table customers (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  external_id text not null check (external_id <> ''),
  sequential_id bigint not null check (sequential_id > 0),
  slug text not null,
  test_clock_id uuid,
  name text,
  legal_name text,
  legal_number text,
  tax_identification_number text,
  email text,
  phone text,
  url text,
  logo_url text,
  address_line1 text,
  address_line2 text,
  city text,
  state text,
  zipcode text,
  country text,
  shipping_address_line1 text,
  shipping_address_line2 text,
  shipping_city text,
  shipping_state text,
  shipping_zipcode text,
  shipping_country text,
  currency text,
  timezone text,
  net_payment_term integer check (net_payment_term >= 0),
  external_salesforce_id text,
  invoice_grace_period integer check (invoice_grace_period >= 0),
  document_locale text,
  payment_provider text check (payment_provider in ('stripe', 'gocardless', 'adyen')),
  payment_provider_code text,
  provider_customer_id text,
  sync boolean not null default false,
  sync_with_provider boolean not null default false,
  provider_payment_methods text[] not null default '{card}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, sequential_id),
  foreign key (organization_id, test_clock_id) references test_clocks (organization_id, id)
);
select protect_tenant_table('customers');
create unique index customers__external_id on customers (organization_id, external_id) where deleted_at is null;
create index customers_list on customers (organization_id, created_at desc, id desc) where deleted_at is null;
create index customers_deleted on customers (organization_id) where deleted_at is not null;
create index customers_clock on customers (organization_id, test_clock_id)
  where deleted_at is null and test_clock_id is not null;

create table customer_metadata (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  customer_id uuid not null,
  key text not null check (char_length(key) between 1 and 20),
  value text not null check (char_length(value) <= 100),
  display_in_invoice boolean not null,
  created_at timestamptz not null,
  primary key (organization_id, id),
  -- Deferred, so that two pairs can swap their keys in one request.
  constraint customer_metadata__key unique (organization_id, customer_id, key) deferrable initially deferred,
  foreign key (organization_id, customer_id) references customers (organization_id, id)
);
select protect_tenant_table('customer_metadata');

create table customer_taxes (
  organization_id uuid not null references organizations (id),
  customer_id uuid not null,
  tax_id uuid not null,
  primary key (organization_id, customer_id, tax_id),
  foreign key (organization_id, customer_id) references customers (organization_id, id),
  foreign key (organization_id, tax_id) references taxes (organization_id, id)
);
select protect_tenant_table('customer_taxes');
create index customer_taxes_tax on customer_taxes (organization_id, tax_id);

alter table due_instants
  add foreign key (organization_id, customer_id) references customers (organization_id, id),
  add foreign key (organization_id, test_clock_id) references test_clocks (organization_id, id);
