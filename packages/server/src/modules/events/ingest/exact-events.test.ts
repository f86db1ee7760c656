import { canonicalText } from "@tallystick/core/usage";
import fc from "fast-check";
import { expect, it, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call, platform, organizations } = await startTallystick();
const url = platform.config.DATABASE_URL;
const organizationId = organizations[0]?.id ?? "";

let marks = 0;
/** Posts an event whose properties, and other members, are raw JSON text. */
async function post(properties: string, members = '"timestamp":1769850000') {
  const transactionId = `exact ${marks++}`;
  const raw = `{"event":{"transaction_id":"${transactionId}","external_subscription_id":"s","code":"c",${members},"properties":${properties}}}`;
  const answer = await call("POST", "/events", undefined, { raw });
  return { ...answer, transactionId, path: `/events/${encodeURIComponent(transactionId)}` };
}

/** The value of the property `n` in the text of a response. */
const shownIn = (text: string): string | undefined =>
  /"properties":\s*\{"n":\s*(.*?)\},"svc_subscription_id"/.exec(text)?.[1];

const NINES = "9".repeat(40);

it.each([
  ["12", "12"],
  ["1e3", "1000"],
  ["1E+3", "1000"],
  ["1.0", "1"],
  ["-0", "0"],
  ["-0.0e5", "0"],
  ["12.50", "12.5"],
  ["0.1", "0.1"],
  ["1e-7", "0.0000001"],
  ["9007199254740993", "9007199254740993"],
  [NINES, NINES],
  [`-${NINES}.${NINES}`, `-${NINES}.${NINES}`],
  [`0.${"0".repeat(500)}1`, `0.${"0".repeat(500)}1`],
  ["1e400", `1${"0".repeat(400)}`],
  ["0.30000000000000000000000000000004", "0.30000000000000000000000000000004"],
])("the number %s is stored and shown as %s, digit by digit", async (sent, shown) => {
  const { status, text, transactionId, path } = await post(`{"n":${sent}}`);
  expect(status).toBe(200);
  expect(shownIn(text)).toBe(shown);
  expect(shownIn((await call("GET", path)).text)).toBe(shown);
  expect(shownIn((await call("GET", "/events?per_page=1000")).text.replace(/.*?(?=exact)/, ""))).toBeDefined();
  const [row] = await runOn<{ stored: string }>(
    url,
    "select coalesce(canonical->>'n', properties->>'n') as stored from events where organization_id = $1 and transaction_id = $2",
    [organizationId, transactionId],
  );
  expect(row?.stored).toBe(shown);
});

it.each(["1e1000", "-1e1000", "1e-1001", "1e999999999999999999999", `1${"0".repeat(1000)}`, '{"deep":[1e1000]}'])(
  "the number %s is refused: no store could add it up",
  async (number) => {
    const { body } = await post(`{"n":${number}}`);
    expect(body.error_details).toEqual({ properties: ["value_is_out_of_range"] });
  },
);

test("properties longer than 65,536 characters are refused, however they were written", async () => {
  expect((await post(`{"n":"${"x".repeat(65_000)}"}`)).status).toBe(200);
  const refused = { properties: ["value_is_out_of_range"] };
  expect((await post(`{"n":"${"x".repeat(66_000)}"}`)).body.error_details).toEqual(refused);
  const short = Array.from({ length: 100 }, (_, index) => `"${index}":1e900`);
  expect((await post(`{${short}}`)).body.error_details).toEqual(refused);
});

it.each([
  ["a text", '"a\\"b\\\\c\\u00e9\\n\\ud83d\\ude00"', 'a"b\\c\u00e9\n\u{1F600}'],
  ["an empty text", '""', ""],
  ["a number in text", '"1e3"', "1e3"],
  ["true", "true", "true"],
  ["a list", '[ 1.0, "x", null ]', '[1,"x",null]'],
  ["an object", '{"b" : {"d":1e2,"c":"é"}, "a":[]}', '{"a":[],"b":{"c":"é","d":100}}'],
])("the canonical text of %s is stored for filters and groups", async (_, sent, canonical) => {
  const { status, transactionId } = await post(`{ "n" : ${sent} }`);
  expect(status).toBe(200);
  const [row] = await runOn<{ stored: string }>(
    url,
    "select coalesce(canonical->>'n', properties->>'n') as stored from events where organization_id = $1 and transaction_id = $2",
    [organizationId, transactionId],
  );
  expect(row?.stored).toBe(canonical);
});

