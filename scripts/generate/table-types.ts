/** The types of the tables, as the migrations create them. */
import { GenericExpressionNode, generate, LiteralNode, PostgresDialect, UnionExpressionNode } from "kysely-codegen";
import pg from "pg";

/** The types of values that `platform/postgres/exact-types.ts` keeps exact. */
const TYPES = {
  numeric: 'import("@tallystick/core/money").Decimal',
  int8: "bigint",
  timestamptz: "Temporal.Instant",
  date: "Temporal.PlainDate",
  json: "string",
};

export async function tableTypes(url: string): Promise<string> {
  const columns = unionsOf(await readChecks(url));
  const dialect = new PostgresDialect();
  const db = await dialect.introspector.connect({ connectionString: url, dialect });
  try {
    return await generate({
      db,
      dialect,
      defaultSchemas: ["public"],
      includePattern: "public.*",
      typeMapping: TYPES,
      overrides: { columns },
    });
  } finally {
    await db.destroy();
  }
}

type Check = { column: string; definition: string; has_default: boolean };

/** Checks that all rows keep and that look at one column of text only. */
const CHECKS = `
  select c.relname || '.' || a.attname as column, pg_get_constraintdef(k.oid) as definition,
    a.atthasdef as has_default
  from pg_class c join pg_constraint k on k.conrelid = c.oid and k.contype = 'c' and k.convalidated
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1] and a.atttypid = 'text'::regtype
  where c.relnamespace = 'public'::regnamespace and not c.relispartition and array_length(k.conkey, 1) = 1
  order by 1, 2`;

async function readChecks(url: string): Promise<Check[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Check>(CHECKS)).rows;
  } finally {
    await client.end();
  }
}

/** The type of each column that a check holds to a list of texts: `check (status in ('draft', 'voided'))`. */
const unionsOf = (checks: readonly Check[]) =>
  Object.fromEntries(
    checks.flatMap(({ column, definition, has_default }) => {
      const [, list] = /^CHECK \(\("?\w+"? = ANY \(ARRAY\[((?:'\w+'::text(?:, )?)+)\]\)\)\)$/.exec(definition) ?? [];
      if (list === undefined) return [];
      const values = Array.from(list.matchAll(/'(\w+)'/g), ([, value = ""]) => new LiteralNode(value));
      const union = new UnionExpressionNode(values);
      return [[column, has_default ? new GenericExpressionNode("Generated", [union]) : union]];
    }),
  );
