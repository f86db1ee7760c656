/** Many webhooks to endpoints of which some hang, fail, are slow or reset: those that work must not notice. */
import { setTimeout as pause } from "node:timers/promises";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { readConfig, TRUST_THIS_MACHINE } from "../../packages/server/src/main/config.ts";
import { NO_RATE_LIMITS } from "../../packages/server/src/main/limit-settings.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { startEmbeddedPostgres } from "../../packages/server/src/platform/postgres/embedded.ts";
import { migrate } from "../../packages/server/src/platform/postgres/migrate.ts";
import { allOrNone } from "../all-or-none.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { countRow, openVerifier, type Records } from "../invoice-checks.ts";
import { createCrew } from "../kills/crew.ts";
import { drain } from "../kills/drain.ts";
import type { Use } from "../kills/worker.ts";
import { type Call, countUnclean, demanding, senderOf } from "../served-api.ts";
import { type Stops, withStops } from "../with-stops.ts";
import { KINDS, type Kind, type Receivers, startReceivers } from "./receivers.ts";

const ORGANIZATIONS = 4;
const ENDPOINTS_EACH = Object.values(KINDS).reduce((sum, count) => sum + count, 0);
const MEMORY_MB_MAX = 400;
/** A machine that does not keep up makes fewer messages, and does not choke on its own requests. */
const REQUESTS_AT_ONCE = 8;
const ENABLE_EVERY_MS = 2_000;

export type Weather = {
  /** Over all endpoints. Messages come at this rate, whatever becomes of them: the sender does not wait for those that are behind. */
  webhooksPerSecond: number;
  /** For a message to healthy endpoints, but for one in a hundred. */
  delaySecondsMax: number;
  /** After how long a message is given up, and an endpoint that took nothing. */
  retryDelaysSeconds: string;
};

/** A minute in place of three days. Five seconds is the promise that is put to the test. */
const STORM: Weather = { webhooksPerSecond: 100, delaySecondsMax: 5, retryDelaysSeconds: "1,2,4,8,16,32" };

const settingsOf = ({ retryDelaysSeconds }: Weather) => ({
  OUTBOUND_TRUSTED_HOSTS: "127.0.0.1",
  WEBHOOK_TIMEOUT_SECONDS: "2",
  WEBHOOK_RETRY_DELAYS_SECONDS: retryDelaysSeconds,
});

export const webhookStorm: Campaign = {
  summary: "webhooks to endpoints that hang, fail, are slow or reset: all delivered or given up, the healthy in 5 s",
  counts: "webhooks",
  countByDefault: 100_000,
  run: (options) => runWebhookStorm(options, STORM),
};

export async function runWebhookStorm(options: CampaignOptions, weather: Weather): Promise<Outcome> {
  try {
    return await withStops(async (onStop) => {
      const cluster = await startEmbeddedPostgres();
      onStop.push(cluster.stop);
      await migrate(cluster.url);
      return storm(cluster.url, { ...options, ...weather }, onStop);
    });
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

type StormOptions = CampaignOptions & Weather;
type Stage = { calls: Call[]; receivers: Receivers; verifier: Records; uses: Use[]; assertAlive: () => void };

async function storm(url: string, options: StormOptions, onStop: Stops): Promise<Outcome> {
  const begun = performance.now();
  const verifier = openVerifier(url);
  onStop.push(() => verifier.end());
  const platform = composePlatform(
    readConfig({ DATABASE_URL: url, LOG_LEVEL: "error", ...NO_RATE_LIMITS, ...TRUST_THIS_MACHINE }),
  );
  onStop.push(platform.close);
  const api = await composeApi(platform);
  onStop.push(() => api.close());
  const receivers = await startReceivers();
  onStop.push(receivers.stop);
  const calls: Call[] = [];
  const organizationIds: string[] = [];
  for (let number = 1; number <= ORGANIZATIONS; number++) {
    const { id, key } = await makeOrganization(platform, { name: `${number}`, isSandbox: false, keyName: "campaign" });
    organizationIds.push(id);
    const call = demanding(senderOf(api, key));
    await listen(call, id, receivers);
    calls.push(call);
  }
  const crew = await createCrew();
  onStop.push(crew.endAll);
  const sender = crew.start(options.isNaive ? "naiveSender" : "worker", {
    ...{ url, organizationIds, settings: settingsOf(options) },
  });
  const uses: Use[] = [];
  sender.child.on("message", (message: Partial<Use>) => {
    if (message.rssBytes !== undefined) uses.push(message as Use);
  });
  await sender.isReady;
  const { assertAlive } = crew;
  const stage = { calls, receivers, verifier, uses, assertAlive };
  const repairs = await publishAndRepair(stage, options);
  options.say("the last message is made: draining");
  await drain({ look: () => countOpen(verifier), assertAlive, signal: options.signal, say: options.say });
  const { broken, figures } = await findings(stage, options);
  return {
    seed: options.seed ?? 1,
    seconds: Math.round((performance.now() - begun) / 1000),
    broken: { ...broken, unclean: options.isNaive ? 0 : await countUnclean(url, options.say) },
    figures: { ...figures, endpointsEnabledAgain: repairs },
  };
}

async function listen(call: Call, organizationId: string, { urlOf }: Receivers): Promise<void> {
  let made = 0;
  for (const [kind, count] of Object.entries(KINDS) as [Kind, number][])
    for (let number = 1; number <= count; number++) {
      const signature_algo = ++made % 2 === 0 ? "jwt" : "hmac";
      const webhook_url = urlOf(organizationId, kind, number);
      await call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url, signature_algo } });
    }
}

