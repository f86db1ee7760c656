/** The only place that constructs and connects things. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { NO_LIMITS, type RateLimits } from "../http/rate-limit.ts";
import { buildServer } from "../http/server.ts";
import { createDueRegistry, type DueKind, type DueRegistry } from "../jobs/due.ts";
import type { OutboxSubscriber } from "../jobs/outbox.ts";
import type { JobHandler } from "../jobs/queue.ts";
import { createAuthenticate, organizationRoutes } from "../modules/accounts/index.ts";
import {
  addOnRoutes,
  billableMetricRoutes,
  couponRoutes,
  planRoutes,
  removeChargesOn,
  removeVanishedFilterValues,
  taxRoutes,
} from "../modules/catalogue/index.ts";
import { deprecatedMembers, restateForOldClients } from "../modules/compatibility/index.ts";
import {
  appliedCouponRoutes,
  couponEffects,
  creditNoteRoutes,
  followEventsFor,
  isWaitingOnTestClock,
  moveTopUpsOf,
  purchasedCredits,
  refreshFor,
  walletDueKinds,
  walletRoutes,
  walletTransactionRoutes,
} from "../modules/credit/index.ts";
import {
  catchUpClockOf,
  customerEndDueKind,
  customerRoutes,
  deleteCustomersOfClock,
  type LockedCustomer,
  removeTax,
  testClockRoutes,
} from "../modules/customers/index.ts";
import {
  askForLogo,
  downloadRoutes,
  filePage,
  mailRoutes,
  queueMails,
  sendNextMail,
} from "../modules/documents/index.ts";
import { eventRoutes } from "../modules/events/index.ts";
import {
  askToRegroupLate,
  closeInvoicesOf,
  consumeFor,
  consumeSoon,
  draftEffects,
  estimateRoutes,
  feeRoutes,
  invoiceChangeRoutes,
  invoiceDueKinds,
  invoicePreviewRoutes,
  invoiceRoutes,
  loadEventStatuses,
  parkedItemRoutes,
  parkItem,
  regroupDueKinds,
  repriceDrafts,
  retimeDraftsOf,
  type SecondOpinion,
  writeOffRoutes,
} from "../modules/invoicing/index.ts";
import { explanationRoutes, verificationRoutes } from "../modules/proof/index.ts";
import {
  endSubscriptionsOf,
  moveSubscriptions,
  subscriptionDueKinds,
  subscriptionEffects,
  subscriptionRoutes,
  takeDueOf,
} from "../modules/subscriptions/index.ts";
import { usageRoutes } from "../modules/usage/index.ts";
import {
  deliverNext,
  describeMessages,
  publicKeyRoutes,
  queueDeliveries,
  webhookEndpointRoutes,
  webhookLogRoutes,
} from "../modules/webhooks/index.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { createLimiter, type Limiter } from "../platform/limiter/limiter.ts";
import { createPdfRenderer } from "../platform/pdf/render-pdf.ts";
import type { Database, Tx } from "../platform/postgres/database.ts";
import { createLog, type Log } from "../platform/telemetry/log.ts";
import { createMetrics } from "../platform/telemetry/metrics.ts";
import { API_WORDS } from "./api-description.ts";
import { composeColumnar } from "./columnar.ts";
import {
  composeClockWatch,
  composeConsumers,
  composeCredits,
  composeSecrets,
  DOCUMENT_HOOKS,
  endpointHooks,
  onBilledBy,
  onEndedBy,
  settleDelayOf,
} from "./compose-parts.ts";
import { type Config, givenPublicUrl, publicUrlOf } from "./config.ts";
import { composeCustomerEnd } from "./customer-end.ts";
import { composeDatabases } from "./databases.ts";
import { meaningOf } from "./error-catalogues.ts";
import { MESSAGE_TYPES } from "./message-types.ts";
import { composeOutside } from "./outside.ts";
import { composeParkedSources } from "./parked-items.ts";
import { composeReadiness } from "./readiness.ts";
import { composeSecondOpinion } from "./second-opinion.ts";

export const VERSION: string = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
).version;

/** What tests may replace: the clock, and work that no module does yet. */
export type Additions = {
  clock?: Clock;
  /** By default, a replaced clock is compared with none. */
  databaseClock?: (dispatcherDb: Database) => Promise<Temporal.Instant>;
  log?: Log;
  dueKinds?: readonly DueKind[];
  subscribers?: readonly OutboxSubscriber[];
  jobs?: Readonly<Record<string, JobHandler>>;
  recomputeInvoice?: SecondOpinion["give"];
};

export type Platform = ReturnType<typeof composePlatform>;

