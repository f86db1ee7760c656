-- What was issued to a customer in writing: an invoice or a credit note, with the parties as they were then, and its file once it is made.
create table documents (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  invoice_id uuid,
  credit_note_id uuid,
  locale text not null,
  template_version integer not null check (template_version > 0),
  header jsonb not null check (jsonb_typeof(header) = 'object'),
  created_at timestamptz not null,
  -- null: not made yet.
  content bytea,
  digest bytea,
  made_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, invoice_id) references invoices (organization_id, id),
  foreign key (organization_id, credit_note_id) references credit_notes (organization_id, id),
  check (num_nonnulls(invoice_id, credit_note_id) = 1),
  check (num_nonnulls(content, digest, made_at) in (0, 3)),
  check (digest = sha256(content))
);
select protect_tenant_table('documents');
create unique index documents_of_invoice on documents (organization_id, invoice_id) where invoice_id is not null;
create unique index documents_of_credit_note on documents (organization_id, credit_note_id) where credit_note_id is not null;
-- It is compressed already.
alter table documents alter column content set storage external;

create function keep_document() returns trigger
  language plpgsql
  as $$
begin
  if tg_op = 'DELETE' then
    raise exception 'document % is never deleted', old.id;
  end if;
  if old.digest is not null then
    raise exception 'document % is made and never changes', old.id;
  end if;
  if (old.organization_id, old.id, old.invoice_id, old.credit_note_id, old.locale, old.template_version, old.header, old.created_at)
    is distinct from (new.organization_id, new.id, new.invoice_id, new.credit_note_id, new.locale, new.template_version, new.header,
      new.created_at) then
    raise exception 'what document % is of never changes', old.id;
  end if;
  return null;
end
$$;
-- After, so that row level security answers first.
create trigger stays_as_issued after update or delete on documents for each row execute function keep_document();

-- Signs the links to files of an organization.
create table document_link_keys (
  organization_id uuid not null references organizations (id),
  secret bytea not null check (octet_length(secret) = 32),
  created_at timestamptz not null,
  primary key (organization_id)
);
select protect_tenant_table('document_link_keys');
