/**
 * Creates fees in advance: processes accepted events of an organization in order, with one fee for each event and charge in advance.
 * The cursor moves in the same transaction. The next step continues where a step stops.
 */

import { lockCustomer, tryLockCustomer } from "../../../jobs/due-store.ts";
import { isTransient, OutdatedPreparation, WaitsForOthers } from "../../../jobs/failures.ts";
import type { WorkDeps } from "../../../jobs/run-dues.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById, type LockedCustomer, readCustomerClock } from "../../customers/index.ts";
import { type CursorRow, type Follower, followFor, followNext, lockCursor, moveCursor } from "../../events/index.ts";
import { findSubscriber } from "../../subscriptions/index.ts";
import { toOrder } from "../../usage/index.ts";
import { type InvoiceWorkDeps, loadPayer } from "../invoices/index.ts";
import { findLeftOut } from "../parked-items/index.ts";
import { lookUp, type PriceListOf, priceListsAt } from "./look-up.ts";
import { nextEvents } from "./next-events.ts";
import { NOTHING_OPENED, readOpening, saveOpening } from "./open-charges.ts";
import { priceEvent } from "./price-event.ts";
import { type Billed, saveEventFees } from "./save-fees.ts";
import { type EventRow, findEvents } from "./store.ts";

/** Keeps steps short, so that locks are released soon. */
const EVENTS_PER_STEP = 50;
const STEPS_SOON = 10;

/** The source name of parked events. */
export const ADVANCE_FEES = "advance_fees";

export type ConsumeDeps = WorkDeps &
  InvoiceWorkDeps & {
    /** Runs due work of a locked customer, so that busy workers do not change the subscription that an event finds. */
    takeDue: (tx: Tx, customer: LockedCustomer) => Promise<void>;
  };

const FEES: Follower<ConsumeDeps> = {
  table: "advance_cursors",
  work: { source: ADVANCE_FEES, kind: "step" },
  name: "fees in advance",
  limit: EVENTS_PER_STEP,
  step: consumeStep,
  park: parkEvent,
};

export const consumeNext = (deps: ConsumeDeps): Promise<boolean> => followNext(deps, FEES);

/** Creates all fees of an organization's events so far. */
export const consumeFor = (deps: ConsumeDeps, organizationId: string): Promise<boolean> =>
  followFor(deps, FEES, organizationId);

/** Before a change: processes accepted events for a short time. Workers retry failures. */
export async function consumeSoon(deps: ConsumeDeps, organizationId: string): Promise<void> {
  try {
    for (let step = 0; step < STEPS_SOON && (await consumeFor(deps, organizationId)); step++);
  } catch (error) {
    deps.log.warn({ err: error, organization: organizationId }, "fees in advance failed and will be repeated");
  }
}

async function consumeStep(tx: Tx, deps: ConsumeDeps, cursor: CursorRow, limit: number): Promise<void> {
  const { organization_id: organizationId } = cursor;
  const step = stepOf(tx, deps, organizationId);
  let { positions }: { positions: readonly bigint[] } = cursor;
  let taken = 0;
  for await (const next of nextEvents(tx, cursor)) {
    if (taken === limit || (next.event && !(await take(step, next.event, positions)))) break;
    if (next.event) taken++;
    positions = next.positions;
  }
  await moveCursor(tx, FEES.table, organizationId, { positions, now: deps.clock.now() });
  deps.metrics.workDone.inc({ source: ADVANCE_FEES, kind: "event" }, taken);
}

const stepOf = (tx: Tx, deps: ConsumeDeps, organizationId: string): Step => ({
  tx,
  deps,
  organizationId,
  priceListOf: priceListsAt(tx, organizationId),
  locked: new Map(),
});

/** Later events are billed as if the parked event did not exist. */
async function parkEvent(
  tx: Tx,
  deps: ConsumeDeps,
  cursor: CursorRow,
  failure: { reason: string; attempts: number },
): Promise<void> {
  const { organization_id: organizationId } = cursor;
  const now = deps.clock.now();
  for await (const { event, positions } of nextEvents(tx, cursor)) {
    if (!event) return;
    const moment = { externalId: event.external_subscription_id, at: event.timestamp };
    await deps.registry.park(
      alone(tx),
      organizationId,
      {
        kind: "event",
        object: { type: "event", id: event.id, externalId: event.transaction_id },
        customerId: (await findSubscriber(tx, organizationId, moment)) ?? null,
        source: ADVANCE_FEES,
        work: {
          shard: event.shard,
          position: String(event.position),
          order: String(toOrder({ receivedAt: event.received_at, shard: event.shard, position: event.position })),
          subscription: event.external_subscription_id,
        },
        ...failure,
      },
      now,
    );
    await moveCursor(tx, FEES.table, organizationId, { positions, now });
    return;
  }
}

