import { canonicalText, isCounted, numericValue } from "@tallystick/core/usage";
import { beforeEach, describe, expect, it, test } from "vitest";
import type { OutboxMessage } from "../../../jobs/outbox.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

let now = Temporal.Instant.from("2026-03-05T10:00:00Z");
const messages: OutboxMessage[] = [];
const { call, organizations, drain, runScheduled, runJob } = await startTallystick({
  clock: { now: () => now },
  subscribers: [async (_tx, message) => void messages.push(message)],
});
const [mine = { id: "", key: "" }, theirs = { id: "", key: "" }] = organizations;

const at = (text: string): void => {
  now = Temporal.Instant.from(text);
};

const checkHour = (organizationId: string, hour: string) => runJob("check_events", organizationId, { hour });

/** What the worker does five minutes after every full hour. */
async function runChecksAt(text: string): Promise<void> {
  at(text);
  await runScheduled("ask_for_event_checks");
  await drain();
}

type Sent = { id: string; code: string; subscription?: string; properties?: object; timestamp?: string };
async function send(events: readonly Sent[], key = mine.key): Promise<void> {
  for (let from = 0; from < events.length; from += 100) {
    const batch = events.slice(from, from + 100).map(({ id, code, subscription = "s", properties = {}, ...rest }) => ({
      transaction_id: id,
      external_subscription_id: subscription,
      code,
      properties,
      ...rest,
    }));
    const { status, text } = await call("POST", "/events/batch", { events: batch }, { key });
    expect(status, text).toBe(200);
  }
}

/** Catalogs have messages of their own. */
const taken = () =>
  messages
    .splice(0)
    .filter(({ webhookType }) => webhookType === "events.errors")
    .map(({ organizationId, webhookType, payload }) => ({
      organization: organizationId === mine.id ? "mine" : "theirs",
      webhookType,
      payload: JSON.parse(payload),
    }));
const listsOf = (payload: { events_errors: Record<string, string[]> }) =>
  Object.fromEntries(Object.entries(payload.events_errors).map(([name, ids]) => [name, ids.toSorted()]));

const REGION = [{ key: "region", values: ["eu", "1"] }];
const METRICS = [
  { code: "calls", aggregation_type: "count_agg" },
  { code: "bytes", aggregation_type: "sum_agg", field_name: "amount" },
  { code: "peak", aggregation_type: "max_agg", field_name: "amount" },
  { code: "seats", aggregation_type: "unique_count_agg", field_name: "user" },
  { code: "placed", aggregation_type: "count_agg", filters: REGION },
  {
    code: "both",
    aggregation_type: "sum_agg",
    field_name: "amount",
    filters: [...REGION, { key: "tier", values: ["gold"] }],
  },
];
for (const metric of METRICS) {
  const { status } = await call("POST", "/billable_metrics", { billable_metric: { name: metric.code, ...metric } });
  expect(status).toBe(200);
}

/** Each test has its own day, so that no test finds hours of another. */
let day = 5;
beforeEach(() => {
  day++;
});
const hour = (time: string) => `2026-03-${String(day).padStart(2, "0")}T${time}Z`;

