import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { startReceiver } from "../../../testing/start-receiver.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

let ahead = Temporal.Duration.from({ seconds: 0 });
/** The clock moves only by explicit steps: the speed of the machine must not decide what is due. */
const begun = systemClock.now();
const clock = { now: () => begun.add(ahead) };
const passSeconds = (seconds: number): void => {
  ahead = ahead.add({ seconds });
};

const { received, answers, url } = await startReceiver();
const { platform, call, drain, deliver, runJob, runScheduled, organizations } = await startTallystick({
  clock,
  settings: { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1", WEBHOOK_RETRY_DELAYS_SECONDS: "60,3600" },
});
const theirs = { key: organizations[1]?.key ?? "" };
const mine = organizations[0]?.id ?? "";

let count = 0;
const nextPath = (): string => `/${++count}`;
const listen = async (path: string): Promise<string> => {
  const { body } = await call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url: url(path) } });
  passSeconds(1);
  return body.webhook_endpoint.svc_id;
};
const remove = (endpoint: string) => call("DELETE", `/webhook_endpoints/${endpoint}`);
/** Causes a change that is published; returns the id of the message's object. */
const happen = async (name: string): Promise<string> => {
  const { body } = await call("POST", "/customers", { customer: { external_id: `c${++count}`, name } });
  return body.customer.svc_id;
};
const at = (path: string) => received.filter((message) => message.path === path);
type Webhook = {
  svc_id: string;
  unique_key: string;
  object_id: string;
  status: string;
  next_attempt_at: string | null;
  attempts: { number: number; http_status: number }[];
};
const list = async (query: Record<string, string>): Promise<Webhook[]> =>
  (await call("GET", `/webhooks?${new URLSearchParams(query)}`)).body.webhooks;
const only = async (endpoint: string): Promise<Webhook> => {
  const [webhook, ...more] = await list({ webhook_endpoint_id: endpoint, webhook_type: "customer.created" });
  if (!webhook || more.length > 0) throw new Error("not one webhook");
  return webhook;
};
const retry = ({ svc_id }: { svc_id: string }) => call("POST", `/webhooks/${svc_id}/retry`);
const replay = async (expected: object) => (await call("POST", "/webhooks/replay", { replay: expected })).body.replay;
const LONG_AGO = "2026-01-01T00:00:00Z";
const refused = (code: string) => ({ status: 405, error: "Method Not Allowed", code });

afterEach(async () => {
  for (const { svc_id } of (await call("GET", "/webhook_endpoints")).body.webhook_endpoints) await remove(svc_id);
  await drain();
  received.length = 0;
});

test("a webhook shows its message, every attempt with request, response and timing, and the exact text that was sent", async () => {
  const path = nextPath();
  let requested = 0;
  answers[path] = (answer) => (++requested === 1 ? answer.writeHead(503).end("not now") : answer.end("thanks"));
  const endpoint = await listen(path);
  const customer = await happen("Zoë");
  await drain();
  expect(await only(endpoint)).toMatchObject({ status: "retrying", http_status: 503, settled_at: null });
  passSeconds(70);
  await drain();
  const { svc_id } = await only(endpoint);
  const { webhook } = (await call("GET", `/webhooks/${svc_id}`)).body;
  const attempt = (number: number, http_status: number, response_body: string) => ({
    number,
    url: url(path),
    request_headers: expect.objectContaining({ "webhook-id": webhook.unique_key, "X-Svc-Signature-Algorithm": "hmac" }),
    started_at: expect.stringMatching(/Z$/),
    duration_ms: expect.any(Number),
    http_status,
    response_body,
    error: null,
  });
  expect(webhook).toMatchObject({
    svc_webhook_endpoint_id: endpoint,
    webhook_type: "customer.created",
    object_type: "customer",
    object_id: customer,
    status: "succeeded",
    http_status: 200,
    last_error: null,
    next_attempt_at: null,
    replayed_at: null,
    attempts: [attempt(1, 503, "not now"), attempt(2, 200, "thanks")],
  });
  expect(webhook.payload).toBe(at(path)[0]?.body);
  expect(webhook.unique_key).toBe(at(path)[0]?.headers["webhook-id"]);
});

