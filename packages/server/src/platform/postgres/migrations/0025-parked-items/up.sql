-- What cannot be billed: one event, invoice, wallet or refund that waits for an operator while everything else goes on.
create table parked_items (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  kind text not null check (kind in ('event', 'invoice', 'wallet', 'fee_refund')),
  -- What an operator looks at.
  object_type text not null check (object_type <> ''),
  object_id uuid not null,
  external_id text,
  -- Null: it is of no customer, or of one that cannot be told.
  customer_id uuid,
  -- The consumer or due kind that could not do it, and what exactly: an event, a due instant, a wallet, a fee.
  source text not null check (source <> ''),
  item_id uuid not null,
  -- What the source needs in order to try again.
  work jsonb not null default '{}' check (jsonb_typeof(work) = 'object'),
  -- In words; after a retry that failed, of that one.
  reason text not null check (reason <> ''),
  attempts integer not null default 1 check (attempts > 0),
  parked_at timestamptz not null,
  status text not null default 'parked' check (status in ('parked', 'retried', 'skipped')),
  resolved_at timestamptz,
  -- Why an operator retried or skipped it.
  resolution text check (resolution <> ''),
  primary key (organization_id, id),
  check ((status = 'parked') = (resolved_at is null)),
  check ((status = 'parked') = (resolution is null)),
  -- A refund is paid outside of the service: only skipping closes it.
  check (kind <> 'fee_refund' or status <> 'retried')
);
select protect_tenant_table('parked_items');
create index parked_items_list on parked_items (organization_id, status, parked_at desc, id desc);
create index parked_items_object on parked_items (organization_id, object_id);
-- One thing is parked once at a time.
create unique index parked_items_open on parked_items (organization_id, source, item_id) where status = 'parked';
-- Whether anything waits for an operator is asked over all organizations; nothing else of them.
create policy dispatch on parked_items for select to tallystick_dispatcher using (status = 'parked');
grant select (status) on parked_items to tallystick_dispatcher;
create index parked_items_waiting on parked_items (organization_id) where status = 'parked';
create policy dispatch on second_opinions for select to tallystick_dispatcher using (released_at is null);
grant select (released_at) on second_opinions to tallystick_dispatcher;

-- Set: it cannot be done, so nobody takes it and nothing waits for it; its parked item says why.
alter table due_instants add column parked_at timestamptz;
alter table due_instants add check (parked_at is null or done_at is null);

-- Set: an operator decided that it is never made.
alter table invoices add column skipped_at timestamptz check (skipped_at is null or status = 'generating');

-- The largest amount. Not valid: what is older is not looked at, whatever is written from now on fits.
alter table fees add constraint fees_limits check (amount_cents + taxes_amount_cents <= 9007199254740991) not valid;
alter table fee_taxes add constraint fee_taxes_limits check (amount_cents <= 9007199254740991) not valid;
alter table invoices add constraint invoices_limits check (
  fees_amount_cents <= 9007199254740991 and taxes_amount_cents <= 9007199254740991
  and fees_amount_cents - coupons_amount_cents + taxes_amount_cents <= 9007199254740991
) not valid;
alter table invoice_taxes add constraint invoice_taxes_limits
  check (fees_amount_cents <= 9007199254740991 and amount_cents <= 9007199254740991) not valid;

-- Who may write invoices may retry and skip what is parked, who may read them may list it: until now nobody else did either.
alter table api_keys no force row level security;
update api_keys set permissions = permissions || jsonb_build_object('billing_run', permissions -> 'invoice')
where permissions is not null and permissions ? 'invoice' and not permissions ? 'billing_run';
alter table api_keys force row level security;
