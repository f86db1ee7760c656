/** The only place that constructs and connects things. */
import type { FastifyInstance } from "fastify";
import type { Authenticate } from "../http/auth.ts";
import { NO_LIMITS, type RateLimits } from "../http/rate-limit.ts";
import { buildServer } from "../http/server.ts";
import { createDueRegistry, type DueKind, type DueRegistry } from "../jobs/due.ts";
import type { OutboxSubscriber } from "../jobs/outbox.ts";
import type { JobHandler } from "../jobs/queue.ts";
import {
  activityRoutes,
  apiKeyRoutes,
  createAuthenticate,
  createSecurityLog,
  organizationRoutes,
  recordActivity,
  securityLogRoutes,
} from "../modules/accounts/index.ts";
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
  noteForOwners,
  queueMails,
  sendNextMail,
  writeNextNotice,
} from "../modules/documents/index.ts";
import { eventRoutes } from "../modules/events/index.ts";
import {
  askToRegroupLate,
  billingRunRoutes,
  closeInvoicesOf,
  consumeFor,
  consumeSoon,
  draftEffects,
  estimateRoutes,
  feeRoutes,
  heldInvoiceRoutes,
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
import { changePreviewRoutes, explanationRoutes, verificationRoutes } from "../modules/proof/index.ts";
import { sampleDataRoutes } from "../modules/samples/index.ts";
import { searchRoutes } from "../modules/search/index.ts";
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
  messageRoutes,
  publicKeyRoutes,
  queueDeliveries,
  webhookEndpointRoutes,
  webhookLogRoutes,
} from "../modules/webhooks/index.ts";
import { consoleFolder, readVersion } from "../platform/assets.ts";
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
import { ownersOf } from "./owners.ts";
import { composeParkedSources } from "./parked-items.ts";
import { composePeople } from "./people.ts";
import { composeReadiness } from "./readiness.ts";
import { composeSecondOpinion } from "./second-opinion.ts";

export const VERSION = readVersion();

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
    recordActivity,
    ...createSecurityLog({ ...telemetry, dispatcherDb, clock }),
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
      notices: () => writeNextNotice({ ...work, ownersOf }),
      mails: () => sendNextMail(work),
    },
    consumeFor: async (organizationId: string) =>
      (await consumeFor(advanceFees, organizationId)) ||
      (await followEventsFor(work, organizationId)) ||
      (await refreshFor(work, organizationId)),
    isBehind: isWaitingOnTestClock,
    beforeChange: (organizationId: string) => consumeSoon(advanceFees, organizationId),
    close: async (): Promise<void> => {
      await work.closeSecurity();
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
  noteForOwners(clock, mailRules),
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
  /** In place of keys, for calls from within the service. They have no limits. */
  authenticate?: Authenticate;
  /** The metrics of all processes. */
  readMetrics?: () => Promise<string>;
};

const limitsFor = ({ authenticate, isHeavy }: Shared, limits: RateLimits): RateLimits => {
  if (authenticate) return NO_LIMITS;
  return isHeavy ? { ...NO_LIMITS, bytes: limits.bytes } : limits;
};

export async function composeApi(platform: Platform, shared: Shared = {}): Promise<FastifyInstance> {
  const { config, clock, clockWatch, log, metrics, db, dispatcherDb } = platform;
  const { people, pages, routes } = composePeople(platform);
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
    // The process that forwards a heavy request has counted it.
    authenticate:
      shared.authenticate ??
      createAuthenticate(dispatcherDb, clock, shared.isHeavy ? undefined : platform.countSecurity),
    people,
    answerBox: platform.answerBox,
    recordActivity: platform.recordActivity,
    corsOrigins: config.CORS_ORIGINS,
    rateLimits: limitsFor(shared, rateLimitsOf(config)),
    limiter: shared.limiter ?? createLimiter(),
    heavySocket: shared.heavySocket,
    readMetrics: shared.readMetrics ?? (() => metrics.registry.metrics()),
    ...composeReadiness(platform),
    deprecated: deprecatedMembers,
    routes: [...composeCatalogRoutes(platform), ...composeBillingRoutes(platform), ...routes],
    pages: [filePage({ db, clock }), ...pages],
    consoleFolder: consoleFolder(),
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
    apiKeyRoutes(clock),
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
    activityRoutes,
    securityLogRoutes({ clock }),
    addOnRoutes(clock),
    couponRoutes({ clock, ...couponEffects }),
    webhookEndpointRoutes({ clock, vault, outbound, messageTypes: Object.keys(MESSAGE_TYPES) }),
    publicKeyRoutes({ clock, vault }),
    webhookLogRoutes({ clock, messageTypes: Object.keys(MESSAGE_TYPES) }),
    messageRoutes,
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
    searchRoutes,
    changePreviewRoutes({ clock, registry, onBilled, onEnded, events, credits }),
    feeRoutes({ clock, onPaid: askToRegroupLate(registry) }),
    explanationRoutes({ events, clock }),
    downloadRoutes({ clock, pdf: platform.pdf }),
    creditNoteRoutes({ clock, documents, purchased: purchasedCredits(clock) }),
    mailRoutes({ clock, rules: mailRules }),
    walletRoutes(deps),
    walletTransactionRoutes(deps),
    parkedItemRoutes({ db, clock, parkedSources }),
    heldInvoiceRoutes(deps),
    billingRunRoutes({ db, clock, registry }),
    sampleDataRoutes({ clock }),
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
