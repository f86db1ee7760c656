/** Every operation of the API with requests of every kind, for two organizations: nothing breaks, leaks or answers otherwise than described. */
import pg from "pg";
import { composeApi, composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { permissionsOf } from "../../packages/server/src/modules/accounts/index.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { createLog, type Log } from "../../packages/server/src/platform/telemetry/log.ts";
import { deliverOf } from "../../packages/server/src/testing/deliver.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { createRandomFor } from "../random.ts";
import { countUnclean } from "../served-api.ts";
import { watchChanges } from "./changes.ts";
import { type Operation, readOperations } from "./document.ts";
import { fuzz, type Seen, type Stage, type Wire, wireOf } from "./lane.ts";
import { FAULTS } from "./naive.ts";
import type { Oracle } from "./oracles.ts";
import { workOff } from "./work-off.ts";
import { newTenant, type Pair } from "./world.ts";

type Counts = Record<string, number>;
type State = {
  done: number;
  broken: Counts;
  figures: Counts;
  /** How many answers took how long, by steps. */
  times: Counts;
  /** By operation, how often it did what it is for. */
  succeeded: Counts;
};
type Progress = ProgressKeeper<State>;

const NOTHING_BROKEN: Readonly<Record<Oracle, number>> = {
  serverErrors: 0,
  undeclaredStatuses: 0,
  schemaBroken: 0,
  wrongAccepted: 0,
  fieldNotNamed: 0,
  changedByRefusal: 0,
  changedByReading: 0,
  otherForm: 0,
  otherFound: 0,
  otherShown: 0,
  otherChanged: 0,
  repeatedOtherwise: 0,
};

/** What is due at the end is done then, without a wait for late events. */
const SETTINGS = { ...NO_RATE_LIMITS, SETTLE_DELAY_SECONDS: "0" };

const LANES = 3;
/** For one queue and one pair of organizations. A long life of an organization ends in states where little is possible. */
const PORTION = 400;
/** Of one fault in one operation: the rest is counted. */
const REPORTED_MAX = 2;

export const fuzzing: Campaign = {
  summary: "every operation of the API description with valid, wrong and wild requests of two organizations",
  counts: "requests",
  countByDefault: 100_000,
  inWords: ({ valid = 0, wrong = 0, wild = 0, foreign = 0, operationsThatSucceeded = 0 }) =>
    `${valid} requests were as described, ${wrong} had one thing wrong, ${wild} were wild, ${foreign} had an id of the other organization. ` +
    `${operationsThatSucceeded} operations succeeded at least once.`,
  run: runFuzz,
};

export async function runFuzz(options: CampaignOptions): Promise<Outcome> {
  const fresh: State = { done: 0, broken: { ...NOTHING_BROKEN, unclean: 0 }, figures: {}, times: {}, succeeded: {} };
  const progress = await openProgress(options, fresh);
  const { state } = progress;
  // Every run makes its own cluster: a run that goes on needs the counts, not the rows.
  const cluster = await startEmbeddedPostgres({ settings: ["fsync=off", "synchronous_commit=off"] });
  const pool = new pg.Pool({ connectionString: cluster.url, max: LANES });
  // At the end the server may close a connection before we do.
  pool.on("error", () => undefined);
  try {
    await migrate(cluster.url);
    const { log, lastError } = listeningLog();
    const platform = composePlatform(readConfig({ ...SETTINGS, DATABASE_URL: cluster.url }), { log });
    const app = await composeApi(platform);
    try {
      const open: Open = {
        platform,
        wire: wireOf(app),
        operations: await readOperations(app),
        readChanges: await watchChanges(pool),
        deliver: deliverInTurn(platform),
        lastError,
      };
      options.say(`seed ${state.seed}, ${open.operations.length} operations, ${state.done} requests done before`);
      if (options.isNaive) await findFaults(open, progress, options);
      else await sendAll(open, progress, options);
      const never = open.operations.filter(({ name }) => state.succeeded[name] === undefined);
      if (!options.isNaive)
        options.say(`never answered with success: ${never.map(({ name }) => name).join(", ") || "none"}`);
      if (!options.isNaive) {
        await workOff(platform, pool);
        // Of all that was sent, whatever was made of it.
        state.broken.unclean = await countUnclean(cluster.url, options.say);
      }
      return { seed: state.seed, seconds: state.seconds, broken: state.broken, figures: figuresOf(state) };
    } finally {
      await app.close();
      await platform.close();
    }
  } finally {
    await pool.end();
    await cluster.stop();
  }
}

type Open = Omit<Stage, "note"> & { platform: Platform; operations: readonly Operation[]; lastError: () => string };

/** In portions with a seed of their own, so that a run that goes on makes the choices it would have made. */
async function sendAll(open: Open, { state, keep }: Progress, options: CampaignOptions): Promise<void> {
  const note = noteIn(state, open.lastError, options.say);
  while (state.done < options.count) {
    options.signal.throwIfAborted();
    const count = Math.min(PORTION, Math.ceil((options.count - state.done) / LANES));
    await Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        const random = createRandomFor(state.seed, state.done + lane);
        await fuzz({ ...open, note }, { pair: await openPair(open.platform), random, count, signal: options.signal });
      }),
    );
    state.done += count * LANES;
    noteMemory(state);
    await keep();
    options.say(`${state.done} of ${options.count} requests`);
  }
}

