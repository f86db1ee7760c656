/** The service on a restored database: when it answers, whether it takes events, and whether it bills what was due. */
import { setTimeout as pause } from "node:timers/promises";
import { type Counts, countRow, type Records } from "../invoice-checks.ts";
import type { Crew } from "../kills/crew.ts";
import { drain } from "../kills/drain.ts";
import { eventOf, writeEvent } from "../kills/events/sent-events.ts";
import { createRandom } from "../random.ts";
import { countUnclean } from "../served-api.ts";
import { checkWeeks, countDues } from "../unbilled-weeks.ts";
import { type Load, sendEvents } from "./load.ts";

const LOOK_EVERY_MS = 50;

/** Resolves with its address when the API answers that it is ready. */
export async function openApi(crew: Crew, url: string, signal: AbortSignal): Promise<string> {
  const address = await crew.start("api", { url }).isReady;
  while ((await fetch(`${address}/ready`, { signal })).status !== 200)
    await pause(LOOK_EVERY_MS, undefined, { signal });
  return address;
}

export type Serving = Pick<Load, "tenants" | "log" | "seed"> & {
  url: string;
  address: string;
  workers: Crew;
  verifier: Records;
  signal: AbortSignal;
  say: (line: string) => void;
};

/** An event is taken, and a worker does all that was due; then everything adds up. */
export async function goOn(serving: Serving): Promise<{ broken: Counts; invoices: number }> {
  const { url, tenants, workers, verifier, say, signal } = serving;
  const isTaken = await takeEvent(serving);
  await startWorker(workers, url);
  await drain({ look: () => countOpenWork(verifier), assertAlive: workers.assertAlive, signal, say });
  const { broken, figures } = await checkWeeks(url, tenants.seller.id);
  const { dueRowsOpen = 0, invoicesMissing = 0, invoicesTooMany = 0, ...wrong } = broken;
  return {
    broken: {
      eventsNotTaken: Number(!isTaken),
      ...{ dueRowsOpen, invoicesMissing, invoicesTooMany },
      invoicesWrong: Object.values(wrong).reduce((sum, count) => sum + Math.abs(count), 0),
      verifyBrokenLater: await countUnclean(url, say),
    },
    invoices: figures.invoices ?? 0,
  };
}

async function countOpenWork(verifier: Records) {
  const { open, ...dues } = await countDues(verifier);
  const { unsealed = 0 } = await countRow(
    verifier,
    "select count(*) as unsealed from activity_seals where sequence is null",
  );
  return { ...dues, open: open + unsealed };
}

export const startWorker = (crew: Crew, url: string): Promise<unknown> =>
  crew.start("worker", { url, settings: { WORKER_CONCURRENCY: "2" } }).isReady;

/** One that the client has not come to. */
async function takeEvent({ address, tenants, log, seed, signal }: Serving): Promise<boolean> {
  const number = 2 * log.events.length + 1_000_000;
  const body = `{"events":[${writeEvent(eventOf(seed, number), createRandom(seed))}]}`;
  const ids = await sendEvents({ address, key: tenants.sender.key }, body, signal);
  return ids?.length === 1;
}
