/** What the next invoice of a subscription bills, if nothing changes until then. Nothing is locked or stored. */
import assert from "node:assert/strict";
import {
  type Active,
  activate,
  type ComingBill,
  comingBills,
  type Downgrade,
  type EarlierBill,
  periodicBillAt,
  type Terminated,
  type WaitingChange,
} from "@tallystick/core/subscription";
import { newId } from "../../platform/new-id.ts";
import { alone } from "../../platform/postgres/batch.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { loadPriceList } from "../catalogue/index.ts";
import type { BilledSubscription } from "./find-billed.ts";
import { loadPast } from "./load-chain.ts";
import { type StoredSubscription, toCore } from "./row.ts";
import { findLive, findLiveOfCustomer } from "./store.ts";

/**
 * `bills` in the order in which the subscriptions were created, as on the invoice. `next` is null if the subscription ends without an
 * invoice before its next one.
 */
type ComingInvoice = { customerId: string; next: { at: Temporal.Instant; bills: Coming[] } | null };

type Billed = Omit<BilledSubscription, "testClockId">;

/** `earlier`: bills that are made before it, whose fees count towards its commitment. `ended`: the subscription, if it ends with the bill. */
type Coming = Billed & { earlier: Billed[]; ended: Terminated | null };

/** Returns undefined if no subscription with the external id is active. */
export async function findComingInvoice(
  tx: Tx,
  organizationId: string,
  externalId: string,
): Promise<ComingInvoice | undefined> {
  const [current, waiting] = await findLive(tx, organizationId, externalId);
  if (current?.row.status !== "active") return undefined;
  const coming = comingBills(toCore(current) as Active, await loadWaiting(tx, organizationId, current, waiting));
  const { customer_id: customerId } = current.row;
  if (coming === null) return { customerId, next: null };
  const others = coming.isShared ? await findOthers(tx, organizationId, { customerId, current, at: coming.at }) : [];
  const bills = [...coming.bills.map((bill) => toComing(bill, coming.at, current, waiting)), ...others].toSorted(
    (one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1),
  );
  return { customerId, next: { at: coming.at, bills } };
}

async function loadWaiting(
  tx: Tx,
  organizationId: string,
  { row }: StoredSubscription,
  waiting: StoredSubscription | undefined,
): Promise<WaitingChange | null> {
  if (!waiting) return null;
  const chargesOf = async (planId: string) => (await loadPriceList(alone(tx), organizationId, planId)).plan.charges;
  return {
    next: toCore(waiting) as Downgrade,
    charges: await chargesOf(row.plan_id),
    nextCharges: await chargesOf(waiting.row.plan_id),
  };
}

type Shared = { customerId: string; current: StoredSubscription; at: Temporal.Instant };

/** The customer's other subscriptions whose period ends at that instant. */
async function findOthers(tx: Tx, organizationId: string, { customerId, current, at }: Shared): Promise<Coming[]> {
  const live = await findLiveOfCustomer(tx, organizationId, customerId);
  const bills: Coming[] = [];
  for (const stored of live) {
    const active = stored.row.id === current.row.id ? null : await activeOf(tx, organizationId, stored);
    if (active === null) continue;
    const waiting = live.find(({ row }) => row.previous_subscription_id === stored.row.id);
    const isPending = stored.row.status === "pending";
    const bill = periodicBillAt(active, await loadWaiting(tx, organizationId, stored, waiting), at, isPending);
    if (bill) bills.push(toComing(bill, at, stored, waiting));
  }
  return bills;
}

/** The subscription as it is, or as it will begin. Null for a waiting downgrade: it is handled with the subscription it replaces. */
async function activeOf(
  tx: Tx,
  organizationId: string,
  { row, ...stored }: StoredSubscription,
): Promise<Active | null> {
  const state = toCore({ row, ...stored });
  if (state.status === "active") return state;
  if (state.status !== "pending" || state.origin !== "new") return null;
  const scope = { organizationId, customer: { id: row.customer_id }, now: state.subscriptionAt };
  return activate(state, await loadPast(tx, scope, row.external_id));
}

function toComing(
  { isNext, subscription, bill, ended, earlier = [] }: ComingBill & { earlier?: readonly EarlierBill[] },
  at: Temporal.Instant,
  current: StoredSubscription,
  waiting: StoredSubscription | undefined,
): Coming {
  const billed = isNext ? waiting : current;
  assert(billed, "a waiting downgrade has a subscription to replace");
  const toBilled = (one: EarlierBill): Billed => ({
    billId: newId(),
    subscriptionId: billed.row.id,
    externalId: billed.row.external_id,
    planId: billed.row.plan_id,
    firstStartedAt: subscription.firstStartedAt,
    occurredAt: one.at,
    writtenAt: one.at,
    successorId: null,
    successorPlanId: null,
    bill: one.bill,
  });
  return { ...toBilled({ at, bill }), ended: ended ?? null, earlier: earlier.map(toBilled) };
}
