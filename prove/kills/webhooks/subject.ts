/** Webhooks: each arrives, signed, in the same bytes every time, whatever was killed. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Campaign, Outcome } from "../../campaign.ts";
import { countRow } from "../../invoice-checks.ts";
import { type Call, countUnclean } from "../../served-api.ts";
import { type Killing, type KillsOptions, runKills, type Site, type Subject, type Work } from "../harness.ts";
import { check, countOpen } from "./check.ts";
import { type EndpointReceiver, startEndpointReceiver } from "./receiver.ts";

const ENDPOINTS = 6;
/** Workers that do not keep up are not buried: the campaign must come to an end. */
const OPEN_MAX = 90;
const PUBLISH_EVERY_MS = 50;
const LOOK_EVERY_MS = 100;
/** Longer than the lease of what is sent. */
const FREEZE_SECONDS = 18;

/**
 * A killed worker leaves what it sent until its lease ends, a timeout and some seconds later. The long delays are for the endpoints: one that
 * takes nothing for the sum of them is disabled, and a busy machine must not come to that.
 */
const SETTINGS = {
  // The same in every process, and in a run that goes on where another was stopped.
  SECRETS_KEY: Buffer.alloc(32, "webhook-kills").toString("base64"),
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

export const webhookFreezes: Campaign = {
  summary:
    "workers that send webhooks frozen (SIGSTOP) past their lease and thawed: every message arrives, in the same bytes, and is settled once",
  counts: "frozen workers",
  countByDefault: 200,
  run: (options) => runWebhookKills({ ...options, freezeSeconds: FREEZE_SECONDS }),
};

export function runWebhookKills(options: KillsOptions): Promise<Outcome> {
  return runKills(subject, options);
}

const subject: Subject = {
  schema: () => readFile(join(import.meta.dirname, "schema.sql"), "utf8"),
  settings: SETTINGS,
  open,
};

async function open(site: Site): Promise<Work> {
  const { url, records, verifier, call, organizationId, onStop, options } = site;
  const receiver = await startEndpointReceiver(records, await publicKeyOf(call));
  onStop.push(receiver.stop);
  await listen(call, receiver);
  return {
    program: options.isNaive ? "naiveSender" : "worker",
    task: { settings: SETTINGS, organizationIds: [organizationId] },
    beside: [(killing) => keepPublishing(site, killing)],
    countUnderWay: async () =>
      (await countRow(verifier, "select count(*) as count from webhook_deliveries where leased_until > now()")).count ??
      0,
    underWayFigure: "killsWhileSending",
    look: () => countOpen(verifier),
    check: async () => {
      const { broken, figures } = await check(verifier);
      // The naive worker keeps no log, which is not the fault that is looked for.
      return { broken: { ...broken, unclean: options.isNaive ? 0 : await countUnclean(url, options.say) }, figures };
    },
  };
}

type ApiEndpoint = { svc_id: string; webhook_url: string; secret: string; signature_algo: string };

/** Half of them want JWT, half HMAC. Those of a run that was stopped get the receiver's new address. */
async function listen(call: Call, { url, endpoints }: EndpointReceiver): Promise<void> {
  const { webhook_endpoints: known } = await call<{ webhook_endpoints: ApiEndpoint[] }>("GET", "/webhook_endpoints");
  for (let number = 1; number <= ENDPOINTS; number++) {
    const path = `/${number}`;
    const before = known.find(({ webhook_url }) => webhook_url.endsWith(path));
    const [method, where] = before
      ? (["PUT", `/webhook_endpoints/${before.svc_id}`] as const)
      : (["POST", "/webhook_endpoints"] as const);
    const { webhook_endpoint } = await call<{ webhook_endpoint: ApiEndpoint }>(method, where, {
      webhook_endpoint: { webhook_url: `${url}${path}`, signature_algo: number % 2 === 0 ? "jwt" : "hmac" },
    });
    const { svc_id: id, secret, signature_algo: algorithm } = webhook_endpoint;
    endpoints.set(path, { id, secret, algorithm });
  }
}

const publicKeyOf = async (call: Call): Promise<string> =>
  (await call<{ webhook: { public_key: string } }>("GET", "/webhooks/json_public_key")).webhook.public_key;

/** A new customer is a message to every endpoint. */
async function keepPublishing({ verifier, records, call }: Site, { enough }: Killing): Promise<void> {
  while (!enough.aborted) {
    const isFull = (await countOpen(verifier)).open > OPEN_MAX;
    if (!isFull) {
      const { rows } = await records.query("update prove.campaign set made = made + 1 returning made");
      const customer = { external_id: `customer ${rows[0].made}`, name: "Zoë & søn \u{1F600}" };
      await call("POST", "/customers", { customer });
    }
    await pause(isFull ? LOOK_EVERY_MS : PUBLISH_EVERY_MS, undefined, { signal: enough }).catch(() => undefined);
  }
}
