/** An operator retries or skips a parked item. Each item is resolved once, even under concurrent decisions. */
import { lockCustomer } from "../../../jobs/due-store.ts";
import { isTransient, OutdatedPreparation, reasonOf } from "../../../jobs/failures.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { askToCatchUp, findClockOfCustomer, holdCustomerClock } from "../../customers/index.ts";
import { parkedItemErrors } from "./errors.ts";
import type { ParkedItemRow } from "./schema.ts";
import { countAttempt, findParkedItem, resolveParkedItem } from "./store.ts";

const PREPARATIONS_MAX = 5;
const REASON_LENGTH_MAX = 1000;

/** In the transaction of the retry, before its effects: locks the customer and takes the item, or refuses. */
export type Settle = (tx: Tx) => Promise<void>;

/** How the work of one source is retried or skipped. */
export type ParkedSource = {
  retry: (item: ParkedItemRow, settle: Settle) => Promise<void>;
  /** The item is skipped in the same transaction. */
  skip: (tx: Tx, item: ParkedItemRow) => Promise<void>;
};

export type ResolveDeps = { db: Database; clock: Clock; parkedSources: ReadonlyMap<string, ParkedSource> };

type Requested = { organizationId: string; id: string; reason: string };

/** Refuses an item that is no longer parked. */
async function demandParked(tx: Tx, organizationId: string, id: string): Promise<ParkedItemRow> {
  const item = await findParkedItem(tx, organizationId, id);
  if (!item) throw parkedItemErrors.problem("parked_item_not_found");
  if (item.status !== "parked") throw parkedItemErrors.problem("parked_item_resolved");
  return item;
}

export const demandRetryable = async (tx: Tx, organizationId: string, id: string): Promise<ParkedItemRow> => {
  const item = await demandParked(tx, organizationId, id);
  if (item.kind === "fee_refund") throw parkedItemErrors.problem("not_retryable");
  return item;
};

/** A repeated failure stays parked with the new reason. Transient errors are thrown and not counted. */
export async function retryItem(deps: ResolveDeps, requested: Requested): Promise<ParkedItemRow> {
  const { organizationId, id, reason } = requested;
  const item = await inOrganization(deps.db, organizationId, (tx) => demandRetryable(tx, organizationId, id));
  const source = sourceOf(deps, item);
  let retried: ParkedItemRow | undefined;
  let refusal: unknown;
  const settle: Settle = async (tx) => {
    try {
      await holdCustomerOf(tx, deps, item);
      retried = await resolveParkedItem(tx, organizationId, { id, status: "retried", reason, now: deps.clock.now() });
      if (!retried) throw parkedItemErrors.problem("parked_item_resolved");
    } catch (error) {
      refusal = error;
      throw error;
    }
  };
  try {
    await againWhileOutdated(() => source.retry(item, settle));
    if (retried) return retried;
    throw new Error(`the retry of ${item.source} took nothing`);
  } catch (error) {
    // A refusal means that nothing was tried: the item was already resolved, or its test clock is advancing.
    if (isTransient(error) || error === refusal) throw error;
    const failed = { id, reason: reasonOf(error).slice(0, REASON_LENGTH_MAX) };
    const row = await inOrganization(deps.db, organizationId, (tx) => countAttempt(tx, organizationId, failed));
    if (!row) throw parkedItemErrors.problem("parked_item_resolved");
    return row;
  }
}

async function againWhileOutdated(run: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof OutdatedPreparation) || attempt === PREPARATIONS_MAX) throw error;
    }
  }
}

export async function skipItem(
  tx: Tx,
  deps: ResolveDeps,
  { organizationId, id, reason }: Requested,
): Promise<ParkedItemRow> {
  const item = await demandParked(tx, organizationId, id);
  await holdCustomerOf(tx, deps, item);
  const skipped = await resolveParkedItem(tx, organizationId, { id, status: "skipped", reason, now: deps.clock.now() });
  if (!skipped) throw parkedItemErrors.problem("parked_item_resolved");
  if (item.kind !== "fee_refund") await sourceOf(deps, item).skip(tx, item);
  return skipped;
}

/** Locks the clock before the customer, as everywhere. Due work on a stopped clock runs after the transaction. */
async function holdCustomerOf(
  tx: Tx,
  { clock }: ResolveDeps,
  { organization_id, customer_id }: ParkedItemRow,
): Promise<void> {
  if (customer_id === null) return;
  const testClock = await findClockOfCustomer(tx, organization_id, customer_id);
  if (testClock) await holdCustomerClock(tx, organization_id, testClock.id, clock);
  await lockCustomer(tx, organization_id, customer_id);
  if (testClock) await askToCatchUp(tx, organization_id, testClock.id);
}

function sourceOf({ parkedSources }: ResolveDeps, { source }: ParkedItemRow): ParkedSource {
  const found = parkedSources.get(source);
  if (!found) throw new Error(`nothing can resolve what "${source}" parked`);
  return found;
}
