import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createPutEvents } from "../../testing/put-events.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { findDifferences, type StoreUnderTest } from "./event-store.contract.ts";
import { createPostgresEventStore } from "./postgres-event-store.ts";
import { usageCase } from "./random-usage.contract.ts";

const { platform, organizations } = await startTallystick({ organizations: 1 });
const putEvents = createPutEvents(platform.db);
const [{ id: organizationId } = { id: "" }] = organizations;

const target: StoreUnderTest = {
  store: createPostgresEventStore(platform.db),
  organizationId,
  put: (externalSubscriptionId, events, lane) => putEvents(organizationId, externalSubscriptionId, events, lane),
};

const SETS = 300;
const seed = randomInt(1, 2 ** 30);

test(`of ${SETS} random sets of events Postgres gives the usage that core gives (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const differences: string[] = [];
  for (const [index, usage] of fc.sample(usageCase, { seed, numRuns: SETS }).entries()) {
    const found = await findDifferences(target, `set ${seed} ${index}`, usage);
    differences.push(...found.map((line) => `set ${index}: ${line}`));
  }
  expect(differences.slice(0, 5)).toEqual([]);
});
