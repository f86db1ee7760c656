import { describe, expect, it, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Answer, type Call, startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations, platform } = await startTallystick();
const [, theirs] = organizations;
const asTheirs: Call = (method, path, body, options) =>
  call(method, path, body, { key: theirs?.key ?? "", ...options });

let marks = 0;
/** A new event. */
const anEvent = (members: object = {}) => ({
  transaction_id: `t${marks++}`,
  external_subscription_id: "acme",
  code: "api_calls",
  timestamp: 1_769_850_000,
  properties: { calls: 12, region: "eu" },
  ...members,
});
const send = (event: object, options?: { headers: Record<string, string> }) =>
  call("POST", "/events", { event }, options);
const sendAll = (events: readonly unknown[]) => call("POST", "/events/batch", { events });
/** Without its status, which only a read shows. */
const show = async (transactionId: string) => {
  const { event } = (await call("GET", `/events/${transactionId}`)).body;
  if (!event) return undefined;
  const { status: _, reason: _reason, svc_fee_ids: _fees, ...stored } = event;
  return stored;
};

const invalid = (error_details: object) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details,
});
const created = (event: object) => ({ ...event, outcome: "created" });
const duplicate = (event: object) => ({ ...event, outcome: "duplicate" });
const TAKEN = { transaction_id: ["value_already_exist"] };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("an event", () => {
  it("is answered as it is stored, and shown the same", async () => {
    const event = anEvent({ external_customer_id: "ignored" });
    const { status, body } = await send(event);
    expect(status).toBe(200);
    expect(body).toEqual({
      event: {
        svc_id: expect.stringMatching(UUID_V7),
        transaction_id: event.transaction_id,
        svc_customer_id: null,
        code: "api_calls",
        timestamp: "2026-01-31T09:00:00.000Z",
        properties: { calls: 12, region: "eu" },
        svc_subscription_id: null,
        external_subscription_id: "acme",
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        outcome: "created",
      },
    });
    expect(created(await show(event.transaction_id))).toEqual(body.event);
  });

  it("is shown with the subscription that was active at its time, even if that was created later", async () => {
    const [before, within] = [anEvent({ timestamp: 1_769_817_599 }), anEvent({ timestamp: 1_769_817_600 })];
    for (const event of [before, within]) await send({ ...event, external_subscription_id: "late" });
    await call("POST", "/plans", {
      plan: {
        name: "P",
        code: "late",
        interval: "monthly",
        amount_cents: 0,
        amount_currency: "EUR",
        pay_in_advance: false,
      },
    });
    const started = { external_customer_id: "late", external_id: "late", plan_code: "late" };
    const { body } = await call("POST", "/subscriptions", {
      subscription: { ...started, subscription_at: "2026-01-31T00:00:00Z" },
    });
    const { svc_id: svc_subscription_id, svc_customer_id } = body.subscription;
    expect(await show(within.transaction_id)).toMatchObject({ svc_subscription_id, svc_customer_id });
    expect(await show(before.transaction_id)).toMatchObject({ svc_subscription_id: null, svc_customer_id: null });
    const listed = await call("GET", "/events?external_subscription_id=late");
    expect(listed.body.events).toMatchObject([{ svc_subscription_id, svc_customer_id }, { svc_customer_id: null }]);
  });

  it.each(["transaction_id", "external_subscription_id", "code"])("needs its %s", async (name) => {
    const codes = async (value: unknown) => (await send(anEvent({ [name]: value }))).body;
    const mandatory = invalid({ [name]: ["value_is_mandatory"] });
    expect(await codes(undefined)).toMatchObject(mandatory);
    expect(await codes(null)).toMatchObject(mandatory);
    expect(await codes("")).toMatchObject(mandatory);
    expect(await codes(" \t")).toMatchObject(mandatory);
    expect(await codes(17)).toMatchObject(invalid({ [name]: ["value_is_invalid"] }));
    expect(await codes("x".repeat(256))).toMatchObject(invalid({ [name]: ["value_is_too_long"] }));
    expect((await send(anEvent({ [name]: `${marks}${"\u{1F600}".repeat(250)}` }))).status).toBe(200);
  });

  it("with only an external_customer_id is refused: no subscription could be billed for it", async () => {
    const { external_subscription_id: _, ...event } = anEvent({ external_customer_id: "acme" });
    expect((await send(event)).body).toMatchObject(invalid({ external_subscription_id: ["value_is_mandatory"] }));
  });

  it("has all its faults reported at once", async () => {
    const event = { transaction_id: "", timestamp: "yesterday", properties: [] };
    expect((await send(event)).body).toEqual(
      invalid({
        transaction_id: ["value_is_mandatory"],
        external_subscription_id: ["value_is_mandatory"],
        code: ["value_is_mandatory"],
        timestamp: ["invalid_format"],
        properties: ["value_is_invalid"],
      }),
    );
  });

  it.each([undefined, null, {}])("has no properties when it comes with %j", async (properties) => {
    const event = anEvent({ properties });
    expect((await send(event)).body.event.properties).toEqual({});
    expect((await show(event.transaction_id)).properties).toEqual({});
  });

  it.each([[[]], ["text"], [1], [true]])("does not take %j for properties", async (properties) => {
    expect((await send(anEvent({ properties }))).body).toMatchObject(invalid({ properties: ["value_is_invalid"] }));
  });

  it.each([[{}], [{ event: null }], [{ event: [] }], [{ event: "text" }], [[]]])(
    "is missing in the body %j",
    async (body) => {
      const error = "BadRequest: param is missing or the value is empty: event";
      expect((await call("POST", "/events", body)).body).toMatchObject({ status: 400, error });
    },
  );

  it("may name a metric and a subscription that do not exist", async () => {
    const event = anEvent({ code: "nobody knows", external_subscription_id: "nowhere" });
    expect((await send(event)).status).toBe(200);
  });

  it("that was never sent is not found", async () => {
    expect((await call("GET", "/events/never")).body).toMatchObject({
      status: 404,
      error: "Not Found",
      code: "event_not_found",
    });
  });
});

