import { gzipSync } from "node:zlib";
import { expect, it, test } from "vitest";
import {
  at,
  type DocumentedRoute,
  documentRoutes,
  expectHarmless,
  type Field,
  put,
  shownPath,
  tryInAll,
} from "../testing/request-fields.ts";
import { toPath } from "../testing/sample-requests.ts";
import { startTallystick } from "../testing/start-tallystick.ts";

const { app, call } = await startTallystick();
const routes = await documentRoutes(app);
const writes = routes.filter(({ fields }) => fields.length > 0);

/** Each request takes some milliseconds; a quadratic algorithm would take minutes. */
const SLOW_MS = 5_000;

/** Refused as a whole if one record is missing, so no member is named. Tested in bad-inputs.test.ts. */
const LISTS_OF_NAMES = [
  "tax_codes",
  "plan_codes",
  "plan_code",
  "billable_metric_codes",
  "billable_metric_id",
  "billable_metric_code",
  "taxes",
  "test_clock_id",
];

/** Raw JSON literals that JavaScript could not write like this. */
const LITERALS = [
  "1e400",
  "-1e400",
  "-0",
  "0.1",
  "0.30000000000000004",
  "9007199254740993",
  "1234567890123456789012345678901234567890",
  "2147483648",
  "-1",
  "1e-400",
  '"NaN"',
  '"1e3"',
  '"\\u0661\\u0662\\u0663"',
  '" 1 "',
  '""',
  "true",
  "null",
  "[]",
  "{}",
  '[[["x"]]]',
  '{"__typename":"x"}',
  '{"toString":"x","length":3}',
];

it.each(writes)("every member of $name takes values of every wrong kind", async (route) => {
  for (const [index, literal] of LITERALS.entries()) {
    const { references = [] } = route.sample;
    const fields = route.fields.filter(({ name }) => ![...LISTS_OF_NAMES, ...references].includes(name));
    const accepted = await tryInAll(route, fields, literal, { call, mark: `${writes.indexOf(route)}.${index}` });
    if (!accepted || !/^-?\d/.test(literal)) continue;
    const shown = (path: Field["path"]) => JSON.stringify(at(accepted.answer.body, shownPath(route, path)));
    const changed = accepted.fields
      .filter(({ name }) => !route.sample.ignored?.includes(name))
      .filter(({ path }) => shown(path) !== JSON.stringify(JSON.parse(literal)));
    expect(changed.map(({ path }) => `${path.join(".")}: ${literal} became ${shown(path)}`)).toEqual([]);
  }
});

