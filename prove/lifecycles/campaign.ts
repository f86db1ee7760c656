/** Random lives of subscriptions through HTTP, against a plain model that works everything out from dates. */
import fc from "fast-check";
import pg from "pg";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { NO_RATE_LIMITS, readConfig } from "../../packages/server/src/main/config.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { createLog, type Log } from "../../packages/server/src/platform/telemetry/log.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { type Command, CUSTOMERS, command, epilogue, ZONES } from "./commands.ts";
import { MISREADINGS, type Misreading } from "./misreadings.ts";
import { newCustomer } from "./requests.ts";
import { brokenInvariants, Disagreement, Run, type Stage } from "./run.ts";
import type { World } from "./world.ts";

type Counts = Record<string, number>;
type State = { done: number; broken: Counts; figures: Counts };

export type LifecycleOptions = CampaignOptions & { commandsMax?: number };

const COMMANDS_MAX = 60;
const LANES = 4;
/** So long a failed run is made shorter, by leaving out commands; what does not fail within that time is left in. */
const SHRINK_MS = 60_000;
/** Of one lane, between two notes of progress. */
const PORTION = 25;

/** Where the clock of customers on no test clock stands. */
const REAL_NOW = "2024-05-17T09:30:00Z";
const SETTLE_SECONDS = 600;

export const lifecycles: Campaign = {
  summary: "random lives of subscriptions through HTTP against a plain model, command by command",
  counts: "runs",
  countByDefault: 5000,
  run: runLifecycles,
};

export async function runLifecycles(options: LifecycleOptions): Promise<Outcome> {
  const fresh: State = { done: 0, broken: {}, figures: {} };
  const progress = await openProgress(options, fresh);
  const { state } = progress;
  // Every campaign makes its own cluster: one that goes on needs the counts, not the rows.
  const cluster = await startEmbeddedPostgres({ settings: ["fsync=off", "synchronous_commit=off"] });
  const pool = new pg.Pool({ connectionString: cluster.url, max: LANES, options: "-c timezone=UTC" });
  // At the end the server may close a connection before we do.
  pool.on("error", () => undefined);
  try {
    await migrate(cluster.url);
    const settings = { SETTLE_DELAY_SECONDS: String(SETTLE_SECONDS), ...NO_RATE_LIMITS };
    const config = readConfig({ DATABASE_URL: cluster.url, ...settings });
    const { log, lastError } = listeningLog();
    const platform = composePlatform(config, { log, clock: { now: () => Temporal.Instant.from(REAL_NOW) } });
    const app = await composeApi(platform);
    const note = (figure: string) => add(state.figures, figure);
    const stage: Stage = {
      platform,
      inject: (request) => app.inject(request),
      pool,
      url: cluster.url,
      note,
      lastError,
    };
    try {
      options.say(`seed ${state.seed}, ${state.done} runs done before`);
      if (options.isNaive) await findMisreadings(stage, progress, options);
      else await tryRuns(stage, progress, options);
      return { seed: state.seed, seconds: state.seconds, broken: state.broken, figures: state.figures };
    } finally {
      await app.close();
      await platform.close();
    }
  } finally {
    await pool.end();
    await cluster.stop();
  }
}

/** A log that says nothing and keeps the last error, which tells more than the answer 500. */
function listeningLog(): { log: Log; lastError: () => string } {
  let last = "";
  const keep = (line: string) => {
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } };
    last = `${msg}: ${err?.message}`;
  };
  return { log: createLog("error", { write: keep }), lastError: () => last };
}

const add = (counts: Counts, name: string, count = 1): void => {
  counts[name] = (counts[name] ?? 0) + count;
};

/** In portions with a seed of their own, so that a campaign that goes on makes the runs it would have made. */
async function tryRuns(stage: Stage, { state, keep }: ProgressKeeper<State>, options: LifecycleOptions): Promise<void> {
  Object.assign(state.broken, { divergences: 0, serverErrors: 0, unclean: 0, ...state.broken });
  while (state.done < options.count) {
    options.signal.throwIfAborted();
    const runs = Math.min(PORTION, Math.ceil((options.count - state.done) / LANES));
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        const seed = state.seed + state.done + lane * runs;
        const found = await tryPortion(stage, { seed, runs, options, misreading: null });
        if (found) add(state.broken, found);
      }),
    );
    state.done += runs * LANES;
    await keep();
    options.say(`${state.done} of ${options.count} runs, ${state.figures.commands} commands`);
  }
  // What belongs to no organization, and all of them together.
  const broken = await brokenInvariants(stage.url, { now: REAL_NOW });
  for (const line of broken) options.say(line);
  add(state.broken, "unclean", broken.length);
}

