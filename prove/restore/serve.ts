/** The service on a restored database: when it answers, whether it takes events, and whether it bills what was due. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { API, type ApiCrew, startApiCrew } from "../event-kills/api-crew.ts";
import { eventOf, writeEvent } from "../event-kills/sent-events.ts";
import { type Counts, checkInvoicesOfCalls, type Records } from "../invoice-checks.ts";
import { createRandom } from "../random.ts";
import { countUnclean } from "../served-api.ts";
import { countOpenDues, countWeeksEnded } from "../unbilled-weeks.ts";
import { createCrew } from "../worker-kills/crew.ts";
import { openRecords } from "../worker-kills/work.ts";
import { sendEvents, type Tenants } from "./load.ts";

export const WORKER = join(import.meta.dirname, "../invoice-kills/worker.ts");

const LOOK_EVERY_MS = 50;
/** When nothing moves for so long, what is open stays open. */
const STUCK_AFTER_MS = 120_000;

/** Resolves when the API answers 200 to whoever asks whether it is ready. */
export async function openApi(url: string, signal: AbortSignal): Promise<ApiCrew> {
  const crew = startApiCrew(url, API);
  try {
    await crew.isThere(signal);
    const [address] = crew.addresses();
    while ((await fetch(`${address}/ready`, { signal })).status !== 200)
      await pause(LOOK_EVERY_MS, undefined, { signal });
    return crew;
  } catch (error) {
    await crew.endAll();
    throw error;
  }
}

export type Serving = {
  url: string;
  crew: ApiCrew;
  tenants: Tenants;
  verifier: Records;
  /** Of the event that is sent: one that the client has not come to. */
  event: { seed: number; number: number };
  signal: AbortSignal;
  say: (line: string) => void;
};

/** An event is taken, and workers do all that was due; then everything adds up. */
export async function goOn(serving: Serving): Promise<{ broken: Counts; invoices: number }> {
  const { url, tenants, verifier, say } = serving;
  const isTaken = await takeEvent(serving);
  await drain(serving);
  const { broken, figures } = await checkInvoicesOfCalls(url);
  const periods = await countWeeksEnded(verifier, tenants.seller.id);
  const { invoices = 0 } = figures;
  return {
    broken: {
      eventsNotTaken: Number(!isTaken),
      dueRowsOpen: await countOpenDues(verifier),
      invoicesMissing: Math.max(0, periods - invoices),
      invoicesTooMany: Math.max(0, invoices - periods),
      invoicesWrong: Object.values(broken).reduce((sum, count) => sum + Math.abs(count), 0),
      verifyBrokenLater: await countUnclean(url, say),
    },
    invoices,
  };
}

async function takeEvent({ crew, tenants, event: { seed, number }, signal }: Serving): Promise<boolean> {
  const [address = ""] = crew.addresses();
  const body = `{"events":[${writeEvent(eventOf(seed, number), createRandom(seed))}]}`;
  const ids = await sendEvents({ address, key: tenants.sender.key }, body, signal);
  return ids?.length === 1;
}

async function drain({ url, verifier, signal, say }: Serving): Promise<void> {
  const records = openRecords(url);
  const crew = await createCrew({ url, file: WORKER, records });
  try {
    await (await crew.start()).isReady;
    let last = -1;
    let movedAt = performance.now();
    for (;;) {
      const open = await countOpenDues(verifier);
      if (open === 0) return;
      const done = await countDone(verifier);
      if (done !== last) movedAt = performance.now();
      else if (performance.now() - movedAt > STUCK_AFTER_MS) return say(`stuck: ${open} due rows are open`);
      last = done;
      crew.assertAlive();
      await pause(LOOK_EVERY_MS, undefined, { signal });
    }
  } finally {
    await crew.endAll();
    await records.end();
  }
}

async function countDone(verifier: Records): Promise<number> {
  const { rows } = await verifier.query("select count(*)::integer as done from due_instants where done_at is not null");
  return rows[0]?.done ?? 0;
}
