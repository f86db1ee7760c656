/** The time of a story. */
import { readMoment } from "./moments.ts";
import type { World } from "./world.ts";

type TestClock = { test_clock: { svc_id: string; status: string } };

export type Clock = {
  /** Moves it. What is due until then is done when this returns. A day alone is its beginning. */
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
    const { test_clock } = await world.api.ask<TestClock>("POST", path, { test_clock: { now } });
    if (test_clock.status !== "ready") throw new Error(`the clock stopped on its way to ${moment}`);
  },
});
