import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { cloneDatabase } from "../testing/start-tallystick.ts";
import { readInvariants } from "./read-invariants.ts";
import { falseAlarms } from "./testing/false-alarms.ts";
import { PERSONAL } from "./testing/names.ts";
import { openWorld } from "./testing/open-world.ts";
import { plants } from "./testing/plants.ts";

const invariants = await readInvariants();
const login = new pg.Client({ connectionString: await cloneDatabase() });
afterAll(() => login.end());
const { brokenAfter } = await openWorld(login);

/**
 * These look at rows that others check too, so they may fail together with them: one sums documents, one compares definitions with their
 * versions, one counts invoices. Their own plants break no other invariant.
 */
const BY_TRIGGERS = ["definitions-are-recorded", "invoice-sums-add-up"];
const ALSO_FAIL = ["value-is-conserved", ...BY_TRIGGERS];

test("in a clean database, nothing is broken", async () => {
  expect(await brokenAfter("select")).toEqual([]);
});

test("every invariant has a plant, and every plant has an invariant", () => {
  expect(Object.keys(plants).toSorted()).toEqual(invariants.map(({ name }) => name));
});

describe.each(Object.entries(plants))("%s fails, and no other invariant does", (name, ofInvariant) => {
  test.each(ofInvariant)("%s", async (_, statements) => {
    const findings = await brokenAfter(statements);
    const speaking = findings.filter((finding) => finding.name === name || !ALSO_FAIL.includes(finding.name));
    expect(speaking.map((finding) => finding.name)).toEqual([name]);
    expect(speaking[0]?.rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings)).not.toContain(PERSONAL);
  });
});

describe("nothing is broken when", () => {
  test.each(falseAlarms)("%s", async (_, statements) => {
    const findings = await brokenAfter(statements);
    expect(findings.filter(({ name }) => !BY_TRIGGERS.includes(name))).toEqual([]);
  });
});
