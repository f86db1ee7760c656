/** Kills the service before and after each of its effects, starts it again, and compares what is left with an undisturbed run. */
import { join } from "node:path";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { runOn, withDatabase } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { drain } from "../../packages/server/src/testing/drain.ts";
import { spawnClickhouseEngine } from "../../packages/server/src/testing/spawn-clickhouse-engine.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { createCrew } from "../kills/crew.ts";
import { withFolder } from "../kills/folder.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { demanding, NOT_DURABLE, senderOf } from "../served-api.ts";
import { withStops } from "../with-stops.ts";
import { STAGES } from "./effects.ts";
import { startProcesses } from "./keep-alive.ts";
import { compare } from "./picture.ts";
import { choosePoints, type NamedPoint, type PlannedRound, planRounds, pointsOf, stageOfPoint } from "./plan-rounds.ts";
import { startMessageReceiver } from "./receiver.ts";
import { type Begun, type Left, playStep, type Stage } from "./round.ts";
import { NAIVE_SCENARIOS, SCENARIOS, type Scenario, SHORT_SCENARIOS } from "./scenarios.ts";
import { BEGIN, makeWorld } from "./world.ts";

const PREPARED = "prepared";
const ROUND = "round";
/** What differs is the same line again and again. */
const LINES_SAID = 8;
const LINE_LENGTH = 600;
const SAY_EVERY_ROUNDS = 20;

export const crashPoints: Campaign = {
  summary:
    "SIGKILL before and after every effect (statement, commit, webhook, answer): what is left is what an undisturbed run leaves",
  counts: "named effects at most",
  countByDefault: 1000,
  inWords: ({ effects = 0, rounds = 0 }) =>
    `${effects} named effects. In each of ${rounds} runs the service was killed before or after one of them and started again.`,
  run: (options) => runCrashPoints(options),
};

type Options = CampaignOptions & {
  /** Of every point; all of them unless said. */
  roundsPerPoint?: number;
  isShort?: boolean;
};

type Broken = Record<
  "statesDiffer" | "verifyBroken" | "webhooksMissing" | "webhooksWrong" | "pointsNotReached" | "roundsFailed",
  number
>;

type State = { done: string[]; broken: Broken };

const NOTHING_BROKEN: Broken = {
  ...{ statesDiffer: 0, verifyBroken: 0, webhooksMissing: 0, webhooksWrong: 0 },
  ...{ pointsNotReached: 0, roundsFailed: 0 },
};

/** The naive variant is wrong in the work that is due, and needs nothing else. */
const scenariosFor = ({ isNaive, isShort }: Options): readonly Scenario[] =>
  isNaive ? NAIVE_SCENARIOS : isShort ? SHORT_SCENARIOS : SCENARIOS;

export const runCrashPoints = (options: Options): Promise<Outcome> =>
  // What is worth keeping is in the progress; the clusters go with the run.
  withFolder({ ...options, dataFolder: undefined }, (folder) =>
    withStops(async (onStop) => {
      const cluster = await startEmbeddedPostgres({ settings: NOT_DURABLE });
      onStop.push(cluster.stop);
      const hasClickhouse = scenariosFor(options).some((scenario) => scenario.hasClickhouse);
      const engine = hasClickhouse ? await spawnClickhouseEngine({ data: join(folder, "clickhouse") }) : undefined;
      if (engine) onStop.push(engine.stop);
      const receiver = await startMessageReceiver();
      const crew = await createCrew();
      onStop.push(receiver.stop, crew.endAll);
      const processes = startProcesses(crew);
      const key = await prepare(cluster.url, receiver.url);
      const { isNaive } = options;
      const stage = { serverUrl: cluster.url, key, receiver, processes, engineUrl: engine?.url ?? "", isNaive };
      return runOnStage(stage, options);
    }),
  );

/** The database that every scenario begins with; all its messages are delivered. */
async function prepare(serverUrl: string, receiverUrl: string): Promise<string> {
  await runOn(serverUrl, `create database ${PREPARED}`);
  const url = withDatabase(serverUrl, PREPARED);
  await migrate(url);
  const clock = { now: () => BEGIN.subtract({ hours: 1 }) };
  const settings = { DATABASE_URL: url, LOG_LEVEL: "error", OUTBOUND_TRUSTED_HOSTS: "127.0.0.1", ...NO_RATE_LIMITS };
  const platform = composePlatform(readConfig(settings), { clock });
  try {
    const { key } = await makeOrganization(platform, { name: "Crashes", isSandbox: true, keyName: "campaign" });
    const api = await composeApi(platform);
    await makeWorld(demanding(senderOf(api, key)), receiverUrl);
    await drain(platform);
    await api.close();
    return key;
  } finally {
    await platform.close();
  }
}

