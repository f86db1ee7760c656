/** Before all tests: starts Postgres and migrates a template, from which every test file clones its databases. */
import type { TestProject } from "vitest/node";
import { givenDatabaseUrl } from "../main/config.ts";
import { createTemporaryDatabase, runOn, withDatabase } from "../platform/postgres/temporary-database.ts";
import { offerClickhouse } from "./clickhouse-on-demand.ts";

declare module "vitest" {
  interface ProvidedContext {
    templateUrl: string;
    /** Returns the URL of a ClickHouse server. */
    clickhouseAskAt: string;
    /** Set by a project that runs its tests on both stores. */
    usageFrom: "postgres" | "clickhouse";
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = await createTemporaryDatabase(givenDatabaseUrl());
  project.provide("templateUrl", template.url);
  const clickhouse = await offerClickhouse();
  project.provide("clickhouseAskAt", clickhouse.askAt);
  return async () => {
    await clickhouse.stop();
    await dropTestDatabases(template.url);
    await template.remove();
  };
}

/** Finds test databases by name, including those of tests that failed before their cleanup. */
async function dropTestDatabases(templateUrl: string): Promise<void> {
  const serverUrl = withDatabase(templateUrl, "postgres");
  const named = "select datname from pg_database where starts_with(datname, $1)";
  const rows = await runOn<{ datname: string }>(serverUrl, named, [`${new URL(templateUrl).pathname.slice(1)}_`]);
  for (const { datname } of rows) await runOn(serverUrl, `drop database ${datname} with (force)`);
}
