import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

let now = Temporal.Instant.from("2026-11-19T10:00:00Z");
const service = await startTallystick({ clock: { now: () => now } });
const { call, deliver, runScheduled, organizations, platform } = service;
const url = platform.config.DATABASE_URL;

type Message = { svc_id: string; webhook_type: string; payload: string };
type Page = { messages: Message[]; meta: { next_cursor: string; has_more: boolean } };
const read = async (query = "", key = organizations[0]?.key ?? ""): Promise<Page> =>
  (await call("GET", `/messages${query}`, undefined, { key })).body;

let codes = 0;
/** Publishes as many messages. */
async function publish(count: number, name = "Metric", key = organizations[0]?.key ?? ""): Promise<void> {
  for (let index = 0; index < count; index++) {
    const billable_metric = { name, code: `metric_${codes++}`, aggregation_type: "count_agg" };
    await call("POST", "/billable_metrics", { billable_metric }, { key });
  }
}

test("messages appear when they are dispatched, in order, each once, with the text that webhooks carry", async () => {
  expect(await read()).toEqual({ messages: [], meta: { next_cursor: expect.any(String), has_more: false } });
  await publish(5);
  expect((await read()).messages).toEqual([]);
  await deliver();
  const first = await read("?limit=2");
  const second = await read(`?limit=2&after=${first.meta.next_cursor}`);
  const third = await read(`?after=${second.meta.next_cursor}`);
  expect([first, second, third].map(({ meta }) => meta.has_more)).toEqual([true, true, false]);
  const all = [first, second, third].flatMap(({ messages }) => messages);
  expect(all.map(({ payload }) => JSON.parse(payload).billable_metric.code)).toEqual([
    "metric_0",
    "metric_1",
    "metric_2",
    "metric_3",
    "metric_4",
  ]);
  expect(all[0]).toMatchObject({ webhook_type: "billable_metric.created", object_type: "billable_metric" });
  expect(await read(`?after=${third.meta.next_cursor}`)).toEqual({ messages: [], meta: third.meta });
});

test("latest is the end: what is published later is read from there", async () => {
  const { messages, meta } = await read("?after=latest");
  expect(messages).toEqual([]);
  await publish(1, "Later");
  await deliver();
  const later = await read(`?after=${meta.next_cursor}`);
  expect(later.messages.map(({ payload }) => JSON.parse(payload).billable_metric.name)).toEqual(["Later"]);
});

test("a position that is readable is never followed by a smaller one, however many dispatch at once", async () => {
  const start = (await read("?after=latest")).meta.next_cursor;
  await publish(40);
  await publish(40, "Theirs", organizations[1]?.key);
  const seen: string[] = [];
  let cursor = start;
  const follow = async () => {
    const { messages, meta } = await read(`?limit=7&after=${cursor}`);
    seen.push(...messages.map(({ svc_id }) => svc_id));
    cursor = meta.next_cursor;
  };
  const dispatching = Promise.all([deliver(), deliver(), deliver(), deliver()]).then(() => true);
  while (!(await Promise.race([dispatching, follow().then(() => false)])));
  while ((await read(`?after=${cursor}`)).meta.has_more || (await read(`?after=${cursor}`)).messages.length > 0)
    await follow();
  expect(new Set(seen).size).toBe(40);
  expect(seen).toHaveLength(40);
  const rows = await runOn<{ gaps: number }>(
    url,
    "select max(position)::int - count(*)::int as gaps from outbox where position is not null group by organization_id",
  );
  expect(rows.map(({ gaps }) => gaps)).toEqual([0, 0]);
});

test("a page of large messages has fewer, and one that is larger than a page is shown alone", async () => {
  const { next_cursor } = (await read("?after=latest")).meta;
  await publish(3);
  await deliver();
  await runOn(
    url,
    "update outbox set payload = json_build_object('long', repeat('x', 400000)) where position > (select max(position) - 3 from outbox)",
  );
  const { messages, meta } = await read(`?after=${next_cursor}`);
  expect([messages.length, meta.has_more]).toEqual([1, true]);
  await runOn(
    url,
    "update outbox set payload = json_build_object('long', repeat('x', 700000)) where position > (select max(position) - 3 from outbox)",
  );
  expect((await read(`?after=${meta.next_cursor}`)).messages).toHaveLength(1);
});

test("a cursor behind which messages were deleted is refused with 410; without it, the rest is read", async () => {
  const { next_cursor: old } = (await read("?limit=1")).meta;
  now = now.add({ hours: 24 * 100 });
  await publish(1, "New");
  await deliver();
  await runScheduled("forget_old_webhooks");
  const refused = await call("GET", `/messages?after=${old}`);
  expect(refused).toMatchObject({ status: 410, body: { error: "Gone", code: "cursor_expired" } });
  expect(refused.help.message).toContain("after=latest");
  const rest = await read();
  expect(rest.messages.map(({ payload }) => JSON.parse(payload).billable_metric.name)).toEqual(["New"]);
});

test.each(["?after=nonsense", "?after=bTE", "?limit=0", "?limit=1001", "?limit=x"])("%s is answered", async (query) => {
  const { status } = await call("GET", `/messages${query}`);
  // The second is a cursor, of a message that was deleted.
  expect(status).toBe(query.endsWith("bTE") ? 410 : 422);
});