/** Prices the event as if it were accepted now. `settle` locks its customer and takes the item in the transaction that creates the fees. */
export async function retryEvent(
  deps: ConsumeDeps,
  { organizationId, work }: { organizationId: string; work: unknown },
  settle: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { shard, position } = work as { shard: number; position: string };
  const upTo = BigInt(position);
  await inOrganization(deps.db, organizationId, async (tx) => {
    // First, in the same order as all code that creates fees, to avoid a deadlock.
    const cursor = await lockCursor(tx, FEES.table, organizationId);
    const [event] = await findEvents(tx, organizationId, { shard, after: upTo - 1n, upTo });
    let isSettled = false;
    const settleOnce = async (): Promise<void> => {
      isSettled = true;
      await settle(tx);
    };
    const plain = stepOf(tx, deps, organizationId);
    const now = deps.clock.now();
    const priceListOf: PriceListOf = (planId) => plain.priceListOf(planId, now);
    const step = { ...plain, priceListOf, beforeHold: settleOnce };
    if (cursor && event && !(await take(step, event, cursor.positions)))
      throw new OutdatedPreparation(`what event ${event.id} is billed by has changed`);
    // Nothing is left to bill: the metric was deleted, or the subscription no longer charges it.
    if (!isSettled) await settle(tx);
  });
}

type Step = {
  tx: Tx;
  deps: ConsumeDeps;
  organizationId: string;
  priceListOf: PriceListOf;
  /** By customer. */
  locked: Map<string, Billed>;
  /** Runs before the first customer is locked. */
  beforeHold?: () => Promise<void>;
};

/** False: not in this step. */
async function take(step: Step, event: EventRow, cut: readonly bigint[]): Promise<boolean> {
  const { tx, deps, organizationId, priceListOf, locked } = step;
  const moment = { externalId: event.external_subscription_id, at: event.timestamp };
  const customerId = await findSubscriber(tx, organizationId, moment);
  if (customerId === undefined) return true;
  const wasLocked = locked.has(customerId);
  let billing = await lookUp(tx, organizationId, event, priceListOf);
  let opening = NOTHING_OPENED;
  if (billing && billing.unopened.length > 0) {
    // This may take long, so no customer is locked meanwhile.
    if (locked.size > 0) return false;
    const source = { source: ADVANCE_FEES, subscription: event.external_subscription_id };
    const leftOut = await findLeftOut(tx, organizationId, source);
    opening = await readOpening({ tx, events: deps.events }, organizationId, billing, { cut, leftOut });
  }
  await step.beforeHold?.();
  const billed = locked.get(customerId) ?? (await hold(step, customerId));
  if (!billed) return false;
  if (!wasLocked) billing = await lookUp(tx, organizationId, event, priceListOf);
  if (!billing) return true;
  // Due work changed the basis of the fee. The due work stays, and the next step starts from the new state.
  if (!(await saveOpening(tx, organizationId, billing, opening))) return false;
  const priced = await priceEvent(tx, organizationId, billing);
  await saveEventFees(tx, deps, { billing, priced, billed });
  return true;
}

/** A failure of the customer's due work is not a fault of the event: a worker parks that work. */
async function takeDueFirst({ takeDue }: ConsumeDeps, tx: Tx, customer: LockedCustomer): Promise<void> {
  try {
    await takeDue(tx, customer);
  } catch (error) {
    throw isTransient(error) ? error : new WaitsForOthers(error);
  }
}

/** Waits for the first customer only. A transaction that locks a second one may be waiting for the first. */
async function hold({ tx, deps, organizationId, locked }: Step, customerId: string): Promise<Billed | undefined> {
  if (locked.size === 0) await lockCustomer(tx, organizationId, customerId);
  else if (!(await tryLockCustomer(tx, organizationId, customerId))) return undefined;
  const [row] = await findCustomersById(alone(tx), organizationId, [customerId]);
  if (!row) throw new Error(`customer ${customerId} is gone`);
  const now = await readCustomerClock(tx, organizationId, row.test_clock_id, deps.clock);
  // The advance of a test clock runs its due work itself.
  if (row.test_clock_id === null) await takeDueFirst(deps, tx, { row, now });
  const billed = { payer: await loadPayer(alone(tx), organizationId, customerId), now };
  locked.set(customerId, billed);
  return billed;
}
