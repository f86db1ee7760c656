import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cloneDatabase } from "../testing/start-tallystick.ts";
import { checkInvariants, type Finding } from "./check-invariants.ts";
import { readInvariants } from "./read-invariants.ts";
import { cleanWorld } from "./testing/clean-world.ts";
import { falseAlarms } from "./testing/false-alarms.ts";
import { invoicesOf } from "./testing/invoice-world.ts";
import { ledgerWorld } from "./testing/ledger-world.ts";
import { mailWorld } from "./testing/mail-world.ts";
import { NOW, PERSONAL } from "./testing/names.ts";
import { plants } from "./testing/plants.ts";
import { receivableWorld } from "./testing/receivable-plants.ts";
import type { Row } from "./testing/rows.ts";
import { walletWorld } from "./testing/wallet-world.ts";
import { webhookWorld } from "./testing/webhook-world.ts";

const invariants = await readInvariants();
const now = Temporal.Instant.from(NOW);
const login = new pg.Client({ connectionString: await cloneDatabase() });

beforeAll(async () => {
  await login.connect();
  await login.query("begin");
  await insert([...cleanWorld, ...receivableWorld]);
  // An invoice is made before its fees and finalized after them; here it is there as it was left.
  // For good: each change of it would throw away all plans, and with them most of the time.
  await login.query("set session_replication_role = replica");
  await insert([...invoicesOf(cleanWorld), ...ledgerWorld, ...walletWorld, ...webhookWorld, ...mailWorld]);
  await login.query("commit");
});
afterAll(() => login.end());

async function insert(rows: readonly Row[]): Promise<void> {
  for (const { table, values } of rows) {
    const columns = Object.keys(values);
    await login.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`,
      [JSON.stringify(values)],
    );
  }
}

/** What is broken once the statements are done, by somebody whom no trigger and no reference stops. They are undone afterwards. */
async function brokenAfter(statements: string): Promise<Finding[]> {
  await login.query("begin");
  try {
    await login.query(statements);
    await login.query("set local role tallystick_verifier");
    const findings = await checkInvariants(login, invariants, { rowsMax: 5, now });
    return findings.filter(({ broken }) => broken > 0);
  } finally {
    await login.query("rollback");
  }
}

/** It adds up what others state of each document, so it may speak together with them. Its own plants make no other speak. */
const SUM = "value-is-conserved";

test("in a world where every promise is kept, nothing is broken", async () => {
  expect(await brokenAfter("select")).toEqual([]);
});

test("every invariant has a plant, and no plant is left of one that is gone", () => {
  expect(Object.keys(plants).toSorted()).toEqual(invariants.map(({ name }) => name));
});

describe.each(Object.entries(plants))("%s speaks, and no other", (name, ofInvariant) => {
  test.each(ofInvariant)("%s", async (_, statements) => {
    const findings = await brokenAfter(statements);
    const speaking = findings.filter((finding) => finding.name === name || finding.name !== SUM);
    expect(speaking.map((finding) => finding.name)).toEqual([name]);
    expect(speaking[0]?.rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings)).not.toContain(PERSONAL);
  });
});

describe("nothing is broken when", () => {
  test.each(falseAlarms)("%s", async (_, statements) => {
    expect(await brokenAfter(statements)).toEqual([]);
  });
});
