/**
 * Makes fees in advance: takes the accepted events of an organization in order and makes one fee for each of them and each charge in
 * advance, with the cursor in the same transaction. What a step does not finish, the next one begins with.
 */

import { lockCustomer, tryLockCustomer } from "../../../jobs/due-store.ts";
import { isTransient, OutdatedPreparation, WaitsForOthers } from "../../../jobs/failures.ts";
import type { WorkDeps } from "../../../jobs/run-dues.ts";
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

/** So that a step ends soon, and what it holds is free again. */
const EVENTS_PER_STEP = 50;
const STEPS_SOON = 10;

/** As the source of what it parks. */
export const ADVANCE_FEES = "advance_fees";

export type ConsumeDeps = WorkDeps &
  InvoiceWorkDeps & {
    /** What is due of a held customer by now: an event must not find another subscription because workers are busy. */
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

/** For workers. */
export const consumeNext = (deps: ConsumeDeps): Promise<boolean> => followNext(deps, FEES);

/** For whoever needs all fees of an organization's events so far. */
export const consumeFor = (deps: ConsumeDeps, organizationId: string): Promise<boolean> =>
  followFor(deps, FEES, organizationId);

/** Before a change: what was accepted by now, as far as it is done soon. What fails, workers repeat. */
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
  held: new Map(),
});

/** The events after it are billed as if it were not there. */
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
      tx,
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

/** Priced as if it were accepted now. `settle` holds its customer and takes the item, in the transaction that makes the fees. */
export async function retryEvent(
  deps: ConsumeDeps,
  { organizationId, work }: { organizationId: string; work: unknown },
  settle: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { shard, position } = work as { shard: number; position: string };
  const upTo = BigInt(position);
  await inOrganization(deps.db, organizationId, async (tx) => {
    // First of all, as whoever makes fees does: two that wait for each other would be ended.
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
    // Nothing is left to bill: its metric was deleted, or its subscription bills nothing of it any more.
    if (!isSettled) await settle(tx);
  });
}

type Step = {
  tx: Tx;
  deps: ConsumeDeps;
  organizationId: string;
  priceListOf: PriceListOf;
  /** By customer. */
  held: Map<string, Billed>;
  /** Before the first customer is held. */
  beforeHold?: () => Promise<void>;
};

/** False: not in this step. */
async function take(step: Step, event: EventRow, cut: readonly bigint[]): Promise<boolean> {
  const { tx, deps, organizationId, priceListOf, held: locked } = step;
  const moment = { externalId: event.external_subscription_id, at: event.timestamp };
  const customerId = await findSubscriber(tx, organizationId, moment);
  if (customerId === undefined) return true;
  const wasHeld = locked.has(customerId);
  let billing = await lookUp(tx, organizationId, event, priceListOf);
  let opening = NOTHING_OPENED;
  if (billing && billing.unopened.length > 0) {
    // It may take long, so no customer is held meanwhile.
    if (locked.size > 0) return false;
    const source = { source: ADVANCE_FEES, subscription: event.external_subscription_id };
    const leftOut = await findLeftOut(tx, organizationId, source);
    opening = await readOpening(deps.events, organizationId, billing, { cut, leftOut });
  }
  await step.beforeHold?.();
  const billed = locked.get(customerId) ?? (await hold(step, customerId));
  if (!billed) return false;
  if (!wasHeld) billing = await lookUp(tx, organizationId, event, priceListOf);
  if (!billing) return true;
  // What was due has changed what it is billed by: that stays, and the next step begins with what is there then.
  if (!(await saveOpening(tx, organizationId, billing, opening))) return false;
  const priced = await priceEvent(tx, organizationId, billing);
  await saveEventFees(tx, deps, { billing, priced, billed });
  return true;
}

/** What is due of the customer and fails is no fault of the event: a worker parks it. */
async function takeDueFirst({ takeDue }: ConsumeDeps, tx: Tx, customer: LockedCustomer): Promise<void> {
  try {
    await takeDue(tx, customer);
  } catch (error) {
    throw isTransient(error) ? error : new WaitsForOthers(error);
  }
}

/** The first customer is waited for. A second one is not: somebody who holds it may wait for the first. */
async function hold(
  { tx, deps, organizationId, held: lockedRow }: Step,
  customerId: string,
): Promise<Billed | undefined> {
  if (lockedRow.size === 0) await lockCustomer(tx, organizationId, customerId);
  else if (!(await tryLockCustomer(tx, organizationId, customerId))) return undefined;
  const [row] = await findCustomersById(tx, organizationId, [customerId]);
  if (!row) throw new Error(`customer ${customerId} is gone`);
  const now = await readCustomerClock(tx, organizationId, row.test_clock_id, deps.clock);
  // What is due on a test clock, its advance does itself.
  if (row.test_clock_id === null) await takeDueFirst(deps, tx, { row, now });
  const billed = { payer: await loadPayer(tx, organizationId, customerId), now };
  lockedRow.set(customerId, billed);
  return billed;
}
