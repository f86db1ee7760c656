/** Years of a test clock with a customer in every zone: every boundary that is stored is where the calendar has it, and none is missing or doubled. */
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { verify } from "../../packages/server/src/verify/index.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { check, type Step } from "./check.ts";
import { BEGINS, ZONES } from "./lives.ts";
import { tamper } from "./tamper.ts";
import { type Call, makeWorld, type Service, type World, withService } from "./world.ts";

const LOOK_EVERY_MS = 250;

export const zoneYears: Campaign = {
  summary: "years of a test clock with a customer in every zone: each boundary where it must be, once, in order",
  counts: "years",
  countByDefault: 3,
  run: (options) => runZoneYears(options, ZONES),
};

type State = {
  world: World | null;
  steps: Step[];
  /** When the step began that is not done yet, perhaps in an earlier run. */
  begun: string | null;
  setUpSeconds: number;
  advanceSeconds: number;
};
type Progress = ProgressKeeper<State>;

export async function runZoneYears(options: CampaignOptions, zones: readonly string[]): Promise<Outcome> {
  const fresh: State = { world: null, steps: [], begun: null, setUpSeconds: 0, advanceSeconds: 0 };
  const progress = await openProgress(options, fresh);
  try {
    return await withService(options.dataFolder, (service) => runOnService(service, progress, options, zones));
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

async function runOnService(
  service: Service,
  progress: Progress,
  options: CampaignOptions,
  zones: readonly string[],
): Promise<Outcome> {
  const { state, keep } = progress;
  const { say } = options;
  const world = state.world ?? (await setUp(service, progress, zones));
  say(`seed ${state.seed}, ${zones.length} zones, ${state.steps.length} months done before`);
  const call = service.callWith(world.key);
  await advanceByMonths(call, world, progress, options);
  if (options.isNaive) await tamper(service.url);
  const until = Temporal.Instant.from(state.steps.at(-1)?.to ?? BEGINS.toString());
  const { seed, steps } = state;
  const { broken, figures } = await check({ url: service.url, world, call, zones, seed, until, steps, say });
  const unclean = await countUnclean(service.url, say);
  await keep();
  const times = timesOf(state, figures);
  return { seed, seconds: state.seconds, broken: { ...broken, unclean }, figures: { ...figures, ...times } };
}

/** What the checker of every installation finds. */
async function countUnclean(url: string, say: (line: string) => void): Promise<number> {
  const findings = await verify(url);
  const broken = findings.filter((finding) => finding.broken > 0);
  for (const { name, rows } of broken) say(`${name}: ${JSON.stringify(rows)}`);
  return broken.reduce((sum, finding) => sum + finding.broken, 0);
}

async function setUp(service: Service, { state, keep }: Progress, zones: readonly string[]): Promise<World> {
  const begun = performance.now();
  const world = await makeWorld(service, zones, state.seed);
  state.world = world;
  state.setUpSeconds = secondsSince(begun);
  await keep();
  return world;
}

/** A month at a time, so that a campaign that is stopped has little to repeat, and each row is known to be done in its own month. */
async function advanceByMonths(
  call: Call,
  world: World,
  { state, keep }: Progress,
  { count, signal, say }: CampaignOptions,
): Promise<void> {
  const months = count * 12;
  while (state.steps.length < months) {
    const [from, to] = [monthAt(state.steps.length), monthAt(state.steps.length + 1)];
    const begun = state.begun ?? systemClock.now().toString();
    state.begun = begun;
    await keep();
    const since = performance.now();
    await advance(call, world, { to, signal });
    state.steps.push({ from, to, begun, ended: systemClock.now().toString() });
    state.begun = null;
    state.advanceSeconds += secondsSince(since);
    say(`${state.steps.length} of ${months} months`);
  }
  await keep();
}

const monthAt = (number: number): string =>
  BEGINS.toZonedDateTimeISO("UTC").add({ months: number }).toInstant().toString();

type TestClock = { test_clock: { status: string; now: string; advancing_to: string | null } };

/** Also one that was begun before and interrupted. */
async function advance(
  call: Call,
  { testClockId }: World,
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

function timesOf({ setUpSeconds, advanceSeconds }: State, { subscriptions = 0, dueRows = 0 }: Record<string, number>) {
  return {
    setUpSeconds: Math.round(setUpSeconds),
    advanceSeconds: Math.round(advanceSeconds),
    dueRowsPerSecond: Math.round((dueRows - subscriptions) / advanceSeconds),
  };
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1000;
