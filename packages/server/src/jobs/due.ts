/** What must happen at an instant: modules register kinds, schedule rows, and workers run them in order. */

import type { Clock } from "../platform/clock.ts";
import { newId } from "../platform/new-id.ts";
import { actForOrganization, type Database, type Tx } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import { claimReadyDue, type Due, finishDue, insertDue, lockCustomer, postponeDue } from "./due-store.ts";

export type { Due } from "./due-store.ts";

export type DueKind = {
  kind: string;
  /** Order of different kinds at one instant of one customer; smaller first. */
  rank: number;
  /** Waits the settle delay on the real clock, so that usage sent in the last seconds is in. */
  settles: boolean;
  /** Runs in the transaction that consumes the row: all of its effects or none. */
  run: (tx: Tx, due: Due) => Promise<void>;
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
  const kind = kindOf(registry, due.kind);
  const testClockId = due.customer?.testClockId ?? null;
  const waits = kind.settles && testClockId === null;
  await insertDue(tx, organizationId, {
    organizationId,
    id: newId(),
    kind: due.kind,
    subjectId: due.subjectId,
    customerId: due.customer?.id ?? null,
    testClockId,
    dueAt: due.dueAt,
    rank: kind.rank,
    readyAt: waits ? due.dueAt.add(registry.settleDelay) : due.dueAt,
  });
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
      claimed = await claimReadyDue(tx, clock.now());
      if (!claimed) return;
      await actForOrganization(tx, claimed.organizationId);
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

/** The one way a due row is run, by the real clock and by test clocks alike. */
export async function runDue(tx: Tx, registry: DueRegistry, due: Due, now: Temporal.Instant): Promise<void> {
  if (due.customerId !== null) await lockCustomer(tx, due.organizationId, due.customerId);
  await kindOf(registry, due.kind).run(tx, due);
  await finishDue(tx, due.organizationId, due.id, now);
}

function kindOf(registry: DueRegistry, name: string): DueKind {
  const kind = registry.kinds.get(name);
  if (!kind) throw new Error(`no module registered the due kind "${name}"`);
  return kind;
}