/** Each misreading until it is found, in as many runs as the campaign has. */
async function findMisreadings(
  stage: Stage,
  { state, keep }: ProgressKeeper<State>,
  options: LifecycleOptions,
): Promise<void> {
  const names = Object.keys(MISREADINGS) as Misreading[];
  for (const misreading of names.slice(state.done)) {
    options.signal.throwIfAborted();
    options.say(`A model that thinks: ${MISREADINGS[misreading]}.`);
    const found = await tryPortion(stage, { seed: state.seed, runs: options.count, options, misreading });
    if (found === undefined)
      throw new Error(`${options.count} runs did not tell apart a model that thinks: ${MISREADINGS[misreading]}`);
    add(state.broken, misreading);
    state.done += 1;
    await keep();
  }
}

type Portion = { seed: number; runs: number; options: LifecycleOptions; misreading: Misreading | null };

/** What was found, if anything was. */
async function tryPortion(
  stage: Stage,
  { seed, runs, options, misreading }: Portion,
): Promise<Disagreement["found"] | undefined> {
  const { commandsMax = COMMANDS_MAX, signal } = options;
  const steps = command.map((each) => toAsyncCommand(each, stage.note));
  let failedAt: number | undefined;
  const property = fc.asyncProperty(
    worlds,
    lengths(commandsMax, misreading).chain((maxCommands) => fc.commands([steps], { maxCommands, size: "max" })),
    async (given, commands) => {
      if (signal.aborted || (failedAt !== undefined && performance.now() - failedAt > SHRINK_MS)) return;
      stage.note("runs");
      const world = newWorld(given, misreading);
      const run = await Run.open(stage, world);
      try {
        await fc.asyncModelRun(() => ({ model: world, real: run }), commands);
        await takeStep(world, run, epilogue, stage.note);
        noteLives(world, stage.note);
        // A model that misreads a rule says nothing of what is stored.
        if (misreading === null) await run.verify(REAL_NOW);
      } catch (error) {
        failedAt ??= performance.now();
        throw error;
      }
    },
  );
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: misreading !== null });
  signal.throwIfAborted();
  if (!details.failed) return undefined;
  const { errorInstance } = details;
  if (!(errorInstance instanceof Disagreement)) throw errorInstance;
  options.say(`seed ${details.seed}, path ${details.counterexamplePath}\n${errorInstance.message}`);
  return errorInstance.found;
}

const toAsyncCommand = (given: Command, note: Stage["note"]): fc.AsyncCommand<World, Run> => ({
  check: () => true,
  run: (world, run) => takeStep(world, run, given, note),
  toString: () => given.kind,
});

function takeStep(world: World, run: Run, { kind, step }: Command, note: Stage["note"]): Promise<void> {
  note("commands");
  note(kind);
  const before = world.now;
  return run.take(world, before, step(world));
}

/** What became of the subscriptions, so that the figures tell what was tried. */
function noteLives({ lives }: World, note: Stage["note"]): void {
  for (const { origin, status, end, moves } of lives) {
    note(`subscriptions: ${origin}`);
    note(`subscriptions: ${end?.cause ?? status}`);
    if (moves.length > 0) note("subscriptions: moved");
  }
}

const INSTANTS = [
  "2024-01-31T10:00:00Z",
  "2023-12-31T23:00:00Z",
  "2024-02-28T22:30:00Z",
  "2024-03-10T05:00:00Z",
  "2024-04-01T00:00:00Z",
  "2024-10-25T12:12:00Z",
  "2023-08-30T18:45:10Z",
];

/** Most lives are short, so that there can be many of them; some are as long as may be. What is misread shows in long ones. */
const lengths = (most: number, misreading: Misreading | null): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: misreading === null ? 6 : 0, arbitrary: fc.constant(Math.ceil(most / 6)) },
    { weight: misreading === null ? 3 : 0, arbitrary: fc.constant(Math.ceil(most / 2.5)) },
    { weight: 1, arbitrary: fc.constant(most) },
  );

type GivenWorld = { now: string; zone: string; zones: [string | null, string | null] };

const ownZone = fc.option(fc.constantFrom(...ZONES), { freq: 5 });
const worlds: fc.Arbitrary<GivenWorld> = fc.record({
  now: fc.constantFrom(...INSTANTS),
  zone: fc.constantFrom("UTC", "UTC", "Asia/Tokyo", "America/Havana"),
  zones: fc.tuple(ownZone, ownZone),
});

const newWorld = ({ now, zone, zones }: GivenWorld, misreading: Misreading | null): World => ({
  now,
  realNow: REAL_NOW,
  settleSeconds: SETTLE_SECONDS,
  zone,
  customers: CUSTOMERS.map((externalId, index) => {
    const own = zones[index] ?? null;
    return newCustomer(externalId, { isOnTestClock: true, zone: own ?? zone, hasOwnZone: own !== null });
  }),
  lives: [],
  plans: new Map(),
  misreading,
});
