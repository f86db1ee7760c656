import { connect } from "node:net";
import { expect, it, test } from "vitest";
import { createLimiter } from "../platform/limiter/limiter.ts";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { NO_LIMITS } from "./rate-limit.ts";
import { buildServer } from "./server.ts";

const { platform, app, call, organizations } = await startTallystick();
const [{ key } = { key: "" }] = organizations;
const authorization = `Bearer ${key}`;
const json = { "content-type": "application/json" };

const post = (raw: string | Buffer, headers: Record<string, string> = {}) =>
  call("POST", "/taxes", undefined, { raw, headers });
const missing = (name: string) => ({
  status: 400,
  error: `BadRequest: param is missing or the value is empty: ${name}`,
});
const BAD_REQUEST = { status: 400, error: "Bad Request" };
const NO_ROUTE = { status: 404, error: "Not Found", code: "resource_not_found" };

it.each(["{}", '{"customer":{}}', '{"tax":null}', '{"tax":[]}', '{"tax":"x"}', "null", "[]", '"tax"', "1", ""])(
  "the body %s lacks the envelope, and the answer names it",
  async (raw) => {
    const { status, body } = await post(raw);
    expect(status).toBe(400);
    expect(body).toMatchObject(missing("tax"));
  },
);

test("a request that must have a body and has none lacks the envelope", async () => {
  expect((await call("POST", "/customers")).body).toMatchObject(missing("customer"));
  expect((await call("PUT", "/organizations")).body).toMatchObject(missing("organization"));
});

it.each(["{", '{"tax":}', '{"tax":{"rate":NaN}}', "{'tax':{}}", '{"tax":{}}x', '{"tax":{"name":"\n"}}', "\u0000"])(
  "the body %j is not JSON",
  async (raw) => {
    const { status, body } = await post(raw);
    expect(status).toBe(400);
    expect(body).toMatchObject(BAD_REQUEST);
  },
);

test("a request without a key is 401", async () => {
  const { status, body } = await call("GET", "/taxes", undefined, { key: null });
  expect(status).toBe(401);
  expect(body).toMatchObject({ status: 401, error: "Unauthorized" });
});

it.each([`Bearer ${key}`, `bearer ${key}`, `Token ${key}`, `Basic ${key} more`])(
  "the second word of the header is the key, whatever the first one is",
  async (header) => {
    const headers = { authorization: header };
    expect((await call("GET", "/taxes", undefined, { key: null, headers })).status).toBe(200);
  },
);

it.each([key, "Bearer", "Bearer ", "", `Bearer  ${key}`])("the header %j contains no key", async (header) => {
  const headers = { authorization: header };
  expect((await call("GET", "/taxes", undefined, { key: null, headers })).status).toBe(401);
});

test("a missing record is 404 with the name of its resource; an unknown path is resource_not_found", async () => {
  expect((await call("GET", "/taxes/none")).body).toMatchObject({
    status: 404,
    error: "Not Found",
    code: "tax_not_found",
  });
  for (const path of ["/nothing", "/taxes/a/b", "/", "//"]) {
    const { status, body } = await call("GET", path);
    expect([status, body.status, body.error], path).toEqual([404, 404, "Not Found"]);
  }
  expect((await call("GET", "/nothing")).body).toMatchObject(NO_ROUTE);
  expect((await app.inject("/elsewhere")).json()).toMatchObject(NO_ROUTE);
});

test("405 means that the state of a record does not allow it", async () => {
  const { body } = await call("POST", "/test_clocks", { test_clock: { now: "2026-01-31" } });
  const id = body.test_clock.svc_id;
  await runOn(platform.config.DATABASE_URL, `update test_clocks set advancing_to = now where id = '${id}'`);
  const advance = await call("POST", `/test_clocks/${id}/advance`, { test_clock: { now: "2027-01-31" } });
  expect(advance.status).toBe(405);
  expect(advance.body).toMatchObject({ status: 405, error: "Method Not Allowed", code: "test_clock_advancing" });
});

