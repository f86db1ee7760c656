/** Moves the test clock of the sample customers, and waits until it has arrived. */
import { setTimeout as pause } from "node:timers/promises";
import type { CallApi, Run } from "./run.ts";

const LOOK_AGAIN_MS = 200;

export async function moveClock({ call, note }: Run, id: string, to: Temporal.Instant): Promise<void> {
  await call("POST", `/test_clocks/${id}/advance`, { test_clock: { now: to.toString() } });
  await awaitClock(call, id, note);
}

/** A request waits for a while only; then a worker goes on. */
export async function awaitClock(call: CallApi, id: string, note: Run["note"]): Promise<void> {
  for (;;) {
    const { test_clock } = await call("GET", `/test_clocks/${id}`);
    if (test_clock.status !== "advancing") return;
    await note({});
    await pause(LOOK_AGAIN_MS);
  }
}
