/** One restore: to a random instant while the primary goes on, or of what is left when it is lost. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import type { CampaignOptions } from "../campaign.ts";
import { type Counts, countRow, openVerifier } from "../invoice-checks.ts";
import { createCrew } from "../kills/crew.ts";
import { countUnclean } from "../served-api.ts";
import { type ArchivingPostgres, type Restored, restore, type Target } from "./archiving-postgres.ts";
import { compareWithLog, type Found } from "./check.ts";
import { type Load, toMicros } from "./load.ts";
import { goOn, openApi } from "./serve.ts";

const LOOK_EVERY_MS = 20;
/** Beside the timeout itself: a piece must be switched and copied, on a machine that has other things to do. */
const ARCHIVED_SECONDS_MAX = 15;

export type Round = {
  folder: string;
  primary: ArchivingPostgres;
  load: Load;
  backupAt: Temporal.Instant;
  archiveTimeoutSeconds: number;
  number: number;
  isLost: boolean;
  random: () => number;
};

export type RoundFound = {
  broken: Counts;
  rtoSeconds: number;
  /** Only of a loss. */
  rpoSeconds: number | undefined;
  /** Of which the largest of all restores is a figure. */
  maxima: Counts;
  words: string;
};

/** `until`: undefined where the end of the archive is the end. `lostAt`: when the primary was lost. */
type Chosen = { target: Target; until: Temporal.Instant | undefined; lostAt: Temporal.Instant | undefined };

export async function restoreOnce(round: Round, options: CampaignOptions): Promise<RoundFound> {
  const chosen = round.isLost ? await losePrimary(round, options) : await chooseInstant(round, options);
  const into = join(round.folder, `restored-${round.number}`);
  const begun = performance.now();
  const restored = await restore(round.folder, into, options.isNaive ? "backup" : chosen.target);
  try {
    return await lookAt({ round, chosen, restored, begun }, options);
  } finally {
    await restored.server.stop();
    await rm(into, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** Somewhere between the backup and now. What came right after it is in the archive before the restore begins. */
async function chooseInstant({ primary, load, backupAt, random }: Round, { signal }: CampaignOptions): Promise<Chosen> {
  const now = systemClock.now();
  const microseconds = Math.floor(random() * backupAt.until(now).total("microseconds"));
  const until = backupAt.add({ microseconds });
  const isLater = (sentAt: number): boolean => sentAt > toMicros(now);
  while (!load.log.events.findLast(({ sentAt, at }) => at !== undefined && isLater(sentAt))) {
    load.assertFine();
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
  await primary.archiveNow(signal);
  return { target: until, until, lostAt: undefined };
}

/** At a random moment between two pieces of the archive. */
async function losePrimary(
  { primary, load, archiveTimeoutSeconds, random }: Round,
  { signal }: CampaignOptions,
): Promise<Chosen> {
  await pause(random() * 2 * archiveTimeoutSeconds * 1000, undefined, { signal });
  load.assertFine();
  load.expectLoss();
  const lostAt = systemClock.now();
  await Promise.all([primary.lose(), load.stop()]);
  return { target: "end", until: undefined, lostAt };
}

type Looking = { round: Round; chosen: Chosen; restored: Restored; begun: number };

async function lookAt({ round, chosen, restored, begun }: Looking, options: CampaignOptions): Promise<RoundFound> {
  const { signal, say, isNaive } = options;
  const { url } = restored.server;
  const { tenants, log, seed } = round.load;
  // Its start is measured, from the sources as it is in production.
  const crew = await createCrew({ fromSources: true });
  const workers = await createCrew();
  const verifier = openVerifier(url);
  try {
    const address = await openApi(crew, url, signal);
    const rtoSeconds = (performance.now() - begun) / 1000;
    const verifyBroken = await countUnclean(url, say, { except: SHOWN_LATER });
    const found = await compareWithLog(
      { url, verifier, tenants, log, seed },
      chosen.until === undefined ? undefined : toMicros(chosen.until),
    );
    const { there = 0 } = await countRow(verifier, INVOICES_THERE);
    // Of a restore that is wrong on purpose it is known what is missing.
    const later = isNaive
      ? NOTHING_LATER
      : await goOn({ url, address, workers, tenants, log, seed, verifier, signal, say });
    const rpoSeconds = chosen.lostAt && secondsLost(found, chosen.lostAt);
    return {
      broken: {
        verifyBroken,
        ...found.broken,
        ...later.broken,
        lossesTooLarge: Number((rpoSeconds ?? 0) > round.archiveTimeoutSeconds + ARCHIVED_SECONDS_MAX),
      },
      ...{ rtoSeconds, rpoSeconds },
      maxima: {
        eventsLostMax: chosen.lostAt ? found.eventsMissing : 0,
        eventsThereMax: found.eventsThere,
        invoicesThereMax: there,
        invoicesLaterMax: later.invoices,
        backupMegabytesMax: Math.round(restored.backupBytes / 1_000_000),
        archiveMegabytesMax: Math.round(restored.archiveBytes / 1_000_000),
      },
      words: inWords({ rtoSeconds, rpoSeconds, found, invoices: [there, later.invoices] }),
    };
  } finally {
    await Promise.all([crew.endAll(), workers.endAll()]);
    await verifier.end();
  }
}

/** The load records by a clock of weeks ago: by that, what was not sealed at the instant waits for weeks. Workers seal it later. */
const SHOWN_LATER = ["activities-do-not-wait"];

const NOTHING_LATER = { broken: {}, invoices: 0 };

const INVOICES_THERE = "select count(*) as there from invoices where sequential_id is not null";

/** From the first acknowledgement that is not there until the loss. */
const secondsLost = ({ missingSince }: Found, lostAt: Temporal.Instant): number =>
  missingSince === undefined ? 0 : Math.max(0, toMicros(lostAt) - missingSince) / 1_000_000;

function inWords({
  rtoSeconds,
  rpoSeconds,
  found,
  invoices: [there, later],
}: Pick<RoundFound, "rtoSeconds" | "rpoSeconds"> & { found: Found; invoices: [number, number] }): string {
  const loss = rpoSeconds === undefined ? "" : `, the last ${rpoSeconds.toFixed(1)} s lost`;
  return `answered after ${rtoSeconds.toFixed(1)} s${loss}; ${found.eventsThere} events and ${there} invoices there, ${later} invoices when all was billed`;
}
