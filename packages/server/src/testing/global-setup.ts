/** Before all tests: a Postgres server and a migrated template, from which every test file clones databases of its own. */
import pg from "pg";
import type { TestProject } from "vitest/node";
import { givenDatabaseUrl } from "../main/config.ts";
import { createTemporaryDatabase, runOn, withDatabase } from "../platform/postgres/temporary-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    templateUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = await createTemporaryDatabase(givenDatabaseUrl());
  project.provide("templateUrl", template.url);
  return async () => {
    await dropTestDatabases(template.url);
    await template.remove();
  };
}

/** Those that the tests made, by their name: also of a test that failed before it could clean up. */
async function dropTestDatabases(templateUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(templateUrl, "postgres") });
  await client.connect();
  const prefix = `${new URL(templateUrl).pathname.slice(1)}_`;
  const { rows } = await client.query("select datname from pg_database where starts_with(datname, $1)", [prefix]);
  await client.end();
  for (const { datname } of rows) {
    await runOn(withDatabase(templateUrl, "postgres"), `drop database ${datname} with (force)`);
  }
}