describe("at five past, about the hour before", () => {
  it("one message lists the faulty events by fault", async () => {
    at(hour("13:00:00"));
    await send([
      { id: "fine count", code: "calls" },
      { id: "fine sum", code: "bytes", properties: { amount: "12.5" } },
      { id: "fine seat", code: "seats", properties: { user: "17", operation_type: "remove" } },
      { id: "fine place", code: "placed", properties: { region: 1.0 } },
      { id: "unknown", code: "nothing" },
      { id: "no amount", code: "bytes" },
      { id: "null amount", code: "bytes", properties: { amount: null } },
      { id: "exponent", code: "bytes", properties: { amount: "1e3" } },
      { id: "no peak", code: "peak", properties: { amount: "much" } },
      { id: "no seat", code: "seats" },
      { id: "no region", code: "placed" },
      { id: "other region", code: "placed", properties: { region: "mars" } },
      { id: "nothing right", code: "both", properties: { region: "eu" } },
    ]);
    await runChecksAt(hour("14:05:00"));
    const [message, ...others] = taken();
    expect(others).toEqual([]);
    expect(message?.webhookType).toBe("events.errors");
    expect(message?.payload).toMatchObject({ webhook_type: "events.errors", object_type: "events_errors" });
    expect(listsOf(message?.payload)).toEqual({
      invalid_code: ["unknown"],
      missing_aggregation_property: ["exponent", "no amount", "no peak", "no seat", "nothing right", "null amount"],
      missing_group_key: ["no region", "nothing right", "other region"],
    });
  });

  it("all three lists are present, even if empty", async () => {
    at(hour("13:00:00"));
    await send([{ id: "unknown", code: "nothing", subscription: "only" }]);
    await runChecksAt(hour("14:05:00"));
    expect(taken()[0]?.payload.events_errors).toEqual({
      invalid_code: ["unknown"],
      missing_aggregation_property: [],
      missing_group_key: [],
    });
  });

  it("no message is sent if everything can be billed, or nothing was sent", async () => {
    at(hour("13:00:00"));
    await send([{ id: `fine ${day}`, code: "calls" }]);
    await runChecksAt(hour("14:05:00"));
    await runChecksAt(hour("15:05:00"));
    expect(taken()).toEqual([]);
  });

  it("the time of receipt decides, from the first microsecond of the hour to the last, not the timestamp", async () => {
    const sendAt = async (time: string) => {
      at(hour(time));
      await send([{ id: `${day} ${time}`, code: "nothing", timestamp: "1000000000" }]);
    };
    for (const time of ["12:59:59.999999", "13:00:00", "13:59:59.999999", "14:00:00", "14:04:59"]) await sendAt(time);
    at(hour("14:05:00"));
    await checkHour(mine.id, hour("13:00:00"));
    await drain();
    expect(taken().map(({ payload }) => payload.events_errors.invalid_code)).toEqual([
      [`${day} 13:00:00`, `${day} 13:59:59.999999`],
    ]);
    await runChecksAt(hour("15:05:00"));
    expect(taken().map(({ payload }) => payload.events_errors.invalid_code)).toEqual([
      [`${day} 12:59:59.999999`],
      [`${day} 14:00:00`, `${day} 14:04:59`],
    ]);
  });

  it("events of two processes are each in their hour, even if the later one was stored first", async () => {
    for (const time of ["13:59:50", "14:00:20", "13:59:55"]) {
      at(hour(time));
      await send([{ id: `${day} ${time}`, code: "nothing" }]);
    }
    await runChecksAt(hour("15:05:00"));
    expect(taken().map(({ payload }) => payload.events_errors.invalid_code)).toEqual([
      [`${day} 13:59:50`, `${day} 13:59:55`],
      [`${day} 14:00:20`],
    ]);
  });

  it("an hour that has just ended waits until all its events are stored", async () => {
    at(hour("13:59:59"));
    await send([{ id: `last ${day}`, code: "nothing" }]);
    await runChecksAt(hour("14:00:30"));
    expect(taken()).toEqual([]);
    await runChecksAt(hour("14:05:00"));
    expect(taken()).toHaveLength(1);
  });

  it("each organization gets a message about its own events, by its own metrics", async () => {
    at(hour("13:00:00"));
    await send([{ id: `of both ${day}`, code: "calls" }]);
    await send([{ id: `of both ${day}`, code: "calls" }], theirs.key);
    await runChecksAt(hour("14:05:00"));
    expect(taken().map(({ organization, payload }) => [organization, payload.events_errors.invalid_code])).toEqual([
      ["theirs", [`of both ${day}`]],
    ]);
  });

  it("a transaction id is listed once, even if several subscriptions have it", async () => {
    at(hour("13:00:00"));
    await send(["a", "b"].map((subscription) => ({ id: `twice ${day}`, code: "nothing", subscription })));
    await runChecksAt(hour("14:05:00"));
    expect(taken()[0]?.payload.events_errors.invalid_code).toEqual([`twice ${day}`]);
  });

  it("a message lists the first thousand of very many, and still finds the few with another fault", async () => {
    at(hour("13:00:00"));
    await send(Array.from({ length: 1200 }, (_, index) => ({ id: `many ${day} ${index}`, code: "nothing" })));
    await send([{ id: `last ${day}`, code: "bytes" }]);
    await runChecksAt(hour("14:05:00"));
    const { events_errors } = taken()[0]?.payload ?? {};
    expect(new Set(events_errors.invalid_code).size).toBe(1000);
    expect(events_errors.invalid_code).toHaveLength(1000);
    expect(events_errors.missing_aggregation_property).toEqual([`last ${day}`]);
  });

  it("a metric that was deleted since is unknown", async () => {
    const made = await call("POST", "/billable_metrics", {
      billable_metric: { name: "Gone", code: "gone", aggregation_type: "count_agg" },
    });
    expect(made.status).toBe(200);
    at(hour("13:00:00"));
    await send([{ id: `gone ${day}`, code: "gone" }]);
    await call("DELETE", "/billable_metrics/gone");
    await runChecksAt(hour("14:05:00"));
    expect(taken()[0]?.payload.events_errors.invalid_code).toEqual([`gone ${day}`]);
  });
});

