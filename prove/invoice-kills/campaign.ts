/** Kills billing workers again and again while they have weeks to bill, then checks that each has its invoice, once and whole. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { allOrNone } from "../all-or-none.ts";
import type { Campaign, CampaignOptions, Figures, Outcome } from "../campaign.ts";
import { type Part, runInParts } from "../in-parts.ts";
import { checkInvoicesOfCalls, countRow, openVerifier } from "../invoice-checks.ts";
import { countUnclean } from "../served-api.ts";
import {
  addWeeksToBill,
  countOpenDues,
  countWeeksEnded,
  openPastService,
  type PastService,
} from "../unbilled-weeks.ts";
import { makeWeeklyPlan, toEvent } from "../weekly-customers.ts";
import { type Crew, createCrew } from "../worker-kills/crew.ts";
import { type Kill, killWorkers } from "../worker-kills/kill-workers.ts";
import { type KeyedCampaign, openCampaign, withCluster } from "../worker-kills/open-campaign.ts";
import { openRecords, type Records } from "../worker-kills/work.ts";

/** For every kill one customer, who has so many weeks to bill. */
const WEEKS = 10;
/** So many customers have something to do at once: there are always some in the middle of an invoice. */
const CUSTOMERS_AHEAD = 6;
const LOOK_EVERY_MS = 100;
/** When nothing moves for so long, what is open stays open. */
const STUCK_AFTER_MS = 120_000;

export const invoiceKills: Campaign = {
  summary: "SIGKILLs of billing workers, 10 due periods for each: no double, missing or partial invoice, no gap",
  counts: "kills",
  countByDefault: 5000,
  inWords,
  run: (options) => runInParts(options, partsOf(options.count)),
};

/** 45 minutes on two cores at the most. */
const KILLS_IN_PART = 500;

const partsOf = (count: number): Part[] =>
  Array.from({ length: Math.ceil(count / KILLS_IN_PART) }, (_, index): Part => {
    const kills = Math.min(KILLS_IN_PART, count - index * KILLS_IN_PART);
    return (options) => runInvoiceKills({ ...options, count: kills });
  });

/** Longer than Postgres waits for a transaction that does nothing. */
const FREEZE_SECONDS = 15;

export const invoiceFreezes: Campaign = {
  summary:
    "billing workers frozen (SIGSTOP) past their transaction and thawed, 10 due periods for each: no double, missing or partial invoice, no gap",
  counts: "frozen workers",
  countByDefault: 200,
  inWords,
  run: (options) => runInvoiceKills({ ...options, freezeSeconds: FREEZE_SECONDS }),
};

function inWords({ kills = 0, killsInTransactions = 0, periods = 0, invoices = 0, messages = 0 }: Figures): string {
  return (
    `${kills} workers, ${killsInTransactions} of them inside a transaction. ${periods} periods came to an end: there are ${invoices} invoices, ` +
    `and ${messages} messages tell of them.`
  );
}

type Options = CampaignOptions & { freezeSeconds?: number };

export function runInvoiceKills(options: Options): Promise<Outcome> {
  const schemas = options.isNaive ? ["schema.sql", "naive-schema.sql"] : ["schema.sql"];
  return withCluster(options, { folder: import.meta.dirname, schemas }, (url) => runOnCluster(url, options));
}

type Stage = { url: string; past: PastService; records: Records; verifier: Records; crew: Crew };

async function runOnCluster(url: string, options: Options): Promise<Outcome> {
  const begun = performance.now();
  const records = openRecords(url);
  const verifier = openVerifier(url);
  const past = await openPastService(url, WEEKS);
  const file = join(import.meta.dirname, options.isNaive ? "naive-worker.ts" : "worker.ts");
  const crew = await createCrew({ url, file, records });
  const stage = { url, past, records, verifier, crew };
  try {
    const state = await openCampaign(records, options.seed, () => makeSeller(past));
    options.say(`seed ${state.seed}, ${state.killsDone} kills done before`);
    try {
      await killWhileBilling(stage, state, options);
      await drain(stage, options);
    } finally {
      await crew.endAll();
      const seconds = (performance.now() - begun) / 1000;
      await records.query("update prove.campaign set seconds = seconds + $1", [seconds]);
    }
    return await report(stage, state, options);
  } finally {
    await past.close();
    await Promise.all([records.end(), verifier.end()]);
  }
}

async function makeSeller({ platform, callWith }: PastService): Promise<{ id: string; key: string }> {
  const seller = await makeOrganization(platform, { name: "Kills", isSandbox: false, keyName: "campaign" });
  await makeWeeklyPlan(callWith(seller.key));
  return seller;
}

