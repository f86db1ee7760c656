/** Weeks to bill: each that ended has its invoice, once and whole, whatever was killed. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Campaign, Figures, Outcome } from "../../campaign.ts";
import { type Part, runInParts } from "../../in-parts.ts";
import { countRow, type Findings } from "../../invoice-checks.ts";
import { countUnclean } from "../../served-api.ts";
import { addWeeksToBill, checkWeeks, clockOfWeeksAgo, countDues } from "../../unbilled-weeks.ts";
import { makeWeeklyPlan, toEvent } from "../../weekly-customers.ts";
import { type Killing, type KillsOptions, runKills, type Site, type Subject, type Work } from "../harness.ts";

/** For every kill one customer, who has so many weeks to bill. */
const WEEKS = 10;
/** So many customers have something to do at once: there are always some in the middle of an invoice. */
const CUSTOMERS_AHEAD = 6;
const LOOK_EVERY_MS = 100;
/** 45 minutes on two cores at the most. */
const KILLS_IN_PART = 500;
/** Longer than Postgres waits for a transaction that does nothing. */
const FREEZE_SECONDS = 15;

const inWords = ({ kills = 0, killsInTransactions = 0, periods = 0, invoices = 0, messages = 0 }: Figures): string =>
  `${kills} workers, ${killsInTransactions} of them inside a transaction. ${periods} periods came to an end: there are ${invoices} invoices, ` +
  `and ${messages} messages report them.`;

export const invoiceKills: Campaign = {
  summary: "SIGKILLs of billing workers, 10 due periods for each: no double, missing or partial invoice, no gap",
  counts: "kills",
  countByDefault: 5000,
  inWords,
  run: (options) => runInParts(options, partsOf(options.count)),
};

const partsOf = (count: number): Part[] =>
  Array.from({ length: Math.ceil(count / KILLS_IN_PART) }, (_, index): Part => {
    const kills = Math.min(KILLS_IN_PART, count - index * KILLS_IN_PART);
    return (options) => runInvoiceKills({ ...options, count: kills });
  });

export const invoiceFreezes: Campaign = {
  summary:
    "billing workers frozen (SIGSTOP) past their transaction and thawed, 10 due periods for each: no double, missing or partial invoice, no gap",
  counts: "frozen workers",
  countByDefault: 200,
  inWords,
  run: (options) => runInvoiceKills({ ...options, freezeSeconds: FREEZE_SECONDS }),
};

export const runInvoiceKills = (options: KillsOptions): Promise<Outcome> => runKills(subject, options);

const subject: Subject = {
  schema: async (isNaive) =>
    (await readFile(join(import.meta.dirname, "schema.sql"), "utf8")) + (isNaive ? NAIVE_SCHEMA : ""),
  additions: { clock: clockOfWeeksAgo(WEEKS) },
  open,
};

/** The right to finish rows outside of an organization. */
const NAIVE_SCHEMA = "grant update (done_at) on due_instants to tallystick_dispatcher;";

async function open(site: Site): Promise<Work> {
  const { records, call, options } = site;
  const { plans = 0 } = await countRow(site.verifier, "select count(*) as plans from plans");
  if (plans === 0) await makeWeeklyPlan(call);
  return {
    program: options.isNaive ? "naiveBilling" : "worker",
    task: { settings: { WORKER_CONCURRENCY: "2" } },
    beside: [(killing) => keepAddingWeeks(site, killing)],
    underWayFigure: "killsInTransactions",
    // What the workers were too fast, or the kills too few for.
    complete: () => addCustomers(site, options.count),
    look: () => countDues(records),
    check: () => check(site),
  };
}

/** As many customers as kills, a few ahead of them. Late events of those that are billed just now come all the time. */
async function keepAddingWeeks(site: Site, { enough, killsDone }: Killing): Promise<void> {
  for (let round = 0; !enough.aborted; round++) {
    const added = await addCustomers(site, Math.min(site.options.count, killsDone() + CUSTOMERS_AHEAD));
    if (added === 0) await sendLate(site, round);
    await pause(LOOK_EVERY_MS, undefined, { signal: enough }).catch(() => undefined);
  }
}

/** A name is taken before its customer is made: one that a stopped run left half made has no subscription, and is passed over. */
async function addCustomers({ records, platform, call }: Site, upTo: number): Promise<number> {
  for (let added = 0; ; added++) {
    const { made = 0 } = await countRow(records, "select made from prove.campaign");
    if (made >= upTo) return added;
    await records.query("update prove.campaign set made = made + 1");
    await addWeeksToBill(call, { name: `customer ${made + 1}`, weeks: WEEKS, now: platform.clock.now() });
  }
}

/** Into the week that a customer has open, and into the one before, which perhaps is being billed. */
async function sendLate({ verifier, call }: Site, round: number): Promise<void> {
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
  if (events.length > 0) await call("POST", "/events/batch", { events });
}

async function check({ url, organizationId, options }: Site): Promise<Findings> {
  const { broken, figures } = await checkWeeks(url, organizationId);
  return { broken: { ...broken, unclean: await countUnclean(url, options.say) }, figures };
}
