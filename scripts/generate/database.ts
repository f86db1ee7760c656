/** The tables with their columns and keys, as the migrations create them. */
import pg from "pg";
import { code, GENERATED, page, table } from "./markdown.ts";

type Column = { table_name: string; name: string; type: string; may_be_null: boolean };
type Key = { table_name: string; definition: string };

const COLUMNS = `
  select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as may_be_null
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname collate "C", a.attnum`;

const KEYS = `
  select c.relname as table_name, pg_get_constraintdef(k.oid) as definition
  from pg_class c join pg_constraint k on k.conrelid = c.oid and k.contype in ('p', 'u', 'f')
  where c.relnamespace = 'public'::regnamespace and not c.relispartition
  union all
  select c.relname, 'UNIQUE ' || substring(pg_get_indexdef(i.indexrelid) from '\\(.*$')
  from pg_class c join pg_index i on i.indrelid = c.oid and i.indisunique
  where c.relnamespace = 'public'::regnamespace and not c.relispartition
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))`;

export async function describeDatabase(url: string): Promise<string> {
  const { columns, keys } = await readCatalog(url);
  const names = [...new Set(columns.map((column) => column.table_name))];
  const sections = names.map((name) => {
    const own = columns.filter((column) => column.table_name === name);
    const rows = own.map((column) => [code(column.name), column.type, column.may_be_null ? "yes" : ""]);
    const ownKeys = keys.filter((key) => key.table_name === name).map((key) => `- ${code(key.definition)}`);
    return page(`## ${name}`, table(["Column", "Type", "May be null"], rows), ownKeys.sort().join("\n")).trimEnd();
  });
  return page(
    GENERATED,
    "# Database",
    `This page lists the tables that the [migrations](../../packages/server/src/platform/postgres/migrations) create. Postgres enforces row
level security on every table with an \`organization_id\`; see [0009](../adr/0009-tenancy.md). The page omits the tables of the job library and
the list of migrations, which are in other schemas. The tables can change: use the [API](openapi.json) as the interface.`,
    ...sections,
  );
}

async function readCatalog(url: string): Promise<{ columns: Column[]; keys: Key[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const columns = await client.query<Column>(COLUMNS);
    const keys = await client.query<Key>(KEYS);
    return { columns: columns.rows, keys: keys.rows };
  } finally {
    await client.end();
  }
}
