/** Work that is due at an instant: modules register kinds and schedule rows, and workers run the rows in order. */

import { newId } from "../platform/new-id.ts";
import { alone, type Batch, runBatched } from "../platform/postgres/batch.ts";
import type { Tx } from "../platform/postgres/database.ts";
import {
  claimDueOfCustomer,
  type Due,
  deleteOtherDues,
  finishDues,
  insertDues,
  lockCustomers,
  markParked,
  type NewDue,
} from "./due-store.ts";
import { reasonOf } from "./failures.ts";
import { inSavepoint, type Park, type Parked, type ParkedObject, type SetAside } from "./parking.ts";

export type { Due } from "./due-store.ts";
export { OutdatedPreparation } from "./failures.ts";

/** Runs in the transaction that consumes the row: all of its effects are saved, or none. */
export type RunDue = (batch: Batch, due: Due, registry: DueRegistry) => Promise<void>;

export type DueKind = {
  kind: string;
  /** Order of different kinds at the same instant of a customer; smaller ranks run first. */
  rank: number;
  /** Waits the settle delay on the real clock, so that usage sent in the last seconds is included. */
  settles: boolean;
  /** Runs at its instant, even while earlier work of the customer still waits for its settle delay. */
  overtakes?: boolean;
  /** The kind of its parked item. Default: its own name. */
  parks?: { kind: Parked["kind"]; objectOf: (tx: Tx, due: Due) => Promise<ParkedObject> };
  /** Runs the row without its failing parts, if the subject cannot wait for them. Then no part waits for an operator. */
  runAside?: (setAside: SetAside) => RunDue;
  /** Runs after the row was parked: schedules what must not wait for it. */
  onParked?: RunDue;
} & (
  | { run: RunDue; prepare?: never }
  /**
   * Slow work without locks, outside of the transaction, for many rows of an organization at once. If the returned function throws
   * `OutdatedPreparation`, it is prepared again.
   */
  | { prepare: (organizationId: string, dues: readonly Due[]) => Promise<RunDue[]>; run?: never }
);

export type DueRegistry = {
  kinds: ReadonlyMap<string, DueKind>;
  settleDelay: Temporal.Duration;
  park: Park;
};

export function createDueRegistry(kinds: readonly DueKind[], settleDelay: Temporal.Duration, park: Park): DueRegistry {
  const byKind = new Map(kinds.map((kind) => [kind.kind, kind]));
  const ranks = new Set(kinds.map((kind) => kind.rank));
  if (byKind.size !== kinds.length) throw new Error("two due kinds have the same name");
  if (ranks.size !== kinds.length) throw new Error("two due kinds have the same rank; their order would be undefined");
  return { kinds: byKind, settleDelay, park };
}

export type Scheduled = {
  kind: string;
  subjectId: string;
  customer: { id: string; testClockId: string | null } | null;
  dueAt: Temporal.Instant;
  /** When the work may start, if the caller overrides the kind's own rule. */
  readyAt?: Temporal.Instant;
};

/** Stores a due instant. Safe to repeat: an instant that is already scheduled or consumed stays unchanged. */
export async function scheduleDue(
  batch: Batch,
  registry: DueRegistry,
  organizationId: string,
  due: Scheduled,
): Promise<void> {
  await insertDues(batch, organizationId, [toRow(registry, organizationId, due)]);
}

