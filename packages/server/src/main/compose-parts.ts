/** Parts of the service that do not depend on the rest. */
import { skipsBill } from "@tallystick/core/subscription";
import { answerBoxOf, createVault, type organizationRoutes, sealNextActivities } from "../modules/accounts/index.ts";
import {
  askForRefresh,
  couponSource,
  creditNoteSource,
  followNextEvents,
  followPayment,
  isKeptByNote,
  isPurchaseSpent,
  onInvoiceFinalized,
  onSubscriptionEnded,
  refreshNext,
  refundPurchase,
  walletCredits,
} from "../modules/credit/index.ts";
import { issueDocument, withFileUrls } from "../modules/documents/index.ts";
import {
  askToRegroup,
  askToRegroupUnbilled,
  consumeNext,
  type DocumentHooks,
  type InvoiceCredits,
  openInvoice,
} from "../modules/invoicing/index.ts";
import type { LifeDeps } from "../modules/subscriptions/index.ts";
import { type EndpointDeps, listEndpointUrls, refusalOfUrl, setFirstEndpoint } from "../modules/webhooks/index.ts";
import type { Clock } from "../platform/clock.ts";
import { type ClockWatch, createClockWatch, readDatabaseClock } from "../platform/clock-watch.ts";
import type { OutboundHttp } from "../platform/outbound-http/outbound-http.ts";
import type { Database } from "../platform/postgres/database.ts";
import type { Log } from "../platform/telemetry/log.ts";
import type { Metrics } from "../platform/telemetry/metrics.ts";
import { type Config, masterKeysOf } from "./config.ts";

export const DOCUMENT_HOOKS: DocumentHooks = { issue: issueDocument, withFileUrls };

export const onBilledBy =
  (clock: Clock): LifeDeps["onBilled"] =>
  async (batch, organizationId, bill, registry) => {
    await openInvoice(clock)(batch, organizationId, bill, registry);
    await askToRegroup(batch, organizationId, bill, registry);
    await askForRefresh(batch, organizationId, { customerId: bill.customer.id, now: clock.now() });
  };

/** An end that makes a bill has the rest done with its bill. */
export const onEndedBy = (deps: { clock: Clock; documents: DocumentHooks }): LifeDeps["onEnded"] => {
  const giveBack = onSubscriptionEnded(deps);
  return async (batch, end, registry) => {
    await giveBack(batch, end);
    if (!skipsBill(end.ended)) return;
    const { organizationId, customer } = end;
    await askToRegroupUnbilled(batch, end, registry);
    await askForRefresh(batch, organizationId, { customerId: customer.id, now: deps.clock.now() });
  };
};

export function composeSecrets(config: Config, deps: { dispatcherDb: Database; clock: Clock }) {
  const masterKeys = masterKeysOf(config);
  const vault = createVault({ masterKeys, ...deps });
  return { masterKeys, vault, answerBox: answerBoxOf(vault) };
}

export const settleDelayOf = ({ SETTLE_DELAY_SECONDS: seconds }: Config) => Temporal.Duration.from({ seconds });

/** A replaced clock is compared with none, unless the database's is replaced too. */
export function composeClockWatch(
  {
    clock: replaced,
    databaseClock,
  }: { clock?: Clock; databaseClock?: (dispatcherDb: Database) => Promise<Temporal.Instant> },
  { dispatcherDb, ...deps }: { dispatcherDb: Database; clock: Clock; log: Log; metrics: Metrics },
): ClockWatch {
  const readThere = databaseClock ?? (replaced ? undefined : readDatabaseClock);
  return createClockWatch({ ...deps, readThere: readThere && (() => readThere(dispatcherDb)) });
}

/** The consumers of accepted events and of the trail, by name: each runs a step, or returns that there is none. */
export const composeConsumers = (
  work: Parameters<typeof refreshNext>[0] & Parameters<typeof sealNextActivities>[0],
  advanceFees: Parameters<typeof consumeNext>[0],
) => ({
  advance_fees: () => consumeNext(advanceFees),
  wallet_events: () => followNextEvents(work),
  wallet_refreshes: () => refreshNext(work),
  activities: sealNextActivities(work),
});

/** The credits of customers, in the order in which invoices use them. */
export const composeCredits = ({ clock, documents }: { clock: Clock; documents: DocumentHooks }): InvoiceCredits => ({
  sources: [couponSource(clock), creditNoteSource(clock), walletCredits(clock)],
  isKeptByNote,
  isPurchaseSpent,
  onPaid: async (tx, invoice, at) => {
    const refundMinor = await followPayment(clock)(tx, invoice, at);
    if (refundMinor > 0n) await refundPurchase(tx, { clock, documents }, { invoice, refundMinor, at });
  },
  onFinalized: onInvoiceFinalized({ clock, documents }),
});

/** The webhook endpoints of an organization. The first one can be set through the organization. */
export const endpointHooks = ({
  clock,
  vault,
  outbound,
}: EndpointDeps & { outbound: OutboundHttp }): Parameters<typeof organizationRoutes>[0]["endpoints"] => ({
  refusalOf: (url) => refusalOfUrl(outbound, url),
  listUrls: listEndpointUrls,
  setFirst: (tx, organizationId, url) => setFirstEndpoint(tx, organizationId, url, { clock, vault }),
});