/** Returns how often an endpoint was enabled again: as long as messages come, its owner believes that it works now. */
async function publishAndRepair({ calls, assertAlive }: Stage, options: StormOptions): Promise<number> {
  const { signal, say } = options;
  const messages = Math.ceil(options.count / ENDPOINTS_EACH);
  const everyMs = (ENDPOINTS_EACH * 1000) / options.webhooksPerSecond;
  const enough = new AbortController();
  let repairs = 0;
  await allOrNone(signal, [
    (stop) =>
      publishAtPace(calls, { messages, everyMs, stop, onPublished: sayEvery(messages, say) }).then(() =>
        enough.abort(),
      ),
    async (stop) => {
      const end = AbortSignal.any([stop, enough.signal]);
      while (!end.aborted) {
        assertAlive();
        for (const call of calls) repairs += await enableAgain(call);
        await pause(ENABLE_EVERY_MS, undefined, { signal: end }).catch(() => undefined);
      }
    },
  ]);
  return repairs;
}

type Publishing = { messages: number; everyMs: number; stop: AbortSignal; onPublished: (number: number) => void };

/** A new customer is a message to every endpoint of its organization. */
async function publishAtPace(
  calls: readonly Call[],
  { messages, everyMs, stop, onPublished }: Publishing,
): Promise<void> {
  const begun = performance.now();
  const open = new Set<Promise<void>>();
  for (let number = 1; number <= messages; number++) {
    await pause(Math.max(0, begun + number * everyMs - performance.now()), undefined, { signal: stop });
    const customer = { external_id: `customer ${number}`, name: "Zoë" };
    const made = calls[number % calls.length]?.("POST", "/customers", { customer }) ?? Promise.resolve();
    const kept: Promise<void> = made.then(() => {
      open.delete(kept);
      onPublished(number);
    });
    open.add(kept);
    if (open.size >= REQUESTS_AT_ONCE) await Promise.race(open);
  }
  await Promise.all(open);
}

const sayEvery =
  (messages: number, say: (line: string) => void) =>
  (number: number): void => {
    if (number % 500 === 0) say(`${number} of ${messages} messages`);
  };

async function enableAgain(call: Call): Promise<number> {
  type Endpoints = { webhook_endpoints: { svc_id: string; disabled_at: string | null }[] };
  const { webhook_endpoints } = await call<Endpoints>("GET", "/webhook_endpoints");
  const disabled = webhook_endpoints.filter(({ disabled_at }) => disabled_at !== null);
  for (const { svc_id } of disabled) await call("PUT", `/webhook_endpoints/${svc_id}`, { webhook_endpoint: {} });
  return disabled.length;
}

