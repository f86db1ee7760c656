/** One limiter for several processes: it is in their parent, and they ask it. */
import { answerCalls, type Call, type Channel } from "../processes/calls.ts";
import type { Demand, Limiter, Verdict } from "./limiter.ts";

export const askParent = (call: Call): Limiter => ({
  admit: async (demand) => (await call("admit", demand)) as Verdict,
  leave: (place) => void call("leave", place),
  charge: (bytes) => void call("charge", bytes),
});

/** Returns what to do when the child has ended: nobody else leaves the places that it took. */
export function answerChild(child: Channel, limiter: Limiter): () => void {
  const taken: string[] = [];
  let hasEnded = false;
  const leaveAll = () => {
    hasEnded = true;
    for (const place of taken.splice(0)) limiter.leave(place);
  };
  answerCalls(child, {
    admit: async (demand: Demand) => {
      const verdict = await limiter.admit(demand);
      if (demand.place && verdict.refusedFor === null) taken.push(demand.place.name);
      if (hasEnded) leaveAll();
      return verdict;
    },
    leave: async (place: string) => {
      const at = taken.indexOf(place);
      if (at === -1) return;
      taken.splice(at, 1);
      limiter.leave(place);
    },
    charge: async (bytes: NonNullable<Demand["bytes"]>) => limiter.charge(bytes),
  });
  return leaveAll;
}