describe("the same event again", () => {
  const expectSame = async (first: Answer, again: object) => {
    const { status, body } = await send(again);
    expect([status, body]).toEqual([200, { event: duplicate(first.body.event) }]);
  };

  it("is answered as a duplicate with the stored one, and stored once", async () => {
    const event = anEvent();
    const first = await send(event);
    await expectSame(first, event);
    await expectSame(first, event);
    const { meta } = (await call("GET", `/events?external_subscription_id=acme&per_page=1000`)).body;
    const listed = (await call("GET", "/events?per_page=1000")).body.events;
    expect(listed.filter((each: typeof event) => each.transaction_id === event.transaction_id)).toHaveLength(1);
    expect(meta.total_count).toBeGreaterThan(0);
  });

  it('may write its properties in another way: other order, 12.0 or "12" for 12, null for nothing', async () => {
    const event = anEvent({ properties: { a: 12, b: { d: 1, c: [2] }, e: true } });
    const first = await send(event);
    await expectSame(first, { ...event, properties: { e: "true", b: { c: [2], d: 1 }, a: "12", f: null } });
    const body = JSON.stringify({ event }).replace('"a":12', '"a" : 1.20e1');
    expect((await call("POST", "/events", undefined, { raw: body })).body.event).toEqual(duplicate(first.body.event));
  });

  it("may write the same instant in another form", async () => {
    const event = anEvent();
    const first = await send(event);
    await expectSame(first, { ...event, timestamp: "2026-01-31T10:00:00.000+01:00" });
    expect((await send({ ...event, timestamp: "2026-01-31T10:00:01+01:00" })).body).toEqual(invalid(TAKEN));
  });

  it("may leave out its timestamp, which is then not compared", async () => {
    const event = anEvent();
    const first = await send(event);
    await expectSame(first, { ...event, timestamp: undefined });
  });

  it("that took its time of receipt is a repeat without a timestamp, and a conflict with one", async () => {
    const event = anEvent({ timestamp: undefined });
    const first = await send(event);
    await expectSame(first, event);
    expect((await send({ ...event, timestamp: 1_769_850_000 })).body).toMatchObject(invalid(TAKEN));
  });

  it.each([
    ["code", { code: "other" }],
    ["timestamp", { timestamp: "1769850000.000001" }],
    ["property", { properties: { calls: 13, region: "eu" } }],
    ["property more", { properties: { calls: 12, region: "eu", zone: "a" } }],
    ["property less", { properties: { calls: 12 } }],
    ["digit far behind the decimal point", { properties: { calls: "12.0000000000000000000000000001", region: "eu" } }],
  ])("with another %s is refused, and the stored event stays", async (_, change) => {
    const event = anEvent();
    const first = await send(event);
    expect((await send({ ...event, ...change })).body).toMatchObject(invalid(TAKEN));
    expect(created(await show(event.transaction_id))).toEqual(first.body.event);
  });

  it("under another subscription is another event; a lookup by its id shows the last received", async () => {
    const event = anEvent();
    const first = await send(event);
    const second = await send({ ...event, external_subscription_id: "other", code: "other" });
    expect(second.status).toBe(200);
    expect(second.body.event.svc_id).not.toBe(first.body.event.svc_id);
    expect(created(await show(event.transaction_id))).toEqual(second.body.event);
  });

  it("of another organization is another event", async () => {
    const event = anEvent();
    const mine = await send(event);
    const other = await asTheirs("POST", "/events", { event: { ...event, code: "theirs" } });
    expect(other.status).toBe(200);
    expect(other.body.event.svc_id).not.toBe(mine.body.event.svc_id);
    expect(created(await show(event.transaction_id))).toEqual(mine.body.event);
    const shown = (await asTheirs("GET", `/events/${event.transaction_id}`)).body.event;
    expect(created(shown)).toMatchObject(other.body.event);
  });
});

