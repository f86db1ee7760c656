/** Random events through Postgres, ClickHouse and core's reference: quantities, counts, digests and order must be equal. */
import fc from "fast-check";
import { composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { findDifferences, type StoreUnderTest } from "../../packages/server/src/modules/usage/event-store.contract.ts";
import { createClickhouseEventStore } from "../../packages/server/src/modules/usage/index.ts";
import { createPostgresEventStore } from "../../packages/server/src/modules/usage/postgres-event-store.ts";
import { usageCase } from "../../packages/server/src/modules/usage/random-usage.contract.ts";
import { type Clickhouse, createClickhouse } from "../../packages/server/src/platform/clickhouse/clickhouse.ts";
import { migrateClickhouse } from "../../packages/server/src/platform/clickhouse/migrate.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { createCopyRelay } from "../../packages/server/src/testing/copy-events.ts";
import { createPutEvents } from "../../packages/server/src/testing/put-events.ts";
import { spawnClickhouseEngine } from "../../packages/server/src/testing/spawn-clickhouse-engine.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { MISTAKES } from "./mistakes.ts";
import { createNaiveStore } from "./naive-store.ts";

type Counts = Record<string, number>;
type State = { done: number; broken: Counts; figures: Counts };
type Lane = { readonly name: string; readonly target: StoreUnderTest };

/** Sets of one queue between two notes of progress. */
const PORTION = 10;
const LANES = 4;

export const eventStore: Campaign = {
  summary: "random events through Postgres, ClickHouse and core's reference: equal usage, exactly",
  counts: "sets of events",
  countByDefault: 20_000,
  run: runEventStore,
};

export async function runEventStore(options: CampaignOptions): Promise<Outcome> {
  const progress = await openProgress<State>(options, { done: 0, broken: {}, figures: { charges: 0, events: 0 } });
  const { state } = progress;
  options.say(`seed ${state.seed}, ${state.done} sets done before`);
  if (options.isNaive) await trySets(naiveLanes(), progress, options);
  else await onStores((lanes) => trySets(lanes, progress, options));
  return { seed: state.seed, seconds: state.seconds, broken: state.broken, figures: state.figures };
}

/** One for each mistake: all must be found. */
const naiveLanes = (): Lane[] => MISTAKES.map((mistake) => ({ name: mistake.name, target: createNaiveStore(mistake) }));

/** Every run makes databases of its own: a run that goes on needs the count of sets, not the events. Nothing is killed here. */
async function onStores(work: (lanes: Lane[]) => Promise<void>): Promise<void> {
  const cluster = await startEmbeddedPostgres({ settings: ["fsync=off", "synchronous_commit=off"] });
  const engine = await spawnClickhouseEngine();
  const config = { url: `${engine.url}/tallystick`, cluster: null };
  const clickhouse = createClickhouse(config);
  try {
    await migrate(cluster.url);
    await migrateClickhouse(config);
    const platform = composePlatform(readConfig({ DATABASE_URL: cluster.url, LOG_LEVEL: "silent", ...NO_RATE_LIMITS }));
    try {
      await work(await Promise.all(Array.from({ length: LANES }, openLane(platform, clickhouse))));
    } finally {
      await platform.close();
    }
  } finally {
    await clickhouse.close();
    await engine.stop();
    await cluster.stop();
  }
}

/** Each with an organization of its own. */
function openLane(platform: Platform, clickhouse: Clickhouse) {
  const postgres = createPostgresEventStore(platform.db);
  const relay = createCopyRelay(platform.db, clickhouse);
  const ClickHouse = createClickhouseEventStore({ clickhouse, postgres, relay });
  const putEvents = createPutEvents(platform.db);
  return async (_: unknown, index: number): Promise<Lane> => {
    const { id } = await makeOrganization(platform, { name: `Lane ${index}`, isSandbox: true, keyName: "campaign" });
    const put: StoreUnderTest["put"] = (...events) => putEvents(id, ...events);
    return { name: "different sets", target: { store: postgres, others: { ClickHouse }, organizationId: id, put } };
  };
}

/** In portions with a seed of their own, so that a run that goes on makes the sets it would have made. */
async function trySets(
  lanes: readonly Lane[],
  { state, keep }: ProgressKeeper<State>,
  options: CampaignOptions,
): Promise<void> {
  for (const { name } of lanes) state.broken[name] ??= 0;
  while (state.done < options.count) {
    const count = Math.min(PORTION, Math.ceil((options.count - state.done) / lanes.length));
    await Promise.all(
      lanes.map((lane, index) => tryPortion(lane, { from: state.done + index * count, count }, state, options)),
    );
    state.done += count * lanes.length;
    await keep();
    options.say(`${state.done} of ${options.count} sets`);
  }
}

async function tryPortion(
  { name, target }: Lane,
  { from, count }: { from: number; count: number },
  { seed, broken, figures }: State & { seed: number },
  { signal, say, isNaive }: CampaignOptions,
): Promise<void> {
  for (const [index, usage] of fc.sample(usageCase, { seed: seed + from, numRuns: count }).entries()) {
    signal.throwIfAborted();
    const [difference] = await findDifferences(target, `set ${from + index}`, usage);
    figures.charges = (figures.charges ?? 0) + usage.charges.length;
    figures.events = (figures.events ?? 0) + usage.batches.reduce((sum, { events }) => sum + events.length, 0);
    if (difference === undefined) continue;
    broken[name] = (broken[name] ?? 0) + 1;
    if (!isNaive) say(`set ${index} of the seed ${seed + from}: ${difference.slice(0, 4000)}`);
  }
}
