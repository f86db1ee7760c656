/** Brings test clocks home that go on after their callers have waited long enough, in a worker's place. */
import type { Platform } from "../main/compose.ts";
import { resumeAdvance } from "../modules/customers/index.ts";

export async function carryOnClocks(platform: Platform): Promise<void> {
  // Their callers are done with them: nobody need wait until that shows.
  const clock = { now: () => platform.clock.now().add({ hours: 1 }) };
  while (await resumeAdvance({ ...platform, clock }));
}
