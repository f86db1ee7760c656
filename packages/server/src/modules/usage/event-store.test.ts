import { randomInt } from "node:crypto";
import type { Charge } from "@tallystick/core/catalog";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Barrier, runAtBarrier } from "../../platform/postgres/batch.ts";
import { createPutEvents } from "../../testing/put-events.ts";
import { startTallystick } from "../../testing/start-tallystick.ts";
import { findDifferences, type StoreUnderTest } from "./event-store.contract.ts";
import type { EventStore, UsageScope } from "./event-store.ts";
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
const BATCHED_SETS = 60;
const seed = randomInt(1, 2 ** 30);

type Read<Answer> = (
  barrier: Barrier,
  organizationId: string,
  scope: UsageScope,
  charges: readonly Charge[],
) => Promise<Answer[]>;

/** Three subscriptions are read in one batch: their usage must not be mixed up. */
function inOneBatch(others: readonly string[]): EventStore {
  const asWell =
    <Answer>(read: Read<Answer>): Read<Answer> =>
    async (_, organization, scope, charges) => {
      const ids = [...others, scope.externalSubscriptionId];
      const answers = await runAtBarrier(
        ids.map((id) => (barrier) => read(barrier, organization, { ...scope, externalSubscriptionId: id }, charges)),
      );
      return answers.at(-1) ?? [];
    };
  const { store } = target;
  return { ...store, readUsage: asWell(store.readUsage), readAccepted: asWell(store.readAccepted) };
}

test(`for ${SETS} random sets of events, Postgres gives the same usage as core (seed ${seed})`, {
  timeout: 600_000,
}, async () => {
  const differences: string[] = [];
  for (const [index, usage] of fc.sample(usageCase, { seed, numRuns: SETS }).entries()) {
    const found = await findDifferences(target, `set ${seed} ${index}`, usage);
    differences.push(...found.map((line) => `set ${index}: ${line}`));
  }
  expect(differences.slice(0, 5)).toEqual([]);
});

test(`the same holds if several subscriptions are read at once (seed ${seed})`, { timeout: 600_000 }, async () => {
  const differences: string[] = [];
  for (const [index, usage] of fc.sample(usageCase, { seed, numRuns: BATCHED_SETS }).entries()) {
    const store = inOneBatch([`batch ${index} a`, `batch ${index} b`]);
    for (const [lane, name] of ["a", "b"].entries())
      for (const { events } of usage.batches) {
        const others = events.map((event) => ({ ...event, transactionId: `${name} ${event.transactionId}` }));
        await target.put(`batch ${index} ${name}`, others.slice(lane), 0);
      }
    const found = await findDifferences({ ...target, store }, `batch ${index}`, usage);
    differences.push(...found.map((line) => `set ${index}: ${line}`));
  }
  expect(differences.slice(0, 5)).toEqual([]);
});
