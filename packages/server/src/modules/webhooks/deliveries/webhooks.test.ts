import { createHash, createHmac } from "node:crypto";
import { importSPKI, jwtVerify } from "jose";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, it, test } from "vitest";
import { startLoops } from "../../../jobs/worker.ts";
import { systemClock } from "../../../platform/clock.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Received, startReceiver } from "../../../testing/start-receiver.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

let ahead = Temporal.Duration.from({ seconds: 0 });
/** The clock moves only by explicit steps: the speed of the machine must not decide what is due. */
const begun = systemClock.now();
const clock = { now: () => begun.add(ahead) };
const passHours = (hours: number): void => {
  ahead = ahead.add({ seconds: Math.round(hours * 3600) });
};

const receiver = await startReceiver();
const { received, answers, url } = receiver;
const { platform, call, drain, deliver, runScheduled, organizations } = await startTallystick({
  clock,
  settings: {
    OUTBOUND_TRUSTED_HOSTS: "127.0.0.1",
    PUBLIC_URL: "https://billing.example",
    WEBHOOK_TIMEOUT_SECONDS: "1",
  },
});
const other = { key: organizations[1]?.key ?? "" };

let count = 0;
const nextPath = (): string => `/${++count}`;
type Endpoint = { svc_id: string; secret: string; disabled_at: string | null };
const listen = async (path: string, more: object = {}, options = {}): Promise<Endpoint> =>
  (await call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url: url(path), ...more } }, options)).body
    .webhook_endpoint;
const show = async ({ svc_id }: Endpoint): Promise<Endpoint> =>
  (await call("GET", `/webhook_endpoints/${svc_id}`)).body.webhook_endpoint;
/** Causes a change that is published. */
const happen = async (name: string, options = {}): Promise<void> => {
  await call("POST", "/customers", { customer: { external_id: `c${++count}`, name } }, options);
};
const at = (path: string) => received.filter((message) => message.path === path);
const only = (messages: Received[]): Received => {
  const [message] = messages;
  if (!message || messages.length > 1) throw new Error(`${messages.length} messages instead of one`);
  return message;
};
const names = (path: string): string[] => at(path).map(({ body }) => JSON.parse(body).customer?.name);
const read = (query: string) => runOn(platform.config.DATABASE_URL, query);
const deliveriesTo = ({ svc_id }: Endpoint) =>
  read(`select status, attempts, http_status, last_error from webhook_deliveries
        where endpoint_id = '${svc_id}' order by created_at, id`);

afterEach(async () => {
  for (const key of [organizations[0]?.key, other.key])
    for (const { svc_id } of (await call("GET", "/webhook_endpoints", undefined, { key: key ?? "" })).body
      .webhook_endpoints)
      await call("DELETE", `/webhook_endpoints/${svc_id}`, undefined, { key: key ?? "" });
  await drain();
  received.length = 0;
});

test("an endpoint gets a POST, with its organization's JWT and a Standard Webhooks signature", async () => {
  const path = nextPath();
  const { secret } = await listen(path, { signature_algo: "jwt" });
  await happen("Zoë \u{1F600}");
  await drain();
  const { headers, body } = only(at(path));
  expect(JSON.parse(body)).toMatchObject({
    webhook_type: "customer.created",
    object_type: "customer",
    customer: { name: "Zoë \u{1F600}" },
  });
  expect(headers).toMatchObject({ "content-type": "application/json", "x-svc-signature-algorithm": "jwt" });
  const { public_key } = (await call("GET", "/webhooks/json_public_key")).body.webhook;
  const key = await importSPKI(Buffer.from(public_key, "base64").toString(), "RS256");
  const { payload } = await jwtVerify(String(headers["x-svc-signature"]), key);
  expect(payload).toEqual({ data: body, iss: "https://billing.example" });
  const verified = () => new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verified).not.toThrow();
  expect(verified()).toEqual(JSON.parse(body));
  expect(headers["x-svc-unique-key"]).toBe(headers["webhook-id"]);
});

test("an endpoint that uses HMAC gets the HMAC of the exact body with its own secret, besides Standard Webhooks", async () => {
  const path = nextPath();
  const { secret } = await listen(path, { signature_algo: "hmac" });
  await happen("Hmac");
  await drain();
  const { headers, body } = only(at(path));
  expect(headers["x-svc-signature-algorithm"]).toBe("hmac");
  expect(headers["x-svc-signature"]).toBe(createHmac("sha256", secret).update(body).digest("base64"));
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  const stranger = `whsec_${Buffer.alloc(32).toString("base64")}`;
  expect(() => new Webhook(stranger).verify(body, headers as Record<string, string>)).toThrow("No matching signature");
});