export function composePlatform(config: Config, additions: Additions = {}) {
  const { db, dispatcherDb, ...connections } = composeDatabases(config);
  const clock = additions.clock ?? systemClock;
  const onBilled = onBilledBy(clock);
  const notes = { clock, documents: DOCUMENT_HOOKS };
  const onEnded = onEndedBy(notes);
  const telemetry = { log: additions.log ?? createLog(config.LOG_LEVEL), metrics: createMetrics() };
  const clockWatch = composeClockWatch(additions, { ...telemetry, clock, dispatcherDb });
  const columnar = composeColumnar(config, { db, dispatcherDb, clock, ...telemetry });
  const engine = { version: VERSION, zoneData: process.versions.tz ?? "unknown" };
  const secondOpinion = composeSecondOpinion(config, { ...telemetry, give: additions.recomputeInvoice });
  const invoicing = { db, ...notes, events: columnar.events, engine, credits: composeCredits(notes), secondOpinion };
  const dueKinds = [
    ...subscriptionDueKinds({ clock, onBilled, onEnded }),
    ...invoiceDueKinds(invoicing),
    ...regroupDueKinds(invoicing),
    ...walletDueKinds(invoicing),
    customerEndDueKind(composeCustomerEnd(invoicing)),
    ...(additions.dueKinds ?? []),
  ];
  const registry: DueRegistry = createDueRegistry(dueKinds, settleDelayOf(config), parkItem);
  const work = {
    ...invoicing,
    ...telemetry,
    dispatcherDb,
    clockWatch,
    ...composeSecrets(config, { dispatcherDb, clock }),
    registry,
    onBilled,
    onEnded,
    pdf: createPdfRenderer(),
    ...composeOutside(config),
  };
  const advanceFees = { ...work, takeDue: takeDueOf(work) };
  return {
    ...work,
    parkedSources: composeParkedSources(work, advanceFees),
    config,
    additions,
    ...connections,
    clickhouse: columnar.clickhouse,
    relay: columnar.relay,
    consumers: { ...composeConsumers(work, advanceFees), ...columnar.consumers },
    subscribers: [...composeSubscribers(work), ...(additions.subscribers ?? [])],
    /** The senders, by name: each makes an attempt, or returns that none is due. */
    senders: {
      webhooks: () => deliverNext(work, false),
      failing_webhooks: () => deliverNext(work, true),
      mails: () => sendNextMail(work),
    },
    consumeFor: async (organizationId: string) =>
      (await consumeFor(advanceFees, organizationId)) ||
      (await followEventsFor(work, organizationId)) ||
      (await refreshFor(work, organizationId)),
    isBehind: isWaitingOnTestClock,
    beforeChange: (organizationId: string) => consumeSoon(advanceFees, organizationId),
    close: async (): Promise<void> => {
      await Promise.all([connections.closeDatabases(), work.closeOutside(), work.pdf.close()]);
      await columnar.clickhouse?.close();
    },
  };
}

/** The subscribers of every message. */
const composeSubscribers = ({ clock, mailRules }: { clock: Clock; mailRules: Parameters<typeof queueMails>[1] }) => [
  restateForOldClients,
  queueDeliveries(clock),
  queueMails(clock, mailRules),
];

const rateLimitsOf = (config: Config): RateLimits => ({
  events: config.RATE_LIMIT_EVENTS,
  usage: config.RATE_LIMIT_USAGE,
  other: config.RATE_LIMIT_OTHER,
  atOnce: config.REQUESTS_AT_ONCE,
  bytes: 1000 * config.RATE_LIMIT_KILOBYTES,
  address: config.RATE_LIMIT_ADDRESS,
});

/** What API processes share. By default there is one process. */
export type Shared = {
  limiter?: Limiter;
  /** The socket of the process that does heavy work. */
  heavySocket?: string | undefined;
  /** This is that process: its requests were counted before. */
  isHeavy?: boolean;
  /** The metrics of all processes. */
  readMetrics?: () => Promise<string>;
};

export async function composeApi(platform: Platform, shared: Shared = {}): Promise<FastifyInstance> {
  const { config, clock, clockWatch, log, metrics, db, dispatcherDb } = platform;
  const rateLimits = rateLimitsOf(config);
  const app = await buildServer({
    db,
    clock,
    clockWatch,
    log,
    metrics,
    version: VERSION,
    meaningOf,
    webhooks: describeMessages(MESSAGE_TYPES),
    words: API_WORDS,
    publicUrl: publicUrlOf(config),
    describedUrl: givenPublicUrl(config),
    trustedProxies: config.TRUSTED_PROXIES,
    timeouts: { headersSeconds: config.HEADERS_TIMEOUT_SECONDS, requestSeconds: config.REQUEST_TIMEOUT_SECONDS },
    authenticate: createAuthenticate(dispatcherDb, clock),
    answerBox: platform.answerBox,
    corsOrigins: config.CORS_ORIGINS,
    rateLimits: shared.isHeavy ? { ...NO_LIMITS, bytes: rateLimits.bytes } : rateLimits,
    limiter: shared.limiter ?? createLimiter(),
    heavySocket: shared.heavySocket,
    readMetrics: shared.readMetrics ?? (() => metrics.registry.metrics()),
    ...composeReadiness(platform),
    deprecated: deprecatedMembers,
    routes: [...composeCatalogRoutes(platform), ...composeBillingRoutes(platform)],
    pages: [filePage({ db, clock })],
  });
  let watching: Awaited<ReturnType<typeof clockWatch.start>> | undefined;
  app.addHook("onReady", async () => {
    watching = await clockWatch.start();
  });
  app.addHook("onClose", async () => watching?.stop());
  return app;
}

