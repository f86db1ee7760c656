/** The copy of events in ClickHouse: it has each of them once, whether the relay or the engine was killed, and again after a rebuild. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { composePlatform } from "../../../packages/server/src/main/compose.ts";
import { readConfig } from "../../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../../packages/server/src/main/make-organization.ts";
import { listOrganizations } from "../../../packages/server/src/modules/accounts/index.ts";
import { rebuild } from "../../../packages/server/src/modules/usage/index.ts";
import type { Campaign, Outcome } from "../../campaign.ts";
import { type Counts, countRow, type Findings } from "../../invoice-checks.ts";
import { createRandomFor } from "../../random.ts";
import { countUnclean } from "../../served-api.ts";
import { type Killing, type KillsOptions, runKills, type Site, type Work } from "../harness.ts";
import { addEvents, countAhead, hasFoundTwice } from "./add-events.ts";
import { type Copied, compareCells, requestCells } from "./cells.ts";
import { check } from "./check.ts";
import { type KillableEngine, startKillableEngine, startSlowProxy } from "./engine.ts";
import { CHUNK_EVENTS, ORGANIZATIONS } from "./planned-events.ts";

const EVENTS_PER_KILL = 10_000;
const KILLS_PER_ENGINE_KILL = 4;
/** Cells are requested twice: from the beginning, and in the middle. */
const REQUESTS_FOR_CELLS = 2;
const LOOK_EVERY_MS = 100;
const IN_FLIGHT_WITHIN_MS = 3000;
/** Longer than the lease of a queue of the relay. */
const FREEZE_SECONDS = 9;

export const relayKills: Campaign = {
  summary:
    "SIGKILLs of the relay, and a quarter as many of the engine: ClickHouse has every event once, and again after a rebuild",
  counts: "kills",
  countByDefault: 200,
  run: runRelayKills,
};

export const relayFreezes: Campaign = {
  summary:
    "relays frozen (SIGSTOP) past their lease and thawed: ClickHouse has every event once, and again after a rebuild",
  counts: "frozen workers",
  countByDefault: 200,
  run: (options) => runRelayKills({ ...options, freezeSeconds: FREEZE_SECONDS, eventsPerKill: 2_000 }),
};

export function runRelayKills({
  eventsPerKill = EVENTS_PER_KILL,
  ...options
}: KillsOptions & { eventsPerKill?: number }): Promise<Outcome> {
  const chunksPerKill = Math.max(1, Math.round(eventsPerKill / CHUNK_EVENTS));
  return runKills({ schema: async () => SCHEMA, open: (site) => open(site, chunksPerKill) }, options);
}

const SCHEMA = "create table if not exists prove.engine_kills (was_in_flight boolean not null);";

async function open(site: Site, chunksPerKill: number): Promise<Work> {
  const { records, options, folder, onStop } = site;
  const { count, isNaive, say } = options;
  const engine = await startKillableEngine(join(folder, "clickhouse"));
  onStop.push(engine.stop);
  const copied = await openCopied(site, engine.url);
  const proxy = await startSlowProxy(engine.url);
  onStop.push(proxy.stop);
  await requestCells(copied, []);
  return {
    program: isNaive ? "naiveRelay" : "worker",
    task: { settings: { CLICKHOUSE_URL: proxy.url, LOG_LEVEL: "silent", WORKER_CONCURRENCY: "2" } },
    beside: [
      ({ stop, killsDone }) =>
        addEvents(
          { ...site, organizationIds: copied.organizationIds, db: copied.db },
          { chunksByNow: () => (killsDone() + 2) * chunksPerKill, chunksMax: count * chunksPerKill },
          stop,
        ),
      (killing) => killEngine(site, engine, killing),
    ],
    countUnderWay: () => countInFlight(site),
    underWayFigure: "killsInFlight",
    onKilled: async (_, killsDone) => {
      if (killsDone === Math.ceil(count / 2)) await requestCells(copied, ["region"]);
    },
    look: async () => {
      const ahead = await countAhead(records);
      if (ahead === 0 || !(await hasFoundTwice(records))) return { open: ahead };
      // A queue that found events twice does not move any more.
      say("a queue of the relay found events twice");
      return { open: 0 };
    },
    check: () => checkAndRebuild(site, copied),
  };
}

