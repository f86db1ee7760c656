/** The types of the tables, as the migrations create them. */
import { generate, PostgresDialect } from "kysely-codegen";

/** The types of values that `platform/postgres/exact-types.ts` keeps exact. */
const TYPES = {
  numeric: 'import("@tallystick/core/money").Decimal',
  int8: "bigint",
  timestamptz: "Temporal.Instant",
  date: "Temporal.PlainDate",
  json: "string",
};

export async function tableTypes(url: string): Promise<string> {
  const dialect = new PostgresDialect();
  const db = await dialect.introspector.connect({ connectionString: url, dialect });
  try {
    return await generate({
      db,
      dialect,
      defaultSchemas: ["public"],
      includePattern: "public.*",
      typeMapping: TYPES,
    });
  } finally {
    await db.destroy();
  }
}
