/** The types of the tables, as the migrations have made them. */
import { generate, PostgresDialect } from "kysely-codegen";

/** What `platform/postgres/exact-types.ts` makes of a value that the driver would not keep exact. */
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
