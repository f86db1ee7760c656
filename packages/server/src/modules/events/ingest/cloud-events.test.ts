// CloudEvents as the libraries of others send them, on a real port.
import { OpenMeter } from "@openmeter/sdk";
import { CloudEvent, HTTP } from "cloudevents";
import { expect, it, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { app, call, organizations, platform } = await startTallystick();
const address = await app.listen({ port: 0, host: "127.0.0.1" });
const [own, other] = organizations;
const meter = new OpenMeter({ baseUrl: address, apiKey: own?.key ?? "" });

const SINGLE = "application/cloudevents+json";
const BATCH = "application/cloudevents-batch+json";
const DIGITS = "0.1234567890123456789012";

const event = (id: string, more: object = {}) => ({
  ...{ specversion: "1.0", id, source: "gateway", type: "tokens", subject: "sub_1" },
  ...{ time: "2026-01-31T09:00:00Z", data: { tokens: 5 } },
  ...more,
});

const send = (body: unknown, { type = SINGLE, ...options }: { type?: string; key?: string; headers?: object } = {}) =>
  call("POST", "/events", body, { ...options, headers: { "content-type": type, ...options.headers } });

/** The event as it is shown, and the text of its properties. */
async function shown(transactionId: string) {
  const { status, body, text } = await call("GET", `/events/${encodeURIComponent(transactionId)}`);
  return {
    status,
    event: body.event,
    properties: /"properties":\s*(\{.*?\}),"svc_sub/.exec(text)?.[1]?.replaceAll(" ", ""),
  };
}

async function countEvents(): Promise<number> {
  const [row] = await runOn<{ count: number }>(
    platform.config.DATABASE_URL,
    "select count(*)::int as count from events",
  );
  return row?.count ?? 0;
}

/** With the library of the format itself. */
async function post(events: CloudEvent<unknown>[] | CloudEvent<unknown>): Promise<Response> {
  const one = Array.isArray(events) ? undefined : HTTP.structured(events);
  const type = one ? String(one.headers["content-type"]) : `${BATCH}; charset=utf-8`;
  const headers = { authorization: `Bearer ${own?.key}`, "content-type": type };
  const body = one ? String(one.body) : JSON.stringify(events);
  return fetch(`${address}/api/v1/events`, { method: "POST", headers, body });
}

test("the library cloudevents sends one event and a list", async () => {
  const made = (id: string) =>
    new CloudEvent({ ...event(id), time: "2026-01-31T10:00:00.123+01:00", traceparent: "00-1-2-03" });
  const answers = [await post(made("lib 1")), await post([made("lib 2"), made("lib 3")])];
  expect(answers.map(({ status }) => status)).toEqual([204, 204]);
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(["", ""]);
  for (const id of ["lib 1", "lib 2", "lib 3"])
    expect((await shown(`gateway#${id}`)).event).toMatchObject({
      transaction_id: `gateway#${id}`,
      external_subscription_id: "sub_1",
      code: "tokens",
      timestamp: "2026-01-31T09:00:00.123Z",
      properties: { tokens: 5 },
    });
});

test("the SDK of OpenMeter sends one event and a list, with only the address changed", async () => {
  const before = await countEvents();
  const usage = { type: "tokens", subject: "sub_1", source: "sdk", data: { tokens: 7 } };
  await meter.events.ingest({ ...usage, id: "om 1" });
  await meter.events.ingest([{ ...usage, id: "om 2" }, usage]);
  expect(await countEvents()).toBe(before + 3);
  expect((await shown("sdk#om 2")).properties).toBe('{"tokens":7}');
});

test("the callback of LiteLLM is taken as it is", async () => {
  const sent = {
    ...{ specversion: "1.0", type: "litellm_tokens", id: "chatcmpl-1", time: "2026-01-31T09:00:00.123456+00:00" },
    ...{ subject: "user_1", source: "litellm-proxy" },
    data: { model: "gpt", cost: null, prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
  };
  expect((await send(sent)).status).toBe(204);
  const { event: stored } = await shown("litellm-proxy#chatcmpl-1");
  expect(stored).toMatchObject({ external_subscription_id: "user_1", properties: { total_tokens: 42 } });
});

test("a repeat counts once; another body under the same id and source is refused, and nothing of its list is stored", async () => {
  const usage = {
    id: "twice",
    type: "tokens",
    subject: "sub_1",
    source: "sdk",
    // As the SDK writes its Date.
    time: "2026-01-31T09:00:00.000Z" as never,
  };
  await meter.events.ingest({ ...usage, data: { tokens: 7 } });
  const before = await countEvents();
  await meter.events.ingest({ ...usage, data: { tokens: 7 } });
  const list = [
    { ...usage, id: "fresh", data: { tokens: 1 } },
    { ...usage, data: { tokens: 8 } },
  ];
  await expect(meter.events.ingest(list)).rejects.toThrow();
  expect(await countEvents()).toBe(before);
  const { status, body, help } = await send(
    list.map((one) => ({ ...one, specversion: "1.0" })),
    { type: BATCH },
  );
  expect([status, body.error_details]).toEqual([422, { 1: { id: ["value_already_exist"] } }]);
  expect(help.errors[0]).toMatchObject({ path: "[1].id", code: "value_already_exist" });
});

test("numbers keep every digit", async () => {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => never };
  const usage = { type: "tokens", subject: "sub_1", source: "sdk" };
  await meter.events.ingest({ ...usage, id: "digits 1", data: { tokens: rawJSON(DIGITS) } });
  const raw = JSON.stringify(event("digits 2")).replace(
    '{"tokens":5}',
    `{"tokens" : ${DIGITS}, "big":9007199254740993}`,
  );
  expect((await call("POST", "/events", undefined, { raw, headers: { "content-type": SINGLE } })).status).toBe(204);
  expect((await shown("sdk#digits 1")).properties).toBe(`{"tokens":${DIGITS}}`);
  expect((await shown("gateway#digits 2")).properties).toBe(`{"big":9007199254740993,"tokens":${DIGITS}}`);
});

test("an event in either format is the same event", async () => {
  expect((await send(event("both"))).status).toBe(204);
  const same = {
    transaction_id: "gateway#both",
    external_subscription_id: "sub_1",
    code: "tokens",
    timestamp: "2026-01-31T09:00:00Z",
    properties: { tokens: "5" },
  };
  expect((await call("POST", "/events", { event: same })).body.event.outcome).toBe("duplicate");
});

test("without data and time, an event has no properties and the time of receipt", async () => {
  expect((await send(event("bare", { data: null, time: undefined }))).status).toBe(204);
  const { event: stored } = await shown("gateway#bare");
  expect(stored.properties).toEqual({});
  expect(stored.timestamp.slice(0, 19)).toBe(stored.created_at.slice(0, 19));
});

test("a hash sign in source or id does not make two events one", async () => {
  expect((await send(event("c", { source: "a#b" }))).status).toBe(204);
  expect((await send(event("b#c", { source: "a", data: { tokens: 6 } }))).status).toBe(204);
  expect((await send(event("b%23c", { source: "a", data: { tokens: 7 } }))).status).toBe(204);
  const found = await Promise.all(["a#b#c", "a#b%23c", "a#b%2523c"].map(shown));
  expect(found.map(({ properties }) => properties)).toEqual(['{"tokens":5}', '{"tokens":6}', '{"tokens":7}']);
});

test("more than 100 events of a list are stored as a whole, or none of them", async () => {
  const before = await countEvents();
  const list = Array.from({ length: 1000 }, (_, index) => event(`many ${index}`));
  const wrong = list.with(777, event("many 777", { subject: "" }));
  const refused = await send(wrong, { type: BATCH });
  expect([refused.status, refused.body.error_details]).toEqual([422, { 777: { subject: ["value_is_mandatory"] } }]);
  expect(await countEvents()).toBe(before);
  expect((await send(list, { type: BATCH })).status).toBe(204);
  expect(await countEvents()).toBe(before + 1000);
  const conflict = list.map((one, index) => ({
    ...one,
    id: index === 999 ? one.id : `again ${index}`,
    data: { tokens: 6 },
  }));
  const conflicting = await send(conflict, { type: BATCH });
  expect(conflicting.body.error_details).toEqual({ 999: { id: ["value_already_exist"] } });
  expect(await countEvents()).toBe(before + 1000);
  const tooMany = await send([...list, event("one more")], { type: BATCH });
  expect([tooMany.status, tooMany.body.error_details]).toEqual([422, { base: ["too_many_items"] }]);
});

it.each([
  ["no id", { id: undefined }, { id: ["value_is_mandatory"] }],
  ["a blank subject", { subject: " " }, { subject: ["value_is_mandatory"] }],
  ["another version", { specversion: "0.3" }, { specversion: ["value_is_invalid"] }],
  ["a long type", { type: "x".repeat(256) }, { type: ["value_is_too_long"] }],
  ["source and id that are long together", { source: "x".repeat(253) }, { id: ["source_and_id_are_too_long"] }],
  ["a time without offset", { time: "2026-01-31T09:00:00" }, { time: ["invalid_format"] }],
  ["a time that is a number", { time: 1_769_850_000 }, { time: ["value_is_invalid"] }],
  ["data that is a text", { data: "5" }, { data: ["value_is_invalid"] }],
  ["data that is a list", { data: [5] }, { data: ["value_is_invalid"] }],
  ["binary data", { data: undefined, data_base64: "NQ==" }, { data_base64: ["value_is_invalid"] }],
  ["a NUL in data", { data: { n: "\u0000" } }, { data: ["value_is_invalid"] }],
  ["a NUL in the source", { source: "\u0000" }, { id: ["value_is_invalid"] }],
])("%s is refused, alone and in a list", async (_, more, codes) => {
  const wrong = event("no", more);
  const alone = await send(wrong);
  expect([alone.status, alone.body.error_details]).toEqual([422, codes]);
  const [name = ""] = Object.keys(codes);
  expect(alone.help.errors).toMatchObject([{ path: name }]);
  const listed = await send([event("fine"), wrong], { type: BATCH });
  expect([listed.status, listed.body.error_details]).toEqual([422, { 1: codes }]);
  expect(listed.help.errors).toMatchObject([{ path: `[1].${name}` }]);
  expect((await shown("gateway#fine")).status).toBe(404);
});

it.each([
  ["a text", SINGLE, '"text"', "422 base value_is_invalid"],
  ["a list, sent as one event", SINGLE, "[]", "422 base value_is_invalid"],
  ["an event, sent as a list", BATCH, "{}", "422 base value_is_invalid"],
  ["an empty list", BATCH, "[]", "422 base no_events"],
  ["a list of numbers", BATCH, "[1]", "422 [0] value_is_invalid"],
  ["no body", BATCH, "", "422 base value_is_mandatory"],
  ["no JSON", SINGLE, "{", "400"],
])("%s is refused in the shape of all refusals", async (_, type, raw, refused) => {
  const { status, help } = await call("POST", "/events", undefined, { raw, headers: { "content-type": type } });
  const [first] = help.errors ?? [];
  expect(first ? `${status} ${first.path} ${first.code}` : String(status)).toBe(refused);
  expect(help.message).toMatch(/\.$/);
});

test("only POST /events takes CloudEvents, and no other format", async () => {
  const elsewhere = await call("POST", "/events/batch", [event("no")], { headers: { "content-type": BATCH } });
  expect(elsewhere.status).toBe(415);
  const text = await call("POST", "/events", undefined, { raw: "x", headers: { "content-type": "text/plain" } });
  expect(text.status).toBe(415);
  expect((await call("POST", "/events")).status).toBe(400);
});

test("the rights of the key, the organization and an Idempotency-Key count as for our own format", async () => {
  const { body } = await call("POST", "/api_keys", { api_key: { name: "reader", permissions: { event: ["read"] } } });
  expect((await send(event("mine"), { key: body.api_key.token })).status).toBe(403);
  expect((await send(event("mine"))).status).toBe(204);
  expect((await send(event("mine", { data: { tokens: 9 } }), { key: other?.key ?? "" })).status).toBe(204);
  const headers = { "idempotency-key": "once" };
  expect((await send([event("keyed")], { type: BATCH, headers })).status).toBe(204);
  expect((await send([event("keyed")], { type: BATCH, headers })).status).toBe(204);
  expect((await send([event("other")], { type: BATCH, headers })).body.error_details).toHaveProperty("idempotency_key");
});

test("events that are refused are counted as rejected", async () => {
  await app.close();
  const [row] = await runOn<{ rejected: number }>(
    platform.config.DATABASE_URL,
    "select sum(rejected)::int as rejected from event_counts where organization_id = $1",
    [own?.id],
  );
  expect(row?.rejected).toBeGreaterThan(1000);
});
