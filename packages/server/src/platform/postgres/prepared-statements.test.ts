import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/start-tallystick.ts";
import { newId } from "../new-id.ts";
import { createDatabase, inOrganization } from "./database.ts";
import { createPool } from "./pool.ts";
import { runOn } from "./temporary-database.ts";

const url = await cloneDatabase();
// One connection, so that the test can list its prepared statements.
const db = createDatabase(createPool({ url, role: "app", connectionsMax: 1, statementTimeoutMs: 0 }));

beforeAll(() => runOn(url, "create table planted as select 1 as one; grant select on planted to tallystick_app"));
afterAll(() => db.destroy());

const readPlanted = async () => (await sql`select * from planted where one = ${1}`.execute(db)).rows;
const readKept = async () =>
  (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)).rows;

test("a statement that is used repeatedly keeps its plan; one that is used once does not", async () => {
  await sql`select one + ${1}::integer from planted`.execute(db);
  for (let use = 0; use < 6; use++) expect(await readPlanted()).toEqual([{ one: 1 }]);
  expect((await readKept()).map(({ statement }) => statement)).toEqual(["select * from planted where one = $1"]);
});

test("after a migration changes a table, running work uses a new plan", async () => {
  for (let use = 0; use < 6; use++) await readPlanted();
  await runOn(url, "alter table planted add column two integer default 2");
  const rows = await inOrganization(
    db,
    newId(),
    async (tx) => (await sql`select * from planted where one = ${1}`.execute(tx)).rows,
  );
  expect(rows).toEqual([{ one: 1, two: 2 }]);
});
