/** Takes the fixes of value out of the source, one at a time: lives with `verify` after each must show that something is wrong. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import type { Edit } from "../guards/guard.ts";
import { runNamedTests } from "../guards/named-tests.ts";
import { copyTree, withEdits } from "../guards/tree.ts";
import { openProgress } from "../progress.ts";
import { chooseLives } from "./choose-lives.ts";
import type { Fault } from "./fault.ts";
import { FAULTS } from "./faults.ts";
import { tryLives } from "./try-lives.ts";

/** For each fault. */
const LIVES_MAX = 60;

export const valueFaults: Campaign = {
  summary: "fixes of value are taken out one at a time: whole lives, or the invariants after them, show each fault",
  counts: "faults",
  countByDefault: FAULTS.length,
  inWords: ({ faults = 0, byChecks = 0, byInvariants = 0, byTests = 0 }) =>
    `${faults} faults were put in, one at a time. Checks of lives found ${byChecks} of them, invariants ${byInvariants}, named tests ${byTests}.`,
  run: runValueFaults,
};

/** How a fault was found first; test: no life showed it. */
type By = "check" | "verify" | "error" | "test" | "nothing";
type Judged = { by: By; what: string; life: number; fault: string };
type State = {
  /** By the name of the fault. */
  judged: Record<string, Judged>;
  /** Lives that show something without any fault: they prove nothing. */
  failing: number[];
};

async function runValueFaults(options: CampaignOptions): Promise<Outcome> {
  const folder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), "tallystick-prove-")));
  await mkdir(folder, { recursive: true });
  try {
    const tree = join(folder, "tree");
    await copyTree(tree);
    return await runInTree(tree, folder, options);
  } finally {
    if (options.dataFolder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runInTree(tree: string, folder: string, options: CampaignOptions): Promise<Outcome> {
  const { count, say } = options;
  const fresh: State = { judged: {}, failing: [] };
  const { state, keep } = await openProgress<State>({ dataFolder: folder, seed: options.seed }, fresh);
  const chosen = FAULTS.slice(0, count);
  // What was not found by a life, or has changed since, is tried again.
  const isDone = ({ name, edits }: Fault): boolean => {
    const before = state.judged[name];
    return before !== undefined && !["test", "nothing"].includes(before.by) && before.fault === digestOf(edits);
  };
  const left = chosen.filter((fault) => !isDone(fault));
  say(`seed ${state.seed}, ${chosen.length} faults, ${chosen.length - left.length} found before`);
  const trial: Trial = { tree, state, options };
  for (const fault of left) {
    const judged = await judge(trial, fault);
    state.judged[fault.name] = { ...judged, fault: digestOf(fault.edits) };
    say(`${fault.ruling}, ${fault.name}: ${describe(judged)}`);
    await keep();
  }
  return { seed: state.seed, seconds: state.seconds, ...sumUp(chosen, state) };
}

function sumUp(chosen: readonly Fault[], { judged, failing }: State): Pick<Outcome, "broken" | "figures" | "named"> {
  const found = chosen.flatMap((fault) => {
    const one = judged[fault.name];
    return one ? [{ ...fault, ...one }] : [];
  });
  const countOf = (...ways: By[]): number => found.filter(({ by }) => ways.includes(by)).length;
  return {
    broken: { faultsNotFound: countOf("nothing") },
    figures: {
      faults: chosen.length,
      byChecks: countOf("check", "error"),
      byInvariants: countOf("verify"),
      byTests: countOf("test"),
      livesFailingWithoutFault: failing.length,
    },
    named: Object.fromEntries(found.map((one) => [`${one.ruling}, ${one.name}: ${describe(one)}`, 1])),
  };
}

type Trial = { tree: string; state: State & { seed: number }; options: CampaignOptions };

async function judge(trial: Trial, fault: Fault): Promise<Omit<Judged, "fault">> {
  const { state } = trial;
  let numbers = chooseLives(state.seed, fault, LIVES_MAX);
  while (numbers.length > 0) {
    const shown = await livesShow(trial, fault, numbers);
    if (!shown) break;
    if (!(await failsWithoutFault(trial, shown.life))) return shown;
    numbers = numbers.slice(numbers.indexOf(shown.life) + 1);
  }
  const isShown = await withFault(trial, fault, () => isShownByTest(trial, fault));
  return isShown ? { by: "test", what: fault.test?.name ?? "", life: 0 } : { by: "nothing", what: "", life: 0 };
}

const withFault = <T>({ tree, options: { isNaive } }: Trial, { edits }: Fault, work: () => Promise<T>): Promise<T> =>
  withEdits(tree, isNaive ? edits.map(harmless) : edits, work);

/** The first of the lives that shows something with the fault. */
async function livesShow(
  trial: Trial,
  fault: Fault,
  numbers: readonly number[],
): Promise<Omit<Judged, "fault"> | undefined> {
  const { tree, state, options } = trial;
  const expected = numbers.filter((number) => !state.failing.includes(number));
  const { found, refusedBy } = await withFault(trial, fault, () =>
    tryLives({ tree, seed: state.seed, numbers: expected, signal: options.signal }),
  );
  const [first] = found;
  if (!first) return undefined;
  const { by, name, life, invariants } = first;
  const others = invariants.filter((invariant) => invariant !== name);
  const also = others.length > 0 ? `, verify: ${others.join(", ")}` : "";
  const refused = refusedBy.length > 0 ? `, refused by ${refusedBy.join(", ")}` : "";
  return { by, what: `${by === "verify" ? "verify: " : ""}${name}${also}${refused}`, life };
}

async function failsWithoutFault({ tree, state, options: { signal, say } }: Trial, life: number): Promise<boolean> {
  const { found } = await tryLives({ tree, seed: state.seed, numbers: [life], signal });
  if (found.length === 0) return false;
  say(`life ${life} shows something without a fault, too: ${found.map(({ name }) => name)}`);
  state.failing.push(life);
  return true;
}

/** While its edits are in place. */
async function isShownByTest({ tree, options: { signal } }: Trial, { test }: Fault): Promise<boolean> {
  if (!test) return false;
  const cluster = await startEmbeddedPostgres({ settings: ["fsync=off", "synchronous_commit=off"] });
  try {
    const [judged] = await runNamedTests({ tree, databaseUrl: cluster.url, signal }, [test]);
    return judged?.verdict === "failed";
  } finally {
    await cluster.stop();
  }
}

function describe({ by, what, life }: Omit<Judged, "fault">): string {
  if (by === "nothing") return "NOT FOUND";
  return by === "test" ? `not found by lives, the test "${what}" fails` : `found by ${what}, in life ${life}`;
}

const digestOf = (edits: readonly Edit[]): string =>
  createHash("sha256").update(JSON.stringify(edits)).digest("hex").slice(0, 16);

/** A comment beside it, which both languages know. */
const harmless = ({ file, find }: Edit): Edit => ({ file, find, replace: `/* Nothing is changed. */ ${find}` });
