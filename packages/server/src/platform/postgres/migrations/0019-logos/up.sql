-- Pictures as they were fetched and written anew. Documents point to them, so none ever goes or changes.
create table logos (
  organization_id uuid not null references organizations (id),
  digest bytea not null,
  image bytea not null check (octet_length(image) <= 1048576),
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  created_at timestamptz not null,
  primary key (organization_id, digest),
  check (digest = sha256(image))
);
select protect_tenant_table('logos');
-- It is compressed already.
alter table logos alter column image set storage external;

create function keep_logo() returns trigger
  language plpgsql
  as $$
begin
  raise exception 'a logo never changes and is never deleted';
end
$$;
-- After, so that row level security answers first.
create trigger stays_as_fetched after update or delete on logos for each row execute function keep_logo();

alter table organizations
  add column logo_url text,
  -- null: there is none, or it is not fetched yet.
  add column logo_digest bytea,
  -- Why the last attempt brought nothing.
  add column logo_error text,
  add foreign key (id, logo_digest) references logos (organization_id, digest),
  add check (logo_url is not null or num_nonnulls(logo_digest, logo_error) = 0);

alter table documents
  add column logo_digest bytea,
  add foreign key (organization_id, logo_digest) references logos (organization_id, digest);

create or replace function keep_document() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'document % is never deleted', old.id;
  end if;
  if old.digest is not null then
    raise exception 'document % is made and never changes', old.id;
  end if;
  if (old.organization_id, old.id, old.invoice_id, old.credit_note_id, old.locale, old.template_version, old.header, old.logo_digest,
      old.created_at)
    is distinct from (new.organization_id, new.id, new.invoice_id, new.credit_note_id, new.locale, new.template_version, new.header,
      new.logo_digest, new.created_at) then
    raise exception 'what document % is of never changes', old.id;
  end if;
  return null;
end
$$;
