// `npm run verify` as an operator or a program runs it: output and exit code.

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  createTemporaryDatabase,
  runOn,
  type TemporaryDatabase,
  withDatabase,
} from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { type End, openProcess, passDoor } from "./door.ts";

let database: TemporaryDatabase;

beforeAll(async () => {
  database = await createTemporaryDatabase(undefined);
});
afterAll(() => database?.remove());

const verify = (...args: string[]): Promise<End> =>
  passDoor(["run", "-s", "verify", "--", ...args], { DATABASE_URL: database.url });

/** Without npm, which would add half a second. */
const verifyDirectly = (url: string, ...args: string[]): Promise<End> =>
  openProcess(process.execPath, ["packages/server/src/main/verify.ts", ...args], { DATABASE_URL: url }).ends(30_000);

const ORGANIZATION = "00000000-0000-7000-8000-000000000001";

/** For the rest of the test. */
async function breakPromise(): Promise<void> {
  onTestFinished(async () => {
    await runOn(database.url, "truncate organizations cascade");
  });
  await runOn(
    database.url,
    `insert into organizations (id, name, is_sandbox, default_currency, timezone, document_number_prefix, created_at, updated_at)
       values ('${ORGANIZATION}', 'Acme', true, 'EUR', 'UTC', 'ACM', now(), now());
     insert into counters (organization_id, series, value) values ('${ORGANIZATION}', 'customers', 7)`,
  );
}

test("a sound database: each invariant with its time, and exit code 0", async () => {
  const { code, stdout, stderr } = await verify();
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  const total = lines.pop();
  expect(lines.length).toBeGreaterThan(25);
  for (const line of lines) expect(line).toMatch(/^kept {6,}\d+\.\d{3} s {2}[a-z-]+$/);
  expect(total).toBe(`All ${lines.length} promises are kept.`);
});

test("a broken invariant is reported with a text and ids, and the exit code is 1", async () => {
  await breakPromise();
  const { code, stdout, stderr } = await verify("--only", "customers-are-numbered", "--only", "periods-join");
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout.replaceAll(/ +\d\.\d{3} s/g, " - s").split("\n")).toEqual([
    "BROKEN - s  customers-are-numbered",
    "    The customers of an organization are numbered from 1 without a gap, and its counter equals the last number.",
    "    Broken by 1 row:",
    `    {"organization_id":"${ORGANIZATION}","customers":0,"first":null,"last":null,"counter":7}`,
    "kept - s  periods-join",
    "1 of 2 promises is broken.",
    "",
  ]);
});

test("for a program: only JSON on stdout, the progress on stderr", async () => {
  await breakPromise();
  const { code, stdout, stderr } = await verifyDirectly(database.url, "--json", "--only", "customers-are-numbered");
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    {
      name: "customers-are-numbered",
      promise: expect.stringContaining("numbered from 1"),
      broken: 1,
      rows: [{ organization_id: ORGANIZATION, customers: 0, counter: 7, first: null, last: null }],
      seconds: expect.any(Number),
    },
  ]);
  expect(stderr).toMatch(/^BROKEN +\d\.\d{3} s {2}customers-are-numbered\n$/);
});

test.each([
  ["an unknown name", ["--only", "nothing"], 'No invariant is called "nothing". There are: '],
  ["an unknown option", ["--repair"], "Unknown option '--repair'"],
  ["a limit that is none", ["--limit-seconds", "soon"], "npm run verify -- [--only NAME]"],
])("%s prints an error, with exit code 2", async (_, args, words) => {
  const { code, stdout, stderr } = await verifyDirectly(database.url, ...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
  expect(stderr).not.toContain("    at ");
});

test("a database without our tables is not reported as sound", async () => {
  await runOn(database.url, "create database bare");
  const { code, stderr } = await verifyDirectly(withDatabase(database.url, "bare"));
  expect(code).toBe(2);
  expect(stderr).toContain('is it migrated? Run "npm run migrate"');
});

test("a database that does not answer is not reported as sound", async () => {
  const { code, stderr } = await verifyDirectly("postgres://postgres@127.0.0.1:1/tallystick");
  expect(code).toBe(2);
  expect(stderr).toContain("ECONNREFUSED");
});
