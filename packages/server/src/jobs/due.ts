/** What must happen at an instant: modules register kinds, schedule rows, and workers run them in order. */

import type { Clock } from "../platform/clock.ts";
import { newId } from "../platform/new-id.ts";
import { actForOrganization, type Database, type Tx } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import {
  claimDueOfCustomer,
  claimReadyDue,
  type Due,
  deleteOtherDues,
  finishDue,
  insertDues,
  lockCustomer,
  type NewDue,
  postponeDue,
  tryLockCustomer,
} from "./due-store.ts";

export type { Due } from "./due-store.ts";

export type DueKind = {
  kind: string;
  /** Order of different kinds at one instant of one customer; smaller first. */
  rank: number;
  /** Waits the settle delay on the real clock, so that usage sent in the last seconds is in. */
  settles: boolean;
  /** Runs in the transaction that consumes the row: all of its effects or none. */
  run: (tx: Tx, due: Due, registry: DueRegistry) => Promise<void>;
};

export type DueRegistry = {
  kinds: ReadonlyMap<string, DueKind>;
  settleDelay: Temporal.Duration;
};

export function createDueRegistry(kinds: readonly DueKind[], settleDelay: Temporal.Duration): DueRegistry {
  const byKind = new Map(kinds.map((kind) => [kind.kind, kind]));
  const ranks = new Set(kinds.map((kind) => kind.rank));
  if (byKind.size !== kinds.length) throw new Error("two due kinds have one name");
  if (ranks.size !== kinds.length) throw new Error("two due kinds have one rank; their order would be chance");
  return { kinds: byKind, settleDelay };
}

export type Scheduled = {
  kind: string;
  subjectId: string;
  customer: { id: string; testClockId: string | null } | null;
  dueAt: Temporal.Instant;
};

/** Stores a due instant. Safe to repeat: an instant that is scheduled, or was consumed, is left as it is. */
export async function scheduleDue(
  tx: Tx,
  registry: DueRegistry,
  organizationId: string,
  due: Scheduled,
): Promise<void> {
  await insertDues(tx, organizationId, [toRow(registry, organizationId, due)]);
}

/** From now on the subject has to do just this. Rows that are not listed go; what is done stays done. */
export async function rescheduleDues(
  tx: Tx,
  registry: DueRegistry,
  organizationId: string,
  {
    subjectId,
    customer,
    dues,
  }: Pick<Scheduled, "subjectId" | "customer"> & { dues: readonly Pick<Scheduled, "kind" | "dueAt">[] },
): Promise<void> {
  await deleteOtherDues(tx, organizationId, subjectId, dues);
  const rows = dues.map((due) => toRow(registry, organizationId, { ...due, subjectId, customer }));
  await insertDues(tx, organizationId, rows);
}

function toRow(registry: DueRegistry, organizationId: string, due: Scheduled): NewDue {
  const kind = kindOf(registry, due.kind);
  const testClockId = due.customer?.testClockId ?? null;
  const waits = kind.settles && testClockId === null;
  return {
    organizationId,
    id: newId(),
    kind: due.kind,
    subjectId: due.subjectId,
    customerId: due.customer?.id ?? null,
    testClockId,
    dueAt: due.dueAt,
    rank: kind.rank,
    readyAt: waits ? due.dueAt.add(registry.settleDelay) : due.dueAt,
  };
}

export type WorkDeps = { dispatcherDb: Database; clock: Clock; log: Log; metrics: Metrics };

/** Claims and runs the next due row of the real clock; false when nothing is due. */
export async function runNextDue(
  { dispatcherDb, clock, log, metrics }: WorkDeps,
  registry: DueRegistry,
): Promise<boolean> {
  let claimed: Due | undefined;
  try {
    await dispatcherDb.transaction().execute(async (tx) => {
      const ready = await claimReadyDue(tx, clock.now());
      if (!ready) return;
      await actForOrganization(tx, ready.organizationId);
      // A request that holds the customer may wait for this very row: to wait for the customer here would be a deadlock.
      const isFree = ready.customerId === null || (await tryLockCustomer(tx, ready.organizationId, ready.customerId));
      if (!isFree) return;
      claimed = ready;
      await runDue(tx, registry, claimed, clock.now());
    });
    if (claimed) metrics.workDone.inc({ source: "due", kind: claimed.kind });
    return claimed !== undefined;
  } catch (error) {
    if (!claimed) throw error;
    log.error({ err: error, due: claimed.id, kind: claimed.kind }, "a due instant failed and will be repeated");
    metrics.workFailed.inc({ source: "due", kind: claimed.kind });
    await postponeDue(dispatcherDb, claimed, clock.now(), String(error));
    return true;
  }
}

/**
 * Before a customer's request is decided: what these kinds have due by then, in order, so that the outcome does not depend on how
 * busy the workers are. The caller holds the customer.
 */
export async function runDuesOfCustomer(
  tx: Tx,
  registry: DueRegistry,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  { until, kinds, now }: { until: Temporal.Instant; kinds: readonly string[]; now: Temporal.Instant },
): Promise<void> {
  const next = () => claimDueOfCustomer(tx, organizationId, customerId, { until, kinds });
  for (let due = await next(); due; due = await next()) await runDue(tx, registry, due, now);
}

/** The one way a due row is run, by the real clock and by test clocks alike. */
export async function runDue(tx: Tx, registry: DueRegistry, due: Due, now: Temporal.Instant): Promise<void> {
  if (due.customerId !== null) await lockCustomer(tx, due.organizationId, due.customerId);
  // First, for the handler replaces what its subject still has to do. If it fails, the row is open again.
  await finishDue(tx, due.organizationId, due.id, now);
  await kindOf(registry, due.kind).run(tx, due, registry);
}

function kindOf(registry: DueRegistry, name: string): DueKind {
  const kind = registry.kinds.get(name);
  if (!kind) throw new Error(`no module registered the due kind "${name}"`);
  return kind;
}