test("a JWT above 4,096 bytes has the hash of the body in place of the body", async () => {
  const path = nextPath();
  await listen(path, { signature_algo: "jwt" });
  const { public_key } = (await call("GET", "/webhooks/json_public_key")).body.webhook;
  const key = await importSPKI(Buffer.from(public_key, "base64").toString(), "RS256");
  const claimsOf = async (length: number) => {
    received.length = 0;
    // A member takes at most 1,000 characters.
    const [one, two, three] = [0, 1000, 2000].map((from) => "x".repeat(Math.min(Math.max(length - from, 0), 1000)));
    const texts = { legal_name: one, address_line1: two, address_line2: three };
    await call("POST", "/customers", { customer: { external_id: `c${++count}`, name: "N", ...texts } });
    await drain();
    const { headers, body } = only(at(path));
    const token = String(headers["x-svc-signature"]);
    return { body, bytes: token.length, claims: (await jwtVerify(token, key)).payload };
  };
  const [short, long] = [await claimsOf(1), await claimsOf(3000)];
  // Base64 needs four bytes for three. The longest token that still has the body is at most four bytes below the limit.
  const room = Math.floor((4096 - short.bytes) * 0.75);
  const full = await claimsOf(1 + room);
  expect(full.bytes).toBeLessThanOrEqual(4096);
  expect(full.bytes).toBeGreaterThan(4090);
  expect(full.claims).toEqual({ data: full.body, iss: "https://billing.example" });
  for (const { body, bytes, claims } of [long, await claimsOf(1 + room + 4)]) {
    expect(bytes).toBeLessThan(1000);
    expect(claims).toEqual({
      sha256: createHash("sha256").update(body).digest("hex"),
      iss: "https://billing.example",
    });
  }
});

it.each(["hmac", "jwt"])(
  "an invoice with ten lines reaches a server with usual limits of headers, signed with %s",
  async (algorithm) => {
    const path = nextPath();
    await listen(path, { signature_algo: algorithm, event_types: ["invoice.one_off_created"] });
    await call("POST", "/customers", { customer: { external_id: `ten ${count}`, name: "Ten", currency: "EUR" } });
    const addOns = Array.from({ length: 10 }, (_, line) => `line ${count} ${line}`);
    for (const code of addOns)
      await call("POST", "/add_ons", { add_on: { name: code, code, amount_cents: 100, amount_currency: "EUR" } });
    const fees = addOns.map((add_on_code) => ({ add_on_code, units: 1 }));
    await call("POST", "/invoices", { invoice: { external_customer_id: `ten ${count}`, currency: "EUR", fees } });
    await drain();
    const { headers, body } = only(at(path));
    expect(JSON.parse(body).invoice.fees).toHaveLength(10);
    // nginx takes 8 KB by default for a line, Node 16 KB for all of them.
    expect(
      Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length + 4, 0),
    ).toBeLessThan(8192);
  },
);

test("an endpoint receives only the types that it asks for, from the next message on", async () => {
  const [some, all] = [nextPath(), nextPath()];
  const endpoint = await listen(some, { event_types: ["customer.updated"] });
  await listen(all);
  const types = (path: string) => at(path).map(({ body }) => JSON.parse(body).webhook_type);
  const upsert = async (name: string) => {
    await call("POST", "/customers", { customer: { external_id: `typed ${count}`, name } });
    await drain();
  };
  await upsert("new");
  await upsert("changed");
  expect([types(some), types(all)]).toEqual([["customer.updated"], ["customer.created", "customer.updated"]]);
  await call("PUT", `/webhook_endpoints/${endpoint.svc_id}`, { webhook_endpoint: { event_types: ["plan.created"] } });
  await upsert("changed again");
  expect([types(some).length, types(all).length]).toEqual([1, 3]);
});