const MALFORMED: readonly (readonly [what: string, status: number, raw: string | Buffer])[] = [
  ["100,000 nested lists", 400, `{"tax":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ["100,000 nested objects", 400, `{"tax":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`],
  ["100,000 open brackets", 400, "[".repeat(100_000)],
  ["33 nested objects in an unknown member", 400, `{"tax":{"x":${'{"a":'.repeat(33)}1${"}".repeat(33)}}}`],
  ["a list of 400,000", 422, `{"tax":{"name":[${"1,".repeat(400_000)}1]}}`],
  ["a list of 1,000,000", 413, `{"tax":{"name":[${"1,".repeat(1_000_000)}1]}}`],
  ["200,000 members", 413, `{"tax":{${Array.from({ length: 200_000 }, (_, index) => `"m${index}":1`)}}}`],
  ["__proto__", 400, '{"tax":{"__proto__":{"rate":"1"}}}'],
  ["an escaped __proto__", 400, '{"tax":{"\\u005f_proto__":{"rate":"1"}}}'],
  ["constructor.prototype", 400, '{"tax":{"constructor":{"prototype":{"polluted":true}}}}'],
  [
    "bytes that are not UTF-8",
    400,
    Buffer.concat([Buffer.from('{"tax":{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')]),
  ],
  [
    "an overlong encoding",
    400,
    Buffer.concat([Buffer.from('{"tax":{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}}')]),
  ],
  [
    "a surrogate in bytes",
    400,
    Buffer.concat([Buffer.from('{"tax":{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}}')]),
  ],
  ["UTF-16", 400, Buffer.from('{"tax":{}}', "utf16le")],
  ["gzip", 400, gzipSync('{"tax":{}}')],
  ["a NUL", 400, '{"tax":{"name":"a\u0000b"}}'],
  ["an escaped NUL", 422, '{"tax":{"name":"a\\u0000b","code":"a","rate":"1"}}'],
  ["an escaped NUL in a name", 422, '{"tax":{"name":"a","code":"a","rate":"1","x\\u0000":1}}'],
  ["an escaped lone surrogate", 422, '{"tax":{"name":"a\\ud800b","code":"a","rate":"1"}}'],
  ["a comment", 400, '{"tax":{}/**/}'],
  ["NaN", 400, '{"tax":{"rate":NaN}}'],
];

it.each(MALFORMED)("%s is %i", { retry: 2 }, async (_, status, raw) => {
  const [create] = routes.filter(({ name }) => name === "POST /taxes");
  const begun = performance.now();
  const answer = await call("POST", "/taxes", undefined, { raw });
  expect(performance.now() - begun).toBeLessThan(SLOW_MS);
  expect(answer.status, answer.text).toBe(status);
  if (create) expectHarmless(answer, create, "malformed");
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

test("if a member is sent twice, the last one counts", async () => {
  const raw =
    '{"tax":{"name":"first","name":"last","code":"twice","rate":"1","rate":"2"},"tax":{"name":"last","code":"twice","rate":"2"}}';
  expect((await call("POST", "/taxes", undefined, { raw })).body.tax).toMatchObject({ name: "last", rate: 2 });
});

test("members with the name of an inherited property are ignored", async () => {
  const raw =
    '{"tax":{"name":"n","code":"object","rate":"2","constructor":1,"toString":null,"hasOwnProperty":[],"valueOf":{}}}';
  expect((await call("POST", "/taxes", undefined, { raw })).status).toBe(200);
});

test("the names that callers choose stay what they are, whatever names were read before", async () => {
  const keys = ["\\", '"', "n\\", "n\t", "nö"];
  const filters = ["first", ...keys].map((key) => ({ key, values: ["a"] }));
  const billable_metric = { name: "m", code: "escapes", aggregation_type: "count_agg", filters };
  const { body } = await call("POST", "/billable_metrics", { billable_metric });
  const charge = {
    billable_metric_id: body.billable_metric.svc_id,
    charge_model: "standard",
    properties: { amount: "1" },
    filters: keys.map((key) => ({ properties: { amount: "2" }, values: { first: ["a"], [key]: ["a"] } })),
  };
  const terms = { interval: "monthly", amount_cents: 0, amount_currency: "EUR", pay_in_advance: false };
  const made = await call("POST", "/plans", { plan: { name: "p", code: "escapes", ...terms, charges: [charge] } });
  const [shown] = made.body.plan.charges;
  expect(shown.filters.map(({ values }: { values: object }) => values)).toEqual(
    charge.filters.map((one) => one.values),
  );
});

test("a byte order mark before the body is not part of it", async () => {
  const raw = Buffer.from('\ufeff{"tax":{"name":"n","code":"marked","rate":"2"}}');
  expect((await call("POST", "/taxes", undefined, { raw })).status).toBe(200);
});

const MEGABYTE = 1024 * 1024 - 500;

/** One field of each kind. The body may have one megabyte. */
const KINDS = writes.flatMap((route) =>
  [...Map.groupBy(route.fields, ({ kind }) => kind).values()].flatMap(([field]) => (field ? [{ route, field }] : [])),
);

it.each([
  ["letters", "x".repeat(MEGABYTE)],
  ["blanks", " ".repeat(MEGABYTE)],
  ["faces", "\u{1F600}".repeat(MEGABYTE / 4)],
  ["dots after an @, or a tenth of it,", `a@${".".repeat(100_000)}@`],
  ["addresses", "a@b.c,".repeat(MEGABYTE / 6)],
  ["dots in a host", `http://${"a.".repeat(MEGABYTE / 2 - 20)}`],
  ["Chinese in a host", `http://${"\u4e2d\u6587".repeat(MEGABYTE / 6 - 20)}`],
  ["a time zone", `Europe/${"x".repeat(MEGABYTE - 20)}`],
  ["a fraction of a second", `2026-01-31T00:00:00.${"0".repeat(MEGABYTE - 40)}`],
  ["digits", "9".repeat(MEGABYTE)],
])("a megabyte of %s is refused in no time, in every kind of field", async (what, text) => {
  const given = new Map<DocumentedRoute, Record<string, string>>();
  for (const { route, field } of KINDS) {
    const parameters = given.get(route) ?? (await route.sample.given?.(call, `${route.name} ${what}`)) ?? {};
    given.set(route, parameters);
    const body = put(route.sample.body?.("long", parameters), field.path, text);
    let tookMs = SLOW_MS + 1;
    // A slow pattern is slow every time; a busy machine is not.
    for (let times = 0; times < 3 && tookMs > SLOW_MS; times++) {
      const begun = performance.now();
      const answer = await call(route.method as "POST", toPath(route.path, parameters), body);
      tookMs = performance.now() - begun;
      expectHarmless(answer, route, field.name);
    }
    if (tookMs > SLOW_MS) expect.fail(`${route.name} took ${tookMs} ms over a megabyte in ${field.name}`);
  }
});
