/** Kills the relay and the engine again and again while events come, then checks that ClickHouse has each of them once. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { NO_RATE_LIMITS, readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { listOrganizations } from "../../packages/server/src/modules/accounts/index.ts";
import { rebuild } from "../../packages/server/src/modules/usage/index.ts";
import { allOrNone } from "../all-or-none.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { createRandomFor } from "../random.ts";
import { countUnclean } from "../served-api.ts";
import { type Crew, createCrew } from "../worker-kills/crew.ts";
import { type Kill, killWorkers } from "../worker-kills/kill-workers.ts";
import { type KeyedCampaign, openCampaign, withCluster } from "../worker-kills/open-campaign.ts";
import { openRecords, type Records } from "../worker-kills/work.ts";
import { addEvents, countAhead, hasFoundTwice } from "./add-events.ts";
import { type Copied, compareCells, requestForCells } from "./cells.ts";
import { check } from "./check.ts";
import { type KillableEngine, startKillableEngine } from "./killable-engine.ts";
import { CHUNK_EVENTS, ORGANIZATIONS } from "./planned-events.ts";
import { startSlowProxy } from "./slow-proxy.ts";

const EVENTS_PER_KILL = 10_000;
const KILLS_PER_ENGINE_KILL = 4;
/** One for cells from the beginning, one in the middle. */
const REQUESTS = 2;
const LOOK_EVERY_MS = 100;
/** When nothing moves for so long, what is not copied stays so: longer than leases, pauses and settling together. */
const STUCK_AFTER_MS = 120_000;

export const relayKills: Campaign = {
  summary:
    "SIGKILLs of the relay, and a quarter as many of the engine: ClickHouse has every event once, and anew after a rebuild",
  counts: "kills",
  countByDefault: 200,
  run: runRelayKills,
};

/** Longer than the lease of a lane. */
const FREEZE_SECONDS = 9;

export const relayFreezes: Campaign = {
  summary:
    "relays frozen (SIGSTOP) past their lease and thawed: ClickHouse has every event once, and anew after a rebuild",
  counts: "frozen workers",
  countByDefault: 200,
  run: (options) => runRelayKills({ ...options, freezeSeconds: FREEZE_SECONDS, eventsPerKill: 2_000 }),
};

type Options = CampaignOptions & { eventsPerKill?: number; freezeSeconds?: number };