async function killWhileBilling(stage: Stage, state: KeyedCampaign, options: Options): Promise<void> {
  const { count: kills, say } = options;
  const enough = new AbortController();
  await allOrNone(options.signal, [
    (stop) => keepAddingWeeks(stage, state, { customers: kills, stop: AbortSignal.any([stop, enough.signal]) }),
    (stop) =>
      killWorkers({
        ...stage,
        ...state,
        kills,
        say,
        signal: stop,
        freezeSeconds: options.freezeSeconds,
        onKilled: (kill) => recordKill(stage.records, kill),
      }).then(() => enough.abort()),
  ]);
  // What the workers were too fast, or the kills too few for.
  await addCustomers(stage, state, { upTo: kills });
}

const recordKill = (records: Records, { worker, moment, openTransactions }: Kill) =>
  records.query("insert into prove.kills (worker, was_starting, open_transactions) values ($1, $2, $3)", [
    worker.number,
    moment.isWhileStarting,
    openTransactions,
  ]);

/** As many customers as kills, a few ahead of them. Of those that are billed just now late events come all the time. */
async function keepAddingWeeks(
  stage: Stage,
  state: KeyedCampaign,
  { customers, stop }: { customers: number; stop: AbortSignal },
): Promise<void> {
  for (let round = 0; !stop.aborted; round++) {
    const { kills = 0 } = await countRow(stage.records, "select count(*) as kills from prove.kills");
    const upTo = Math.min(customers, kills + CUSTOMERS_AHEAD);
    const added = await addCustomers(stage, state, { upTo });
    if (added === 0) await sendLate(stage, state, round);
    await pause(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** A name is taken before its customer is made: one that a stopped run left half made has no subscription, and is passed over. */
async function addCustomers(
  { past, records }: Stage,
  { key }: KeyedCampaign,
  { upTo }: { upTo: number },
): Promise<number> {
  let added = 0;
  for (;;) {
    const { made = 0 } = await countRow(records, "select customers as made from prove.campaign");
    if (made >= upTo) return added;
    await records.query("update prove.campaign set customers = customers + 1");
    const now = past.platform.clock.now();
    await addWeeksToBill(past.callWith(key), { name: `customer ${made + 1}`, weeks: WEEKS, now });
    added++;
  }
}

/** Into the week that a customer has open, and into the one before, which perhaps is being billed. */
async function sendLate({ past, verifier }: Stage, { key }: KeyedCampaign, round: number): Promise<void> {
  const { rows } = await verifier.query<{ name: string; due_at: Temporal.Instant }>(
    `select external_id as name, due_at from due_instants
     join subscriptions on subscriptions.organization_id = due_instants.organization_id
       and subscriptions.id = due_instants.subject_id
     where done_at is null and ready_at <= now() order by random() limit 3`,
  );
  const events = rows.flatMap(({ name, due_at }) =>
    [1, 8].map((days) =>
      toEvent({ name, id: `late ${round} ${days} ${due_at}`, at: due_at.subtract({ hours: 24 * days }) }),
    ),
  );
  if (events.length > 0) await past.callWith(key)("POST", "/events/batch", { events });
}

/** Until nothing is open, or what is open does not move any more. */
async function drain({ records, crew }: Stage, { signal, say }: CampaignOptions): Promise<void> {
  let last = -1;
  let movedAt = performance.now();
  say("the last kill is done: draining");
  for (;;) {
    const { done = 0 } = await countRow(records, "select count(*) as done from due_instants where done_at is not null");
    if ((await countOpenDues(records)) === 0) return;
    if (done !== last) movedAt = performance.now();
    else if (performance.now() - movedAt > STUCK_AFTER_MS) return say("stuck");
    last = done;
    crew.assertAlive();
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function report(
  stage: Stage,
  { seed, organizationId }: KeyedCampaign,
  { say }: CampaignOptions,
): Promise<Outcome> {
  const { url, records, verifier } = stage;
  const { broken, figures } = await checkInvoicesOfCalls(url);
  const periods = await countWeeksEnded(verifier, organizationId);
  const { invoices = 0 } = figures;
  const kills = await countRow(
    records,
    `select count(*) as kills, count(*) filter (where was_starting) as "killsWhileStarting",
       count(*) filter (where open_transactions > 0) as "killsInTransactions" from prove.kills`,
  );
  const { rows } = await records.query(
    "select seconds, current_setting('server_version') as postgres from prove.campaign",
  );
  return {
    seed,
    seconds: Math.round(rows[0].seconds),
    postgres: rows[0].postgres,
    broken: {
      ...broken,
      dueRowsOpen: await countOpenDues(verifier),
      invoicesMissing: Math.max(0, periods - invoices),
      invoicesTooMany: Math.max(0, invoices - periods),
      unclean: await countUnclean(url, say),
    },
    figures: { ...kills, periods, ...figures },
  };
}
