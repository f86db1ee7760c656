/** Builds cells: begins a derivation, adds earlier events, and removes the derivation when no reader uses it anymore. */
import type { WorkDeps } from "../../../../jobs/run-dues.ts";
import type { Clickhouse } from "../../../../platform/clickhouse/clickhouse.ts";
import type { Clock } from "../../../../platform/clock.ts";
import { newId } from "../../../../platform/new-id.ts";
import { actForOrganization, type Database, inOrganization, type Tx } from "../../../../platform/postgres/database.ts";

import type { Cut } from "../../event-store.ts";
import { DERIVATIONS_MAX, type Derivation } from "./derivation.ts";
import {
  type Change,
  changeSeen,
  claimNext,
  type Days,
  type DerivationRow,
  deleteCells,
  deriveDays,
  estimateCells,
  findCarried,
  forget,
  fromRow,
  insertRequest,
  listDays,
  postpone,
  retire,
} from "./store.ts";

export type DeriveDeps = WorkDeps & {
  readonly db: Database;
  readonly clickhouse: Clickhouse;
  readonly relay: {
    /** Blocks new batches of the organization until the transaction ends. Returns the positions up to which batches were opened. */
    readonly openedUpTo: (tx: Tx, organizationId: string) => Promise<Cut>;
    /** Resolves when everything up to the snapshot is in ClickHouse. */
    readonly catchUp: (organizationId: string, cut: Cut, signal: AbortSignal) => Promise<unknown>;
  };
  readonly eventsPerCellMin?: bigint;
};

/** While one worker has it, others leave it alone. A day of a very large metric takes long. */
const LEASE = Temporal.Duration.from({ minutes: 70 });
const CATCH_UP_MS = 30_000;
/** Events for a statement of a few seconds. */
const CHUNK_EVENTS = 2_000_000n;
/** Reading a cell takes about as long as reading an event, and the cell must also be built and stored. */
const EVENTS_PER_CELL_MIN = 4n;
const CHECK_EVERY = Temporal.Duration.from({ hours: 24 });
/** Longer than a month, so that derivations that only invoices use stay. */
const REQUESTED_WITHIN = Temporal.Duration.from({ hours: 40 * 24 });
/** After this time, no reader that found the derivation can still be using it. */
const CELLS_KEPT = Temporal.Duration.from({ hours: 24 });
/** Delays the next attempt after a failure. */
const RESTART_AFTER = Temporal.Duration.from({ minutes: 1 });
const REFUSED_FOR = Temporal.Duration.from({ hours: 30 * 24 });

/** For workers: the next step of a derivation; false if there is nothing to do. */
export async function deriveNext(deps: DeriveDeps): Promise<boolean> {
  const { dispatcherDb, clock, log, metrics } = deps;
  const now = clock.now();
  const claimed = await claimNext(dispatcherDb, { now, until: now.add(LEASE) });
  if (!claimed) return false;
  try {
    await STEPS[claimed.state](deps, claimed);
    metrics.workDone.inc(WORK);
  } catch (error) {
    log.error({ err: error, organization: claimed.organization_id }, "deriving cells failed and will be retried");
    metrics.workFailed.inc(WORK);
    await postpone(dispatcherDb, claimed, { now: clock.now(), error: String(error) });
  }
  return true;
}

const WORK = { source: "rollups", kind: "derivation" } as const;

type Step = (deps: DeriveDeps, row: DerivationRow) => Promise<void>;

const STEPS: Readonly<Record<DerivationRow["state"], Step>> = {
  wanted: begin,
  building: build,
  live: async (deps, row) => {
    const now = deps.clock.now();
    const isForgotten = Temporal.Instant.compare(row.asked_at.add(REQUESTED_WITHIN), now) < 0;
    await change(deps, row, isForgotten ? retiredAt(now) : { ready_at: now.add(CHECK_EVERY) });
  },
  refused: (deps, row) => inOrganization(deps.db, row.organization_id, (tx) => forget(tx, row.organization_id, row.id)),
  retired: async (deps, row) => {
    await deleteCells(deps.clickhouse, fromRow(row));
    await inOrganization(deps.db, row.organization_id, (tx) => forget(tx, row.organization_id, row.id));
  },
};

const retiredAt = (now: Temporal.Instant) => ({ state: "retired", ready_at: now.add(CELLS_KEPT) }) as const;

