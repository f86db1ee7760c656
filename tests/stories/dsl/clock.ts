/** The time of a story. */
import { readMoment } from "./moments.ts";
import type { World } from "./world.ts";

type TestClock = { test_clock: { svc_id: string; status: string } };

const LOOKS_MAX = 500;

export type Clock = {
  /** Advances the clock. All due work is done when this returns. A day means its beginning. */
  is: (moment: string) => Promise<void>;
};

export const makeClock = (world: World): Clock => ({
  is: async (moment) => {
    const now = readMoment(moment, { timeZone: world.timeZone, time: "00:00" }).toString();
    if (world.clockId === null) {
      const body = { test_clock: { name: "story", now } };
      world.clockId = (await world.api.ask<TestClock>("POST", "/test_clocks", body)).test_clock.svc_id;
      return;
    }
    const path = `/test_clocks/${world.clockId}/advance`;
    let { test_clock } = await world.api.ask<TestClock>("POST", path, { test_clock: { now } });
    // Another story may be the one that continues the advance.
    for (let looks = 0; test_clock.status === "advancing" && looks < LOOKS_MAX; looks++) {
      await world.api.carryOnClocks();
      ({ test_clock } = await world.api.ask<TestClock>("GET", `/test_clocks/${world.clockId}`));
    }
    if (test_clock.status !== "ready") throw new Error(`the clock stopped on its way to ${moment}`);
  },
});