describe("a batch", () => {
  it("of 100 is answered in its order, each as it is stored", async () => {
    const events = Array.from({ length: 100 }, (_, index) => anEvent({ properties: { index } }));
    const { status, body } = await sendAll(events);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["events"]);
    const ids = body.events.map((event: { transaction_id: string }) => event.transaction_id);
    expect(ids).toEqual(events.map(({ transaction_id }) => transaction_id));
    expect(created(await show(events[57]?.transaction_id ?? ""))).toEqual(body.events[57]);
  });

  it("of none is refused", async () =>
    expect((await sendAll([])).body).toMatchObject(invalid({ events: ["no_events"] })));

  it("of 101 is refused, whatever its events", async () => {
    const tooMany = invalid({ events: ["too_many_events"] });
    expect((await sendAll(Array.from({ length: 101 }, () => anEvent()))).body).toEqual(tooMany);
    expect((await sendAll(new Array(101).fill(17))).body).toEqual(tooMany);
  });

  it.each([[{}], [{ events: null }], [{ events: {} }], [{ events: "text" }]])("is missing in %j", async (body) => {
    const error = "BadRequest: param is missing or the value is empty: events";
    expect((await call("POST", "/events/batch", body)).body).toMatchObject({ status: 400, error });
  });

  it("with a faulty event reports the faults of each event, and stores none", async () => {
    const fine = anEvent();
    const { body } = await sendAll([
      fine,
      anEvent({ transaction_id: undefined, code: 17 }),
      anEvent({ timestamp: "soon" }),
      "text",
    ]);
    expect(body).toEqual(
      invalid({
        1: { transaction_id: ["value_is_mandatory"], code: ["value_is_invalid"] },
        2: { timestamp: ["invalid_format"] },
        3: { events: ["value_is_invalid"] },
      }),
    );
    expect(await show(fine.transaction_id)).toBeUndefined();
  });

  it("with a conflict stores none; without that event it may be sent again unchanged", async () => {
    const old = anEvent();
    await send(old);
    const [before, after] = [anEvent(), anEvent()];
    const refused = await sendAll([before, { ...old, code: "other" }, after]);
    expect(refused.body).toMatchObject(invalid({ 1: TAKEN }));
    expect([await show(before.transaction_id), await show(after.transaction_id)]).toEqual([undefined, undefined]);
    const { status, body } = await sendAll([before, old, after]);
    expect(status).toBe(200);
    expect(created(await show(after.transaction_id))).toEqual(body.events[2]);
  });

  it("may hold an event twice: it is stored once, and answered twice, the second time as a duplicate", async () => {
    const event = anEvent();
    const { status, body } = await sendAll([event, anEvent(), { ...event, timestamp: undefined }, event]);
    expect(status).toBe(200);
    expect(body.events.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      "created",
      "created",
      "duplicate",
      "duplicate",
    ]);
    expect(body.events[2]).toEqual(duplicate(body.events[0]));
    expect(body.events[3]).toEqual(duplicate(body.events[0]));
  });

  it("with two bodies under one key reports the later one, and stores neither", async () => {
    const event = anEvent();
    const other = { ...event, properties: {} };
    expect((await sendAll([event, anEvent(), other])).body).toMatchObject(invalid({ 2: TAKEN }));
    expect((await sendAll([other, event, other, event])).body).toMatchObject(invalid({ 1: TAKEN, 3: TAKEN }));
    expect(await show(event.transaction_id)).toBeUndefined();
  });

  it("with a timestamp conflicts with an earlier event of the same key that has none", async () => {
    const event = anEvent();
    expect((await sendAll([{ ...event, timestamp: undefined }, event])).body).toMatchObject(invalid({ 1: TAKEN }));
  });

  test("of one organization does not affect events of another with the same ids", async () => {
    const events = [anEvent(), anEvent()];
    await sendAll(events);
    const theirsToo = await asTheirs("POST", "/events/batch", {
      events: events.map((event) => ({ ...event, code: "x" })),
    });
    expect(theirsToo.status).toBe(200);
    expect((await show(events[0]?.transaction_id ?? "")).code).toBe("api_calls");
  });
});

