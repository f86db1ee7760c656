/** The limits in the table of SECURITY.md that no other test compares with the service. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { inOrganization } from "../platform/postgres/database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const { platform, call, organizations } = await startTallystick({ organizations: 1 });
const words = readFileSync(join(import.meta.dirname, "../../../../SECURITY.md"), "utf8");

test("statements, locks and idle transactions of a request end at their limits", async () => {
  const limits = await inOrganization(platform.db, organizations[0]?.id ?? "", async (tx) => {
    const { rows } = await sql<Record<string, string>>`
      select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(tx);
    return rows[0];
  });
  expect(limits).toEqual({ statement: "5s", lock: "10s", idle: "10s" });
  expect(words).toContain(
    "| database | 5 s for most statements of a request, 10 s for a lock, 10 s for an idle transaction |",
  );
});

test("a body has 32 levels and 25,000 values at most", async () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const withLevels = async (levels: number) => (await call("POST", "/taxes", undefined, { raw: nested(levels) })).text;
  expect(await withLevels(32)).not.toContain("nested deeper");
  expect(await withLevels(33)).toContain("nested deeper than 32");
  const lists = (values: number) => {
    const whole = Array.from({ length: Math.floor((values - 2) / 1000) }, () => new Array(999).fill(1));
    return JSON.stringify({ tax: [...whole, new Array(values - 2 - whole.length * 1000 - 1).fill(1)] });
  };
  const withValues = async (values: number) => (await call("POST", "/taxes", undefined, { raw: lists(values) })).text;
  expect(await withValues(25_000)).not.toContain("25000 values");
  expect(await withValues(25_001)).toContain("more than 25000 values");
  expect(words).toContain("| JSON | 32 levels, 25,000 values, 1,000 items in a list or object |");
});
