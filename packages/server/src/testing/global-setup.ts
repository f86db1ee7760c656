/** Before all tests: a Postgres server and a migrated template, from which every test file clones a database of its own. */
import type { TestProject } from "vitest/node";
import { givenDatabaseUrl } from "../main/config.ts";
import { createTemporaryDatabase } from "../platform/postgres/temporary-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    templateUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = await createTemporaryDatabase(givenDatabaseUrl());
  project.provide("templateUrl", template.url);
  return template.remove;
}
