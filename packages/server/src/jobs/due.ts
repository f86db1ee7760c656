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

/** Runs in the transaction that consumes the row: all of its effects or none. */
export type RunDue = (tx: Tx, due: Due, registry: DueRegistry) => Promise<void>;

export type DueKind = {
  kind: string;
  /** Order of different kinds at one instant of one customer; smaller first. */
  rank: number;
  /** Waits the settle delay on the real clock, so that usage sent in the last seconds is in. */
  settles: boolean;
  /** Runs at its instant, also while something earlier of the customer still waits for its settle delay. */
  overtakes?: boolean;
} & (
  | { run: RunDue; prepare?: never }
  /** What takes long and needs no lock comes first, outside of the transaction; `OutdatedPreparation` from what it gives: again. */
  | { prepare: (due: Due) => Promise<RunDue>; run?: never }
);

/** Thrown where what was prepared no longer fits what is found under the lock: then it is prepared again, at once. */
export class OutdatedPreparation extends Error {}

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
  /** When work may start, where the caller knows better than the kind. */
  readyAt?: Temporal.Instant;
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
  }: Pick<Scheduled, "subjectId" | "customer"> & { dues: readonly Pick<Scheduled, "kind" | "dueAt" | "readyAt">[] },
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
    readyAt: due.readyAt ?? (waits ? due.dueAt.add(registry.settleDelay) : due.dueAt),
  };
}

export type WorkDeps = { dispatcherDb: Database; clock: Clock; log: Log; metrics: Metrics };

/** Claims and runs the next due row of the real clock; false when nothing is due. */
export async function runNextDue(deps: WorkDeps, registry: DueRegistry): Promise<boolean> {
  const taken = await takeReady(deps, registry);
  if (taken?.outcome !== "unprepared") return taken !== undefined;
  const prepared = await prepareOrPostpone(deps, registry, taken.due);
  if (prepared) await takeReady(deps, registry, prepared);
  return true;
}

/** What was prepared for a row. */
type Prepared = { due: Due; run: RunDue };
type Taken = { due: Due; outcome: "done" | "failed" | "unprepared" };

/** One that must be prepared first is left as it is, unless it is the one that was. */
async function takeReady(deps: WorkDeps, registry: DueRegistry, prepared?: Prepared): Promise<Taken | undefined> {
  const { dispatcherDb, clock, metrics } = deps;
  let taken: Taken | undefined;
  try {
    await dispatcherDb.transaction().execute(async (tx) => {
      const ready = await claimReadyDue(tx, clock.now(), {
        overtaking: overtakingKinds(registry),
        id: prepared?.due.id,
      });
      if (!ready) return;
      taken = { due: ready, outcome: "unprepared" };
      const run = prepared?.run ?? kindOf(registry, ready.kind).run;
      if (!run) return;
      await actForOrganization(tx, ready.organizationId);
      // A request that holds the customer may wait for this very row: to wait for the customer here would be a deadlock.
      const isFree = ready.customerId === null || (await tryLockCustomer(tx, ready.organizationId, ready.customerId));
      if (!isFree) {
        taken = undefined;
        return;
      }
      taken = { due: ready, outcome: "done" };
      await runDue(tx, registry, { due: ready, run }, clock.now());
    });
    if (taken?.outcome === "done") metrics.workDone.inc({ source: "due", kind: taken.due.kind });
    return taken;
  } catch (error) {
    if (!taken) throw error;
    if (!(error instanceof OutdatedPreparation)) await postpone(deps, taken.due, error);
    return { due: taken.due, outcome: "failed" };
  }
}

async function prepareOrPostpone(deps: WorkDeps, registry: DueRegistry, due: Due): Promise<Prepared | undefined> {
  try {
    return { due, run: await prepareDue(registry, due) };
  } catch (error) {
    await postpone(deps, due, error);
    return undefined;
  }
}

async function postpone({ dispatcherDb, clock, log, metrics }: WorkDeps, due: Due, error: unknown): Promise<void> {
  log.error({ err: error, due: due.id, kind: due.kind }, "a due instant failed and will be repeated");
  metrics.workFailed.inc({ source: "due", kind: due.kind });
  await postponeDue(dispatcherDb, due, clock.now(), String(error));
}

/** What runs the row; before it, outside of any transaction, what its kind prepares. */
export async function prepareDue(registry: DueRegistry, due: Due): Promise<RunDue> {
  const kind = kindOf(registry, due.kind);
  return kind.run ?? kind.prepare(due);
}

export const needsPreparation = (registry: DueRegistry, due: Due): boolean =>
  kindOf(registry, due.kind).run === undefined;

const overtakingKinds = ({ kinds }: DueRegistry): string[] =>
  [...kinds.values()].filter(({ overtakes }) => overtakes).map(({ kind }) => kind);

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
  for (let due = await next(); due; due = await next()) {
    const { run } = kindOf(registry, due.kind);
    if (!run) throw new Error(`what is due of the kind "${due.kind}" must be prepared, so no request can take it`);
    await runDue(tx, registry, { due, run }, now);
  }
}

/** The one way a due row is run, by the real clock and by test clocks alike. */
export async function runDue(
  tx: Tx,
  registry: DueRegistry,
  { due, run }: { due: Due; run: RunDue },
  now: Temporal.Instant,
): Promise<void> {
  if (due.customerId !== null) await lockCustomer(tx, due.organizationId, due.customerId);
  // First, for the handler replaces what its subject still has to do. If it fails, the row is open again.
  await finishDue(tx, due.organizationId, due.id, now);
  await run(tx, due, registry);
}

function kindOf(registry: DueRegistry, name: string): DueKind {
  const kind = registry.kinds.get(name);
  if (!kind) throw new Error(`no module registered the due kind "${name}"`);
  return kind;
}
