create table taxes (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  code text not null check (code <> ''),
  name text not null check (name <> ''),
  description text,
  rate numeric(13, 10) not null check (rate >= 0),
  applied_to_organization boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (organization_id, id)
);
select protect_tenant_table('taxes');
-- A deleted tax frees its code.
create unique index taxes__code on taxes (organization_id, code) where deleted_at is null;
create index taxes_list on taxes (organization_id, created_at desc, id desc) where deleted_at is null;
