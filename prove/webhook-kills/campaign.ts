/** Kills workers again and again while they send webhooks, then checks that each arrived, signed, in the same bytes every time. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { composeApi, composePlatform } from "../../packages/server/src/main/compose.ts";
import { NO_RATE_LIMITS, readConfig } from "../../packages/server/src/main/config.ts";
import { makeOrganization } from "../../packages/server/src/main/make-organization.ts";
import { allOrNone } from "../all-or-none.ts";
import type { Campaign, CampaignOptions, Outcome } from "../campaign.ts";
import { countRow, openVerifier } from "../invoice-checks.ts";
import { type Call, countUnclean, demanding, senderOf } from "../served-api.ts";
import { type Crew, createCrew } from "../worker-kills/crew.ts";
import { type Kill, killWorkers } from "../worker-kills/kill-workers.ts";
import { type KeyedCampaign, openCampaign, withCluster } from "../worker-kills/open-campaign.ts";
import { openRecords, type Records } from "../worker-kills/work.ts";
import { check, countOpen } from "./check.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const ENDPOINTS = 6;
/** Workers that do not keep up are not buried: the campaign must come to an end. */
const OPEN_MAX = 90;
const TELL_EVERY_MS = 50;
const LOOK_EVERY_MS = 100;
/** When nothing moves for so long, what is open stays open. Longer than an endpoint rests that failed again and again. */
const STUCK_AFTER_MS = 120_000;

/**
 * A killed worker leaves what it sent until its lease ends, a timeout and some seconds later. The long delays are for the endpoints: one that
 * takes nothing for the sum of them is disabled, and a busy machine must not come to that.
 */
const SETTINGS = {
  OUTBOUND_TRUSTED_HOSTS: "127.0.0.1",
  WORKER_CONCURRENCY: "2",
  WEBHOOK_TIMEOUT_SECONDS: "3",
  WEBHOOK_ATTEMPTS_AT_ONCE: "20",
  WEBHOOK_RETRY_DELAYS_SECONDS: [...Array(40).fill("1"), ...Array(10).fill("600")].join(),
};

export const webhookKills: Campaign = {
  summary:
    "SIGKILLs of workers that send webhooks: every message arrives, in the same bytes, with three right signatures",
  counts: "kills",
  countByDefault: 200,
  run: runWebhookKills,
};

/** Longer than the lease of what is sent. */
const FREEZE_SECONDS = 18;

export const webhookFreezes: Campaign = {
  summary:
    "workers that send webhooks frozen (SIGSTOP) past their lease and thawed: every message arrives, in the same bytes, and is settled once",
  counts: "frozen workers",
  countByDefault: 200,
  run: (options) => runWebhookKills({ ...options, freezeSeconds: FREEZE_SECONDS }),
};

type Options = CampaignOptions & { freezeSeconds?: number };

export function runWebhookKills(options: Options): Promise<Outcome> {
  const schemas = ["schema.sql"];
  return withCluster(options, { folder: import.meta.dirname, schemas }, (url) => runOnCluster(url, options));
}

type Stage = { records: Records; verifier: Records; crew: Crew; call: Call };

async function runOnCluster(url: string, options: Options): Promise<Outcome> {
  const begun = performance.now();
  const [records, verifier] = [openRecords(url), openVerifier(url)];
  const platform = composePlatform(readConfig({ DATABASE_URL: url, LOG_LEVEL: "error", ...NO_RATE_LIMITS }));
  const api = await composeApi(platform);
  const onStop = [() => records.end(), () => verifier.end(), platform.close, () => api.close()];
  try {
    const state = await openCampaign(records, options.seed, () =>
      makeOrganization(platform, { name: "Kills", isSandbox: false, keyName: "campaign" }),
    );
    const call = demanding(senderOf(api, state.key));
    const receiver = await startReceiver(
      records,
      onceOnly(() => publicKeyOf(call)),
    );
    onStop.push(receiver.stop);
    await listen(call, receiver);
    options.say(`seed ${state.seed}, ${state.killsDone} kills done before`);
    const file = join(import.meta.dirname, options.isNaive ? "naive-worker.ts" : "worker.ts");
    const task = { settings: SETTINGS, organizationIds: [state.organizationId] };
    const crew = await createCrew({ url, file, task, records });
    try {
      const stage = { records, verifier, crew, call };
      await killWhileSending(stage, state, options);
      await drain(stage, options);
    } finally {
      await crew.endAll();
      const seconds = (performance.now() - begun) / 1000;
      await records.query("update prove.campaign set seconds = seconds + $1", [seconds]);
    }
    return await report({ url, records, verifier }, state, options);
  } finally {
    for (const stop of onStop.reverse()) await stop();
  }
}

