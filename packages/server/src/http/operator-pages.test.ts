import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { runOn, withDatabase } from "../platform/postgres/temporary-database.ts";
import { resolveRefs } from "../testing/resolve-refs.ts";
import { SAMPLES } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { type Document, withComponents } from "./openapi-names.ts";

const { platform, app, call, organizations } = await startTallystick();
const { DATABASE_URL: url } = platform.config;

test("/health says which version runs", async () => {
  const { statusCode, headers, body } = await app.inject("/health");
  expect(statusCode).toBe(200);
  expect(headers["content-type"]).toMatch(/^application\/json/);
  expect(JSON.parse(body)).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    github_url: expect.stringMatching(/^https:\/\/github\.com\//),
    message: "Success",
  });
});

test("/ready is 200 if the database has every migration; otherwise it names the obstacle", async () => {
  expect((await app.inject("/ready")).json()).toEqual({ ready: true, obstacles: [], warnings: [], stuck: [] });
  await runOn(url, "create table kept as select * from migrations.applied");
  await runOn(url, "delete from migrations.applied where name like '0003-%'");
  const without = await app.inject("/ready");
  await runOn(url, "insert into migrations.applied select * from kept where name like '0003-%'; drop table kept");
  expect(without.statusCode).toBe(503);
  expect(without.json()).toEqual({
    ready: false,
    obstacles: ['the database lacks migrations (0003-taxes): run "npm run migrate"'],
    warnings: [],
    stuck: [],
  });
  expect((await app.inject("/ready")).statusCode).toBe(200);
});

test("without ClickHouse a service stays ready and accepts events; only usage and bills wait, and /ready says so", async () => {
  const away = await startTallystick({ settings: { CLICKHOUSE_URL: "http://127.0.0.1:1/tallystick" } });
  const ready = await away.app.inject("/ready");
  expect([ready.statusCode, ready.json()]).toEqual([
    200,
    {
      ready: true,
      obstacles: [],
      warnings: [
        "events are accepted, but usage cannot be read and bills wait: ClickHouse cannot be used, and the log says why",
      ],
      stuck: [],
    },
  ]);
  const event = { transaction_id: "t1", external_subscription_id: "s1", code: "calls", timestamp: 1_767_225_600 };
  expect((await away.call("POST", "/events", { event })).status).toBe(200);
});

test("/metrics counts requests by route, and names no organization, customer or key", async () => {
  const [{ id, key } = { id: "", key: "" }] = organizations;
  await call("POST", "/customers", { customer: { external_id: "customer-of-metrics" } });
  await call("GET", "/customers/customer-of-metrics");
  await call("GET", "/nowhere-of-metrics");
  const { statusCode, body } = await app.inject("/metrics");
  expect(statusCode).toBe(200);
  expect(body).toContain(
    'tallystick_http_request_seconds_count{method="GET",route="/api/v1/customers/:external_id",status="200"} 1',
  );
  for (const secret of [id, key, key.slice(4, 12), "of-metrics"]) expect(body).not.toContain(secret);
  expect(body).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test("/openapi.json is OpenAPI 3.1, complete in itself", async () => {
  const { statusCode, body } = await app.inject("/openapi.json");
  expect(statusCode).toBe(200);
  const document = JSON.parse(body);
  expect(document).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\.\d$/),
    info: { title: "Tallystick", version: expect.any(String), license: { identifier: "Apache-2.0" } },
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  });
  expect(body).not.toMatch(/"x-type"|"x-described"|"x-response-description"|"nullable"/);
  expect(() => resolveRefs(document)).not.toThrow();
  const schemas = JSON.stringify(document, (key, value) => (/^examples?$/.test(key) ? undefined : value));
  const types = [...schemas.matchAll(/"type":("\w+"|\[[^\]]*\])/g)].flatMap(([, type = ""]) => JSON.parse(type));
  const known = ["object", "array", "string", "number", "integer", "boolean", "null"];
  expect(new Set(types).difference(new Set([...known, "http"]))).toEqual(new Set());
});

type Operation = {
  summary: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: { type: string } }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
};

const isAction = (method: string, path: string): boolean =>
  SAMPLES[`${method.toUpperCase()} ${path.replace("/api/v1", "").replace(/\{(\w+)\}/g, ":$1")}`]?.isAction ?? false;

test("every operation names its parameters, its body and its refusals", async () => {
  const { paths } = resolveRefs((await app.inject("/openapi.json")).json());
  const operations = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  expect(operations.length).toBeGreaterThan(10);
  for (const { path, method, operation } of operations) {
    const parameters = operation.parameters ?? [];
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name, required }) => [`{${name}}`, required])).toEqual(
      (path.match(/\{\w+\}/g) ?? []).map((name) => [name, true]),
    );
    expect(parameters.filter(({ schema }) => !schema.type)).toEqual([]);
    expect(operation.tags, path).toHaveLength(1);
    expect(Boolean(operation.requestBody?.content["application/json"]), `${method} ${path}`).toBe(
      (method === "post" || method === "put") && !isAction(method, path),
    );
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(["200", "401", "404", "422", "429", "default"]),
    );
    // 204 has no content.
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      if (status !== "204") expect((content["application/json"] ?? content["text/plain"])?.schema, path).toBeDefined();
    const mayRepeat = parameters.some((parameter) => parameter.in === "header" && parameter.name === "Idempotency-Key");
    expect(mayRepeat, `${method} ${path}`).toBe(method === "post");
  }
});