test("for a day after a rotation, messages are signed with the new and the old secrets; then only with the new one", async () => {
  const path = nextPath();
  const first = await listen(path, { event_types: ["customer.created"] });
  const rotate = async (): Promise<Endpoint> =>
    (await call("POST", `/webhook_endpoints/${first.svc_id}/rotate_secret`)).body.webhook_endpoint;
  const second = await rotate();
  passHours(1);
  const third = await rotate();
  /** The receiver's library refuses messages of tomorrow, so the signature is compared here. */
  const isVerified = ({ body, headers }: Received, { secret }: Endpoint): boolean => {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
    return String(headers["webhook-signature"]).split(" ").includes(signature);
  };
  const verifiedAfter = async (hours: number): Promise<boolean[]> => {
    passHours(hours);
    received.length = 0;
    await happen("rotated");
    await drain();
    const message = only(at(path));
    expect(message.headers["x-svc-signature"]).toBe(
      createHmac("sha256", third.secret).update(message.body).digest("base64"),
    );
    return [first, second, third].map((endpoint) => isVerified(message, endpoint));
  };
  expect(await verifiedAfter(22.9)).toEqual([true, true, true]);
  expect(await verifiedAfter(0.2)).toEqual([false, true, true]);
  expect(await verifiedAfter(1)).toEqual([false, false, true]);
  expect(String(only(at(path)).headers["webhook-signature"])).not.toContain(" ");
});

test("simultaneous rotations each leave a secret that works, and at most four old ones are kept", async () => {
  const path = nextPath();
  const { svc_id } = await listen(path, { event_types: ["customer.created"] });
  await Promise.all(Array.from({ length: 6 }, () => call("POST", `/webhook_endpoints/${svc_id}/rotate_secret`)));
  await happen("rotated often");
  await drain();
  const signatures = String(only(at(path)).headers["webhook-signature"]).split(" ");
  expect([signatures.length, new Set(signatures).size]).toEqual([5, 5]);
});

test("every endpoint gets each message of its own organization once, and none from before its creation", async () => {
  const [first, second, theirs] = [nextPath(), nextPath(), nextPath()];
  await happen("before");
  passHours(0.001);
  await listen(first);
  await listen(second);
  await listen(theirs, {}, other);
  await happen("ours");
  await happen("theirs", other);
  await drain();
  await drain();
  expect([names(first), names(second), names(theirs)]).toEqual([["ours"], ["ours"], ["theirs"]]);
});

