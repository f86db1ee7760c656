/** The only place that constructs things and ties them together. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { buildServer } from "../http/server.ts";
import { forgetOldAnswers } from "../http/transactions.ts";
import { createDueRegistry, type DueKind, type DueRegistry } from "../jobs/due.ts";
import type { OutboxSubscriber } from "../jobs/outbox.ts";
import { type JobHandler, startQueue } from "../jobs/queue.ts";
import { type Loop, startWorker } from "../jobs/worker.ts";
import { addOnErrors, addOnRoutes } from "../modules/add-ons/index.ts";
import { askToRegroup, consumeFor, consumeNext, consumeSoon, regroupDueKind } from "../modules/advance-fees/index.ts";
import { createAuthenticate } from "../modules/api-keys/index.ts";
import {
  appliedCouponErrors,
  appliedCouponRoutes,
  couponEffects,
  couponSource,
  terminateCouponsOf,
} from "../modules/applied-coupons/index.ts";
import { billableMetricErrors, billableMetricRoutes } from "../modules/billable-metrics/index.ts";
import { couponErrors, couponRoutes } from "../modules/coupons/index.ts";
import {
  creditNoteErrors,
  creditNoteRoutes,
  creditNoteSource,
  hasLiveNote,
  onInvoiceFinalized,
  onSubscriptionEnded,
} from "../modules/credit-notes/index.ts";
import {
  customerErrors,
  customerJobs,
  customerRoutes,
  deleteCustomersOfClock,
  type HeldCustomer,
} from "../modules/customers/index.ts";
import { askForEventChecks, eventCheckJobs } from "../modules/event-checks/index.ts";
import { eventErrors, eventRoutes, makeEventPartitions } from "../modules/events/index.ts";
import { feeErrors, feeRoutes } from "../modules/fees/index.ts";
import {
  closeInvoicesOf,
  draftEffects,
  draftJobs,
  type InvoiceCredits,
  invoiceChangeRoutes,
  invoiceDueKinds,
  invoiceErrors,
  invoicePreviewRoutes,
  invoiceRoutes,
  openInvoice,
  retimeDraftsOf,
} from "../modules/invoices/index.ts";
import { organizationRoutes } from "../modules/organizations/index.ts";
import { planErrors, planRoutes, removeChargesOn, removeVanishedFilterValues } from "../modules/plans/index.ts";
import {
  endSubscriptionsOf,
  type LifeDeps,
  moveSubscriptions,
  subscriptionDueKinds,
  subscriptionEffects,
  subscriptionErrors,
  subscriptionJobs,
  subscriptionRoutes,
  takeDueOf,
} from "../modules/subscriptions/index.ts";
import { taxErrors, taxRoutes } from "../modules/taxes/index.ts";
import {
  catchUpClockOf,
  resumeAdvance,
  testClockErrors,
  testClockJobs,
  testClockRoutes,
} from "../modules/test-clocks/index.ts";
import { createPostgresEventStore, usageErrors, usageRoutes } from "../modules/usage/index.ts";
import {
  askForRefresh,
  followEventsFor,
  followNextEvents,
  isWaitingOnTestClock,
} from "../modules/wallet-refreshes/index.ts";
import {
  endWalletsOf,
  moveTopUpsOf,
  purchasedCredits,
  refreshFor,
  refreshNext,
  settlePurchases,
  walletCredits,
  walletDueKinds,
  walletErrors,
  walletRoutes,
  walletTransactionRoutes,
} from "../modules/wallets/index.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { createDatabase, type Tx } from "../platform/postgres/database.ts";
import { pendingMigrations } from "../platform/postgres/migrate.ts";
import { createPool } from "../platform/postgres/pool.ts";
import { createLog, type Log } from "../platform/telemetry/log.ts";
import { createMetrics } from "../platform/telemetry/metrics.ts";
import type { Config } from "./config.ts";

export const VERSION: string = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
).version;

/** The codes of each module, for the error reference. */
export const ERROR_CATALOGUES = {
  "Add-ons": addOnErrors.catalogue,
  "Applied coupons": appliedCouponErrors.catalogue,
  "Billable metrics": billableMetricErrors.catalogue,
  Coupons: couponErrors.catalogue,
  "Credit notes": creditNoteErrors.catalogue,
  Customers: customerErrors.catalogue,
  Events: eventErrors.catalogue,
  Fees: feeErrors.catalogue,
  Invoices: invoiceErrors.catalogue,
  Plans: planErrors.catalogue,
  Subscriptions: subscriptionErrors.catalogue,
  Taxes: taxErrors.catalogue,
  "Test clocks": testClockErrors.catalogue,
  Usage: usageErrors.catalogue,
  Wallets: walletErrors.catalogue,
};