test("422 names every wrong member once, the innermost one, with all its codes", async () => {
  const customer = {
    external_id: 7,
    email: "nobody",
    currency: "XXXX",
    billing_configuration: { document_locale: "tlh", invoice_grace_period: -1 },
    metadata: [{ key: "", value: "v", display_in_invoice: "yes" }],
    tax_codes: ["a", 1, null],
  };
  const { status, body } = await call("POST", "/customers", { customer });
  expect(status).toBe(422);
  expect(body).toMatchObject({
    status: 422,
    error: "Unprocessable Entity",
    code: "validation_errors",
    error_details: {
      external_id: ["value_is_invalid"],
      email: ["invalid_email_format"],
      currency: ["value_is_invalid"],
      document_locale: ["not_a_valid_language_code"],
      invoice_grace_period: ["value_is_out_of_range"],
      key: ["value_is_mandatory"],
      display_in_invoice: ["value_is_invalid"],
      tax_codes: ["value_is_invalid", "value_is_mandatory"],
    },
  });
});

test("422 can name a member that has the name of an inherited property", async () => {
  const properties = { type: "object", additionalProperties: { type: "string" } };
  const body = { type: "object", required: ["event"], properties: { event: properties } };
  const planted = await buildServer({
    ...platform,
    version: "0",
    meaningOf: () => undefined,
    webhooks: {},
    publicUrl: "http://127.0.0.1",
    describedUrl: null,
    corsOrigins: [],
    authenticate: async () => ({
      organizationId: "",
      actor: { kind: "key", id: "" },
      permissions: null,
      usesDeprecated: false,
      ignoresUnknown: false,
      fieldPrefix: "svc",
    }),
    rateLimits: NO_LIMITS,
    limiter: createLimiter(),
    readMetrics: async () => "",
    findObstacles: async () => [],
    findWarnings: async () => [],
    findStuck: async () => [],
    deprecated: { names: [], isRemoved: () => false, ofRequest: async (body) => body, ofAnswer: async (text) => text },
    pages: [],
    routes: [
      async (api) => void api.post("/events", { schema: { body }, config: { permission: "event" } }, async () => ({})),
    ],
  });
  const answer = await planted.inject({
    method: "POST",
    url: "/api/v1/events",
    headers: { authorization },
    payload: { event: { constructor: 1, toString: 2, valueOf: "fine" } },
  });
  expect(answer.json().error_details).toEqual({ constructor: ["value_is_invalid"], toString: ["value_is_invalid"] });
});

test("a body over 1 MB is 413, one below is read", async () => {
  const bodyOf = (length: number) => {
    const frame = '{"tax":{"name":""}}';
    return frame.replace('""', `"${"x".repeat(length - frame.length)}"`);
  };
  const limit = 1024 * 1024;
  expect((await post(bodyOf(limit))).body.error_details).toMatchObject({ name: ["value_is_too_long"] });
  const { status, body } = await post(bodyOf(limit + 1));
  expect(status).toBe(413);
  expect(body).toMatchObject({ status: 413, error: "Payload Too Large" });
});

it.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/xml",
  "json",
])("a body of type %s is 415", async (type) => {
  const { status, body } = await post('{"tax":{}}', { "content-type": type });
  expect(status).toBe(415);
  expect(body).toMatchObject({ status: 415, error: "Unsupported Media Type" });
});

it.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])(
  "a body of type %s is read",
  async (type) => {
    expect((await post('{"tax":{}}', { "content-type": type })).status).toBe(422);
  },
);

test("a URL over 8 kB is 414, in the path and in the query", async () => {
  for (const path of [`/taxes?x=${"x".repeat(8192)}`, `/nothing/${"x".repeat(8192)}`, `/taxes/${"x".repeat(8192)}`]) {
    const { status, body } = await call("GET", path);
    expect(status).toBe(414);
    expect(body).toMatchObject({ status: 414, error: "URI Too Long" });
  }
  expect((await call("GET", `/taxes?page=${"x".repeat(8000)}`)).status).toBe(200);
});

