/** Years of test clocks with a customer in every zone: every boundary that is stored is where the calendar has it, and none is missing or doubled. */
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import type { Campaign, CampaignOptions, Figures, Outcome } from "../campaign.ts";
import { type Part, runInParts } from "../in-parts.ts";
import { checkInvoicesOfCalls } from "../invoice-checks.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { type Call, countUnclean, type Service, withService } from "../served-api.ts";
import { advanceTestClock } from "../test-clocks.ts";
import { check, type Step } from "./check.ts";
import { allLivesIn, BEGINS, type LivesIn, type Population, weekAndMonthIn, ZONES } from "./lives.ts";
import { tamper } from "./tamper.ts";
import { makeWorld, sendCalls, TEST_CLOCKS, type World } from "./world.ts";

export const zoneYears: Campaign = {
  summary: "years of a test clock with a customer in every zone: each boundary where it must be, once, in order",
  counts: "years",
  countByDefault: 5,
  inWords: ({ zones = 0, subscriptions = 0, periods = 0, invoices = 0, dueRows = 0 }) =>
    `${subscriptions} subscriptions in ${zones} zones: ${periods} periods with their boundaries, ${invoices} invoices, ${dueRows} entries of what is due, each where the calendar has it.`,
  run: async (options) => {
    const outcome = await runInParts(options, partsOf(allLivesIn));
    return { ...outcome, figures: { ...outcome.figures, ...dueRowsPerSecond(outcome.figures) } };
  },
};

export const zoneInvoices: Campaign = {
  summary: "years of invoices by the week and by the month of a customer in every zone: each instant billed once",
  counts: "years",
  countByDefault: 2,
  run: (options) => runZoneYears(options, { zones: ZONES, livesIn: weekAndMonthIn }),
};

/** A quarter of an hour each, on two cores. */
const ZONES_IN_PART = 40;

const partsOf = (livesIn: LivesIn): Part[] =>
  Array.from({ length: Math.ceil(ZONES.length / ZONES_IN_PART) }, (_, index): Part => {
    const zones = ZONES.slice(index * ZONES_IN_PART, (index + 1) * ZONES_IN_PART);
    return (options) => runZoneYears(options, { zones, livesIn });
  });

type State = {
  world: World | null;
  steps: Step[];
  /** When the step began that is not done yet, perhaps in an earlier run. */
  begun: string | null;
  setUpSeconds: number;
  advanceSeconds: number;
};
type Progress = ProgressKeeper<State>;

export async function runZoneYears(options: CampaignOptions, population: Population): Promise<Outcome> {
  const fresh: State = { world: null, steps: [], begun: null, setUpSeconds: 0, advanceSeconds: 0 };
  const progress = await openProgress(options, fresh);
  try {
    return await withService({ dataFolder: options.dataFolder, workers: TEST_CLOCKS }, (service) =>
      runOnService(service, progress, options, population),
    );
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

async function runOnService(
  service: Service,
  progress: Progress,
  options: CampaignOptions,
  population: Population,
): Promise<Outcome> {
  const { state, keep } = progress;
  const { say } = options;
  const world = state.world ?? (await setUp(service, progress, population));
  say(`seed ${state.seed}, ${population.zones.length} zones, ${state.steps.length} months done before`);
  const call = service.callWith(world.key);
  await advanceByMonths({ ...population, call, world }, progress, options);
  if (options.isNaive) await tamper(service.url);
  const until = Temporal.Instant.from(state.steps.at(-1)?.to ?? BEGINS.toString());
  const { seed, steps } = state;
  const { broken, figures } = await check({ ...population, url: service.url, world, call, seed, until, steps, say });
  const invoicesBroken = sum(Object.values((await checkInvoicesOfCalls(service.url)).broken));
  const unclean = await countUnclean(service.url, say);
  await keep();
  const times = timesOf(state, figures);
  return {
    seed,
    seconds: state.seconds,
    broken: { ...broken, invoicesBroken, unclean },
    figures: { ...figures, ...times },
  };
}

async function setUp(service: Service, { state, keep }: Progress, population: Population): Promise<World> {
  const begun = performance.now();
  const world = await makeWorld(service, population, state.seed);
  state.world = world;
  state.setUpSeconds = secondsSince(begun);
  await keep();
  return world;
}

/** A month at a time, so that a campaign that is stopped has little to repeat, and each row is known to be done in its own month. */
async function advanceByMonths(
  { call, world, ...population }: Population & { call: Call; world: World },
  { state, keep }: Progress,
  { count, signal, say }: CampaignOptions,
): Promise<void> {
  const months = count * 12;
  while (state.steps.length < months) {
    const [from, to] = [monthAt(state.steps.length), monthAt(state.steps.length + 1)];
    const begun = state.begun ?? systemClock.now().toString();
    state.begun = begun;
    await keep();
    const after = state.steps.length === 0 ? null : Temporal.Instant.from(from);
    await sendCalls(call, { ...population, seed: state.seed }, { after, until: Temporal.Instant.from(to) });
    const since = performance.now();
    await Promise.all(world.testClockIds.map((id) => advanceTestClock(call, id, { to, signal })));
    state.steps.push({ from, to, begun, ended: systemClock.now().toString() });
    state.begun = null;
    state.advanceSeconds += secondsSince(since);
    say(`${state.steps.length} of ${months} months`);
  }
  await keep();
}

const monthAt = (number: number): string =>
  BEGINS.toZonedDateTimeISO("UTC").add({ months: number }).toInstant().toString();

function timesOf({ setUpSeconds, advanceSeconds }: State, figures: Figures) {
  const times = { setUpSeconds: Math.round(setUpSeconds), advanceSeconds: Math.round(advanceSeconds) };
  return { ...times, ...dueRowsPerSecond({ ...figures, ...times }) };
}

const dueRowsPerSecond = ({ subscriptions = 0, dueRows = 0, advanceSeconds = 0 }: Figures) => ({
  dueRowsPerSecond: Math.round((dueRows - subscriptions) / advanceSeconds),
});

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const secondsSince = (begun: number): number => (performance.now() - begun) / 1000;
