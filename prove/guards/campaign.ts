/** Takes the guards of the product away, one at a time, and expects that a test which is named beforehand fails without it. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress } from "../progress.ts";
import { createRandom } from "../random.ts";
import type { Edit, Guard, NamedTest } from "./guard.ts";
import { GUARDS } from "./guards.ts";
import { runNamedTests, type TestRun, type Verdict } from "./named-tests.ts";
import { copyTree, withEdits } from "./tree.ts";

/** A test of a race may miss it: it has so many runs to find it. */
const RUNS_MAX = 3;
const WORDS_MAX = 1000;
/** Every run migrates a template of its own, and the databases are gone with it: nothing need survive a power cut. */
const SETTINGS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=256MB"];

export const guards: Campaign = {
  summary: "guards of the product are taken away one at a time: without each, the test that is named for it fails",
  counts: "guards",
  countByDefault: GUARDS.length,
  inWords: ({ guards = 0, caught = 0, caughtAtFirst = 0 }) =>
    `${guards} guards were taken away, one at a time. The test that is named for it noticed ${caught} of them, ${caughtAtFirst} at its first run.`,
  run: runGuards,
};

/** `verdict`: of the last run. `guard`: what was tried, by its digest. */
type Tried = { verdict: Verdict; runs: number; guard: string };
type State = {
  /** By the name of the guard. */
  tried: Record<string, Tried>;
  /** Tests that passed with every guard in its place. */
  passing: string[];
};

/** `only`: names of guards, instead of a random choice. */
type Options = CampaignOptions & { only?: readonly string[] };

export async function runGuards(options: Options): Promise<Outcome> {
  const folder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), "tallystick-prove-")));
  await mkdir(folder, { recursive: true });
  const cluster = await startEmbeddedPostgres({ settings: SETTINGS });
  try {
    const tree = join(folder, "tree");
    await copyTree(tree);
    return await runInTree({ tree, databaseUrl: cluster.url, signal: options.signal }, folder, options);
  } finally {
    await cluster.stop();
    if (options.dataFolder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runInTree(run: TestRun, folder: string, options: Options): Promise<Outcome> {
  const { seed, isNaive, say } = options;
  const progress = await openProgress<State>({ dataFolder: folder, seed }, { tried: {}, passing: [] });
  const { state, keep } = progress;
  const chosen = choose(state.seed, options);
  // What was not caught, or has changed since, is tried again.
  const isDone = (guard: Guard): boolean => {
    const before = state.tried[guard.name];
    return before?.verdict === "failed" && before.guard === digestOf(guard);
  };
  const left = chosen.filter((guard) => !isDone(guard));
  say(`seed ${state.seed}, ${chosen.length} guards, ${chosen.length - left.length} caught before`);
  // With harmless changes every run is one without a mutation.
  if (!isNaive) state.passing.push(...(await findPassing(run, left, state.passing, say)));
  await keep();
  const isJudged = ({ test }: Guard): boolean => isNaive || state.passing.includes(keyOf(test));
  for (const guard of left.filter(isJudged)) {
    state.tried[guard.name] = { ...(await takeAway(run, guard, options)), guard: digestOf(guard) };
    await keep();
  }
  const tried = chosen.flatMap(({ name }) => state.tried[name] ?? []);
  const count = (isSo: (one: Tried) => boolean): number => tried.filter(isSo).length;
  const [version] = await runOn<{ server_version: string }>(run.databaseUrl, "show server_version");
  return {
    seed: state.seed,
    seconds: state.seconds,
    ...(version ? { postgres: version.server_version } : {}),
    broken: {
      guardsNotCaught: count(({ verdict }) => verdict === "passed"),
      guardsNotJudged: count(({ verdict }) => verdict === "did not run"),
      testsFailingWithoutMutation: chosen.filter((guard) => !isJudged(guard)).length,
    },
    figures: {
      guards: chosen.length,
      caught: count(({ verdict }) => verdict === "failed"),
      caughtAtFirst: count(({ verdict, runs }) => verdict === "failed" && runs === 1),
      namedTests: new Set(chosen.map(({ test }) => keyOf(test))).size,
    },
  };
}

/** As many as are wanted; the same for the same seed. */
function choose(seed: number, { count, only }: Options): Guard[] {
  if (only) return GUARDS.filter(({ name }) => only.includes(name));
  const random = createRandom(seed);
  const drawn = GUARDS.map((guard, place) => ({ guard, place, lot: random() }))
    .sort((one, other) => one.lot - other.lot)
    .slice(0, count);
  return drawn.sort((one, other) => one.place - other.place).map(({ guard }) => guard);
}

const keyOf = ({ file, name }: NamedTest): string => `${file} ${name}`;

const digestOf = (guard: Guard): string =>
  createHash("sha256").update(JSON.stringify(guard)).digest("hex").slice(0, 16);

/** All together, with every guard in its place. */
async function findPassing(
  run: TestRun,
  left: readonly Guard[],
  known: readonly string[],
  say: (line: string) => void,
): Promise<string[]> {
  const tests = left.map(({ test }) => test).filter((test) => !known.includes(keyOf(test)));
  if (tests.length === 0) return [];
  const judged = await runNamedTests(run, tests);
  return tests.flatMap((test, index) => {
    const { verdict, words } = judged[index] ?? { verdict: "did not run", words: "" };
    if (verdict === "passed") return [keyOf(test)];
    say(`"${test.name}" ${verdict} with every guard in its place: ${words}`);
    return [];
  });
}

async function takeAway(
  run: TestRun,
  guard: Guard,
  { isNaive, say }: Options,
): Promise<Pick<Tried, "verdict" | "runs">> {
  const edits = isNaive ? guard.edits.map(harmless) : guard.edits;
  return withEdits(run.tree, edits, async () => {
    for (let runs = 1; ; runs++) {
      const [judged] = await runNamedTests(run, [guard.test]);
      const { verdict, words } = judged ?? { verdict: "did not run", words: "" };
      if (verdict === "did not run") say(`${guard.name}: ${words.slice(0, WORDS_MAX)}`);
      // What passes with a harmless change passes again.
      if (verdict !== "failed" && runs < RUNS_MAX && !isNaive) continue;
      say(
        `${guard.name}: ${verdict === "failed" ? `caught, ${words.split("\n")[0]}` : `NOT CAUGHT, the test ${verdict}`}`,
      );
      return { verdict, runs };
    }
  });
}

/** A comment beside it, which both languages know. */
const harmless = ({ file, find }: Edit): Edit => ({ file, find, replace: `/* Nothing is changed. */ ${find}` });
