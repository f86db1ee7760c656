/** Events that are committed while their period is billed: each race is the end of one customer's week. */
import { setTimeout as pause } from "node:timers/promises";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { createRandomFor } from "../random.ts";
import type { Call, Service } from "../served-api.ts";
import { advanceTestClock } from "../test-clocks.ts";
import { makeTestClock, makeWeeklyPlan, subscribeWeekly, toEvent } from "../weekly-customers.ts";

const BEGINS = Temporal.Instant.from("2024-01-01T00:00:00Z");
const WEEK = { hours: 7 * 24 };
/** At once, each on a clock of its own. Every second one has a grace period, so that its invoice is measured twice. */
const LANES = 4;
const GRACE_DAYS = 1;
const EVENTS_IN_TIME = 1;
const EVENTS_IN_RACE = 5;

export type RaceWorld = { key: string; testClockIds: string[] };

export async function makeRaceWorld(service: Service): Promise<RaceWorld> {
  const { key } = await makeOrganization(service.platform, { name: "Races", isSandbox: true, keyName: "campaign" });
  const call = service.callWith(key);
  await makeWeeklyPlan(call);
  const testClockIds: string[] = [];
  for (let lane = 0; lane < LANES; lane++) {
    const testClockId = await makeTestClock(call, BEGINS);
    await subscribeWeekly(call, { name: nameOf(lane), testClockId, graceDays: graceOf(lane) });
    testClockIds.push(testClockId);
  }
  return { key, testClockIds };
}

export const eventsSent = (races: number): number => races * (EVENTS_IN_TIME + EVENTS_IN_RACE);

export type Racing = { seed: number; done: number; count: number; signal: AbortSignal; onDone: () => Promise<void> };

/** Races are numbered: the n-th belongs to one queue and one week, so that a campaign that goes on makes those that are left. */
export async function raceEvents(service: Service, world: RaceWorld, racing: Racing): Promise<void> {
  const call = service.callWith(world.key);
  const tookMs = Array<number>(LANES).fill(100);
  for (let round = Math.floor(racing.done / LANES); round * LANES < racing.count; round++) {
    racing.signal.throwIfAborted();
    await Promise.all(
      world.testClockIds.map(async (testClockId, lane) => {
        tookMs[lane] = await runRace(call, { testClockId, lane, round, tookMs: tookMs[lane] ?? 0 }, racing);
      }),
    );
    await racing.onDone();
  }
}

type Race = { testClockId: string; lane: number; round: number /** The race before. */; tookMs: number };

/** The clock passes the end of the week, and while it does, one event after the other comes, each at a random moment of that time. */
async function runRace(
  call: Call,
  { testClockId, lane, round, tookMs }: Race,
  { seed, signal }: Racing,
): Promise<number> {
  const random = createRandomFor(seed, round * LANES + lane);
  const [from, to] = [weekAt(round), weekAt(round + 1)];
  const name = nameOf(lane);
  const eventOf = (number: number) => {
    const seconds = number === 0 ? 0 : Math.floor(random() * 7 * 86_400);
    return toEvent({ name, id: `${round}-${lane}-${number}`, at: from.add({ seconds }) });
  };
  const sendLater = async (event: object, delayMs: number): Promise<void> => {
    await pause(delayMs);
    await call("POST", "/events", { event });
  };
  await call("POST", "/events", { event: eventOf(0) });
  const until = to.add({ hours: 24 * graceOf(lane) });
  const advance = async (): Promise<number> => {
    const begun = performance.now();
    await advanceTestClock(call, testClockId, { to: until.toString(), signal });
    return performance.now() - begun;
  };
  const [took] = await Promise.all([
    advance(),
    ...Array.from({ length: EVENTS_IN_RACE }, (_, index) =>
      sendLater(eventOf(EVENTS_IN_TIME + index), random() * Math.min(tookMs, 2_000)),
    ),
  ]);
  return took;
}

const nameOf = (lane: number): string => `racer ${lane}`;
const graceOf = (lane: number): number => (lane % 2) * GRACE_DAYS;
const weekAt = (number: number): Temporal.Instant => BEGINS.add({ hours: WEEK.hours * number });