/** A step of an undisturbed run. */
type Undisturbed = { begun: Begun; left: Left };

async function runOnStage(stage: Stage, options: Options): Promise<Outcome> {
  const { count, say, signal, roundsPerPoint = 3 } = options;
  const progress = await openProgress<State>(options, { done: [], broken: { ...NOTHING_BROKEN } });
  const { state } = progress;
  say(`seed ${state.seed}, ${state.done.length} rounds done before`);
  const steps = await playUndisturbed(stage, scenariosFor(options));
  const all = pointsOf(
    steps.map(({ left }) => left.times),
    // With ClickHouse only what has to do with it: the rest is tried without.
    (of, step) => !steps[step]?.begun.hasClickhouse || of === "relay",
  );
  const chosen = choosePoints(isWorthwhile(all, stage), count, state.seed);
  for (const { name, times } of chosen) say(`${name} (${times.length})`);
  const rounds = planRounds(chosen, state.seed, roundsPerPoint);
  say(`${chosen.length} of ${all.length} effects, ${rounds.length} rounds`);
  for (const round of rounds) {
    signal.throwIfAborted();
    await tryRound(stage, { round, steps, progress, say });
  }
  await progress.keep();
  const [version] = await runOn<{ server_version: string }>(stage.serverUrl, "show server_version");
  return {
    seed: state.seed,
    seconds: state.seconds,
    ...(version ? { postgres: version.server_version } : {}),
    broken: state.broken,
    figures: { effects: chosen.length, rounds: rounds.length, ...countByStage(chosen) },
    named: Object.fromEntries(chosen.map(({ name, times }) => [name, times.length])),
  };
}

const isWorthwhile = (points: readonly NamedPoint[], { isNaive }: Stage): readonly NamedPoint[] =>
  isNaive ? points.filter(({ name }) => stageOfPoint(name) === "billing" && !name.includes("answer")) : points;

/** Each step goes on from the database that the one before it left, and leaves its own. What the last one leaves is verified for all. */
async function playUndisturbed(stage: Stage, scenarios: readonly Scenario[]): Promise<Undisturbed[]> {
  const played: Undisturbed[] = [];
  for (const { hasClickhouse, steps } of scenarios) {
    let [from, now] = [PREPARED, BEGIN];
    for (const step of steps) {
      const database = `step_${played.length}`;
      const begun = { step, hasClickhouse, mark: database, from, now, isVerified: true };
      const left = await playStep(stage, { ...begun, isVerified: step === steps.at(-1) }, database);
      if (left.unclean.length + left.webhooksMissing + left.webhooksWrong > 0)
        throw new Error(`an undisturbed run is broken: ${JSON.stringify({ ...left, picture: 0, times: 0 })}`);
      played.push({ begun, left });
      [from, now] = [database, left.now];
    }
  }
  return played;
}

type Trial = {
  round: PlannedRound;
  steps: readonly Undisturbed[];
  progress: ProgressKeeper<State>;
  say: (line: string) => void;
};

async function tryRound(stage: Stage, { round, steps, progress, say }: Trial): Promise<void> {
  const { state, keep } = progress;
  const { name, occurrence, side } = round.crashAt;
  const label = `${side} ${name} (${occurrence} at step ${round.step})`;
  if (state.done.includes(label)) return;
  const expected = steps[round.step];
  if (!expected) throw new Error("no such step");
  const tell = (lines: readonly string[]): void => {
    if (lines.length > 0) say(`${label}: ${lines.length} findings`);
    for (const line of lines.slice(0, LINES_SAID)) say(`  ${line.slice(0, LINE_LENGTH)}`);
  };
  try {
    const left = await playStep(stage, expected.begun, ROUND, round.crashAt);
    const differences = compare(expected.left.picture, left.picture);
    tell([...differences, ...left.unclean, ...(left.deaths === 0 ? ["not reached"] : [])]);
    state.broken.statesDiffer += Number(differences.length > 0);
    state.broken.verifyBroken += Number(left.unclean.length > 0);
    state.broken.webhooksMissing += left.webhooksMissing;
    state.broken.webhooksWrong += left.webhooksWrong;
    state.broken.pointsNotReached += Number(left.deaths === 0);
  } catch (error) {
    state.broken.roundsFailed++;
    say(`${label}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
  await runOn(stage.serverUrl, `drop database if exists ${ROUND} with (force)`);
  state.done.push(label);
  await keep();
  if (state.done.length % SAY_EVERY_ROUNDS === 0) say(`${state.done.length} rounds`);
}

const countByStage = (points: readonly NamedPoint[]): Record<string, number> =>
  Object.fromEntries(
    STAGES.map((stage) => [`${stage}Effects`, points.filter(({ name }) => stageOfPoint(name) === stage).length]),
  );