it.each([
  ["a NUL in a property", '{"n":"a\\u0000b"}', 422, { properties: ["value_is_invalid"] }],
  ["a NUL in a name", '{"a\\u0000b":1}', 422, { properties: ["value_is_invalid"] }],
  ["a lone surrogate", '{"n":["\\ud800"]}', 422, { properties: ["value_is_invalid"] }],
  ["a lone surrogate in a name", '{"n":{"\\udfff":1}}', 422, { properties: ["value_is_invalid"] }],
  ["__proto__", '{"__proto__":{"a":1}}', 400, undefined],
  ["an escaped __proto__", '{"\\u005f_proto__":1}', 400, undefined],
  ["constructor.prototype", '{"constructor":{"prototype":1}}', 400, undefined],
  ["30 levels", `{"n":${"[".repeat(29)}${"]".repeat(29)}}`, 200, undefined],
  ["40 levels", `{"n":${"[".repeat(40)}${"]".repeat(40)}}`, 400, undefined],
  ["100,000 levels", `{"n":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 400, undefined],
  ["a name that every object inherits", '{"constructor":1,"toString":"x","length":3}', 200, undefined],
  ["a name that is empty", '{"":1}', 200, undefined],
])("%s in properties is answered with its status", async (_, properties, status, details) => {
  const answer = await post(properties);
  expect([answer.status, answer.body.error_details]).toEqual([status, details]);
  if (status !== 200) expect((await call("GET", answer.path)).status).toBe(404);
  expect(Object.hasOwn(Object.prototype, "a")).toBe(false);
});

test("in a batch, a text that cannot be stored is reported with its event and its member", async () => {
  const event = (members: string) => `{"external_subscription_id":"s","timestamp":1,${members}}`;
  const raw = `{"events":[${event('"transaction_id":"fine","code":"c"')},${event('"transaction_id":"\\u0000","code":"\\ud800"')}]}`;
  expect((await call("POST", "/events/batch", undefined, { raw })).body.error_details).toEqual({
    1: { transaction_id: ["value_is_invalid"], code: ["value_is_invalid"] },
  });
  expect((await call("GET", "/events/fine")).status).toBe(404);
});

test("of duplicate members the last one counts, in the envelope, the event and its properties", async () => {
  const raw =
    '{"event":{"code":"first"},"\\u0065vent":{"transaction_id":"no","transaction_id":"twice","external_subscription_id":"s","code":"c",' +
    '"timestamp":5,"timestamp":7,"properties":{"a":1},"prop\\u0065rties":{"b":1e400,"b":2.50}}}';
  const { status, body } = await call("POST", "/events", undefined, { raw });
  expect(status).toBe(200);
  expect(body.event).toMatchObject({ code: "c", timestamp: "1970-01-01T00:00:07.000Z", properties: { b: 2.5 } });
  expect({ ...(await call("GET", "/events/twice")).body.event, outcome: "created" }).toMatchObject(body.event);
});

it.each([
  ["1769850000", "2026-01-31T09:00:00.000Z", "1769850000.000000"],
  ["1769850000.123456", "2026-01-31T09:00:00.123Z", "1769850000.123456"],
  ["1769850000.9999999999", "2026-01-31T09:00:00.999Z", "1769850000.999999"],
  ["1769849999.99999999999", "2026-01-31T08:59:59.999Z", "1769849999.999999"],
  ["1.769850000123456e9", "2026-01-31T09:00:00.123Z", "1769850000.123456"],
  ['"1769850000"', "2026-01-31T09:00:00.000Z", "1769850000.000000"],
  ['"1769850000.000001"', "2026-01-31T09:00:00.000Z", "1769850000.000001"],
  ["0", "1970-01-01T00:00:00.000Z", "0.000000"],
  ["-0", "1970-01-01T00:00:00.000Z", "0.000000"],
  ["-1.5", "1969-12-31T23:59:58.500Z", "-1.500000"],
  ["-62135596800", "0001-01-01T00:00:00.000Z", "-62135596800.000000"],
  ["253402300799.999999", "9999-12-31T23:59:59.999Z", "253402300799.999999"],
  ['"2026-01-31T09:00:00Z"', "2026-01-31T09:00:00.000Z", "1769850000.000000"],
  ['"2026-01-31T09:00Z"', "2026-01-31T09:00:00.000Z", "1769850000.000000"],
  ['"2026-01-31T10:30:00.123456789+01:30"', "2026-01-31T09:00:00.123Z", "1769850000.123456"],
  ['"2026-01-31T04:00:00.5-0500"', "2026-01-31T09:00:00.500Z", "1769850000.500000"],
  ['"1970-01-01T00:00:00Z"', "1970-01-01T00:00:00.000Z", "0.000000"],
  ['"1969-12-31T23:59:58.500Z"', "1969-12-31T23:59:58.500Z", "-1.500000"],
])("the timestamp %s is %s, and exact to the microsecond in the table", async (sent, shown, stored) => {
  const { status, body, transactionId, path } = await post("{}", `"timestamp":${sent}`);
  expect([status, body.event?.timestamp]).toEqual([200, shown]);
  expect({ ...(await call("GET", path)).body.event, outcome: "created" }).toMatchObject(body.event);
  const [row] = await runOn<{ seconds: string }>(
    url,
    `select extract(epoch from "timestamp")::text as seconds from events where organization_id = $1 and transaction_id = $2`,
    [organizationId, transactionId],
  );
  expect(row?.seconds).toBe(stored);
});

it.each([
  ['"yesterday"', "invalid_format"],
  ['"2026-01-31T09:00:00"', "invalid_format"],
  ['"2026-01-31"', "invalid_format"],
  ['"2026-02-30T09:00:00Z"', "invalid_format"],
  ['"2026-01-31T09:00:00 Europe/Paris"', "invalid_format"],
  ['"1e9"', "invalid_format"],
  ['" 1"', "invalid_format"],
  ['"+1"', "invalid_format"],
  ['"0x10"', "invalid_format"],
  ['"١٢٣"', "invalid_format"],
  ['""', "invalid_format"],
  ["true", "invalid_format"],
  ["[1]", "invalid_format"],
  ["{}", "invalid_format"],
  ["1769850000000", "looks_like_milliseconds"],
  ['"1769850000123.5"', "looks_like_milliseconds"],
  ["253402300800", "looks_like_milliseconds"],
  ["253402300799999", "looks_like_milliseconds"],
  ["253402300800000", "value_is_out_of_range"],
  ["1769850000000000", "value_is_out_of_range"],
  ["-1769850000000", "value_is_out_of_range"],
  ["-62135596800.1", "value_is_out_of_range"],
  ["1e400", "value_is_out_of_range"],
  ["1e99999999999999999999", "value_is_out_of_range"],
  [`"${"9".repeat(50)}"`, "value_is_out_of_range"],
])("the timestamp %s is refused: %s", async (sent, code) => {
  expect((await post("{}", `"timestamp":${sent}`)).body.error_details).toEqual({ timestamp: [code] });
});

it.each(['"timestamp":null', '"external_customer_id":"acme"'])(
  "an event with %s takes the time at which it was received",
  async (members) => {
    const before = platform.clock.now();
    const { body } = await post("{}", members);
    const at = Temporal.Instant.from(body.event.timestamp);
    expect(Temporal.Instant.compare(at, before.round({ smallestUnit: "millisecond", roundingMode: "floor" }))).not.toBe(
      -1,
    );
    expect(Temporal.Instant.compare(at, platform.clock.now())).toBe(-1);
    expect(body.event.created_at).toBe(`${body.event.timestamp.slice(0, 19)}Z`);
  },
);

/** JSON as clients of all kinds write it: blanks, exponents, trailing zeros, escapes, names twice. */
const blank = fc.constantFrom("", " ", "\n\t");
const numberText = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
    fc.constantFrom("", ".0", ".50", ".125", "e2", "E-3", ".5e+1"),
  )
  .map(([whole, rest]) => `${whole}${rest}`);
const textJson = fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text));
const escapedJson = fc
  .string({ unit: fc.constantFrom("a", "\\", '"', "é", "{", "}", "[", "]", ",", ":", "\u{1F600}") })
  .map((text) => `"${[...text].map((unit) => [...unit].map(toEscapes).join("")).join("")}"`);
const toEscapes = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
const leaf = fc.oneof(numberText, textJson, escapedJson, fc.constantFrom("true", "false", "null"));
const { value: anyJson } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc
      .array(fc.tuple(blank, tie("value"), blank), { maxLength: 3 })
      .map((items) => `[${items.map((item) => item.join(""))}]`),
    fc.array(fc.tuple(textJson, tie("value"), blank), { maxLength: 3 }).map(toObject),
  ),
}));
function toObject(members: readonly (readonly [string, string, string])[]): string {
  return `{${members.map(([name, value, space]) => `${space}${name}${space}:${space}${value}${space}`)}}`;
}
const membersJson = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom('"n"', '"\\u006e"', '"m"'), textJson), anyJson, blank), { maxLength: 5 })
  .filter((members) => !/__proto__|constructor|\\u0000/.test(toObject(members)));

test("for any properties, their canonical texts in the table equal those of core, and every digit is shown", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(membersJson, { minLength: 1, maxLength: 20 }), async (sent) => {
      const events = sent.map(
        (members, index) =>
          `{ "properties" :${toObject(members)},"transaction_id":"fuzz ${marks} ${index}","code":"c", "external_subscription_id":"f","timestamp":1}`,
      );
      const mark = marks++;
      const { status, text } = await call("POST", "/events/batch", undefined, { raw: `{"events":[${events}]}` });
      expect(status, text).toBe(200);
      const rows = await runOn<{ texts: Record<string, string> }>(
        url,
        `select (select coalesce(jsonb_object_agg(key, coalesce(canonical->>key, properties->>key)), '{}')
           from jsonb_object_keys(properties) as key where properties->>key is not null) as texts
         from events where organization_id = $1 and external_subscription_id = 'f' and transaction_id like $2 order by position`,
        [organizationId, `fuzz ${mark} %`],
      );
      expect(rows.map(({ texts }) => texts)).toEqual(sent.map(canonicalTexts));
    }),
    { numRuns: 60 },
  );
});

/** Of duplicate names the last counts, and null is absent. */
function canonicalTexts(members: readonly (readonly [string, string, string])[]): Record<string, string> {
  const last = new Map(members.map(([name, value]) => [JSON.parse(name) as string, value]));
  const texts = [...last].flatMap(([name, value]) => {
    const text = canonicalText(value);
    return text.ok && text.value !== null ? [[name, text.value] as const] : [];
  });
  return Object.fromEntries(texts);
}
