import type { FastifyPluginAsync } from "fastify";
import { expect, it, test } from "vitest";
import { createLimiter } from "../platform/limiter/limiter.ts";
import { headersOf } from "../testing/call-api.ts";
import { listApiRoutes, type Route } from "../testing/list-routes.ts";
import { allBut, type KeyOptions, makeTestKey, makeUnknownKey } from "../testing/make-test-key.ts";
import { makeTestPerson } from "../testing/make-test-person.ts";
import { resolveRefs } from "../testing/resolve-refs.ts";
import { SAMPLES, type Sample, toPath } from "../testing/sample-requests.ts";
import { type Answer, type Call, callersOf, startTallystick } from "../testing/start-tallystick.ts";
import { ANY_CALLER, type Permissions } from "./auth.ts";
import { NO_LIMITS } from "./rate-limit.ts";
import { buildServer } from "./server.ts";

/** Every promise of this file is kept for keys and for people: `every-route-for-people.test.ts` runs it again. */
const callers = callersOf(import.meta.url);
const { platform, app, call, deliver, organizations } = await startTallystick({ requestsLogin: true, callers });
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;
const asTheirs: Call = (method, path, body, options) => call(method, path, body, { key: theirs.key, ...options });

const routes = listApiRoutes(app);
const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const withRecord = named.filter(([, { path }]) => path.includes(":"));
const NO_SAMPLE: Sample = { permission: "no sample" };
const sampleOf = ({ method, path }: Route) => SAMPLES[`${method} ${path}`] ?? NO_SAMPLE;

const isReading = (route: Route): boolean => route.method === "GET" || sampleOf(route).isReading === true;
const answerOf = (route: Route): number => sampleOf(route).answers ?? 200;

const UNAUTHORIZED = { status: 401, error: "Unauthorized" };
const forbidden = (code: string) => ({ status: 403, error: "Forbidden", code });

type CallerOptions = Pick<KeyOptions, "isRevoked"> & { permissions?: NonNullable<Permissions>; hasEnded?: boolean };

/** A key or a person of the first organization, in the form that `call` takes. */
async function makeCaller({ hasEnded = false, ...options }: CallerOptions = {}): Promise<string> {
  const now = platform.clock.now();
  if (callers === "keys")
    return (await makeTestKey(platform, mine.id, { ...options, ...(hasEnded ? { expiresAt: now } : {}) })).token;
  const signedInAt = hasEnded ? now.subtract({ hours: 12 }) : now;
  return (await makeTestPerson(platform, mine.id, { ...options, signedInAt })).credential;
}

let marks = 0;
/** Sends the route's sample to a record of the first organization, with the given key. */
async function send(route: Route, key: string | null): Promise<Answer> {
  const { given, body } = sampleOf(route);
  const mark = `sent ${marks++}`;
  const parameters = (await given?.(call, mark, deliver)) ?? {};
  return call(route.method as "GET", toPath(route.path, parameters), body?.(mark, parameters), { key });
}

const targets = new Map<Route, Promise<{ path: string; body: unknown }>>();
/** Like send, but always to the same record: a refused request leaves it unchanged. */
async function sendRefused(route: Route, key: string | null): Promise<Answer> {
  const target = targets.get(route) ?? prepare(route);
  targets.set(route, target);
  const { path, body } = await target;
  return call(route.method as "GET", path, body, { key });
}

async function prepare(route: Route): Promise<{ path: string; body: unknown }> {
  const { given, body } = sampleOf(route);
  const mark = `refused ${marks++}`;
  const parameters = (await given?.(call, mark, deliver)) ?? {};
  return { path: toPath(route.path, parameters), body: body?.(mark, parameters) };
}

async function expectOnEveryRoute(key: string | null, expected: object): Promise<void> {
  for (const route of routes)
    expect((await sendRefused(route, key)).body, `${route.method} ${route.path}`).toMatchObject(expected);
}

test("every route has a sample request, and every sample a route", () => {
  expect(routes.length).toBeGreaterThan(10);
  expect(
    Object.keys(SAMPLES).sort(),
    "a new route needs a line in testing/sample-requests.ts, or nothing here tries it",
  ).toEqual(named.map(([name]) => name).sort());
});

it.each(named)(
  "the sample of %s succeeds, so that a refusal below has the reason it is meant to have",
  async (_, route) => {
    const { status, text } = await send(route, mine.key);
    expect(status, text).toBe(answerOf(route));
  },
);

test("no route can be called without a key", () => expectOnEveryRoute(null, UNAUTHORIZED), 120_000);

test("HEAD needs the permission of GET", async () => {
  for (const { path } of routes.filter(({ method }) => method === "GET"))
    expect((await app.inject({ method: "HEAD", url: `/api/v1${path}` })).statusCode, path).toBe(401);
  const headers = headersOf(await makeCaller({ permissions: { tax: ["write"] } }));
  expect((await app.inject({ method: "HEAD", url: "/api/v1/taxes", headers })).statusCode).toBe(403);
});