describe("exactly once", () => {
  const sendBad = async (time: string) => {
    at(hour(time));
    await send([{ id: `bad ${day} ${time}`, code: "nothing" }]);
  };

  it("even if the job runs twice, one run after the other", async () => {
    await sendBad("13:00:00");
    await runChecksAt(hour("14:05:00"));
    await runChecksAt(hour("14:06:00"));
    await checkHour(mine.id, hour("13:00:00"));
    await drain();
    expect(taken()).toHaveLength(1);
  });

  it("even if several workers check the hour at the same time", async () => {
    await sendBad("13:00:00");
    at(hour("14:05:00"));
    await Promise.all(Array.from({ length: 5 }, () => checkHour(mine.id, hour("13:00:00"))));
    await drain();
    expect(taken()).toHaveLength(1);
  });

  it("missed hours are checked later, up to three days back", async () => {
    await sendBad("11:00:00");
    await sendBad("13:00:00");
    const sentOn = day;
    day += 3;
    await sendBad("12:00:00");
    await runChecksAt(hour("12:30:00"));
    const published = taken().map(({ payload }) => payload.events_errors.invalid_code);
    expect(published).toEqual([[`bad ${sentOn} 13:00:00`]]);
  });

  it("in whatever order the hours are checked", async () => {
    for (const time of ["11:00:00", "12:00:00", "13:00:00"]) await sendBad(time);
    at(hour("14:05:00"));
    for (const time of ["13:00:00", "11:00:00", "12:00:00"]) await checkHour(mine.id, hour(time));
    await drain();
    const reported = taken().map(({ payload }) => payload.events_errors.invalid_code);
    expect(reported).toEqual(["13:00:00", "11:00:00", "12:00:00"].map((time) => [`bad ${day} ${time}`]));
  });
});

test("an event that no metric counts, by the rule of core, is the one that is reported", async () => {
  at(hour("13:00:00"));
  const values = [
    "12.5",
    "-0",
    "007",
    "+5",
    " 5",
    "1e3",
    "",
    "5\n",
    "\u0661",
    true,
    [1],
    { a: 1 },
    1e3,
    0.1,
    "9".repeat(2002),
    "9".repeat(2003),
  ];
  await send(values.map((amount, index) => ({ id: `value ${index}`, code: "bytes", properties: { amount } })));
  const expected = values.flatMap((value, index) => {
    const text = canonicalText(JSON.stringify(value));
    const properties = text.ok && text.value !== null ? { amount: text.value } : {};
    const counted = isCounted({ type: "sum", field: "amount", isRecurring: false }, { properties });
    expect(counted).toBe(numericValue(properties.amount) !== undefined);
    return counted ? [] : [`value ${index}`];
  });
  await runChecksAt(hour("14:05:00"));
  const { missing_aggregation_property } = taken().at(-1)?.payload.events_errors ?? {};
  expect(missing_aggregation_property).toEqual(expected);
  expect(expected.length).toBeGreaterThan(7);
});
