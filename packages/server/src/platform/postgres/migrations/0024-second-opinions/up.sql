-- An invoice of which a second computation says something else than the first: nobody sees it until somebody lets it go.
create table second_opinions (
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null,
  -- What was to be done with it, and as of when: with it that can be done later.
  step text not null check (step in ('issue', 'finalize')),
  step_at timestamptz not null,
  -- Both computations, and where they differ.
  first jsonb not null check (jsonb_typeof(first) = 'object'),
  second jsonb not null check (jsonb_typeof(second) = 'object'),
  differences jsonb not null check (jsonb_typeof(differences) = 'array'),
  held_at timestamptz not null,
  -- How often it was computed and differed.
  times integer not null default 1 check (times > 0),
  released_at timestamptz,
  primary key (organization_id, invoice_id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id)
);
select protect_tenant_table('second_opinions');
create index second_opinions_held on second_opinions (organization_id, held_at) where released_at is null;
