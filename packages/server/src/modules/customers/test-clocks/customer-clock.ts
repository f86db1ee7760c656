/** The current time of a customer. */
import assert from "node:assert/strict";
import type { Clock } from "../../../platform/clock.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { findClocksOfSubscriptions } from "../look-ups/index.ts";
import { testClockErrors } from "./errors.ts";
import { findAnyTestClock, holdAnyTestClock, holdTestClock } from "./store.ts";

/**
 * The customer's time: that of its test clock, or real time. The test clock stays locked until the transaction ends. An advancing clock
 * refuses, because the write would fall into the middle of other work. A deleted clock keeps the time of its deletion, as its customers'
 * documents stay.
 */
export async function holdCustomerClock(
  tx: Tx,
  organizationId: string,
  testClockId: string | null,
  clock: Clock,
): Promise<Temporal.Instant> {
  if (testClockId === null) return clock.now();
  const testClock = await holdAnyTestClock(tx, organizationId, testClockId);
  assert(testClock, "a customer's test clock is never removed");
  if (testClock.advancing_to !== null) throw testClockErrors.problem("test_clock_advancing");
  return testClock.now;
}

/** For a new customer: its test clock must exist, and does not move until the transaction ends. */
export async function holdClockToJoin(tx: Tx, organizationId: string, testClockId: string | null): Promise<void> {
  if (testClockId === null) return;
  const testClock = await holdTestClock(tx, organizationId, testClockId);
  if (!testClock) throw testClockErrors.problem("test_clock_not_found");
  if (testClock.advancing_to !== null) throw testClockErrors.problem("test_clock_advancing");
}

/** A customer's time for a read, without locks. An advancing or deleted clock shows the instant it has reached. */
export async function readCustomerClock(
  tx: Tx,
  organizationId: string,
  testClockId: string | null,
  clock: Clock,
): Promise<Temporal.Instant> {
  if (testClockId === null) return clock.now();
  const testClock = await findAnyTestClock(tx, organizationId, testClockId);
  assert(testClock, "a customer's test clock is never removed");
  return testClock.now;
}

/** The same for live subscriptions by their external ids, without locks. Subscriptions on the real clock are left out. */
export async function readSubscriptionClocks(
  tx: Tx,
  organizationId: string,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, Temporal.Instant>> {
  const rows = await findClocksOfSubscriptions(tx, organizationId, externalIds);
  return new Map(rows.map(({ external_id, now }) => [external_id, now]));
}
