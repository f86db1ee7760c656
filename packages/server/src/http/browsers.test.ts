import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startTallystick } from "../testing/start-tallystick.ts";

const PAGE = "https://app.example.com";
const { app, call, organizations } = await startTallystick({
  settings: { CORS_ORIGINS: `https://other.example,${PAGE}` },
});
const closed = await startTallystick();
const authorization = `Bearer ${organizations[0]?.key}`;

const ask = (service: typeof app, origin: string) =>
  service.inject({
    method: "OPTIONS",
    url: "/api/v1/plans",
    headers: {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization,if-match",
    },
  });

test("a page of a listed origin may call, and read the headers of an answer", async () => {
  const preflight = await ask(app, PAGE);
  expect([preflight.statusCode, preflight.headers]).toMatchObject([
    204,
    { "access-control-allow-origin": PAGE, "access-control-allow-methods": "GET, POST, PUT, DELETE" },
  ]);
  expect(preflight.headers["access-control-allow-headers"]).toContain("If-Match");
  const { headers } = await call("GET", "/organizations", undefined, { headers: { origin: PAGE } });
  expect(headers).toMatchObject({ "access-control-allow-origin": PAGE, vary: expect.stringContaining("Origin") });
  expect(headers["access-control-expose-headers"]).toContain("ETag");
  expect(headers).not.toHaveProperty("access-control-allow-credentials");
});

test("a refusal can be read by the page too", async () => {
  const { status, headers } = await call("GET", "/plans/none", undefined, { headers: { origin: PAGE } });
  expect([status, headers["access-control-allow-origin"]]).toEqual([404, PAGE]);
});

test("a page of another origin may not, and by default no page may", async () => {
  for (const [service, origin] of [
    [app, "https://app.example.com.evil.example"],
    [app, "null"],
    [closed.app, PAGE],
  ] as const)
    expect((await ask(service, origin)).headers).not.toHaveProperty("access-control-allow-origin");
});

const list = (encoding: string) =>
  app.inject({
    method: "GET",
    url: "/api/v1/customers",
    headers: { authorization, ...(encoding ? { "accept-encoding": encoding } : {}) },
  });

test("a long answer is compressed as requested, and is the same", async () => {
  for (let made = 0; made < 3; made++)
    await call("POST", "/customers", { customer: { external_id: `customer ${made}` } });
  const plain = await list("");
  expect(plain.headers).not.toHaveProperty("content-encoding");
  const zipped = await list("gzip");
  expect(zipped.headers).toMatchObject({
    "content-encoding": "gzip",
    vary: expect.stringContaining("accept-encoding"),
  });
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body);
  const brotli = await list("gzip, br");
  expect(brotli.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body);
  expect((await list("snappy")).body).toBe(plain.body);
});

test("short answers, and the answer to an event, are not compressed", async () => {
  const tag = { "accept-encoding": "gzip" };
  const short = await call("GET", "/plans/none", undefined, { headers: tag });
  expect(short.headers).not.toHaveProperty("content-encoding");
  const event = {
    transaction_id: "1",
    external_subscription_id: "sub",
    code: "calls",
    properties: { text: "a".repeat(4000) },
  };
  const sent = await call("POST", "/events", { event }, { headers: tag });
  expect([sent.status, sent.headers["content-encoding"]]).toEqual([200, undefined]);
});

test("a compressed request is refused", async () => {
  const refused = await app.inject({
    method: "POST",
    url: "/api/v1/customers",
    headers: { authorization, "content-type": "application/json", "content-encoding": "gzip" },
    payload: gzipSync(JSON.stringify({ customer: { external_id: "zipped" } })),
  });
  expect(refused.statusCode).toBe(400);
});
