/** What time it is for a customer. */
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/postgres/database.ts";
import { testClockErrors } from "./errors.ts";
import { findClocksOfSubscriptions, findTestClock, holdTestClock } from "./store.ts";

/**
 * The customer's now: its test clock's, or the real one's. The test clock is held until the transaction ends; one that
 * advances refuses, because the write would fall into the middle of other work.
 */
export async function holdCustomerClock(
  tx: Tx,
  organizationId: string,
  testClockId: string | null,
  clock: Clock,
): Promise<Temporal.Instant> {
  if (testClockId === null) return clock.now();
  const testClock = await holdTestClock(tx, organizationId, testClockId);
  if (!testClock) throw testClockErrors.problem("test_clock_not_found");
  if (testClock.advancing_to !== null) throw testClockErrors.problem("test_clock_advancing");
  return testClock.now;
}

/** The same for whoever only reads: nothing is held, and a clock that advances stands where it is. */
export async function readCustomerClock(
  tx: Tx,
  organizationId: string,
  testClockId: string | null,
  clock: Clock,
): Promise<Temporal.Instant> {
  if (testClockId === null) return clock.now();
  const testClock = await findTestClock(tx, organizationId, testClockId);
  if (!testClock) throw testClockErrors.problem("test_clock_not_found");
  return testClock.now;
}

/** The same for live subscriptions by their external ids, without holding anything; those on the real clock are left out. */
export async function readSubscriptionClocks(
  tx: Tx,
  organizationId: string,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, Temporal.Instant>> {
  const rows = await findClocksOfSubscriptions(tx, organizationId, externalIds);
  return new Map(rows.map(({ external_id, now }) => [external_id, now]));
}