/** Replaces the open rows of a subject. Rows that are not listed are deleted; done rows stay. */
export async function rescheduleDues(
  batch: Batch,
  registry: DueRegistry,
  organizationId: string,
  {
    subjectId,
    customer,
    dues,
  }: Pick<Scheduled, "subjectId" | "customer"> & { dues: readonly Pick<Scheduled, "kind" | "dueAt" | "readyAt">[] },
): Promise<void> {
  await deleteOtherDues(batch, organizationId, subjectId, dues);
  const rows = dues.map((due) => toRow(registry, organizationId, { ...due, subjectId, customer }));
  await insertDues(batch, organizationId, rows);
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

/** Prepares the rows outside of any transaction and returns what runs each of them. All rows have the same kind and organization. */
export async function prepareDues(registry: DueRegistry, dues: readonly Due[]): Promise<PreparedDue[]> {
  const [first] = dues;
  if (!first) return [];
  const kind = kindOf(registry, first.kind);
  const runs = kind.run ? dues.map(() => kind.run) : await kind.prepare(first.organizationId, dues);
  return dues.map((due, index) => {
    const run = runs[index];
    if (!run) throw new Error(`the due instant of kind "${due.kind}" was not prepared`);
    return { due, run };
  });
}

export type PreparedDue = { readonly due: Due; readonly run: RunDue };

export const needsPreparation = (registry: DueRegistry, due: Due): boolean =>
  kindOf(registry, due.kind).run === undefined;

export const overtakingKinds = ({ kinds }: DueRegistry): string[] =>
  [...kinds.values()].filter(({ overtakes }) => overtakes).map(({ kind }) => kind);

/**
 * Runs the due rows of these kinds, in order, before a customer's request is decided. So the outcome does not depend on how busy the
 * workers are. The caller has locked the customer.
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
    if (!run) throw new Error(`due instants of kind "${due.kind}" need preparation, so a request cannot run them`);
    await runDues(tx, registry, [{ due, run }], now);
  }
}

/** All rows have the same organization and different customers. */
export async function runDues(
  tx: Tx,
  registry: DueRegistry,
  prepared: readonly PreparedDue[],
  now: Temporal.Instant,
): Promise<void> {
  const [first] = prepared;
  if (!first) return;
  const { organizationId } = first.due;
  const customerIds = prepared.flatMap(({ due }) => due.customerId ?? []);
  if (customerIds.length > 0) await lockCustomers(tx, organizationId, customerIds);
  await runHeldDues(tx, registry, { organizationId, prepared }, now);
}

/**
 * The one way due rows are run, by the real clock and by test clocks alike: batched. The caller has locked their customers, and each has
 * one row.
 */
export async function runHeldDues(
  tx: Tx,
  registry: DueRegistry,
  { organizationId, prepared }: { organizationId: string; prepared: readonly PreparedDue[] },
  now: Temporal.Instant,
): Promise<void> {
  const ids = prepared.map(({ due }) => due.id);
  // Finish the rows first, because a handler replaces the open rows of its subject. If a handler fails, the rows are open again.
  await finishDues(tx, organizationId, ids, now);
  await runBatched(
    tx,
    prepared.map(
      ({ due, run }) =>
        (batch) =>
          run(batch, due, registry),
    ),
  );
}

/** The caller has locked the customer. Later rows of the customer and of the subject no longer wait for the parked row. */
export async function parkDue(
  tx: Tx,
  registry: DueRegistry,
  due: Due,
  { error, attempts, now }: { error: unknown; attempts: number; now: Temporal.Instant },
): Promise<void> {
  const { kind, parks, runAside, onParked } = kindOf(registry, due.kind);
  const { organizationId, customerId } = due;
  const park = async (of: Pick<Parked, "source" | "itemId" | "work" | "reason">): Promise<void> => {
    const object = parks ? await parks.objectOf(tx, due) : { type: kind, id: due.subjectId };
    const item = { kind: parks?.kind ?? "invoice", object, customerId, attempts, ...of };
    await registry.park(alone(tx), organizationId, item, now);
  };
  const parkRow = async (reason: string): Promise<void> => {
    if (!(await markParked(tx, organizationId, due.id, now))) return;
    await park({ source: kind, itemId: due.id, reason });
    await onParked?.(alone(tx), due, registry);
  };
  if (!runAside) return parkRow(reasonOf(error));
  const setAside: SetAside = (part, work) => inSavepoint(tx, work, (reason) => park({ ...part, reason }));
  const run = async (): Promise<void> => {
    await finishDues(tx, organizationId, [due.id], now);
    await runAside(setAside)(alone(tx), due, registry);
  };
  await inSavepoint(tx, run, parkRow);
}

/** The first rows that can be batched: of one kind and instant, one of each customer. */
export function firstAlike(dues: readonly Due[]): Due[] {
  const [first] = dues;
  if (!first) return [];
  const end = dues.findIndex(
    (due, index) =>
      due.kind !== first.kind ||
      !due.dueAt.equals(first.dueAt) ||
      dues.slice(0, index).some(({ customerId }) => customerId !== null && customerId === due.customerId),
  );
  return end < 0 ? [...dues] : dues.slice(0, end);
}

function kindOf(registry: DueRegistry, name: string): DueKind {
  const kind = registry.kinds.get(name);
  if (!kind) throw new Error(`no module registered the due kind "${name}"`);
  return kind;
}
