/** Due rows of several customers, several instants and ranks; more of them for as long as workers are killed. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { scheduleDue } from "../../../packages/server/src/jobs/due.ts";
import { alone } from "../../../packages/server/src/platform/postgres/batch.ts";
import { inOrganization } from "../../../packages/server/src/platform/postgres/database.ts";
import { createRandomFor } from "../../random.ts";
import type { Site } from "../harness.ts";
import { KINDS } from "./work.ts";

const CUSTOMERS = 24;
const INSTANTS_PER_BATCH = 2;
const BATCH_EVERY_MS = 250;
/** Workers that do not keep up are not buried: the campaign must come to an end. */
const OPEN_ROWS_MAX = 150;

const FIRST_INSTANT = Temporal.Instant.from("2020-01-01T00:00:00Z");

/** Those of a run that was stopped are there already. */
export async function addCustomers({ platform: { db, clock }, organizationId }: Site): Promise<void> {
  const now = clock.now();
  const customers = Array.from({ length: CUSTOMERS }, (_, index) => ({
    organization_id: organizationId,
    id: randomUUID(),
    external_id: `customer-${index + 1}`,
    sequential_id: BigInt(index + 1),
    slug: `PROVE-${index + 1}`,
    created_at: now,
    updated_at: now,
  }));
  await inOrganization(db, organizationId, (tx) =>
    tx
      .insertInto("customers")
      .values(customers)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

/** Adds rows until it is stopped, a few at a time. */
export async function keepAddingWork(site: Site, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const { rows } = await site.records.query(
      "select count(*)::integer as count from due_instants where done_at is null",
    );
    if (rows[0].count < OPEN_ROWS_MAX) await addBatch(site);
    await pause(BATCH_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** One customer, one transaction. A batch lies after all earlier ones: an instant in a customer's past would break its order. */
async function addBatch({ platform, records, organizationId, seed }: Site): Promise<void> {
  const { rows } = await records.query("update prove.campaign set made = made + 1 returning made");
  const batch: number = rows[0].made;
  const random = createRandomFor(seed, -batch);
  await inOrganization(platform.db, organizationId, async (tx) => {
    const { id: customerId } = await tx
      .selectFrom("customers")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("sequential_id", "=", BigInt(1 + Math.floor(random() * CUSTOMERS)))
      .executeTakeFirstOrThrow();
    for (let index = INSTANTS_PER_BATCH; index > 0; index--) {
      const dueAt = FIRST_INSTANT.add({ minutes: batch * INSTANTS_PER_BATCH + index });
      // Every kind, stored in any order; the last kind for two subjects, which only the id can order.
      for (const { kind } of shuffle([...KINDS, KINDS[KINDS.length - 1] ?? KINDS[0]], random))
        await scheduleDue(alone(tx), platform.registry, organizationId, {
          ...{ kind, dueAt, subjectId: randomUUID() },
          customer: { id: customerId, testClockId: null },
        });
    }
  });
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}