export async function runRelayKills(options: Options): Promise<Outcome> {
  const folder = options.dataFolder ?? (await mkdtemp(join(tmpdir(), "tallystick-relay-")));
  const engine = await startKillableEngine(join(folder, "clickhouse"));
  try {
    const own = { folder: import.meta.dirname, schemas: ["schema.sql"] };
    const postgres = options.dataFolder === undefined ? undefined : join(options.dataFolder, "postgres");
    return await withCluster({ ...options, dataFolder: postgres }, own, (url) =>
      runOnCluster({ url, engine }, options),
    );
  } finally {
    await engine.stop();
    if (options.dataFolder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Stores = { url: string; engine: KillableEngine };
type Stage = Stores & { records: Records; crew: Crew; platform: Platform; copied: Copied };

async function runOnCluster({ url, engine }: Stores, options: Options): Promise<Outcome> {
  const begun = performance.now();
  const records = openRecords(url);
  const settings = { DATABASE_URL: url, CLICKHOUSE_URL: engine.url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS };
  const platform = composePlatform(readConfig(settings));
  try {
    const state = await openCampaign(records, options.seed, () => makeOrganization(platform, NAMED));
    const copied = await openCopied(platform, records);
    options.say(`seed ${state.seed}, ${state.killsDone} kills done before`);
    const file = join(import.meta.dirname, options.isNaive ? "naive-worker.ts" : "worker.ts");
    const proxy = await startSlowProxy(engine.url);
    const crew = await createCrew({ url, file, task: { clickhouseUrl: proxy.url }, records });
    const stage: Stage = { url, engine, records, crew, platform, copied };
    try {
      await requestForCells(copied, []);
      await killWhileCopying(stage, state, options);
      await drain(stage, options);
    } finally {
      await crew.endAll();
      await proxy.stop();
      await records.query("update prove.campaign set seconds = seconds + $1", [(performance.now() - begun) / 1000]);
    }
    return await report(stage, state, options);
  } finally {
    await platform.close();
    await records.end();
  }
}

const NAMED = { name: "Kills", isSandbox: false, keyName: "campaign" };

async function openCopied(platform: Platform, records: Records): Promise<Copied> {
  const { clickhouse, relay } = platform;
  if (!clickhouse || !relay) throw new Error("the campaign needs a ClickHouse");
  return { ...platform, clickhouse, relay, organizationIds: await openOrganizations(platform, records) };
}

/** In all lanes; those of a run that was stopped are there already. */
async function openOrganizations(platform: Platform, records: Records): Promise<string[]> {
  const { rows } = await records.query("select organization_id from prove.campaign");
  const list = async () => (await listOrganizations(platform.dispatcherDb)).map(({ id }) => id).sort();
  let ids = await list();
  while (ids.length < ORGANIZATIONS) {
    await makeOrganization(platform, NAMED);
    ids = await list();
  }
  if (!ids.includes(rows[0].organization_id)) throw new Error("the organizations of the campaign are gone");
  return ids;
}

async function killWhileCopying(stage: Stage, state: KeyedCampaign, options: Options): Promise<void> {
  const { records, crew, copied } = stage;
  const { count, eventsPerKill = EVENTS_PER_KILL, freezeSeconds, say, signal } = options;
  const chunksPerKill = Math.max(1, Math.round(eventsPerKill / CHUNK_EVENTS));
  let killsDone = state.killsDone;
  const onKilled = async (kill: Kill): Promise<void> => {
    killsDone++;
    await recordKill(records, kill);
    if (killsDone === Math.ceil(count / 2)) await requestForCells(copied, ["region"]);
  };
  await allOrNone(signal, [
    (stop) =>
      addEvents(
        {
          ...{ db: copied.db, records, seed: state.seed, organizationIds: copied.organizationIds },
          chunksWanted: () => (killsDone + 2) * chunksPerKill,
          chunksMax: count * chunksPerKill,
        },
        stop,
      ),
    (stop) => killWorkers({ crew, records, ...state, kills: count, say, freezeSeconds, signal: stop, onKilled }),
    (stop) => killEngine(stage, state, { kills: count, done: () => killsDone, stop }),
  ]);
}

const IN_FLIGHT = "select count(*)::integer as count from relay_lanes where is_open and sends > 0";

const recordKill = (records: Records, { worker, moment }: Kill) =>
  records.query(`insert into prove.kills (worker, was_starting, in_flight) select $1, $2, (${IN_FLIGHT})`, [
    worker.number,
    moment.isWhileStarting,
  ]);

/** After every few kills of the relay, best while something is being inserted. */
async function killEngine(
  { records, engine }: Stage,
  { seed }: KeyedCampaign,
  { kills, done, stop }: { kills: number; done: () => number; stop: AbortSignal },
): Promise<void> {
  const { rows } = await records.query("select engine_kills from prove.campaign");
  const expected = Math.ceil(kills / KILLS_PER_ENGINE_KILL);
  for (let kill: number = rows[0].engine_kills; kill < expected; kill++) {
    while (done() < Math.min(kills, kill * KILLS_PER_ENGINE_KILL + 1))
      await pause(LOOK_EVERY_MS, undefined, { signal: stop });
    await pause(1000 * createRandomFor(seed, 1_000_000 + kill)(), undefined, { signal: stop });
    const until = performance.now() + 3000;
    const isSending = async () => (await records.query(IN_FLIGHT)).rows[0].count > 0;
    let isInFlight = await isSending();
    while (!isInFlight && performance.now() < until) isInFlight = await isSending();
    await engine.killAndRestart();
    await records.query(
      "update prove.campaign set engine_kills = engine_kills + 1, engine_kills_in_flight = engine_kills_in_flight + $1",
      [Number(isInFlight)],
    );
  }
}

/** Until everything is copied, or nothing moves any more. A lane that found events twice moves no more. */
async function drain({ records, crew }: Stage, { signal, say }: CampaignOptions): Promise<void> {
  let last = -1;
  let movedAt = performance.now();
  say("the last kill is done: draining");
  for (;;) {
    const ahead = await countAhead(records);
    if (ahead === 0) return;
    if (await hasFoundTwice(records)) return say("a lane found events twice");
    if (ahead !== last) movedAt = performance.now();
    else if (performance.now() - movedAt > STUCK_AFTER_MS) return say(`stuck: ${ahead} events are not copied`);
    last = ahead;
    crew.assertAlive();
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function report(stage: Stage, { seed }: KeyedCampaign, options: Options): Promise<Outcome> {
  const { url, records, copied } = stage;
  const { say, signal, isNaive } = options;
  const { rows } = await records.query(
    `select chunks, engine_kills as "engineKills", engine_kills_in_flight as "engineKillsInFlight", seconds,
       (select count(*)::integer from prove.kills) as kills,
       (select count(*)::integer from prove.kills where in_flight > 0) as "killsInFlight",
       current_setting('server_version') as postgres from prove.campaign`,
  );
  const { chunks, seconds, postgres, ...figures } = rows[0];
  const checking = { ...copied, seed, chunks, say };
  say("checking");
  const broken: Record<string, number> = { ...(await check(checking)) };
  if (!isNaive) {
    Object.assign(broken, await compareCells(copied, REQUESTS));
    say("making ClickHouse anew");
    // Nobody reads or sends any more: the processes that did are gone.
    await rebuild(copied, { say, signal, readSeconds: 0, settleSeconds: 0 });
    const again = { ...(await check(checking)), ...(await compareCells(copied, REQUESTS)) };
    for (const [name, count] of Object.entries(again)) broken[`${name}AfterRebuild`] = count;
    broken.unclean = await countUnclean(url, say);
  }
  return {
    seed,
    seconds: Math.round(seconds),
    postgres,
    broken,
    figures: { events: chunks * CHUNK_EVENTS, ...figures },
  };
}
