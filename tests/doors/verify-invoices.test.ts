// `npm run verify -- --invoices` as an operator runs it: output, exit code, and resuming.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import {
  createTemporaryDatabase,
  runOn,
  type TemporaryDatabase,
} from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { callOf } from "../../packages/server/src/testing/call-api.ts";
import { subscribeCustomer } from "../../packages/server/src/testing/subscribed-customer.ts";
import { type End, openProcess, passDoor, privateTemporaryFolder } from "./door.ts";

const temporary = privateTemporaryFolder();
const position = join(temporary.path, "position.json");
let database: TemporaryDatabase;
let organization: { id: string; key: string };
let invoices: { id: string; number: string }[];

/** A month with usage, and three invoices of an add-on that costs 999. */
beforeAll(async () => {
  database = await createTemporaryDatabase(undefined);
  const platform = composePlatform(
    readConfig({ DATABASE_URL: database.url, CLICKHOUSE_URL: "none", LOG_LEVEL: "silent" }),
  );
  organization = await makeOrganization(platform, { name: "Acme", isSandbox: true, keyName: "test" });
  const app = await composeApi(platform);
  const call = callOf(app, organization.key);
  const subscribed = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: { calls: { aggregation_type: "count_agg" } },
    charges: [{ metric: "calls", properties: { amount: "1" } }],
  });
  await subscribed.send("calls", {}, {});
  await subscribed.advanceTo("2024-02-01T00:00:00Z");
  const addOn = { name: "Setup", code: "setup", amount_cents: 999, amount_currency: "EUR" };
  await call("POST", "/add_ons", { add_on: addOn });
  await call("POST", "/customers", { customer: { external_id: "first", currency: "EUR" } });
  const invoice = { external_customer_id: "first", currency: "EUR", fees: [{ add_on_code: "setup" }] };
  invoices = [];
  for (let made = 0; made < 3; made++) {
    const { body, text } = await call("POST", "/invoices", { invoice });
    if (!body.invoice) throw new Error(text);
    invoices.push({ id: body.invoice.svc_id, number: body.invoice.number });
  }
  await app.close();
  await platform.close();
});
afterAll(() => database?.remove());

/** Without npm, which would add half a second. */
const verify = (...args: string[]): Promise<End> =>
  openProcess(process.execPath, ["packages/server/src/main/verify.ts", "--invoices", ...args], {
    DATABASE_URL: database.url,
  }).ends(60_000);

const write = (statement: string) =>
  runOn(database.url, `set session_replication_role = replica; ${statement}; reset session_replication_role`);

test("equal invoices: nothing on stdout, their number on stderr, and exit code 0", async () => {
  const { code, stdout, stderr } = await passDoor(["run", "-s", "verify", "--", "--invoices", "--position", position], {
    DATABASE_URL: database.url,
  });
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toMatch(/^4 invoices recomputed in \d+\.\d s, different: 0\n$/);
  expect(existsSync(position)).toBe(false);
});

test("a different invoice is reported with its cause and members, and the exit code is 1", async () => {
  const { id, number } = invoices[1] ?? { id: "", number: "" };
  await write(`update fees set amount_cents = 1 where invoice_id = '${id}'`);
  const inWords = await verify();
  expect([inWords.code, inWords.stdout.split("\n")]).toEqual([
    1,
    [
      `DIFFERENT ${number}  invoice ${id} of organization ${organization.id}`,
      "    result_changed: its derivation is unchanged: stored results were changed afterwards",
      "    fees.add_on:0.amount_cents: stored 1, recomputed 999",
      "",
    ],
  ]);
  const { code, stdout } = await verify("--json", "--organization", organization.id);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    { organizationId: organization.id, invoiceId: id, causes: [{ cause: "result_changed" }] },
  ]);
  await write(`update fees set amount_cents = 999 where invoice_id = '${id}'`);
});

test("a stopped run resumes after its position and continues its count", async () => {
  const [first] = invoices;
  const stopped = { organizationId: organization.id, invoiceId: first?.id, of: "all", checked: 2, differing: 1 };
  writeFileSync(position, JSON.stringify(stopped));
  const { code, stdout, stderr } = await verify("--position", position);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    new RegExp(`^continuing after invoice ${first?.id}: 2 of 4 are done\n4 invoices recomputed in .* different: 1\n$`),
  );
  expect(existsSync(position)).toBe(false);
});

test("an invoice that cannot be checked is not reported as equal", async () => {
  const nobody = await verify("--organization", "nobody");
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining("No organization has the id nobody.")]);
  writeFileSync(position, JSON.stringify({ organizationId: organization.id, invoiceId: "x", of: "another" }));
  const other = await verify("--position", position);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("is the position of a run over another")]);
  expect(readFileSync(position, "utf8")).toContain("another");
  const { code, stderr } = await verify("--concurrency", "0");
  expect([code, stderr]).toEqual([2, expect.stringContaining("npm run verify -- --invoices")]);
});