test("no route accepts a malformed key", async () => {
  for (const malformed of [
    "x",
    mine.key.slice(0, -1),
    `${mine.key}x`,
    mine.key.replace("tsk_", "tks_"),
    "tsk___",
    "null",
  ])
    await expectOnEveryRoute(malformed, UNAUTHORIZED);
});

test("no route accepts a well-formed key that does not exist", async () => {
  await expectOnEveryRoute(await makeUnknownKey(platform, mine.id), UNAUTHORIZED);
});

test("no route accepts a revoked key", async () => {
  await expectOnEveryRoute(await makeCaller({ isRevoked: true }), UNAUTHORIZED);
});

test("no route accepts an expired key", async () => {
  await expectOnEveryRoute(await makeCaller({ hasEnded: true }), UNAUTHORIZED);
});

const forAll = named.filter(([, route]) => sampleOf(route).permission === ANY_CALLER);
const guarded = named.filter((one) => !forAll.includes(one));

it.each(forAll)("%s needs no permission of its own", async (_, route) => {
  expect((await send(route, await makeCaller({ permissions: { customer: ["read"] } }))).status).toBe(answerOf(route));
});

it.each(guarded)("%s needs its own permission and no other", async (_, route) => {
  const { permission, also, handsOut } = sampleOf(route);
  const [action, otherAction] = isReading(route) ? (["read", "write"] as const) : (["write", "read"] as const);
  const code = `${action}_action_not_allowed_for_${permission}`;
  const keyWith = (permissions: NonNullable<Permissions>) => makeCaller({ permissions });

  const other: NonNullable<Permissions> = { [permission]: [otherAction] };
  for (const permissions of [allBut(permission, ["read", "write"]), {}, other])
    expect((await sendRefused(route, await keyWith(permissions))).body).toMatchObject(forbidden(code));
  const own: NonNullable<Permissions> = { [permission]: [action] };
  if (also !== undefined) {
    const { status, body } = await send(route, await keyWith({ ...own, [also]: [otherAction] }));
    expect([status, body.code]).toEqual([403, `${action}_action_not_allowed_for_${also}`]);
  }
  const enough: NonNullable<Permissions> = {
    ...handsOut,
    ...own,
    ...(also === undefined ? {} : { [also]: [action] }),
  };
  expect((await send(route, await keyWith(enough))).status).toBe(answerOf(route));
});

