/** `npm run migrate`: brings the database of MIGRATE_DATABASE_URL, and that of CLICKHOUSE_URL where it is set, to the newest schema. */
import { migrateClickhouse } from "../platform/clickhouse/migrate.ts";
import { migrate } from "../platform/postgres/migrate.ts";
import { clickhouseOf, readConfig } from "./config.ts";
import { runCommand } from "./run-until-stopped.ts";

await runCommand(async () => {
  const config = readConfig();
  report("The database", await migrate(config.MIGRATE_DATABASE_URL, config.DATABASE_URL));
  const clickhouse = clickhouseOf(config);
  if (clickhouse) report("ClickHouse", await migrateClickhouse(clickhouse));
});

function report(what: string, applied: readonly string[]): void {
  console.log(applied.length === 0 ? `${what} is up to date.` : `Applied: ${applied.join(", ")}`);
}
