/** Restores a base backup and the archived log under load: to random instants, and to the end of the archive when all else is lost. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { runOn } from "../../packages/server/src/platform/postgres/temporary-database.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import type { Counts } from "../invoice-checks.ts";
import { startApiCrew } from "../kills/api-crew.ts";
import { createCrew } from "../kills/crew.ts";
import { withFolder } from "../kills/folder.ts";
import { openRecords } from "../kills/records.ts";
import { openProgress, type ProgressKeeper } from "../progress.ts";
import { createRandomFor } from "../random.ts";
import { type Stops, withStops } from "../with-stops.ts";
import { type ArchivingPostgres, makeBaseBackup, startArchivingPostgres } from "./archiving-postgres.ts";
import { type Load, startLoad } from "./load.ts";
import { type Round, type RoundFound, restoreOnce } from "./round.ts";
import { startWorker } from "./serve.ts";

/** Of a primary; the last one is from what is left when it is lost. */
const RESTORES_OF_A_PRIMARY = 5;
const ARCHIVE_TIMEOUT_SECONDS = 5;
/** So long there is load before a restore: then there is something to come back. */
const LOAD_SECONDS = 8;

export const restores: Campaign = {
  summary:
    "restores of a base backup and archived log, to random instants and after the loss of the database: all that was acknowledged is back",
  counts: "restores",
  countByDefault: 20,
  inWords: ({ restores = 0, losses = 0, rtoSecondsP50 = 0, rtoSecondsMax = 0, rpoSecondsMax = 0, eventsLostMax = 0 }) =>
    `${restores} restores, ${losses} of them after the loss of the database. From the start of a restore until the API answered it took at most ` +
    `${rtoSecondsMax} s, half of the times ${rtoSecondsP50} s or less; the database is small. After a loss at most ${eventsLostMax} acknowledged events ` +
    `were missing, the first of them acknowledged ${rpoSecondsMax} s before it, with an \`archive_timeout\` of ${ARCHIVE_TIMEOUT_SECONDS} s.`,
  run: (options) => runRestores(options),
};

type Options = CampaignOptions & { loadSeconds?: number; archiveTimeoutSeconds?: number };
type State = {
  done: number;
  postgres: string;
  broken: Counts;
  rtoSeconds: number[];
  rpoSeconds: number[];
  eventsAcknowledged: number;
  maxima: Counts;
};
type Progress = ProgressKeeper<State>;

const NOTHING_YET: State = {
  ...{ done: 0, postgres: "", eventsAcknowledged: 0 },
  ...{ broken: {}, rtoSeconds: [], rpoSeconds: [], maxima: {} },
};

export const runRestores = (options: Options): Promise<Outcome> =>
  withFolder(options, async (folder) => {
    const progress = await openProgress<State>(
      { dataFolder: folder, seed: options.seed },
      structuredClone(NOTHING_YET),
    );
    const { state, keep } = progress;
    options.say(`seed ${state.seed}, ${state.done} restores done before`);
    while (state.done < options.count) await runPrimary(join(folder, "cluster"), progress, options);
    await keep();
    return report(state);
  });

function report({ seed, seconds, postgres, broken, ...state }: Progress["state"]): Outcome {
  const rto = state.rtoSeconds.toSorted((one, other) => one - other);
  return {
    ...{ seed, seconds, postgres, broken },
    figures: {
      restores: rto.length,
      losses: state.rpoSeconds.length,
      rtoSecondsP50: tenths(rto[Math.floor(rto.length / 2)] ?? 0),
      rtoSecondsMax: tenths(rto.at(-1) ?? 0),
      rpoSecondsMax: tenths(Math.max(0, ...state.rpoSeconds)),
      eventsAcknowledged: state.eventsAcknowledged,
      ...state.maxima,
    },
  };
}

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10;

/** A new one, with load, a backup and some restores. One that was stopped before its end starts over. */
async function runPrimary(folder: string, progress: Progress, options: Options): Promise<void> {
  const { archiveTimeoutSeconds = ARCHIVE_TIMEOUT_SECONDS, loadSeconds = LOAD_SECONDS, signal } = options;
  const empty = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 20 });
  await empty();
  await withStops(async (onStop) => {
    onStop.push(empty);
    const primary = await startArchivingPostgres(folder, archiveTimeoutSeconds);
    onStop.push(primary.stop);
    await migrate(primary.url);
    const [version] = await runOn<{ server_version: string }>(primary.url, "show server_version");
    progress.state.postgres = version?.server_version ?? "";
    const load = await beginLoad(primary, progress.state, onStop);
    await pause((loadSeconds / 4) * 1000, undefined, { signal });
    await makeBaseBackup(folder, primary.url);
    const backupAt = systemClock.now();
    await pause(loadSeconds * 1000, undefined, { signal });
    await restoreAll({ folder, primary, load, backupAt, archiveTimeoutSeconds }, progress, options);
  });
}

async function beginLoad({ url }: ArchivingPostgres, { seed, done }: Progress["state"], onStop: Stops): Promise<Load> {
  const records = openRecords(url);
  onStop.push(() => records.end());
  const crew = await createCrew();
  onStop.push(crew.endAll);
  await startWorker(crew, url);
  const load = await startLoad({ url, crew: startApiCrew(crew, url), records }, seed + done);
  onStop.push(load.stop);
  return { ...load, stop: () => load.stop().then(crew.endAll) };
}

type Stage = Pick<Round, "folder" | "primary" | "load" | "backupAt" | "archiveTimeoutSeconds">;

async function restoreAll(stage: Stage, { state, keep }: Progress, options: Options): Promise<void> {
  for (let isLost = false; !isLost && state.done < options.count; ) {
    const number = state.done + 1;
    // The only one is to an instant.
    isLost = number % RESTORES_OF_A_PRIMARY === 0 || (number === options.count && number > 1);
    const random = createRandomFor(state.seed, number);
    stage.load.assertFine();
    const found = await restoreOnce({ ...stage, number, isLost, random }, options);
    addRound(state, found);
    state.done = number;
    await keep();
    options.say(`restore ${number} of ${options.count}: ${found.words}`);
  }
  state.eventsAcknowledged += stage.load.log.events.filter(({ at }) => at !== undefined).length;
}

function addRound(state: State, { broken, rtoSeconds, rpoSeconds, maxima }: RoundFound): void {
  for (const [name, count] of Object.entries(broken)) state.broken[name] = (state.broken[name] ?? 0) + count;
  for (const [name, value] of Object.entries(maxima)) state.maxima[name] = Math.max(state.maxima[name] ?? 0, value);
  state.rtoSeconds.push(rtoSeconds);
  if (rpoSeconds !== undefined) state.rpoSeconds.push(rpoSeconds);
}