test("the reference of permissions names for each route what it was just seen to need", () => {
  const listed = app
    .listPermissions()
    .map(({ method, path, resource, action, alsoNeeds }) => [
      `${method} ${path.slice("/api/v1".length)}`,
      { resource, action, also: alsoNeeds?.resource },
    ]);
  // Its sample leaves `webhook_url` alone; the tests of webhook endpoints change it.
  const also = (name: string) => (name === "PUT /organizations" ? "webhook_endpoint" : SAMPLES[name]?.also);
  const seen = guarded.map(([name, route]) => [
    name,
    { resource: sampleOf(route).permission, action: isReading(route) ? "read" : "write", also: also(name) },
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(seen));
});

it.each(withRecord)(
  "%s does not find the record of another organization, and leaves it unchanged",
  async (_, route) => {
    const { given, body, permission, missing = `${permission}_not_found` } = sampleOf(route);
    const mark = `of mine ${marks++}`;
    const parameters = (await given?.(call, mark, deliver)) ?? {};
    const shown = toPath(routes.find(isShowRouteOf(route))?.path ?? "", parameters);
    const before = await call("GET", shown);
    expect(before.status).toBe(200);

    const answer = await asTheirs(route.method as "GET", toPath(route.path, parameters), body?.(mark, parameters));
    expect(answer.body).toMatchObject({ status: 404, error: "Not Found", code: missing });
    expect((await call("GET", shown)).body).toEqual(before.body);
  },
);

it.each(withRecord)(
  "%s acts on the caller's own record where both organizations have one of the same name",
  async (_, route) => {
    const { given, body } = sampleOf(route);
    const mark = `twin ${marks++}`;
    const parameters = (await given?.(call, mark, deliver)) ?? {};
    const theirParameters = (await given?.(asTheirs, mark, deliver)) ?? {};
    const show = routes.find(isShowRouteOf(route))?.path ?? "";
    const before = await call("GET", toPath(show, parameters));

    const answer = await asTheirs(
      route.method as "GET",
      toPath(route.path, theirParameters),
      body?.(mark, theirParameters),
    );
    expect(answer.status).toBe(answerOf(route));
    expect(idsIn(answer).intersection(idsIn(before)).size).toBe(0);
    expect((await call("GET", toPath(show, parameters))).body).toEqual(before.body);
  },
);

test("nothing of an organization is in any list or answer of another", async () => {
  const ids = new Set<string>([mine.id]);
  for (const route of routes) for (const id of idsIn(await send(route, mine.key))) ids.add(id);
  expect(ids.size).toBeGreaterThan(5);
  for (const { path } of routes.filter(({ method, path }) => method === "GET" && !path.includes(":"))) {
    // What is not a list has no pages, and a search needs a term.
    let answer = await asTheirs("GET", `${path}?per_page=1000`);
    for (const url of [path, toPath(path, {})]) if (answer.status === 422) answer = await asTheirs("GET", url);
    expect(answer.status).toBe(200);
    expect(idsIn(answer).intersection(ids).size, path).toBe(0);
  }
}, 120_000);

test("a body cannot refer to a record of another organization", async () => {
  const { svc_id = "" } = (await SAMPLES["GET /test_clocks/:svc_id"]?.given?.(call, "referred")) ?? {};
  const { code = "" } = (await SAMPLES["GET /taxes/:code"]?.given?.(call, "referred")) ?? {};
  const refer = (members: object) => asTheirs("POST", "/customers", { customer: { external_id: "r", ...members } });
  expect((await refer({ test_clock_id: svc_id })).body.code).toBe("test_clock_not_found");
  expect((await refer({ tax_codes: [code] })).body.code).toBe("tax_not_found");
  expect(
    (await call("POST", "/customers", { customer: { external_id: "r", test_clock_id: svc_id, tax_codes: [code] } }))
      .status,
  ).toBe(200);
});

test("an unknown path needs a key too, and reveals nothing without one", async () => {
  expect((await call("GET", "/nowhere", undefined, { key: null })).body).toMatchObject(UNAUTHORIZED);
  expect((await call("GET", "/nowhere")).body).toMatchObject({
    status: 404,
    error: "Not Found",
    code: "resource_not_found",
  });
});

test("a route that declares no permission stops the start", async () => {
  const open = await buildWith(async (api) => void api.get("/open", async () => ({})));
  await expect(open.ready()).rejects.toThrow(/declare no permission.*GET \/api\/v1\/open/);
});

test("every route is documented, with a summary and the body of its success", async () => {
  const { paths } = resolveRefs((await app.inject("/openapi.json")).json());
  expect(routes.filter((route) => !isDocumented(paths, route))).toEqual([]);
});

test("a route that is hidden from the documentation, or has no summary, is noticed", async () => {
  const config = { permission: "tax" };
  const response = { 200: { type: "object" } };
  const planted = await buildWith(async (api) => {
    api.get("/hidden", { config, schema: { hide: true, summary: "Hidden", response } }, async () => ({}));
    api.get("/mute", { config, schema: { response } }, async () => ({}));
    api.get("/vague", { config, schema: { summary: "No answer" } }, async () => ({}));
    api.get("/fine/:id", { config, schema: { summary: "Fine", response } }, async () => ({}));
  });
  await planted.ready();
  const { paths } = resolveRefs((await planted.inject("/openapi.json")).json());
  const undocumented = listApiRoutes(planted).filter((route) => !isDocumented(paths, route));
  expect(undocumented.map(({ path }) => path)).toEqual(["/hidden", "/mute", "/vague"]);
});

type Paths = Record<string, Record<string, { summary?: string; responses?: Record<string, { content?: object }> }>>;

function isDocumented(paths: Paths, { method, path }: Route): boolean {
  const operation = paths[`/api/v1${path.replace(/:(\w+)/g, "{$1}")}`]?.[method.toLowerCase()];
  return Boolean(operation?.summary && operation.responses?.["200"]?.content);
}

/** `GET /taxes/:code` shows the record of `PUT /taxes/:code`. */
const isShowRouteOf =
  ({ path }: Route) =>
  (route: Route): boolean =>
    route.method === "GET" && route.path === path.split("/").slice(0, 3).join("/");

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const idsIn = ({ text }: Answer): Set<string> => new Set(text.match(UUID));

const buildWith = (routes: FastifyPluginAsync) =>
  buildServer({
    ...platform,
    version: "0",
    meaningOf: () => undefined,
    webhooks: {},
    publicUrl: "http://127.0.0.1",
    describedUrl: null,
    corsOrigins: [],
    authenticate: async () => "unknown",
    rateLimits: NO_LIMITS,
    limiter: createLimiter(),
    readMetrics: async () => "",
    findObstacles: async () => [],
    findWarnings: async () => [],
    findStuck: async () => [],
    deprecated: { names: [], isRemoved: () => false, ofRequest: async (body) => body, ofAnswer: async (text) => text },
    pages: [],
    routes: [routes],
  });
