/** The schema that the migrations create, one line for each part, so that two releases can be compared. */
import pg from "pg";

/** Sequences and types are parts of columns. */
const LINES = `
  with ours as (
    select oid, nspname from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'graphile_worker')
  ), routines as (
    select f.*, ours.nspname, pg_get_function_identity_arguments(f.oid) as arguments
    from pg_proc f join ours on ours.oid = f.pronamespace
    where f.prokind in ('f', 'p')
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = f.oid and deptype = 'e')
  ), relations as (
    select c.*, ours.nspname from pg_class c join ours on ours.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
  )
  select format('column %I.%I.%I %s%s%s', r.nspname, r.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then ' not null' else '' end,
    case a.attgenerated when '' then coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
      else ' generated ' || pg_get_expr(d.adbin, d.adrelid) end) as line
  from relations r
    join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
  union all
  -- Postgres 18 lists what is not null here, too.
  select format('constraint %I.%I %I %s', r.nspname, r.relname, k.conname, pg_get_constraintdef(k.oid))
  from relations r join pg_constraint k on k.conrelid = r.oid and k.contype <> 'n'
  union all
  select format('index %s%s', pg_get_indexdef(i.indexrelid), case when i.indisvalid then '' else ' invalid' end)
  from relations r join pg_index i on i.indrelid = r.oid
  union all
  select format('row security %I.%I%s', r.nspname, r.relname, case when r.relforcerowsecurity then ' forced' else '' end)
  from relations r where r.relrowsecurity
  union all
  select format('policy %s.%I %I %s for %s to %s using %s check %s', quote_ident(p.schemaname), p.tablename, p.policyname,
    p.permissive, p.cmd, array_to_string(p.roles, ', '), p.qual, p.with_check)
  from pg_policies p join relations r on r.nspname = p.schemaname and r.relname = p.tablename
  union all
  select format('trigger %s%s', pg_get_triggerdef(t.oid), case t.tgenabled when 'O' then '' else ' enabled ' || t.tgenabled::text end)
  from relations r join pg_trigger t on t.tgrelid = r.oid and not t.tgisinternal
  union all
  select format('function %I.%I(%s) returns %s%s', nspname, proname, arguments, pg_get_function_result(oid),
    case when prosecdef then ' security definer' else '' end)
  from routines
  union all
  select format('body of %I.%I(%s) %s', nspname, proname, arguments,
    encode(sha256(convert_to(pg_get_functiondef(oid), 'UTF8')), 'hex'))
  from routines
  union all
  select format('extension %I', extname) from pg_extension`;

/** A part whose change takes nothing from an older release: it calls the function by its arguments and result. */
export const mayChange = (line: string): boolean => line.startsWith("body of ");

/** Sorted, and the same for each Postgres that we support. */
export async function readSchemaLines(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Then every name in a definition has its schema.
    await client.query("set search_path to ''");
    const { rows } = await client.query<{ line: string }>(LINES);
    return rows.map(({ line }) => line.replaceAll(/\s+/g, " ")).sort();
  } finally {
    await client.end();
  }
}