/** With organizations in all queues of the relay; those of a run that was stopped are there already. */
async function openCopied({ url, onStop }: Site, clickhouseUrl: string): Promise<Copied> {
  const settings = { DATABASE_URL: url, CLICKHOUSE_URL: clickhouseUrl, LOG_LEVEL: "silent", ...NO_RATE_LIMITS };
  const platform = composePlatform(readConfig(settings));
  onStop.push(platform.close);
  const { clickhouse, relay, dispatcherDb } = platform;
  if (!clickhouse || !relay) throw new Error("the campaign needs a ClickHouse");
  const list = async () => (await listOrganizations(dispatcherDb)).map(({ id }) => id).sort();
  let organizationIds = await list();
  while (organizationIds.length < ORGANIZATIONS) {
    await makeOrganization(platform, { name: "Kills", isSandbox: false, keyName: "campaign" });
    organizationIds = await list();
  }
  return { ...platform, clickhouse, relay, organizationIds };
}

/** Queues of the relay that have sent a batch and not closed it. */
const countInFlight = async ({ records }: Site): Promise<number> =>
  (await countRow(records, "select count(*) as count from relay_lanes where is_open and sends > 0")).count ?? 0;

/** After every few kills of the relay, best while something is being inserted. */
async function killEngine(site: Site, engine: KillableEngine, { stop, killsDone }: Killing): Promise<void> {
  const { records, seed, options } = site;
  const { done = 0 } = await countRow(records, "select count(*) as done from prove.engine_kills");
  for (let kill = done; kill < Math.ceil(options.count / KILLS_PER_ENGINE_KILL); kill++) {
    while (killsDone() < Math.min(options.count, kill * KILLS_PER_ENGINE_KILL + 1))
      await pause(LOOK_EVERY_MS, undefined, { signal: stop });
    await pause(1000 * createRandomFor(seed, 1_000_000 + kill)(), undefined, { signal: stop });
    const until = performance.now() + IN_FLIGHT_WITHIN_MS;
    let inFlight = await countInFlight(site);
    while (inFlight === 0 && performance.now() < until) inFlight = await countInFlight(site);
    await engine.killAndRestart();
    await records.query("insert into prove.engine_kills (was_in_flight) values ($1)", [inFlight > 0]);
  }
}

async function checkAndRebuild(site: Site, copied: Copied): Promise<Findings> {
  const { url, seed, records, options } = site;
  const { say, signal, isNaive } = options;
  const { chunks = 0, ...figures } = await countRow(
    records,
    `select made as chunks, (select count(*) from prove.engine_kills) as "engineKills",
       (select count(*) from prove.engine_kills where was_in_flight) as "engineKillsInFlight" from prove.campaign`,
  );
  const checking = { ...copied, seed, chunks, say };
  say("checking");
  const broken: Counts = { ...(await check(checking)) };
  if (!isNaive) {
    Object.assign(broken, await compareCells(copied, REQUESTS_FOR_CELLS));
    say("rebuilding ClickHouse");
    // No process reads or sends any more.
    await rebuild(copied, { say, signal, readSeconds: 0, settleSeconds: 0 });
    const again = { ...(await check(checking)), ...(await compareCells(copied, REQUESTS_FOR_CELLS)) };
    for (const [name, count] of Object.entries(again)) broken[`${name}AfterRebuild`] = count;
    broken.unclean = await countUnclean(url, say);
  }
  return { broken, figures: { events: chunks * CHUNK_EVENTS, ...figures } };
}
