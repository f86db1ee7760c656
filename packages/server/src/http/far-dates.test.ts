/** The last years that a date can have: whatever takes an instant or a date accepts it or says what is wrong with it. */
import { describe, expect, test } from "vitest";
import { documentRoutes, expectHarmless, put } from "../testing/request-fields.ts";
import { resolveRefs } from "../testing/resolve-refs.ts";
import { toPath } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const FAR = [
  "9999-12-31T23:59:59Z",
  "9999-12-31T23:59:59.999999Z",
  "9999-12-31",
  "9999-12-31T23:59:59-12:00",
  "10000-01-01T00:00:00Z",
  "+010000-01-01T00:00:00Z",
  "10000-01-01",
  "+275760-09-13T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "0001-01-01T00:00:00Z",
  "0000-01-01",
  "-000001-01-01T00:00:00Z",
  "1899-12-31T23:59:59Z",
  "1900-01-01T00:00:00Z",
  253402300799,
  253402300800,
  8640000000000,
  8640000000001,
  "253402300799.999999",
  1e300,
  -62135596800,
];

const service = await startTallystick();
const { app, call } = service;
const routes = await documentRoutes(app);
let marks = 0;

const TAKES_TIME = /(_at|_date|timestamp|_from|_to|^now|^expiration)$/;
const writes = routes
  .map((route) => ({
    ...route,
    times: route.fields.filter(({ name, kind }) => TAKES_TIME.test(name) || /date/.test(kind)),
  }))
  .filter(({ times }) => times.length > 0);

test("the members of every kind are tried", () => {
  const names = writes.flatMap(({ times }) => times.map(({ name }) => name));
  for (const name of [
    "now",
    "subscription_at",
    "ending_at",
    "expiration_at",
    "started_at",
    "timestamp",
    "created_at_to",
  ])
    expect(names).toContain(name);
});

describe.each(writes)("$name", { timeout: 120_000 }, (route) => {
  test.each(route.times.map(({ path }) => ({ path, member: path.join(".") })))("$member", async ({ path }) => {
    for (const far of FAR) {
      const mark = `far ${marks++}`;
      const parameters = (await route.sample.given?.(call, mark, service.deliver)) ?? {};
      const body = put(route.sample.body?.(mark, parameters), path, far);
      expectHarmless(await call(route.method as "POST", toPath(route.path, parameters), body), route, far);
    }
  });
});

type Parameter = { name: string; in: string; schema: object };
const document = resolveRefs((await app.inject("/openapi.json")).json());
const reads = routes.flatMap((route) => {
  const operation = document.paths[`/api/v1${route.path.replace(/:(\w+)/g, "{$1}")}`]?.[route.method.toLowerCase()];
  const names = ((operation?.parameters ?? []) as Parameter[])
    .filter((parameter) => parameter.in === "query" && /"date/.test(JSON.stringify(parameter.schema)))
    .map(({ name }) => name);
  return names.length > 0 ? [{ ...route, names }] : [];
});

test.each(reads)("$name: $names", { timeout: 120_000 }, async (route) => {
  const parameters = (await route.sample.given?.(call, `far ${marks++}`, service.deliver)) ?? {};
  const path = toPath(route.path, parameters);
  for (const name of route.names)
    for (const far of FAR) expectHarmless(await call("GET", `${path}?${name}=${encodeURIComponent(far)}`), route, far);
});