/** What tests may replace: the clock, and work that no module of ours does yet. */
export type Additions = {
  clock?: Clock;
  log?: Log;
  dueKinds?: readonly DueKind[];
  subscribers?: readonly OutboxSubscriber[];
  jobs?: Readonly<Record<string, JobHandler>>;
};

export type Platform = ReturnType<typeof composePlatform>;

export function composePlatform(config: Config, additions: Additions = {}) {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS, WORKER_CONCURRENCY } = config;
  const appPool = createPool({ url, role: "app", connectionsMax: DATABASE_CONNECTIONS, statementTimeoutMs: 5_000 });
  const dispatcher = {
    url,
    role: "dispatcher",
    connectionsMax: 3 * WORKER_CONCURRENCY + 2,
    statementTimeoutMs: 60_000,
  } as const;
  const queuePool = createPool({ ...dispatcher, connectionsMax: WORKER_CONCURRENCY + 2, isForLibrary: true });
  const db = createDatabase(appPool);
  const dispatcherDb = createDatabase(createPool(dispatcher));
  const settleDelay = Temporal.Duration.from({ seconds: config.SETTLE_DELAY_SECONDS });
  const clock = additions.clock ?? systemClock;
  const onBilled: LifeDeps["onBilled"] = async (tx, organizationId, bill, registry) => {
    await openInvoice(clock)(tx, organizationId, bill, registry);
    await askToRegroup(tx, organizationId, bill, registry);
    await askForRefresh(tx, organizationId, { customerId: bill.customer.id, now: clock.now() });
  };
  const onEnded = onSubscriptionEnded(clock);
  const events = createPostgresEventStore(db);
  const engine = { version: VERSION, zoneData: process.versions.tz ?? "unknown" };
  const credits = composeCredits(clock);
  const invoicing = { db, clock, events, engine, credits };
  const dueKinds = [
    ...subscriptionDueKinds({ clock, onBilled, onEnded }),
    ...invoiceDueKinds(invoicing),
    regroupDueKind(invoicing),
    ...walletDueKinds(invoicing),
    ...(additions.dueKinds ?? []),
  ];
  const registry: DueRegistry = createDueRegistry(dueKinds, settleDelay);
  const work = {
    clock,
    log: additions.log ?? createLog(config.LOG_LEVEL),
    metrics: createMetrics(),
    db,
    dispatcherDb,
    registry,
    onBilled,
    onEnded,
    events,
    engine,
    credits,
  };
  const advanceFees = { ...work, takeDue: takeDueOf(work) };
  return {
    ...work,
    config,
    additions,
    queuePool,
    /** What follows the accepted events, by its name: each does a step, or says that there is none. */
    consumers: {
      advance_fees: () => consumeNext(advanceFees),
      wallet_events: () => followNextEvents(work),
      wallet_refreshes: () => refreshNext(work),
    },
    consumeFor: async (organizationId: string) =>
      (await consumeFor(advanceFees, organizationId)) ||
      (await followEventsFor(work, organizationId)) ||
      (await refreshFor(work, organizationId)),
    isBehind: isWaitingOnTestClock,
    beforeChange: (organizationId: string) => consumeSoon(advanceFees, organizationId),
    close: async (): Promise<void> => {
      await Promise.all([db.destroy(), dispatcherDb.destroy(), queuePool.end()]);
    },
  };
}

/** What customers have to spend, in the order in which invoices use it. */
const composeCredits = (clock: Clock): InvoiceCredits => ({
  sources: [couponSource(clock), creditNoteSource(clock), walletCredits(clock)],
  hasLiveNote,
  onPaid: settlePurchases(clock),
  onFinalized: onInvoiceFinalized(clock),
});

