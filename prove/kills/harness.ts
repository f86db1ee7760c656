/**
 * Kills workers again and again while they have work, then checks what is left. What the work is and what must be true of it is the
 * subject's: workers, invoices, webhooks, relay.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { composeApi, composePlatform, type Platform } from "../../packages/server/src/main/compose.ts";
import { readConfig } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import { allOrNone } from "../all-or-none.ts";
import type { CampaignOptions, Outcome } from "../campaign.ts";
import { type Counts, countRow, type Findings, openVerifier } from "../invoice-checks.ts";
import { chooseSeed, demandSameSeed } from "../progress.ts";
import { type Call, demanding, NOT_DURABLE, senderOf } from "../served-api.ts";
import { type Stops, withStops } from "../with-stops.ts";
import { createCrew } from "./crew.ts";
import { drain } from "./drain.ts";
import { withFolder } from "./folder.ts";
import { type Kill, killWorkers } from "./kill-workers.ts";
import type { ProgramName, TaskOf } from "./program.ts";
import { openRecords, type Records } from "./records.ts";

export type KillsOptions = CampaignOptions & { freezeSeconds?: number };

export type State = { organizationId: string; key: string; seed: number; killsDone: number };

/** What a subject works with. */
export type Site = State & {
  url: string;
  /** Of the campaign, for what is not in Postgres. */
  folder: string;
  records: Records;
  verifier: Records;
  platform: Platform;
  call: Call;
  options: KillsOptions;
  onStop: Stops;
};

export type Killing = {
  /** Comes when something failed, or the campaign is stopped. */
  stop: AbortSignal;
  /** Comes with the last kill as well. */
  enough: AbortSignal;
  killsDone: () => number;
};

export type Subject = {
  /** SQL that makes what the subject writes down, and what the naive worker needs. */
  schema?: (isNaive: boolean) => Promise<string>;
  /** Of the platform of the harness, which is the API and never works. */
  additions?: Parameters<typeof composePlatform>[1];
  settings?: Parameters<typeof readConfig>[0];
  open: (site: Site) => Promise<Work>;
};

export type Work = {
  /** The process that is killed. */
  program: ProgramName;
  task: object;
  /** Run beside the kills: they make work, and kill other things. */
  beside: readonly ((killing: Killing) => Promise<void>)[];
  /** What a kill interrupted; without it, the transactions of the worker. */
  countUnderWay?: () => Promise<number>;
  /** The figure of kills with something under way. */
  underWayFigure?: string;
  onKilled?: (kill: Kill, killsDone: number) => Promise<unknown>;
  /** When all kills are done: what is still missing of the work. */
  complete?: () => Promise<unknown>;
  look: () => Promise<Counts & { open: number }>;
  stuckAfterMs?: number;
  check: () => Promise<Findings>;
};

export const runKills = (subject: Subject, options: KillsOptions): Promise<Outcome> =>
  withFolder(options, (folder) =>
    withStops(async (onStop) => {
      const { dataFolder, isNaive } = options;
      const { url, stop } = await startEmbeddedPostgres(
        dataFolder === undefined ? { settings: NOT_DURABLE } : { dataFolder: join(dataFolder, "postgres") },
      );
      onStop.push(stop);
      await migrate(url);
      const readOwn = (file: string): Promise<string> => readFile(join(import.meta.dirname, file), "utf8");
      const schema = [readOwn("schema.sql"), subject.schema?.(isNaive) ?? "", readOwn("grants.sql")];
      for (const statements of await Promise.all(schema)) await runOn(url, statements);
      return runOnCluster({ url, folder, onStop }, subject, options);
    }),
  );

