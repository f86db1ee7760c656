/** What all restores of a campaign came to. */
import type { Outcome } from "../campaign.ts";
import type { Counts } from "../invoice-checks.ts";
import type { RoundFound } from "./round.ts";

export type Figures = {
  broken: Counts;
  rtoSeconds: number[];
  rpoSeconds: number[];
  eventsAcknowledged: number;
  eventsLostMax: number;
  eventsThereMax: number;
  invoicesThereMax: number;
  invoicesLaterMax: number;
  backupBytesMax: number;
  archiveBytesMax: number;
};

export const nothingYet = (): Figures => ({
  broken: {},
  rtoSeconds: [],
  rpoSeconds: [],
  eventsAcknowledged: 0,
  eventsLostMax: 0,
  eventsThereMax: 0,
  invoicesThereMax: 0,
  invoicesLaterMax: 0,
  backupBytesMax: 0,
  archiveBytesMax: 0,
});

/** Adds a restore to the figures. */
export function addRound(figures: Figures, found: RoundFound): void {
  for (const [name, count] of Object.entries(found.broken)) figures.broken[name] = (figures.broken[name] ?? 0) + count;
  figures.rtoSeconds.push(found.rtoSeconds);
  if (found.rpoSeconds !== undefined) figures.rpoSeconds.push(found.rpoSeconds);
  figures.eventsLostMax = Math.max(figures.eventsLostMax, found.eventsLost);
  figures.eventsThereMax = Math.max(figures.eventsThereMax, found.eventsThere);
  figures.invoicesThereMax = Math.max(figures.invoicesThereMax, found.invoicesThere);
  figures.invoicesLaterMax = Math.max(figures.invoicesLaterMax, found.invoicesLater);
  figures.backupBytesMax = Math.max(figures.backupBytesMax, found.backupBytes);
  figures.archiveBytesMax = Math.max(figures.archiveBytesMax, found.archiveBytes);
}

export function figuresOf(figures: Figures): Pick<Outcome, "broken" | "figures"> {
  const { broken, rtoSeconds, rpoSeconds, backupBytesMax, archiveBytesMax } = figures;
  const { eventsAcknowledged, eventsLostMax, eventsThereMax, invoicesThereMax, invoicesLaterMax } = figures;
  const sorted = rtoSeconds.toSorted((one, other) => one - other);
  return {
    broken,
    figures: {
      restores: rtoSeconds.length,
      losses: rpoSeconds.length,
      rtoSecondsP50: tenths(sorted[Math.floor(sorted.length / 2)] ?? 0),
      rtoSecondsMax: tenths(sorted.at(-1) ?? 0),
      rpoSecondsMax: tenths(Math.max(0, ...rpoSeconds)),
      ...{ eventsAcknowledged, eventsLostMax, eventsThereMax, invoicesThereMax, invoicesLaterMax },
      backupMegabytesMax: Math.round(backupBytesMax / 1_000_000),
      archiveMegabytesMax: Math.round(archiveBytesMax / 1_000_000),
    },
  };
}

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10;