/** If another worker has done it meanwhile, nothing changes. */
const change = async ({ db }: DeriveDeps, row: DerivationRow, requested: Change): Promise<boolean> =>
  inOrganization(db, row.organization_id, (tx) => changeSeen(tx, row.organization_id, row, requested));

/** Batches that open from now on include the derivation. Events of earlier batches are added in the background. */
async function begin({ dispatcherDb, clock, relay }: DeriveDeps, row: DerivationRow): Promise<void> {
  const { organization_id: organizationId } = row;
  await dispatcherDb.transaction().execute(async (tx) => {
    const since = await relay.openedUpTo(tx, organizationId);
    await actForOrganization(tx, organizationId);
    await changeSeen(tx, organizationId, row, { state: "building", since, ready_at: clock.now() });
  });
}

async function build(deps: DeriveDeps, row: DerivationRow): Promise<void> {
  const { clickhouse, clock, relay, db } = deps;
  const scope = { derivation: fromRow(row), cut: row.since ?? [] };
  if (row.chunk_begun_at !== null) {
    // The statement was sent, but its result is unknown: it may be complete, partial or still running.
    const again = { id: row.id, now: clock.now(), after: RESTART_AFTER };
    await inOrganization(db, row.organization_id, (tx) => restart(tx, [row.organization_id], again));
    return;
  }
  await relay.catchUp(row.organization_id, scope.cut, AbortSignal.timeout(CATCH_UP_MS));
  if (row.derived_through === null && !(await isWorthIt(deps, row))) {
    await change(deps, row, { state: "refused", ready_at: clock.now().add(REFUSED_FOR) });
    return;
  }
  const days = nextDays(row.derived_through, await listDays(clickhouse, scope, row.derived_through));
  if (days === null) {
    await change(deps, row, { state: "live", ready_at: clock.now().add(CHECK_EVERY) });
    return;
  }
  const begun = clock.now();
  if (!(await change(deps, row, { chunk_begun_at: begun, ready_at: begun.add(LEASE) }))) return;
  await deriveDays(clickhouse, scope, days);
  await change(deps, row, { derived_through: days.through, chunk_begun_at: null, ready_at: clock.now() });
}

async function isWorthIt(
  { clickhouse, eventsPerCellMin = EVENTS_PER_CELL_MIN }: DeriveDeps,
  row: DerivationRow,
): Promise<boolean> {
  const scope = { derivation: fromRow(row), cut: row.since ?? [], externalSubscriptionId: row.asked_for };
  const { events, cells } = await estimateCells(clickhouse, scope);
  return events >= cells * eventsPerCellMin;
}

/** As many of the next days as one statement takes. Events up to a snapshot never change, so a repeat finds the same days. */
function nextDays(after: Days["after"], days: readonly { day: Temporal.PlainDate; events: bigint }[]): Days | null {
  const [first] = days;
  if (!first) return null;
  let { events } = first;
  let through = first.day;
  for (const next of days.slice(1)) {
    events += next.events;
    if (events > CHUNK_EVENTS) break;
    through = next.day;
  }
  return { after, through };
}

/** The derivations of these organizations, for a batch that opens. Call it while no other process can open one. */
export async function derivationsOf(tx: Tx, organizationIds: readonly string[]): Promise<Derivation[]> {
  if (organizationIds.length === 0) return [];
  return (await findCarried(tx, organizationIds)).map(fromRow);
}

/** The contents of the cells are uncertain: they are not read anymore, and are rebuilt under another id. */
export const restartDerivations =
  (clock: Clock) =>
  async (tx: Tx, organizationIds: readonly string[]): Promise<void> => {
    if (organizationIds.length === 0) return;
    await restart(tx, organizationIds, { id: null, now: clock.now(), after: Temporal.Duration.from({ seconds: 0 }) });
  };

async function restart(
  tx: Tx,
  organizationIds: readonly string[],
  { id, now, after }: { id: string | null; now: Temporal.Instant; after: Temporal.Duration },
): Promise<void> {
  const retired = await retire(tx, organizationIds, { id, readyAt: now.add(CELLS_KEPT) });
  for (const { organization_id: organizationId, code, field, names, asked_for: requestedFor } of retired) {
    const request = { organizationId, code, field, names, requestedFor };
    await insertRequest(tx, request, { id: newId(), now, readyAt: now.add(after), countMax: DERIVATIONS_MAX });
  }
}