type ApiEndpoint = { svc_id: string; webhook_url: string; secret: string; signature_algo: string };

/** Half of them want JWT, half HMAC. Those of a run that was stopped are told the receiver's new address. */
async function listen(call: Call, { url, endpoints }: Receiver): Promise<void> {
  const { webhook_endpoints: known } = await call<{ webhook_endpoints: ApiEndpoint[] }>("GET", "/webhook_endpoints");
  for (let number = 1; number <= ENDPOINTS; number++) {
    const path = `/${number}`;
    const before = known.find(({ webhook_url }) => webhook_url.endsWith(path));
    const expected = { webhook_url: `${url}${path}`, signature_algo: number % 2 === 0 ? "jwt" : "hmac" };
    const [method, where] = before
      ? (["PUT", `/webhook_endpoints/${before.svc_id}`] as const)
      : (["POST", "/webhook_endpoints"] as const);
    const { webhook_endpoint } = await call<{ webhook_endpoint: ApiEndpoint }>(method, where, {
      webhook_endpoint: expected,
    });
    const { svc_id: id, secret, signature_algo: algorithm } = webhook_endpoint;
    endpoints.set(path, { id, secret, algorithm });
  }
}

const publicKeyOf = async (call: Call): Promise<string> =>
  (await call<{ webhook: { public_key: string } }>("GET", "/webhooks/json_public_key")).webhook.public_key;

function onceOnly<T>(ask: () => Promise<T>): () => Promise<T> {
  let requested: Promise<T> | undefined;
  return () => {
    requested ??= ask();
    return requested;
  };
}

async function killWhileSending(stage: Stage, state: KeyedCampaign, options: Options): Promise<void> {
  const enough = new AbortController();
  await allOrNone(options.signal, [
    (stop) => keepTelling(stage, AbortSignal.any([stop, enough.signal])),
    (stop) =>
      killWorkers({
        ...stage,
        ...state,
        kills: options.count,
        say: options.say,
        signal: stop,
        freezeSeconds: options.freezeSeconds,
        onKilled: (kill) => recordKill(stage.records, kill),
      }).then(() => enough.abort()),
  ]);
}

const recordKill = (records: Records, { worker, moment }: Kill) =>
  records.query(
    `insert into prove.kills (worker, was_starting, under_way)
     select $1, $2, count(*) from webhook_deliveries where leased_until > now()`,
    [worker.number, moment.isWhileStarting],
  );

/** A new customer is a message to every endpoint. */
async function keepTelling({ verifier, records, call }: Stage, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    if ((await countOpen(verifier)) > OPEN_MAX) {
      await pause(LOOK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
      continue;
    }
    const { rows } = await records.query("update prove.campaign set customers = customers + 1 returning customers");
    const external_id = `customer ${rows[0].customers}`;
    await call("POST", "/customers", { customer: { external_id, name: "Zoë & søn \u{1F600}" } });
    await pause(TELL_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Until nothing is open, or what is open does not move any more. */
async function drain({ verifier, crew }: Stage, { signal, say }: CampaignOptions): Promise<void> {
  let last = -1;
  let movedAt = performance.now();
  say("the last kill is done: draining");
  for (;;) {
    const open = await countOpen(verifier);
    if (open === 0) return;
    if (open !== last) movedAt = performance.now();
    else if (performance.now() - movedAt > STUCK_AFTER_MS) return say(`stuck: ${open} open`);
    last = open;
    crew.assertAlive();
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function report(
  { url, records, verifier }: Pick<Stage, "records" | "verifier"> & { url: string },
  { seed }: KeyedCampaign,
  { say, isNaive }: CampaignOptions,
): Promise<Outcome> {
  const { broken, figures } = await check(verifier);
  const { seconds = 0 } = await countRow(verifier, "select seconds from prove.campaign");
  const { rows } = await records.query("select current_setting('server_version') as postgres");
  return {
    seed,
    seconds: Math.round(seconds),
    postgres: rows[0].postgres,
    // The naive worker keeps no log, which is not the fault that is looked for.
    broken: { ...broken, unclean: isNaive ? 0 : await countUnclean(url, say) },
    figures,
  };
}
