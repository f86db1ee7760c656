import { expect, it } from "vitest";
import { startClickhouse } from "../../testing/start-clickhouse.ts";
import { listMigrations, readMigration } from "./migrate.ts";
import { renderMigration } from "./render-migration.ts";

const { clickhouse } = await startClickhouse();
const sources = await Promise.all((await listMigrations()).map(readMigration));
const statements = (cluster: string | null) => sources.flatMap((source) => renderMigration(source, cluster));

it("the engine can parse every statement for a cluster", async () => {
  const read = statements("main").map(async (statement) => {
    const [row] = await clickhouse.query<{ read: string }>("select formatQuerySingleLine({statement:String}) as read", {
      statement,
    });
    return row?.read ?? "";
  });
  for (const statement of await Promise.all(read)) expect(statement).toMatch(/^(CREATE|ALTER) .* ON CLUSTER main /);
  await expect(
    clickhouse.query("select formatQuerySingleLine({statement:String}) as read", {
      statement: "create table on cluster",
    }),
  ).rejects.toThrow("Syntax error");
});

it("on a cluster each table is replicated, rows go to the shard of their subscription, and views fill the same shard", () => {
  const rendered = statements("main");
  const tables = rendered.filter((statement) =>
    /^create table \w+_local|^create table if not exists \w+_local/.test(statement),
  );
  for (const table of tables) expect(table).toMatch(/engine = (Null|Replicated\w*MergeTree)/);
  for (const table of tables) {
    const name = /(\w+)_local/.exec(table)?.[1];
    const over = `engine = Distributed('main', currentDatabase(), ${name}_local, cityHash64(organization_id, external_subscription_id))`;
    expect(
      rendered.some((statement) => statement.includes(`not exists ${name} on cluster`) && statement.endsWith(over)),
    ).toBe(true);
  }
  for (const view of rendered.filter((statement) => statement.includes("materialized view")))
    expect(view).toMatch(/ to \w+_local as[\s\S]*from \w+_local/);
});

it("every statement is repeatable, because two processes may apply it at once", () => {
  for (const statement of [...statements(null), ...statements("main")])
    expect(statement).toMatch(/^(\w+ [\w ]*if (not )?exists |alter table \w+ .*modify query\n)/);
});

it("an unknown mark is refused", () => {
  expect(() => renderMigration("create table if not exists {locl:events}", null)).toThrow(
    "{locl:events} is not a mark",
  );
});
