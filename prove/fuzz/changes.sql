-- What each request changed, written down by the database itself: what is rolled back leaves no line.
create schema if not exists prove;

create unlogged table prove.changes (
  number bigint generated always as identity primary key,
  organization_id uuid not null,
  table_name text not null,
  operation text not null,
  row_id text
);

create function prove.note_change() returns trigger language plpgsql security definer as $$
declare
  changed constant jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  insert into prove.changes (organization_id, table_name, operation, row_id)
  values ((changed ->> tg_argv[0])::uuid, tg_table_name, tg_op, changed ->> 'id');
  return null;
end
$$;

-- On every table that holds rows of organizations, and on theirs. Security counts are left out: they count refused requests too.
do $$
declare
  tenant record;
begin
  for tenant in
    select c.oid::regclass as name, case when c.relname = 'organizations' then 'id' else 'organization_id' end as owner
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'security_counts'
      and (c.relname = 'organizations'
        or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped))
  loop
    execute format(
      'create trigger prove_note_change after insert or update or delete on %s for each row execute function prove.note_change(%L)',
      tenant.name, tenant.owner);
  end loop;
end
$$;
