/** Due rows of several customers, several instants and ranks; more of them for as long as workers are killed. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { scheduleDue } from "../../packages/server/src/jobs/due.ts";
import type { Platform } from "../../packages/server/src/main/compose.ts";
import { alone } from "../../packages/server/src/platform/postgres/batch.ts";
import { inOrganization, type Tx } from "../../packages/server/src/platform/postgres/database.ts";
import { createRandomFor } from "../random.ts";
import { KINDS, type Records } from "./work.ts";

const CUSTOMERS = 24;
const INSTANTS_PER_BATCH = 2;
const BATCH_EVERY_MS = 250;
/** Workers that do not keep up are not buried: the campaign must come to an end. */
const OPEN_ROWS_MAX = 150;

const FIRST_INSTANT = Temporal.Instant.from("2020-01-01T00:00:00Z");

type Deps = { platform: Platform; records: Records; organizationId: string; seed: number };

export async function addCustomers({ db, clock }: Platform, organizationId: string): Promise<void> {
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
  await inOrganization(db, organizationId, (tx) => tx.insertInto("customers").values(customers).execute());
}

/** Adds rows until it is stopped, a few at a time. */
export async function keepAddingWork(deps: Deps, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const { rows } = await deps.records.query(
      "select count(*)::integer as count from due_instants where done_at is null",
    );
    if (rows[0].count < OPEN_ROWS_MAX) await addBatch(deps);
    await pause(BATCH_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** One customer, one transaction. A batch lies after all earlier ones: an instant in a customer's past would break its order. */
async function addBatch({ platform, records, organizationId, seed }: Deps): Promise<void> {
  const { rows } = await records.query("update prove.campaign set batches = batches + 1 returning batches");
  const batch: number = rows[0].batches;
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
      await addInstant(tx, { platform, organizationId, customerId, dueAt, random });
    }
  });
}

type InstantOptions = {
  platform: Platform;
  organizationId: string;
  customerId: string;
  dueAt: Temporal.Instant;
  random: () => number;
};

/** Every kind, stored in any order; the last kind for two subjects, which only the id can order. */
async function addInstant(tx: Tx, { platform, organizationId, ...instant }: InstantOptions): Promise<void> {
  const kinds = shuffle([...KINDS, KINDS[KINDS.length - 1] ?? KINDS[0]], instant.random);
  for (const { kind } of kinds) {
    await scheduleDue(alone(tx), platform.registry, organizationId, {
      kind,
      subjectId: randomUUID(),
      customer: { id: instant.customerId, testClockId: null },
      dueAt: instant.dueAt,
    });
  }
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}