test("an internal failure is 500 and reveals nothing", async () => {
  await runOn(platform.config.DATABASE_URL, "alter table counters rename to hidden");
  const { status, body } = await call("POST", "/customers", { customer: { external_id: "broken" } });
  await runOn(platform.config.DATABASE_URL, "alter table hidden rename to counters");
  expect(status).toBe(500);
  expect(body).toMatchObject({ status: 500, error: "Internal Server Error" });
});

it.each(["a", "req-1", "01J8:x.y_z", "x".repeat(128)])("the request id %s is kept", async (id) => {
  const { headers } = await call("GET", "/taxes", undefined, { headers: { "x-request-id": id } });
  expect(headers["x-request-id"]).toBe(id);
});

it.each(["", "a b", "<script>", '"}', "x".repeat(129), "é", "a\u001b[31m", "../..", "{{7*7}}"])(
  "the request id %j is replaced by a new one",
  async (id) => {
    const { headers } = await call("GET", "/taxes", undefined, { headers: { "x-request-id": id } });
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  },
);

it.each([
  [200, "/api/v1/taxes"],
  [401, "/api/v1/organizations"],
  [404, "/api/v1/nothing"],
  [404, "/elsewhere"],
  [404, "/api/v1/taxes/%00"],
  [400, "/api/v1/taxes?page=%zz"],
  [414, `/api/v1/taxes?x=${"x".repeat(9000)}`],
  [200, "/health"],
  [200, "/docs/"],
])("a response %i has a request id and security headers", async (status, url) => {
  const headers = status === 401 ? {} : { authorization };
  const answer = await app.inject({ url, headers });
  expect(answer.statusCode).toBe(status);
  expect(answer.headers).toMatchObject({
    "x-request-id": expect.stringMatching(/^[\w-]{36}$/),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "strict-transport-security": expect.stringContaining("max-age="),
    "content-security-policy": expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
  });
  expect(answer.headers).not.toHaveProperty("x-powered-by");
  expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
});

test("a path that cannot be decoded is 400 with a request id", async () => {
  const { status, body, headers } = await call("GET", "/taxes/%zz", undefined, { headers: { "x-request-id": "mine" } });
  expect(status).toBe(400);
  expect(body).toMatchObject(BAD_REQUEST);
  expect(headers["x-request-id"]).toBe("mine");
});

test("bytes that are not HTTP are refused in the same form", async () => {
  const { port, hostname } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const send = (request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(request));
      let answer = "";
      socket.setEncoding("utf8").on("data", (text: string) => {
        answer += text;
      });
      socket.once("close", () => resolve(answer));
      socket.once("error", reject);
    });
  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
  const line = "GET /api/v1/taxes HTTP/1.1\r\nHost: x\r\n";
  expect(bodyOf(await send("no request at all\r\n\r\n"))).toMatchObject(BAD_REQUEST);
  expect(bodyOf(await send(`${line}X: a\u0000b\r\n\r\n`))).toMatchObject(BAD_REQUEST);
  expect(bodyOf(await send(`${line}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`))).toMatchObject(BAD_REQUEST);
  expect(bodyOf(await send(`${line}X: ${"x".repeat(17_000)}\r\n\r\n`))).toMatchObject({
    status: 431,
    error: "Request Header Fields Too Large",
  });
});

test("a body is ignored where none is expected", async () => {
  const options = { headers: { authorization, ...json }, payload: '{"x":1}' };
  expect((await app.inject({ method: "GET", url: "/api/v1/taxes", ...options })).statusCode).toBe(200);
  expect((await app.inject({ method: "DELETE", url: "/api/v1/taxes/none", ...options })).statusCode).toBe(404);
});
