-- Whether a sandbox organization has the sample data, and how far its making is.
create table sample_data (
  organization_id uuid not null references organizations (id),
  -- `making` and `removing` are what was requested last; a job does it.
  status text not null check (status in ('none', 'making', 'ready', 'failed', 'removing')),
  -- Counts requests: a job of an earlier one stops.
  round integer not null check (round > 0),
  -- Counts how often a job began to make it. Events are kept forever, so each making has names of its own.
  makings integer not null default 0 check (makings >= 0),
  progress integer not null default 0 check (progress between 0 and 100),
  customers integer not null default 0 check (customers >= 0),
  invoices integer not null default 0 check (invoices >= 0),
  test_clock_id uuid,
  -- Why it failed, in words.
  error text,
  -- Who requested it last; the trail names them for everything that is made.
  actor_kind text not null check (actor_kind in ('key', 'person')),
  actor_id text not null check (actor_id <> ''),
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (organization_id),
  foreign key (organization_id, test_clock_id) references test_clocks (organization_id, id),
  check ((error is not null) = (status = 'failed')),
  check ((finished_at is null) = (status in ('making', 'removing')))
);
select protect_tenant_table('sample_data');
