import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createCopyRelay } from "../../../../testing/copy-events.ts";
import { createPutEvents } from "../../../../testing/put-events.ts";
import { startClickhouse } from "../../../../testing/start-clickhouse.ts";
import { startTallystick } from "../../../../testing/start-tallystick.ts";
import { findDifferences, type StoreUnderTest } from "../../event-store.contract.ts";

import { createPostgresEventStore } from "../../postgres-event-store.ts";
import { usageCase } from "../../random-usage.contract.ts";
import { createClickhouseEventStore } from "./index.ts";

const LANES = 4;
const { platform, organizations } = await startTallystick({ organizations: LANES });
const { clickhouse } = await startClickhouse();
const putEvents = createPutEvents(platform.db);
const store = createClickhouseEventStore({
  clickhouse,
  postgres: createPostgresEventStore(platform.db),
  relay: createCopyRelay(platform.db, clickhouse),
});

const targets = organizations.map(
  ({ id }): StoreUnderTest => ({ store, organizationId: id, put: (...events) => putEvents(id, ...events) }),
);

const SETS = 100;
const seed = randomInt(1, 2 ** 30);

test(`for ${SETS} random sets of events, ClickHouse gives the same usage as core (seed ${seed})`, {
  timeout: 600_000,
}, async () => {
  const cases = fc.sample(usageCase, { seed, numRuns: SETS });
  const differences: string[] = [];
  const tryLane = async (target: StoreUnderTest, lane: number) => {
    for (let index = lane; index < cases.length; index += LANES) {
      const usage = cases[index];
      if (usage === undefined) continue;
      const found = await findDifferences(target, `set ${seed} ${index}`, usage);
      differences.push(...found.map((line) => `set ${index}: ${line}`));
    }
  };
  await Promise.all(targets.map(tryLane));
  expect(differences.slice(0, 5)).toEqual([]);
});