async function countOpen(verifier: Records) {
  const { open = 0, ...moved } = await countRow(verifier, OPEN);
  return { open, ...moved };
}

const OPEN = `
  select (select count(*) from outbox where dispatched_at is null)
    + (select count(*) from webhook_deliveries where settled_at is null) as open,
    (select count(*) from webhook_attempts) as attempts`;

async function findings({ verifier, receivers, uses }: Stage, options: StormOptions) {
  const { isNaive, webhooksPerSecond, delaySecondsMax } = options;
  const { messagesMissing = 0, open = 0, healthyGivenUp = 0, ...counts } = await countRow(verifier, COUNTS);
  const made = await madeAt(verifier);
  const healthy = delaysOf(receivers, "healthy", made);
  const slow = delaysOf(receivers, "slow", made);
  const toMb = (bytes: number): number => Math.round(bytes / 2 ** 20);
  const memoryMbMax = toMb(uses.reduce((most, { rssBytes }) => Math.max(most, rssBytes), 0));
  const delaySecondsP99 = percentile(healthy.seconds, 0.99);
  return {
    broken: {
      open,
      messagesMissing,
      healthyGivenUp: isNaive ? 0 : healthyGivenUp,
      healthyNotReceived: healthy.missing,
      slowNotReceived: isNaive ? 0 : slow.missing,
      healthyTooLate: delaySecondsP99 < delaySecondsMax ? 0 : 1,
      memoryTooLarge: memoryMbMax < MEMORY_MB_MAX ? 0 : 1,
    },
    figures: {
      ...counts,
      requests: receivers.requests(),
      webhooksPerSecondRequested: webhooksPerSecond,
      healthyDelaySecondsP50: percentile(healthy.seconds, 0.5),
      healthyDelaySecondsP99: delaySecondsP99,
      healthyDelaySecondsMax: percentile(healthy.seconds, 1),
      slowDelaySecondsP99: percentile(slow.seconds, 0.99),
      workerCpuSeconds: Math.round(uses.at(-1)?.cpuSeconds ?? 0),
      memoryMbAtFirst: toMb(uses[0]?.rssBytes ?? 0),
      memoryMbMax,
      memoryMbAtLast: toMb(uses.at(-1)?.rssBytes ?? 0),
    },
  };
}

const COUNTS = `
  select (select count(*) from outbox where dispatched_at is null)
      + (select count(*) from webhook_deliveries where settled_at is null) as open,
    (select count(*) from outbox message join webhook_endpoints endpoint using (organization_id)
      where not exists (select from webhook_deliveries delivery where delivery.message_id = message.id
        and delivery.endpoint_id = endpoint.id)) as "messagesMissing",
    (select count(*) from webhook_deliveries delivery join webhook_endpoints endpoint on endpoint.id = delivery.endpoint_id
      where delivery.status = 'failed' and webhook_url ~ '/(healthy|slow)/') as "healthyGivenUp",
    (select count(*) from outbox) as messages,
    (select count(*) from webhook_deliveries) as webhooks,
    (select count(*) from webhook_deliveries where status = 'succeeded') as delivered,
    (select count(*) from webhook_deliveries where status = 'failed') as "givenUp",
    (select count(*) from webhook_attempts) as attempts`;

type Made = { id: string; organization_id: string; at: number };

const madeAt = async (verifier: Records): Promise<Made[]> =>
  (
    await verifier.query<Made>(
      "select id, organization_id, extract(epoch from created_at)::double precision * 1000 as at from outbox",
    )
  ).rows;

/** From the making of a message, a moment before its commit, until each endpoint of a kind received it. */
function delaysOf(receivers: Receivers, kind: Kind, made: readonly Made[]): { seconds: number[]; missing: number } {
  const firstBy = receivers.receivedBy(kind);
  const seconds: number[] = [];
  for (const messages of firstBy)
    for (const { id, at } of made) {
      const received = messages.get(id);
      if (received !== undefined) seconds.push(Math.max(0, received - at) / 1000);
    }
  // Each message is for the endpoints of its organization only.
  return { seconds: seconds.sort((one, other) => one - other), missing: made.length * KINDS[kind] - seconds.length };
}

function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return Math.round(value * 1000) / 1000;
}