export function composeApi(platform: Platform): Promise<FastifyInstance> {
  const { config, clock, log, metrics, db, dispatcherDb } = platform;
  const { onPlanChanged, onPlanDeleted, afterPlanDeleted, onOrganizationMoved } = subscriptionEffects(platform);
  const customerDeps = composeCustomers(platform);
  return buildServer({
    db,
    clock,
    log,
    metrics,
    version: VERSION,
    authenticate: createAuthenticate(dispatcherDb, clock),
    rateLimits: { events: config.RATE_LIMIT_EVENTS, usage: config.RATE_LIMIT_USAGE, other: config.RATE_LIMIT_OTHER },
    findObstacles: () => findObstacles(platform),
    routes: [
      organizationRoutes({ clock, onMoved: onOrganizationMoved, onTermsChanged: draftEffects.onTermsChanged }),
      taxRoutes({ clock, onChanged: draftEffects.onTaxChanged }),
      customerRoutes(customerDeps),
      billableMetricRoutes({ clock, onFiltersChanged: removeVanishedFilterValues, onDeleted: removeChargesOn }),
      planRoutes({
        clock,
        onRepriced: onPlanChanged,
        onChanged: draftEffects.onPlanChanged,
        onDeleted: onPlanDeleted,
        afterDeleted: afterPlanDeleted,
      }),
      addOnRoutes(clock),
      couponRoutes({ clock, ...couponEffects }),
      appliedCouponRoutes(clock),
      subscriptionRoutes({ ...platform, afterChange: catchUpClockOf(platform) }),
      eventRoutes(platform),
      usageRoutes(platform),
      invoiceRoutes(platform),
      invoiceChangeRoutes(platform),
      invoicePreviewRoutes(platform),
      feeRoutes(clock),
      creditNoteRoutes({ clock, purchased: purchasedCredits(clock) }),
      walletRoutes(platform),
      walletTransactionRoutes(platform),
      testClockRoutes({ ...platform, deleteCustomersOfClock: deleteCustomersOfClock(customerDeps) }),
    ],
  });
}

/** Subscriptions and invoices follow their customers. */
const composeCustomers = (platform: Platform) => ({
  clock: platform.clock,
  beforeChange: takeDueOf(platform),
  onMoved: async (tx: Tx, customer: HeldCustomer, timeZone: string): Promise<void> => {
    await moveSubscriptions(platform)(tx, customer, timeZone);
    await moveTopUpsOf(platform)(tx, customer);
  },
  onTermsChanged: retimeDraftsOf(platform),
  onTaxesChanged: draftEffects.onTaxesOfCustomerChanged,
  beforeDelete: async (tx: Tx, customer: HeldCustomer): Promise<void> => {
    await endSubscriptionsOf(platform)(tx, customer);
    await closeInvoicesOf(platform)(tx, customer);
    await terminateCouponsOf(tx, customer);
    await endWalletsOf(platform)(tx, customer);
  },
});

export function composeJobs(platform: Platform) {
  const { additions, db, dispatcherDb, clock, metrics } = platform;
  return {
    jobs: {
      ...customerJobs(db, composeCustomers(platform)),
      ...subscriptionJobs(platform),
      ...testClockJobs(platform),
      ...draftJobs(platform),
      ...eventCheckJobs(db, clock),
      ...additions.jobs,
    },
    scheduled: [
      { name: "forget_old_answers", cron: "17 * * * *", run: () => forgetOldAnswers(dispatcherDb, clock) },
      { name: "ask_for_event_checks", cron: "5 * * * *", run: () => askForEventChecks(platform) },
      { name: "make_event_partitions", cron: "37 3 * * *", run: () => makeEventPartitions(dispatcherDb) },
    ],
    metrics,
  };
}

export async function composeWorker(platform: Platform): Promise<Loop> {
  const { additions, config } = platform;
  const concurrency = config.WORKER_CONCURRENCY;
  const queue = await startQueue({ ...platform, ...composeJobs(platform), concurrency });
  const worker = await startWorker({
    ...platform,
    subscribers: additions.subscribers ?? [],
    steps: { test_clocks: () => resumeAdvance(platform), ...platform.consumers },
    loopsPerSource: concurrency,
  });
  return {
    stop: async () => {
      await Promise.all([queue.stop(), worker.stop()]);
    },
  };
}

async function findObstacles({ db }: Platform): Promise<string[]> {
  try {
    const pending = await pendingMigrations(db);
    return pending.length === 0 ? [] : [`the database lacks migrations (${pending.join(", ")}): run "npm run migrate"`];
  } catch {
    return ["the database does not answer"];
  }
}