/** Each takes its dependencies by name, so that a reader sees what depends on what. */
function composeCatalogRoutes(platform: Platform) {
  const { clock, vault, outbound } = platform;
  const { onPlanChanged, onPlanDeleted, afterPlanDeleted, onOrganizationMoved } = subscriptionEffects(platform);
  return [
    organizationRoutes({
      clock,
      onMoved: onOrganizationMoved,
      onTermsChanged: draftEffects.onTermsChanged,
      onLogoGiven: askForLogo,
      endpoints: endpointHooks(platform),
    }),
    taxRoutes({ clock, onChanged: draftEffects.onTaxChanged, onDeleted: removeTax }),
    billableMetricRoutes({ clock, onFiltersChanged: removeVanishedFilterValues, onDeleted: removeChargesOn }),
    planRoutes({
      clock,
      onRepriced: onPlanChanged,
      onTaxesChanged: draftEffects.onTaxesOfPlanChanged,
      onApplied: repriceDrafts(clock).onPlanApplied,
      onDeleted: async (tx, planId) => {
        await onPlanDeleted(tx, planId);
        await draftEffects.onPlanDeleted(tx);
      },
      afterDeleted: afterPlanDeleted,
    }),
    addOnRoutes(clock),
    couponRoutes({ clock, ...couponEffects }),
    webhookEndpointRoutes({ clock, vault, outbound, messageTypes: Object.keys(MESSAGE_TYPES) }),
    publicKeyRoutes({ clock, vault }),
    webhookLogRoutes({ clock, messageTypes: Object.keys(MESSAGE_TYPES) }),
  ];
}

function composeBillingRoutes(platform: Platform) {
  const { db, clock, log, registry, events, engine, credits, documents, secondOpinion, onBilled, onEnded } = platform;
  const { beforeChange, parkedSources, consumeFor, isBehind, mailRules } = platform;
  const deps = { db, clock, registry, events, engine, credits, documents, secondOpinion };
  const customerDeps = composeCustomers(platform);
  return [
    customerRoutes(customerDeps),
    appliedCouponRoutes(clock),
    subscriptionRoutes({
      ...{ clock, registry, onBilled, onEnded, beforeChange },
      onApplied: repriceDrafts(clock).onOverridesApplied,
      afterChange: catchUpClockOf(platform),
    }),
    eventRoutes({ db, clock, log, loadStatuses: loadEventStatuses }),
    usageRoutes({ clock, events }),
    estimateRoutes({ clock, events }),
    invoiceRoutes(deps),
    invoiceChangeRoutes(deps),
    invoicePreviewRoutes({ events, clock, credits }),
    writeOffRoutes(clock),
    verificationRoutes({ db, events, engine }),
    feeRoutes({ clock, onPaid: askToRegroupLate(registry) }),
    explanationRoutes({ events, clock }),
    downloadRoutes(clock),
    creditNoteRoutes({ clock, documents, purchased: purchasedCredits(clock) }),
    mailRoutes({ clock, rules: mailRules }),
    walletRoutes(deps),
    walletTransactionRoutes(deps),
    parkedItemRoutes({ db, clock, parkedSources }),
    testClockRoutes({
      ...{ db, clock, registry, log, consumeFor, isBehind, beforeChange },
      deleteCustomersOfClock: deleteCustomersOfClock(customerDeps),
    }),
  ];
}

/** Subscriptions and invoices follow their customers. */
export const composeCustomers = (platform: Platform) => ({
  clock: platform.clock,
  registry: platform.registry,
  ...composeCustomerEnd(platform),
  beforeTransaction: platform.beforeChange,
  afterDelete: catchUpClockOf(platform),
  beforeChange: takeDueOf(platform),
  onMoved: async (tx: Tx, customer: LockedCustomer, timeZone: string): Promise<void> => {
    await moveSubscriptions(platform)(tx, customer, timeZone);
    await moveTopUpsOf(platform)(tx, customer);
  },
  onTermsChanged: retimeDraftsOf(platform),
  onTaxesChanged: draftEffects.onTaxesOfCustomerChanged,
  beforeDelete: async (tx: Tx, customer: LockedCustomer): Promise<void> => {
    await endSubscriptionsOf(platform)(tx, customer);
    await closeInvoicesOf(platform)(tx, customer);
  },
});
