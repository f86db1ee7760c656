/** Test clocks that are moved through HTTP, also one whose advance was begun before and interrupted. */
import { setTimeout as pause } from "node:timers/promises";
import type { Call } from "./served-api.ts";

const LOOK_EVERY_MS = 250;

type TestClock = { test_clock: { status: string; now: string; advancing_to: string | null } };

export async function advanceTestClock(
  call: Call,
  testClockId: string,
  { to, signal }: { to: string; signal: AbortSignal },
): Promise<void> {
  const path = `/test_clocks/${testClockId}`;
  let { test_clock: testClock } = await call<TestClock>("GET", path);
  if (testClock.now !== to && testClock.advancing_to === null)
    ({ test_clock: testClock } = await call<TestClock>("POST", `${path}/advance`, { test_clock: { now: to } }));
  signal.throwIfAborted();
  while (testClock.status === "advancing") {
    await pause(LOOK_EVERY_MS, undefined, { signal });
    ({ test_clock: testClock } = await call<TestClock>("GET", path));
  }
  if (testClock.now !== to) throw new Error(`the clock stands at ${testClock.now} instead of ${to}`);
}