test("a failed message is retried after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, in the same bytes under one id, and is then given up", async () => {
  const path = nextPath();
  answers[path] = (answer) => answer.writeHead(500).end("no");
  const endpoint = await listen(path);
  await happen("patience");
  await drain();
  const delays = [5 / 3600, 300 / 3600, 0.5, 2, 5, 10, 14, 20, 24];
  for (const [index, hours] of delays.entries()) {
    expect(at(path), `after ${index} delays`).toHaveLength(index + 1);
    passHours(hours * 0.9);
    await drain();
    expect(at(path), `shortly before ${hours} h`).toHaveLength(index + 1);
    // At most a tenth late, and a minute during which the endpoint rests.
    passHours(hours * 0.2 + 1 / 60);
    await drain();
  }
  expect(at(path)).toHaveLength(10);
  expect(new Set(at(path).map(({ body }) => body)).size).toBe(1);
  expect(new Set(at(path).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(at(path).map(({ headers }) => headers["x-svc-signature"])).size).toBe(1);
  expect(new Set(at(path).map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10);
  expect((await deliveriesTo(endpoint))[0]).toEqual({
    status: "failed",
    attempts: 10,
    http_status: 500,
    last_error: null,
  });
});

test("an endpoint that accepts nothing for three days is disabled, the others are notified, and a change enables it again", async () => {
  const [dead, alive] = [nextPath(), nextPath()];
  answers[dead] = (answer) => answer.writeHead(503).end();
  const endpoint = await listen(dead);
  await listen(alive);
  await happen("first");
  await drain();
  passHours(76);
  await drain();
  expect((await show(endpoint)).disabled_at).not.toBeNull();
  const published = at(alive).map(({ body }) => JSON.parse(body));
  expect(published.map(({ webhook_type }) => webhook_type)).toEqual(["customer.created", "webhook_endpoint.disabled"]);
  expect(published[1].webhook_endpoint).toMatchObject({ svc_id: endpoint.svc_id, webhook_url: url(dead) });
  expect(published[1].webhook_endpoint).not.toHaveProperty("secret");
  const before = at(dead).length;
  await happen("while disabled");
  await drain();
  expect(at(dead)).toHaveLength(before);
  expect((await deliveriesTo(endpoint)).at(-1)).toMatchObject({ status: "failed", last_error: "endpoint_disabled" });
  delete answers[dead];
  await call("PUT", `/webhook_endpoints/${endpoint.svc_id}`, { webhook_endpoint: {} });
  expect((await show(endpoint)).disabled_at).toBeNull();
  await happen("enabled");
  await drain();
  expect(names(dead).at(-1)).toBe("enabled");
});

test("410 disables an endpoint at once; pending messages of a deleted endpoint are given up", async () => {
  const [gone, deleted] = [nextPath(), nextPath()];
  answers[gone] = (answer) => answer.writeHead(410).end();
  answers[deleted] = (answer) => answer.writeHead(500).end();
  const [goneOne, deletedOne] = [await listen(gone), await listen(deleted)];
  await happen("anyone there?");
  await drain();
  expect((await show(goneOne)).disabled_at).not.toBeNull();
  expect((await deliveriesTo(goneOne))[0]).toMatchObject({ status: "failed", attempts: 1, http_status: 410 });
  await call("DELETE", `/webhook_endpoints/${deletedOne.svc_id}`);
  passHours(1);
  await drain();
  expect(names(deleted).filter((name) => name === "anyone there?")).toHaveLength(1);
  expect((await deliveriesTo(deletedOne))[0]).toMatchObject({ status: "failed", last_error: "endpoint_deleted" });
});

test("an endpoint that sends Retry-After gets that time, for all its pending messages", async () => {
  const path = nextPath();
  answers[path] = (answer) => answer.writeHead(429, { "retry-after": "600" }).end();
  await listen(path);
  await happen("one");
  await drain();
  await happen("two");
  passHours(590 / 3600);
  await drain();
  expect(names(path)).toEqual(["one"]);
  delete answers[path];
  passHours(15 / 3600);
  await drain();
  expect(names(path).slice(1).sort()).toEqual(["one", "two"]);
});

const fareOf = ({ svc_id }: Endpoint) =>
  read(`select failures, resting_until from webhook_endpoints where id = '${svc_id}'`);

test("messages that are sent together and fail count as one failure: the endpoint does not rest", async () => {
  const path = nextPath();
  answers[path] = (answer) => answer.writeHead(500).end();
  const endpoint = await listen(path);
  for (let number = 1; number <= 5; number++) await happen(`together ${number}`);
  await deliver();
  await platform.senders.webhooks();
  expect(at(path)).toHaveLength(5);
  expect(await fareOf(endpoint)).toEqual([{ failures: 1, resting_until: null }]);
});

test("a message that is delivered after another one failed ends the failure, even if it was sent before", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  let takeFirst = (): unknown => undefined;
  const isUnderWay = new Promise<void>((resolve) => {
    answers[path] = (answer) => {
      takeFirst = () => answer.end();
      resolve();
    };
  });
  await happen("first");
  await deliver();
  const first = platform.senders.webhooks();
  await isUnderWay;
  answers[path] = (answer) => answer.writeHead(500).end();
  await happen("second");
  await deliver();
  await platform.senders.webhooks();
  expect(await fareOf(endpoint)).toMatchObject([{ failures: 1 }]);
  takeFirst();
  await first;
  expect(await fareOf(endpoint)).toEqual([{ failures: 0, resting_until: null }]);
});

test("redirects, other successes, timeouts and broken connections are failures, each with its log", async () => {
  const answered: [string, (typeof answers)[string], number | null, string | null][] = [
    ["/redirect", (answer) => answer.writeHead(302, { location: url("/elsewhere") }).end(), 302, null],
    ["/partial", (answer) => answer.writeHead(206).end("some \0 text"), 206, null],
    ["/hang", () => undefined, null, "timed_out"],
    ["/reset", (answer) => answer.destroy(), null, "connection_reset"],
  ];
  const endpoints: Endpoint[] = [];
  for (const [path, reply] of answered) {
    answers[path] = reply;
    endpoints.push(await listen(path));
  }
  await happen("bad luck");
  await drain();
  for (const [index, [, , http_status, last_error]] of answered.entries()) {
    const endpoint = endpoints[index] ?? { svc_id: "", secret: "", disabled_at: null };
    expect(await deliveriesTo(endpoint)).toEqual([{ status: "retrying", attempts: 1, http_status, last_error }]);
  }
  expect(at("/elsewhere")).toEqual([]);
  const [log] = await read(`
    select number, url, request_headers, duration_ms, http_status, response_body, error from webhook_attempts
    where url like '%/partial'`);
  expect(log).toMatchObject({ number: 1, http_status: 206, response_body: "some \uFFFD text", error: null });
  expect(log?.request_headers).toMatchObject({ "X-Svc-Signature-Algorithm": "hmac" });
});

test("a private address is not reached, however it came into the table: the message fails and says why", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  // As a release before the check of URLs left it.
  const inside = url("/inside").replace("127.0.0.1", "[::ffff:127.0.0.1]").replace("http:", "https:");
  await read(`update webhook_endpoints set webhook_url = '${inside}' where id = '${endpoint.svc_id}'`);
  await happen("secret");
  await drain();
  expect(at("/inside")).toEqual([]);
  expect((await deliveriesTo(endpoint))[0]).toMatchObject({
    status: "retrying",
    last_error: "port_is_not_allowed",
  });
});