test("/docs is a page that needs nothing from elsewhere", async () => {
  const page = await app.inject("/docs/");
  expect(page.statusCode).toBe(200);
  expect(page.headers["content-type"]).toMatch(/^text\/html/);
  expect(page.headers["content-security-policy"]).toMatch(/default-src 'none'; script-src 'self'/);
  const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = ""]) => source);
  expect(sources.filter((source) => /^(https?:)?\/\//.test(source))).toEqual([]);
  expect(page.body).toContain("<title>Tallystick API</title>");
});

test("everything that /docs asks for exists, and its script is sent compressed", async () => {
  const page = await app.inject("/docs/");
  const named = [...page.body.matchAll(/(?:src|href)="([^"]+)"|"url": ?"([^"]+)"/g)].map(
    ([, one, other]) => one ?? other,
  );
  const urls = [...named.map((name = "") => new URL(name, "http://service/docs/").pathname), "/favicon.ico"];
  expect(urls.sort()).toEqual(["/docs/js/scalar.js", "/favicon.ico", "/openapi.json"]);
  for (const url of urls) expect((await app.inject(url)).statusCode, url).toBe(200);
  const script = await app.inject({ url: "/docs/js/scalar.js", headers: { "accept-encoding": "gzip, br" } });
  expect(script.headers["content-type"]).toMatch(/javascript/);
  expect(script.rawPayload.length).toBeLessThan(2 ** 21);
  const text = gunzipSync(script.rawPayload).toString();
  expect(text).toBe((await app.inject("/docs/js/scalar.js")).body);
  expect(text).not.toContain("sourceMappingURL=");
});

test("/openapi.json is sent compressed on request, and not again to whoever has it", async () => {
  const plain = await app.inject("/openapi.json");
  expect(plain.headers["content-encoding"]).toBeUndefined();
  const small = await app.inject({ url: "/openapi.json", headers: { "accept-encoding": "gzip" } });
  expect(small.headers).toMatchObject({
    "content-encoding": "gzip",
    vary: "Accept-Encoding, Authorization",
    etag: plain.headers.etag,
  });
  expect(gunzipSync(small.rawPayload).toString()).toBe(plain.body);
  const refused = await app.inject({ url: "/openapi.json", headers: { "accept-encoding": "gzip;q=0" } });
  expect(refused.headers["content-encoding"]).toBeUndefined();
  const known = await app.inject({ url: "/openapi.json", headers: { "if-none-match": String(plain.headers.etag) } });
  expect([known.statusCode, known.body]).toEqual([304, ""]);
});

test("the text of /openapi.json is made once, whoever asks and however often", async () => {
  const fresh = (await startTallystick()).app;
  const make = fresh.swagger;
  let made = 0;
  fresh.swagger = (() => {
    made++;
    return make();
  }) as typeof make;
  for (const encoding of ["gzip", "identity", "gzip"])
    for (const authorization of ["", "Bearer nonsense", `Bearer ${organizations[0]?.key}`])
      expect(
        (await fresh.inject({ url: "/openapi.json", headers: { "accept-encoding": encoding, authorization } }))
          .statusCode,
      ).toBe(200);
  expect(made).toBe(1);
});

test("two schemas of one name that differ stop the description", () => {
  const answering = (schema: object) => ({
    get: { responses: { 200: { content: { "application/json": { schema } } } } },
  });
  const document = (other: object) => ({
    components: { schemas: {} },
    paths: { "/one": answering({ title: "Tax", type: "object" }), "/other": answering(other) },
  });
  const describing = (other: object) => () => withComponents(document(other) as unknown as Document);
  expect(describing({ title: "Tax", type: ["object", "null"] })).not.toThrow();
  expect(describing({ title: "Tax", type: "object", required: ["name"] })).toThrow(/have the title Tax/);
});

test("the operator's pages need no key, and take none into account", async () => {
  for (const path of ["/health", "/ready", "/metrics", "/openapi.json", "/docs/"]) {
    const headers = { authorization: "Bearer nonsense" };
    expect((await app.inject({ url: path, headers })).statusCode, path).toBe(200);
  }
});

test("without its database the service is unhealthy and not ready, and says so", async () => {
  await runOn(withDatabase(url, "postgres"), `drop database ${new URL(url).pathname.slice(1)} with (force)`);
  const health = await app.inject("/health");
  expect([health.statusCode, health.json().message]).toEqual([500, "Unhealthy"]);
  const ready = await app.inject("/ready");
  expect([ready.statusCode, ready.json()]).toEqual([
    503,
    { ready: false, obstacles: ["the database does not respond"], warnings: [], stuck: [] },
  ]);
});
