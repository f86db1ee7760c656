/** One tenant attacks, another measures how long its requests take: at most twice as long as alone, or 50 ms longer. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { newId } from "../../packages/server/src/platform/new-id.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { chooseSeed } from "../progress.ts";
import { withStops } from "../with-stops.ts";
import type { AttackOrder, AttackReport } from "./attacker.ts";
import { ATTACKS, type Attack } from "./attacks.ts";
import { percentile, sendAtRate } from "./load.ts";
import { openStage, type Sizes, type Stage } from "./world.ts";

/** Of each kind of request. */
const VICTIM_PER_SECOND = 20;
const ALONE_SECONDS = 30;
const TIMES_MAX = 2;
const LONGER_MS_MAX = 50;
const PDF_SECONDS_MAX = 10;
/** After an attack, until what it left is done. */
const REST_MS = 3_000;

export const neighbors: Campaign = {
  summary:
    "one tenant attacks within its limits: another's requests take at most twice as long as alone, or 50 ms longer",
  counts: "seconds of each attack",
  countByDefault: 15,
  inWords: ({
    attacks = 0,
    readsAloneMs = 0,
    eventsAloneMs = 0,
    readsWorstMs = 0,
    eventsWorstMs = 0,
    pdfWorstSeconds = 0,
  }) =>
    `${attacks} attacks at default settings. Alone, 99 of 100 requests of the victim took at most ${readsAloneMs} ms (\`GET /taxes\`) and ${eventsAloneMs} ms ` +
    `(a single event); during the worst attack ${readsWorstMs} and ${eventsWorstMs} ms. A PDF of one line took at most ${pdfWorstSeconds} s while one of thousands was drawn.`,
  run: (options) => runNeighbors(options, { lines: 5_000, plans: 12 }),
};

/** The naive variant of the service has no limits, and one process for everything. */
const WITHOUT_LIMITS = { ...NO_RATE_LIMITS, API_PROCESSES: "1" };

/** `refused`: requests of the victim that were not answered with 200. */
type Measured = { reads: number; events: number; refused: number };

async function runNeighbors(options: CampaignOptions, sizes: Sizes, attacks = ATTACKS): Promise<Outcome> {
  const begun = performance.now();
  const { signal, say, count } = options;
  return withStops(async (onStop) => {
    const stage = await openStage(onStop, sizes, options.isNaive ? WITHOUT_LIMITS : {});
    say("the victim alone");
    const alone = await measure(stage, ALONE_SECONDS * 1000);
    if (alone.refused > 0) throw new Error(`${alone.refused} requests of the victim were refused with no attack`);
    const figures: Record<string, number> = {
      attacks: attacks.length,
      readsAloneMs: alone.reads,
      eventsAloneMs: alone.events,
    };
    const worst = { reads: 0, events: 0 };
    const broken = { tooSlow: 0, answeredOtherwise: 0, victimRefused: 0, pdfTooLate: 0 };
    for (const attack of attacks) {
      signal.throwIfAborted();
      const { during, report } = await endure(stage, attack, count);
      const isSlow = isTooSlow(during.reads, alone.reads) || isTooSlow(during.events, alone.events);
      const others = unexpected(attack, report);
      broken.tooSlow += Number(isSlow);
      broken.answeredOtherwise += others.length;
      broken.victimRefused += during.refused;
      worst.reads = Math.max(worst.reads, during.reads);
      worst.events = Math.max(worst.events, during.events);
      figures[`reads ms, ${attack.name}`] = during.reads;
      figures[`events ms, ${attack.name}`] = during.events;
      const answers = report.statuses
        .map(([status, times]) => `${status === 0 ? "cut off" : status}: ${times}`)
        .join(", ");
      say(
        `${isSlow ? "TOO SLOW" : "ok"}: ${attack.name}: reads ${during.reads} ms, events ${during.events} ms, refused ${during.refused}; answers ${answers}`,
      );
    }
    const pdf = await drawBeside(stage);
    broken.pdfTooLate += Number(pdf > PDF_SECONDS_MAX);
    say(`a PDF of one line beside one of ${sizes.lines}: ${pdf} s`);
    const summary = { readsWorstMs: worst.reads, eventsWorstMs: worst.events, pdfWorstSeconds: pdf };
    const seconds = Math.round((performance.now() - begun) / 1000);
    return { seed: chooseSeed(options.seed), seconds, broken, figures: { ...figures, ...summary } };
  });
}

/** What one attack is answered with, for a test that has no time to measure others. */
export const unexpected = ({ answers }: Attack, { statuses }: AttackReport): AttackReport["statuses"] =>
  statuses.filter(([status]) => status !== 0 && !answers.includes(status));

const isTooSlow = (during: number, alone: number): boolean =>
  during > Math.max(TIMES_MAX * alone, alone + LONGER_MS_MAX);

/** The time that 99 of 100 requests take at most. */
async function measure({ origin, victimKey: key }: Stage, ms: number): Promise<Measured> {
  const signal = AbortSignal.timeout(ms);
  const run = newId();
  const [reads, events] = await Promise.all([
    sendAtRate(origin, VICTIM_PER_SECOND, () => ({ method: "GET", path: "/api/v1/taxes", key }), signal),
    sendAtRate(
      origin,
      VICTIM_PER_SECOND,
      (number) => ({ method: "POST", path: "/api/v1/events", key, body: eventOf(run, number) }),
      signal,
    ),
  ]);
  const refused = [reads, events]
    .flatMap(({ statuses }) => [...statuses])
    .reduce((sum, [status, times]) => sum + (status === 200 ? 0 : times), 0);
  return { reads: tenths(percentile(reads.ms, 0.99)), events: tenths(percentile(events.ms, 0.99)), refused };
}

const eventOf = (run: string, number: number): string =>
  JSON.stringify({ event: { transaction_id: `${run} ${number}`, external_subscription_id: "small", code: "calls" } });

const tenths = (value: number): number => Math.round(10 * value) / 10;

async function endure(
  stage: Stage,
  { name }: Attack,
  seconds: number,
): Promise<{ during: Measured; report: AttackReport }> {
  const [during, report] = await Promise.all([measure(stage, seconds * 1000), attackWith(stage, name, seconds)]);
  await wait(REST_MS);
  return { during, report };
}

export async function attackWith({ origin, world }: Stage, name: string, seconds: number): Promise<AttackReport> {
  const workerData: AttackOrder = { origin, name, world, seconds };
  const attacker = new Worker(new URL("./attacker.ts", import.meta.url), { workerData });
  const [report] = (await once(attacker, "message")) as [AttackReport];
  return report;
}

/** How many seconds the victim waits for a PDF of one line, while one of thousands is drawn. */
async function drawBeside({ attacker, victim, world }: Stage): Promise<number> {
  await attacker("POST", `/invoices/${world.largeInvoiceId}/download`);
  // It is being drawn.
  await wait(REST_MS);
  const fees = [{ add_on_code: "a", units: "1" }];
  const made = await victim("POST", "/invoices", { invoice: { external_customer_id: "small", currency: "EUR", fees } });
  const at = performance.now();
  while ((await victim("POST", `/invoices/${made.body.invoice.svc_id}/download`)).status === 202) await wait(100);
  return tenths((performance.now() - at) / 1000);
}
