/** Finishes test clock advances whose callers stopped waiting, in place of a worker. */
import type { Platform } from "../main/compose.ts";
import { resumeAdvance } from "../modules/customers/index.ts";
import type { Clock } from "../platform/clock.ts";

export async function carryOnClocks(platform: Platform): Promise<void> {
  while (await resumeAdvance({ ...platform, clock: laterOnce(platform.clock) }));
}

/**
 * The callers are done, so the search does not wait until an advance counts as abandoned. All that follows happens now: what is done an hour
 * later would seem to come after what is done next.
 */
function laterOnce(clock: Clock): Clock {
  let isSearching = true;
  return {
    now: () => {
      const now = clock.now();
      if (!isSearching) return now;
      isSearching = false;
      return now.add({ hours: 1 });
    },
  };
}
