/** A client that logs what was acknowledged, while the API and Postgres are killed under it: what is stored must be what it logged. */
import { join } from "node:path";
import { createOrganization, makeKey } from "../../../packages/server/src/modules/accounts/index.ts";
import { systemClock } from "../../../packages/server/src/platform/clock.ts";
import {
  createDatabase,
  type Database,
  inOrganization,
} from "../../../packages/server/src/platform/postgres/database.ts";
import { migrate } from "../../../packages/server/src/platform/postgres/migrate.ts";
import { createPool } from "../../../packages/server/src/platform/postgres/pool.ts";
import { runOn } from "../../../packages/server/src/platform/postgres/temporary-database.ts";
import { allOrNone } from "../../all-or-none.ts";
import type { Campaign, CampaignOptions, Outcome } from "../../campaign.ts";
import { openProgress, type ProgressKeeper } from "../../progress.ts";
import { type ApiCrew, startApiCrew } from "../api-crew.ts";
import { createCrew } from "../crew.ts";
import { withFolder } from "../folder.ts";
import { type KillablePostgres, startKillablePostgres } from "../killable-postgres.ts";
import { check } from "./check.ts";
import { sendAll } from "./client.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";
import { breakThings, type FaultCounts, type Strikes } from "./faults.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { createPace } from "./pace.ts";
import { type Plan, planRequests } from "./plan.ts";
import { createReader, type Reader } from "./reader.ts";

const EVENTS_PER_KILL = 1000;
const API_KILLS_PER_POSTGRES_KILL = 5;
const API_KILLS_PER_CUT = 2;
const SAY_EVERY_KILLS = 5;
/** While the client sends, events are committed all the time. */
const CUT_WITHIN_MS = 180_000;

export const eventKills: Campaign = {
  summary:
    "SIGKILLs (not power loss) of API and Postgres, and cut connections, under a client that logs: acknowledged = stored = counted",
  counts: "kills",
  countByDefault: 1000,
  inWords: ({ apiKills = 0, postgresKills = 0, cuts = 0, events = 0, sends = 0, stored = 0 }) =>
    `${apiKills} kills of the API, ${postgresKills} of Postgres and ${cuts} connections cut between a commit and its answer, while ${events} events ` +
    `were acknowledged ${sends} times: ${stored} are stored.`,
  run: (options) => runEventKills(options),
};

type State = FaultCounts & {
  count: number;
  organizationId: string | undefined;
  /** Kills of API processes that had requests to answer. */
  apiKillsInFlight: number;
  recoverySecondsMax: number;
};
type Progress = ProgressKeeper<State>;

type Options = CampaignOptions & { eventsPerKill?: number };

export const runEventKills = (options: Options): Promise<Outcome> =>
  withFolder(options, (folder) => runInFolder(folder, options));

const NOTHING_DONE: Omit<State, "count"> = {
  organizationId: undefined,
  ...{ apiKills: 0, postgresKills: 0, cuts: 0, apiKillsInFlight: 0, recoverySecondsMax: 0 },
};

async function runInFolder(folder: string, options: Options): Promise<Outcome> {
  const { count, seed, eventsPerKill = EVENTS_PER_KILL } = options;
  const progress = await openProgress<State>({ dataFolder: folder, seed }, { count, ...NOTHING_DONE });
  const { state } = progress;
  if (state.count !== count)
    throw new Error(`This campaign was begun with --count ${state.count}: give the same, or add --fresh.`);
  const plan = planRequests(state.seed, count * eventsPerKill);
  const postgres = await startKillablePostgres(folder);
  try {
    await migrate(postgres.url());
    const ledger = openLedger(join(folder, "client.log"), plan);
    options.say(
      `seed ${state.seed}: ${state.apiKills} kills and ${ledger.settled()} of ${plan.requests} requests done before`,
    );
    try {
      return await runOnCluster({ postgres, plan, ledger, progress }, options);
    } finally {
      ledger.close();
      await progress.keep();
    }
  } finally {
    await postgres.stop();
  }
}

type Run = { postgres: KillablePostgres; plan: Plan; ledger: Ledger; progress: Progress };