test("webhooks are listed newest first, by endpoint, type, status, object and time, page by page", async () => {
  const [good, bad] = [nextPath(), nextPath()];
  answers[bad] = (answer) => answer.writeHead(500).end();
  const [one, other] = [await listen(good), await listen(bad)];
  const from = clock.now().toString();
  const first = await happen("first");
  await drain();
  passSeconds(10);
  const between = clock.now().toString();
  passSeconds(1);
  const second = await happen("second");
  await call("POST", "/customers", { customer: { external_id: `c${count}`, name: "changed" } });
  await drain();
  const objects = async (query: Record<string, string>) =>
    (await list({ created_at_from: from, ...query })).map(({ object_id }) => object_id);
  expect(await objects({ webhook_endpoint_id: one })).toEqual([second, second, first]);
  expect(await objects({ webhook_endpoint_id: one, webhook_type: "customer.updated" })).toEqual([second]);
  expect(await objects({ status: "succeeded", object_id: first })).toEqual([first]);
  expect(await objects({ status: "pending" })).toEqual(
    await objects({ webhook_endpoint_id: other, status: "pending" }),
  );
  expect(await objects({ webhook_endpoint_id: one, created_at_to: between })).toEqual([first]);
  expect(await objects({ webhook_endpoint_id: one, created_at_from: between })).toEqual([second, second]);
  expect(await objects({ webhook_endpoint_id: "nobody" })).toEqual([]);
  expect(await objects({ object_id: "nothing" })).toEqual([]);
  const { meta } = (await call("GET", `/webhooks?webhook_endpoint_id=${one}&per_page=2&page=2`)).body;
  expect(meta).toMatchObject({ current_page: 2, prev_page: 1, next_page: null, total_count: 3 });
  expect((await call("GET", "/webhooks?status=lost")).body.error_details).toEqual({ status: ["value_is_invalid"] });
});

test("a delivered webhook is sent again under the same id and in the same bytes, and its earlier attempts stay", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  await happen("again");
  await drain();
  const before = await only(endpoint);
  const { body } = await retry(before);
  expect(body.webhook).toMatchObject({ svc_id: before.svc_id, status: "retrying", settled_at: null });
  expect(body.webhook.replayed_at).not.toBeNull();
  await drain();
  expect((await only(endpoint)).attempts).toMatchObject([
    { number: 1, http_status: 200 },
    { number: 2, http_status: 200 },
  ]);
  const [first, second] = at(path);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.headers["x-svc-signature"]).toBe(first?.headers["x-svc-signature"]);
});

test("a webhook that was given up gets all its attempts again; a waiting one is sent at once and keeps its remaining delays", async () => {
  const path = nextPath();
  answers[path] = (answer) => answer.writeHead(500).end();
  const endpoint = await listen(path);
  await happen("stubborn");
  const failAll = async () => {
    for (const seconds of [70, 3970]) {
      await drain();
      passSeconds(seconds);
    }
    await drain();
  };
  await failAll();
  // So long without success disables the endpoint; a change enables it.
  await call("PUT", `/webhook_endpoints/${endpoint}`, { webhook_endpoint: {} });
  const givenUp = await only(endpoint);
  expect(givenUp).toMatchObject({ status: "failed", next_attempt_at: null });
  expect(at(path)).toHaveLength(3);
  await retry(givenUp);
  await drain();
  expect(await only(endpoint)).toMatchObject({ status: "retrying", attempts: { length: 4 } });
  await retry(givenUp);
  await drain();
  expect(await only(endpoint)).toMatchObject({ status: "retrying", attempts: { length: 5 } });
  passSeconds(60);
  await drain();
  expect(at(path)).toHaveLength(5);
  passSeconds(4000);
  await drain();
  expect(await only(endpoint)).toMatchObject({ status: "failed", attempts: { length: 6 } });
});

test("an attempt in progress is not duplicated, even on request", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  const customer = await happen("once");
  const queried: unknown[] = [];
  answers[path] = async (answer) => {
    const webhook = await only(endpoint);
    queried.push((await retry(webhook)).body.webhook.replayed_at);
    queried.push((await replay({ created_at_from: LONG_AGO, object_id: customer })).count);
    queried.push(await platform.senders.webhooks());
    answer.end();
  };
  await drain();
  expect(queried).toEqual([null, 0, false]);
  expect(at(path)).toHaveLength(1);
});