describe("with an Idempotency-Key", () => {
  const keyed = (key: string) => ({ headers: { "idempotency-key": key } });

  it("the first answer is repeated, digit by digit", async () => {
    const event = anEvent();
    const raw = JSON.stringify({ event }).replace('"calls":12', `"calls":0.${"123456789".repeat(5)}`);
    const first = await call("POST", "/events", undefined, { raw, ...keyed("digits") });
    expect(first.text).toContain(`0.${"123456789".repeat(5)}`);
    expect((await call("POST", "/events", undefined, { raw, ...keyed("digits") })).text).toBe(first.text);
    expect(created(await show(event.transaction_id))).toEqual(first.body.event);
  });

  it("another body is refused, even if it differs only far behind the decimal point", async () => {
    const event = anEvent();
    const withCalls = (digits: string) => JSON.stringify({ event }).replace('"calls":12', `"calls":${digits}`);
    const post = (digits: string) => call("POST", "/events", undefined, { raw: withCalls(digits), ...keyed("far") });
    expect((await post("1.00000000000000000001")).status).toBe(200);
    expect((await post("1.00000000000000000002")).body).toMatchObject(
      invalid({ idempotency_key: ["value_already_exist"] }),
    );
  });

  it("a batch works too, and a conflict is refused every time", async () => {
    const events = [anEvent(), anEvent()];
    const post = (key: string, body: unknown) => call("POST", "/events/batch", body, keyed(key));
    const first = await post("batch", { events });
    expect(first.status).toBe(200);
    expect((await post("batch", { events })).text).toBe(first.text);
    const conflicting = { events: [anEvent(), { ...events[0], code: "other" }] };
    expect((await post("refused", conflicting)).body).toMatchObject(invalid({ 1: TAKEN }));
    expect((await post("refused", conflicting)).body).toMatchObject(invalid({ 1: TAKEN }));
    expect(await show(conflicting.events[0]?.transaction_id ?? "")).toBeUndefined();
  });

  it("a repeated batch gets the same bytes, although no answer is stored under the key", async () => {
    const known = anEvent();
    await send(known);
    const twice = anEvent({ timestamp: undefined });
    const events = [known, anEvent({ properties: { note: "n".repeat(300) } }), twice, twice];
    const post = () => call("POST", "/events/batch", { events }, keyed("brief"));
    const first = await post();
    const outcomes = ["duplicate", "created", "created", "duplicate"];
    expect(first.body.events.map(({ outcome }: { outcome: string }) => outcome)).toEqual(outcomes);
    expect((await post()).text).toBe(first.text);
    const { DATABASE_URL: url } = platform.config;
    expect(await runOn(url, "select answer from idempotency_keys where key = 'brief'")).toEqual([
      { answer: { outcomes } },
    ]);
  });
});