async function runOnCluster(run: Run, options: CampaignOptions): Promise<Outcome> {
  const { postgres, plan, ledger, progress } = run;
  const proxy = await startCuttingProxy(postgres.url());
  const pool = createPool({ url: proxy.url, role: "app", connectionsMax: 4, statementTimeoutMs: 0 });
  const db = createDatabase(pool);
  const crew = startApiCrew(await createCrew(), proxy.url, options.isNaive ? "naiveApi" : "api");
  try {
    const { organizationId, key } = await openOrganization(db, progress);
    const records = { organizationId, pool };
    const reader = createReader(records, plan.events);
    await load({ ...run, proxy, crew, reader, key }, options);
    await crew.endAll();
    options.say("all requests are answered: checking");
    const { broken, figures } = await check({ records, plan, ledger, reader });
    await progress.keep();
    const { apiKills, postgresKills, cuts, apiKillsInFlight, recoverySecondsMax } = progress.state;
    const [version] = await runOn<{ server_version: string }>(postgres.url(), "show server_version");
    return {
      seed: plan.seed,
      seconds: progress.state.seconds,
      ...(version ? { postgres: version.server_version } : {}),
      broken,
      figures: {
        ...{ apiKills, apiKillsInFlight, postgresKills, recoverySecondsMax, cuts },
        ...{ events: plan.events, sends: plan.sends, requests: plan.requests },
        ...figures,
      },
    };
  } finally {
    await crew.endAll();
    await db.destroy();
    await proxy.stop();
  }
}

/** A key is shown once and not kept: every run makes its own. */
async function openOrganization(db: Database, { state, keep }: Progress) {
  state.organizationId ??= await createOrganization(db, systemClock, { name: "Prove", isSandbox: false });
  await keep();
  const { organizationId } = state;
  const request = { name: "campaign", permissions: null, expiresAt: null };
  const { token } = await inOrganization(db, organizationId, (tx) =>
    makeKey(tx, organizationId, request, systemClock.now()),
  );
  return { organizationId, key: token };
}

type Stage = Run & { proxy: CuttingProxy; crew: ApiCrew; reader: Reader; key: string };

async function load(stage: Stage, { count, isNaive, signal, say }: CampaignOptions): Promise<void> {
  const { plan, ledger, crew, reader, key, progress } = stage;
  const { state, keep } = progress;
  const pace = createPace(ledger.settled());
  const inFlight = new Map<string, number>();
  const expected: FaultCounts = {
    apiKills: count,
    postgresKills: Math.ceil(count / API_KILLS_PER_POSTGRES_KILL),
    // An API that answers before the commit has no reply left to drop.
    cuts: isNaive ? 0 : Math.ceil(count / API_KILLS_PER_CUT),
  };
  const strikes = createStrikes(stage, (address) => {
    if ((inFlight.get(address) ?? 0) > 0) state.apiKillsInFlight++;
  });
  const onDone = async (kind: keyof FaultCounts): Promise<void> => {
    state[kind]++;
    await keep();
    if (kind === "apiKills" && state.apiKills % SAY_EVERY_KILLS === 0) say(`${state.apiKills} of ${count} kills`);
  };
  let isOver = false;
  await allOrNone(signal, [
    (stop) => breakThings({ plan, pace, strikes, requested: expected, done: { ...state }, onDone }, stop),
    async (stop) => {
      await sendAll({ plan, ledger, pace, addresses: crew.addresses, inFlight, key }, stop);
      isOver = true;
    },
    (stop) => reader.follow(() => isOver, stop),
  ]);
}

function createStrikes({ postgres, proxy, crew, progress }: Stage, onKill: (address: string) => void): Strikes {
  const { state } = progress;
  return {
    apiKills: async (chosen, signal) => {
      await crew.isThere(signal);
      return () => crew.killOne(chosen, onKill);
    },
    postgresKills: async (_, signal) => {
      await crew.isThere(signal);
      return async () => {
        const begun = performance.now();
        proxy.leadTo(await postgres.killAndRestart());
        const seconds = Math.round((performance.now() - begun) / 100) / 10;
        state.recoverySecondsMax = Math.max(state.recoverySecondsMax, seconds);
      };
    },
    cuts: async (_, signal) => {
      await crew.isThere(signal);
      return () => proxy.cutNext(AbortSignal.any([signal, AbortSignal.timeout(CUT_WITHIN_MS)]));
    },
  };
}
