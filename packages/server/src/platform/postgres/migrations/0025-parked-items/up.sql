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
