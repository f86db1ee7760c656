import { expect, test } from "vitest";
import { createPutEvents } from "../../../testing/put-events.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, call, organizations } = await startTallystick();
const [mine = { id: "" }] = organizations;
const putEvents = createPutEvents(platform.db);
const LAST = Temporal.Instant.from("2026-03-01T00:00:00Z");
const WALKED_MAX = 10_000;

/** Latest first. Only the last one has the code of a metric. */
const upTo = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    transactionId: `event ${index}`,
    code: index === count - 1 ? "known" : "unknown",
    at: LAST.subtract({ seconds: index }),
    properties: [],
    digest: BigInt(index),
  }));

test("a request walks up to 10,000 events by status, and its cursor goes on after the last one walked", async () => {
  const metric = { name: "Known", code: "known", aggregation_type: "count_agg" };
  await call("POST", "/billable_metrics", { billable_metric: metric });
  const events = upTo(WALKED_MAX + 1);
  for (let from = 0; from < events.length; from += 1000)
    await putEvents(mine.id, "nobody", events.slice(from, from + 1000), 0);
  const list = async (query: string) => (await call("GET", `/events?reason=no_subscription${query}`)).body;

  const first = await list("");
  expect(first.events).toEqual([]);
  expect(first.meta).toMatchObject({ current_page: 1, next_page: null, total_count: null, total_pages: null });
  const second = await list(`&cursor=${first.meta.next_cursor}`);
  expect(second.events.map((event: { transaction_id: string }) => event.transaction_id)).toEqual([
    `event ${WALKED_MAX}`,
  ]);
  expect(second.meta.next_cursor).toBeNull();

  const counted = await list("&timestamp_to=2026-02-28T23:00:00Z");
  expect(counted.meta).toMatchObject({ current_page: 1, total_count: 1, next_cursor: null });
}, 120_000);