/** Each fault until its oracle has found it, in as many requests as the campaign has. */
async function findFaults(
  open: Open,
  { state, keep }: Progress,
  { count, signal, say }: CampaignOptions,
): Promise<void> {
  for (const { thinks, foundBy, spoil } of FAULTS.slice(state.done)) {
    say(`A service that thinks: ${thinks}.`);
    const found = new AbortController();
    const wire: Wire = spoil(open.wire);
    const note = ({ findings }: Seen) => {
      if (findings.some(({ oracle }) => oracle === foundBy)) found.abort();
    };
    const random = createRandomFor(state.seed, state.done);
    const portion = {
      pair: await openPair(open.platform),
      random,
      count,
      signal: AbortSignal.any([signal, found.signal]),
    };
    await fuzz({ ...open, wire, note }, portion).catch((error) => {
      if (!found.signal.aborted) throw error;
    });
    signal.throwIfAborted();
    if (!found.signal.aborted) throw new Error(`${count} requests did not reveal a service that thinks: ${thinks}`);
    add(state.broken, foundBy);
    state.done += 1;
    await keep();
  }
}

let pairs = 0;

async function openPair(platform: Platform): Promise<Pair> {
  const open = async (side: string) => {
    const secret = `secret-of-${side}-${process.pid}-${++pairs}`;
    const { id, key } = await makeOrganization(platform, {
      name: secret,
      isSandbox: true,
      keyName: "campaign",
      permissions: permissionsOf("owner"),
    });
    return newTenant(id, key, secret);
  };
  return [await open("first"), await open("second")];
}

/** One queue at a time, so that none delivers the message of another. */
function deliverInTurn(platform: Platform): Stage["deliver"] {
  let last: Promise<unknown> = Promise.resolve();
  const deliver = async (objectId: string | undefined): Promise<void> => {
    if (objectId !== undefined) await deliverOf(platform, objectId);
  };
  return (objectId) => {
    const mine = last.then(() => deliver(objectId));
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** A log that says nothing and keeps the last error, which tells more than the answer 500. */
function listeningLog(): { log: Log; lastError: () => string } {
  let last = "";
  const keep = (line: string) => {
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string; stack?: string } };
    last = `${msg}: ${err?.stack ?? err?.message}`;
  };
  return { log: createLog("error", { write: keep }), lastError: () => last };
}

function noteIn(state: State, lastError: () => string, say: CampaignOptions["say"]): Stage["note"] {
  const published: Counts = {};
  return ({ requested, answer, milliseconds, findings }) => {
    const { operation, kind, url, headers, payload } = requested;
    add(state.figures, kind);
    add(state.figures, `answered ${answer.status}`);
    if (answer.status < 300) add(state.succeeded, operation.name);
    add(state.times, String(Math.ceil(Math.log2(Math.max(milliseconds, 1)) * 4)));
    for (const { oracle, what } of findings) {
      add(state.broken, oracle);
      const name = `${oracle} ${operation.name}`;
      add(published, name);
      if ((published[name] ?? 0) > REPORTED_MAX) continue;
      const request = {
        method: operation.method,
        url: `/api/v1${url}`,
        headers,
        payload: String(payload ?? "").slice(0, 6000),
      };
      const cause = answer.status >= 500 ? `\n  ${lastError()}` : "";
      say(
        `${oracle} (${kind}): ${what}\n  ${JSON.stringify(request)}\n  answered ${answer.status} ${answer.text.slice(0, 600)}${cause}`,
      );
    }
  };
}

const add = (counts: Counts, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const MEGABYTE = 1024 * 1024;

/** After the first portion everything that is made once is made. */
function noteMemory({ figures }: State): void {
  const megabytes = Math.round(process.memoryUsage().rss / MEGABYTE);
  figures.memoryAtFirstMb ??= megabytes;
  figures.memoryMb = megabytes;
}

/** Below this were 99 of 100 answers, to a step of a fifth. */
function figuresOf({ figures, times, succeeded }: State): Counts {
  const steps = Object.entries(times).map(([step, count]) => ({ step: Number(step), count }));
  steps.sort((a, b) => a.step - b.step);
  let left = steps.reduce((sum, { count }) => sum + count, 0) * 0.99;
  let reached = 0;
  for (const { step, count } of steps) {
    if (left <= 0) break;
    left -= count;
    reached = step;
  }
  return { ...figures, operationsThatSucceeded: Object.keys(succeeded).length, p99Ms: Math.round(2 ** (reached / 4)) };
}