async function runOnCluster(
  own: Pick<Site, "url" | "folder" | "onStop">,
  subject: Subject,
  options: KillsOptions,
): Promise<Outcome> {
  const begun = performance.now();
  const { url, onStop } = own;
  const [records, verifier] = [openRecords(url), openVerifier(url)];
  onStop.push(() => Promise.all([records.end(), verifier.end()]));
  const settings = { ...subject.settings, DATABASE_URL: url, LOG_LEVEL: "error", ...NO_RATE_LIMITS };
  const platform = composePlatform(readConfig(settings), subject.additions);
  onStop.push(platform.close);
  const api = await composeApi(platform);
  onStop.push(() => api.close());
  const state = await openCampaign(platform, records, options.seed);
  options.say(`seed ${state.seed}, ${state.killsDone} kills done before`);
  const call = demanding(senderOf(api, state.key));
  const site: Site = { ...own, ...state, records, verifier, platform, call, options };
  const work = await subject.open(site);
  try {
    await killWhileWorking(site, work);
  } finally {
    await records.query("update prove.campaign set seconds = seconds + $1", [(performance.now() - begun) / 1000]);
  }
  return report(site, work);
}

/** The state of the campaign that was stopped here, or of a new one. */
async function openCampaign(platform: Platform, records: Records, seed: number | undefined): Promise<State> {
  const { rows } = await records.query<State>(
    `select organization_id as "organizationId", api_key as key, seed,
       (select count(*) from prove.kills)::integer as "killsDone"
     from prove.campaign`,
  );
  const [stopped] = rows;
  if (stopped) {
    demandSameSeed(seed, stopped.seed);
    return stopped;
  }
  const { id, key } = await makeOrganization(platform, { name: "Kills", isSandbox: false, keyName: "campaign" });
  const chosen = chooseSeed(seed);
  await records.query("insert into prove.campaign (organization_id, api_key, seed) values ($1, $2, $3)", [
    id,
    key,
    chosen,
  ]);
  return { organizationId: id, key, seed: chosen, killsDone: 0 };
}

async function killWhileWorking(site: Site, work: Work): Promise<void> {
  const { url, records, seed, options } = site;
  const { say, signal, count, freezeSeconds } = options;
  const crew = await createCrew();
  const last = new AbortController();
  let killsDone = site.killsDone;
  const start = (worker: number, name: string) =>
    // The subject knows what its program takes.
    crew.start(work.program, { ...work.task, url: withConnectionName(url, name), worker } as TaskOf<ProgramName>);
  const onKilled = async (kill: Kill): Promise<void> => {
    await recordKill(records, kill, (await work.countUnderWay?.()) ?? kill.openTransactions);
    await work.onKilled?.(kill, ++killsDone);
  };
  try {
    await allOrNone(signal, [
      ...work.beside.map(
        (run) => (stop: AbortSignal) =>
          run({ stop, enough: AbortSignal.any([stop, last.signal]), killsDone: () => killsDone }),
      ),
      async (stop) => {
        await killWorkers({
          ...{ count, say, records, seed, freezeSeconds, start, onKilled },
          killsDone,
          signal: stop,
        });
        last.abort();
      },
    ]);
    await work.complete?.();
    say("the last kill is done: draining");
    await drain({ ...work, assertAlive: crew.assertAlive, signal, say });
  } finally {
    await crew.endAll();
  }
}

/** What stands in the URL goes before the name that the service gives its connections. */
function withConnectionName(url: string, name: string): string {
  const named = new URL(url);
  named.searchParams.set("application_name", name);
  return named.toString();
}

const recordKill = (records: Records, { worker, wasStarting, killedAt, goneMs }: Kill, underWay: number) =>
  records.query(
    `insert into prove.kills (worker, was_starting, killed_at, connections_gone_ms, under_way)
     values ($1, $2, $3, $4, $5)`,
    [worker, wasStarting, killedAt.toString(), goneMs, underWay],
  );

async function report({ records, seed }: Site, { check, underWayFigure }: Work): Promise<Outcome> {
  const { killsUnderWay = 0, ...kills } = await countRow(
    records,
    `select count(*) as kills, count(*) filter (where was_starting) as "killsWhileStarting",
       count(*) filter (where under_way > 0) as "killsUnderWay" from prove.kills`,
  );
  const { broken, figures } = await check();
  const { rows } = await records.query(
    "select seconds, current_setting('server_version') as postgres from prove.campaign",
  );
  return {
    seed,
    seconds: Math.round(rows[0].seconds),
    postgres: rows[0].postgres,
    broken,
    figures: { ...kills, ...(underWayFigure === undefined ? {} : { [underWayFigure]: killsUnderWay }), ...figures },
  };
}