test("a worker that dies while it sends loses nothing: the message is sent again when its lease ends, and that attempt does not count", async () => {
  const path = nextPath();
  const endpoint = await listen(path);
  await happen("kept");
  // The state that a killed worker leaves: leased, and never settled.
  await deliver();
  await runOn(
    platform.config.DATABASE_URL,
    `update webhook_deliveries set lease_id = gen_random_uuid(), leased_until = '${clock.now().add({ seconds: 11 })}'
     where endpoint_id = '${endpoint.svc_id}'`,
  );
  await drain();
  expect(at(path)).toHaveLength(0);
  passHours(12 / 3600);
  await drain();
  expect(names(path)).toEqual(["kept"]);
  expect(await deliveriesTo(endpoint)).toEqual([
    { status: "succeeded", attempts: 1, http_status: 200, last_error: null },
  ]);
});

test("a worker that lost its lease while it waited does not overwrite what another one settled", async () => {
  const path = nextPath();
  let isFirst = true;
  const endpoint = await listen(path);
  answers[path] = (answer) => {
    if (!isFirst) return void answer.end();
    isFirst = false;
    // Meanwhile the lease ends and another worker claims the message.
    passHours(1 / 60);
    void platform.senders.webhooks().then(() => answer.writeHead(500).end());
  };
  await happen("raced");
  await drain();
  expect(at(path)).toHaveLength(2);
  expect(await deliveriesTo(endpoint)).toEqual([
    { status: "succeeded", attempts: 1, http_status: 200, last_error: null },
  ]);
});

test("at most five messages at once go to one endpoint, and a hanging endpoint delays no other endpoint", async () => {
  const [slow, quick] = [nextPath(), nextPath()];
  await listen(slow);
  await listen(quick);
  for (let number = 1; number <= 12; number++) await happen(`crowd ${number}`);
  await deliver();
  const isDone = new Promise<void>((resolve) => {
    const look = () => void (at(quick).length === 12 && at(slow).length === 5 && resolve());
    answers[slow] = look;
    answers[quick] = (answer) => {
      answer.end();
      look();
    };
  });
  const loops = startLoops(platform.senders.webhooks, 12, () => undefined);
  await isDone;
  await loops.stop();
  expect(receiver.mostAtOnce(slow)).toBe(5);
  // Those five failed. From now on it gets one attempt at a time, from separate workers.
  expect(at(slow)).toHaveLength(5);
  expect(await platform.senders.webhooks()).toBe(false);
});

test("messages of a customer on a test clock are sent at once, whatever its time", async () => {
  const path = nextPath();
  const { svc_id } = (await call("POST", "/test_clocks", { test_clock: { name: "far", now: "2031-01-01T00:00:00Z" } }))
    .body.test_clock;
  await listen(path);
  await call("POST", "/customers", { customer: { external_id: "far away", name: "Far", test_clock_id: svc_id } });
  await drain();
  expect(names(path)).toEqual(["Far"]);
});

test("a message is deleted 90 days after it was sent, unless a delivery is open; the proof of its publication stays", async () => {
  const [path, failing] = [nextPath(), nextPath()];
  const endpoint = await listen(path);
  await happen("long ago");
  await drain();
  answers[failing] = (answer) => answer.writeHead(429, { "retry-after": "86400" }).end();
  const waiting = await listen(failing);
  passHours(24 * 89);
  await happen("still waiting");
  await drain();
  const kept = (name: string) => read(`select 1 from outbox where payload::text like '%${name}%'`);
  await runScheduled("forget_old_webhooks");
  expect([await deliveriesTo(endpoint), await kept("long ago")]).toMatchObject([{ length: 2 }, { length: 1 }]);
  passHours(25);
  await runScheduled("forget_old_webhooks");
  expect([await deliveriesTo(endpoint), await kept("long ago")]).toMatchObject([{ length: 1 }, { length: 0 }]);
  expect(await read(`select 1 from webhook_attempts where url = '${url(path)}'`)).toHaveLength(1);
  expect(await read("select 1 from outbox where forgotten_at is not null")).not.toEqual([]);
  passHours(24 * 91);
  await runScheduled("forget_old_webhooks");
  expect(await deliveriesTo(waiting)).toEqual([expect.objectContaining({ status: "retrying" })]);
  expect(await kept("still waiting")).toHaveLength(1);
});
