/** Finishes test clock advances whose callers stopped waiting, in place of a worker. */
import type { Platform } from "../main/compose.ts";
import { resumeAdvance } from "../modules/customers/index.ts";

export async function carryOnClocks(platform: Platform): Promise<void> {
  // The callers are done, so there is no need to wait until the advance counts as abandoned.
  const clock = { now: () => platform.clock.now().add({ hours: 1 }) };
  while (await resumeAdvance({ ...platform, clock }));
}