test("a webhook of a disabled or deleted endpoint is not reopened; an endpoint that is enabled again gets what it missed", async () => {
  const path = nextPath();
  answers[path] = (answer) => answer.writeHead(410).end();
  const endpoint = await listen(path);
  await happen("gone");
  await drain();
  await happen("missed");
  await drain();
  delete answers[path];
  const from = { created_at_from: LONG_AGO, webhook_endpoint_id: endpoint, webhook_type: "customer.created" };
  const [missed] = await list({ webhook_endpoint_id: endpoint, webhook_type: "customer.created" });
  expect(missed).toMatchObject({ status: "failed", last_error: "endpoint_disabled", attempts: [] });
  expect((await retry(missed ?? { svc_id: "" })).body).toMatchObject(refused("webhook_endpoint_disabled"));
  expect(await replay(from)).toMatchObject({ count: 0, skipped_count: 2 });
  await call("PUT", `/webhook_endpoints/${endpoint}`, { webhook_endpoint: {} });
  expect(await replay(from)).toMatchObject({ count: 2, skipped_count: 0 });
  await drain();
  expect(await list({ webhook_endpoint_id: endpoint, webhook_type: "customer.created" })).toMatchObject([
    { status: "succeeded", last_error: null, attempts: { length: 1 } },
    { status: "succeeded", attempts: { length: 2 } },
  ]);
  await remove(endpoint);
  expect((await retry(missed ?? { svc_id: "" })).body).toMatchObject(refused("webhook_endpoint_deleted"));
});

test("a replay sends each webhook that matched when it was requested once, even if its job runs twice", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  await happen("before");
  await drain();
  passSeconds(10);
  const from = clock.now().toString();
  const target = [await happen("wanted"), await happen("wanted too")];
  await drain();
  const filter = { created_at_from: from, webhook_endpoint_id: endpoint, status: "succeeded" };
  received.length = 0;
  const answered = await replay(filter);
  expect(answered).toMatchObject({ count: 2, skipped_count: 0 });
  const [job] = await runOn(
    platform.config.DATABASE_URL,
    "select payload from graphile_worker._private_jobs order by id desc limit 1",
  );
  passSeconds(1);
  await happen("after");
  await deliver();
  await drain();
  await runJob("replay_webhooks", mine, job?.payload.payload);
  await drain();
  const sent = at(path).map(({ body }) => JSON.parse(body).customer);
  expect(sent.map(({ name }) => name).sort()).toEqual(["after", "wanted", "wanted too"]);
  expect(sent.filter(({ svc_id }) => target.includes(svc_id))).toHaveLength(2);
  expect((await call("POST", "/webhooks/replay", { replay: {} })).body.error_details).toEqual({
    created_at_from: ["value_is_mandatory"],
  });
});

test("a webhook that is sent again is kept until it is settled, and another 90 days", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  await happen("old");
  await drain();
  const old = await only(endpoint);
  passSeconds(91 * 86_400);
  await retry(old);
  await runScheduled("forget_old_webhooks");
  await drain();
  expect(at(path)).toHaveLength(2);
  await runScheduled("forget_old_webhooks");
  expect(await only(endpoint)).toMatchObject({ status: "succeeded" });
  passSeconds(91 * 86_400);
  await runScheduled("forget_old_webhooks");
  expect((await retry(old)).body).toMatchObject({ status: 404, code: "webhook_not_found" });
});

test("webhooks of another organization cannot be seen or sent", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  await happen("ours");
  await drain();
  const { svc_id } = await only(endpoint);
  const missing = { status: 404, error: "Not Found", code: "webhook_not_found" };
  expect((await call("GET", `/webhooks/${svc_id}`, undefined, theirs)).body).toEqual(missing);
  expect((await call("POST", `/webhooks/${svc_id}/retry`, undefined, theirs)).body).toEqual(missing);
  const wide = { replay: { created_at_from: LONG_AGO } };
  expect((await call("POST", "/webhooks/replay", wide, theirs)).body.replay).toMatchObject({ count: 0 });
  await drain();
  expect(at(path)).toHaveLength(1);
});
