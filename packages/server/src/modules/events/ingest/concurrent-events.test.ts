import pg from "pg";
import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { somebodyWaits } from "../../../testing/somebody-waits.ts";
import { makeTestOrganization, startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, openApi } = await startTallystick({ organizations: 0, settings: { DATABASE_CONNECTIONS: "12" } });
const url = platform.config.DATABASE_URL;

type Sent = { transaction_id: string; external_subscription_id: string; code: string; timestamp: number };
const event = (number: number | string, members: object = {}): Sent => ({
  transaction_id: `t${number}`,
  external_subscription_id: "acme",
  code: "calls",
  timestamp: 1_769_850_000,
  ...members,
});
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** API processes share nothing but the database. Here each one has its own groups. */
async function openApis(count: number) {
  const { id, key } = await makeTestOrganization(platform, "Sender");
  const apps = await Promise.all(numbers(count).map(openApi));
  let turn = 0;
  const send = async (path: string, body: object) => {
    const app = apps[turn++ % apps.length];
    const headers = { authorization: `Bearer ${key}` };
    const answer = await app?.inject({ method: "POST", url: `/api/v1${path}`, headers, payload: body });
    return { status: answer?.statusCode ?? 0, headers: answer?.headers ?? {}, body: answer?.json() };
  };
  return {
    sendOne: (one: Sent) => send("/events", { event: one }),
    sendAll: (events: readonly object[]) => send("/events/batch", { events }),
    /** What is stored and counted, once the processes have shut down cleanly. */
    close: async () => {
      await Promise.all(apps.map((app) => app.close()));
      const [stored] = await runOn<Record<string, string>>(
        url,
        `select (select count(*) from events where organization_id = $1) as events,
           (select count(*) from event_keys where organization_id = $1) as keys,
           (select coalesce(sum(position), 0) from event_heads where organization_id = $1) as positions,
           (select count(distinct (shard, position)) from events where organization_id = $1) as distinct_positions,
           coalesce(sum(received), 0) as received, coalesce(sum(new), 0) as new, coalesce(sum(duplicate), 0) as duplicate,
           coalesce(sum(conflict), 0) as conflict, coalesce(sum(rejected), 0) as rejected
         from event_counts where organization_id = $1`,
        [id],
      );
      return Object.fromEntries(Object.entries(stored ?? {}).map(([name, count]) => [name, Number(count)]));
    },
  };
}

/** Everything is stored once: payload, key, position. */
const storedOnce = (count: number) => ({ events: count, keys: count, positions: count, distinct_positions: count });
const statusesOf = (answers: readonly { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, list]) => [status, list.length]));

test("one event sent 60 times at once to three processes is stored once, every response shows it, and one says that it is new", async () => {
  const apis = await openApis(3);
  const answers = await Promise.all(numbers(60).map(() => apis.sendOne(event("same"))));
  expect(statusesOf(answers)).toEqual({ 200: 60 });
  expect(new Set(answers.map(({ body }) => JSON.stringify({ ...body.event, outcome: "" }))).size).toBe(1);
  expect(answers.filter(({ body }) => body.event.outcome === "created")).toHaveLength(1);
  expect(await apis.close()).toEqual({
    ...storedOnce(1),
    received: 60,
    new: 1,
    duplicate: 59,
    conflict: 0,
    rejected: 0,
  });
});

test("a request in conflict is refused whole; other requests in its statement are not affected", async () => {
  const apis = await openApis(1);
  await apis.sendOne(event("old"));
  const answers = await Promise.all(
    numbers(40).map((number) =>
      apis.sendAll([event(`${number} a`), event(number % 10 === 3 ? "old" : `${number} b`, { code: "other" })]),
    ),
  );
  expect(statusesOf(answers)).toEqual({ 200: 36, 422: 4 });
  expect(answers[3]?.body.error_details).toEqual({ 1: { transaction_id: ["value_already_exist"] } });
  const counted = { received: 81, new: 73, duplicate: 0, conflict: 4, rejected: 4 };
  expect(await apis.close()).toEqual({ ...storedOnce(73), ...counted });
});

test("two bodies for one key at the same moment: one is stored, and all requests with the other body are refused", async () => {
  const apis = await openApis(3);
  const answers = await Promise.all(
    numbers(60).map((number) => apis.sendOne(event("torn", { code: number % 2 === 0 ? "even" : "odd" }))),
  );
  expect(statusesOf(answers)).toEqual({ 200: 30, 422: 30 });
  expect(await apis.close()).toEqual({
    ...storedOnce(1),
    received: 60,
    new: 1,
    duplicate: 29,
    conflict: 30,
    rejected: 0,
  });
});

test("batches with the same events in opposite orders, from three processes, wait for each other and never deadlock", async () => {
  const apis = await openApis(3);
  const events = numbers(100).map((number) => event(number));
  const answers = await Promise.all(
    numbers(90).map((number) => apis.sendAll(number % 2 === 0 ? events : events.toReversed())),
  );
  expect(statusesOf(answers)).toEqual({ 200: 90 });
  const counted = { received: 9000, new: 100, duplicate: 8900, conflict: 0, rejected: 0 };
  expect(await apis.close()).toEqual({ ...storedOnce(100), ...counted });
});

test("faulty events are counted as rejected, whatever the fault", async () => {
  const apis = await openApis(1);
  await apis.sendOne(event(1));
  await apis.sendOne(event("", { transaction_id: "" }));
  await apis.sendAll([event(2), event(3, { timestamp: "soon" })]);
  await apis.sendAll(numbers(101).map((number) => event(number)));
  const counted = { received: 105, new: 1, duplicate: 0, conflict: 0, rejected: 104 };
  expect(await apis.close()).toEqual({ ...storedOnce(1), ...counted });
});

test("an event is answered after its commit, and not before", async ({ onTestFinished }) => {
  const apis = await openApis(1);
  await apis.sendOne(event(1));
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query("begin; lock table event_heads in access exclusive mode");
  const sent = apis.sendOne(event(2));
  expect(await Promise.race([sent.then(({ status }) => status), somebodyWaits(url)])).toBe("waits");
  await blocker.query("commit");
  expect((await sent).status).toBe(200);
  expect(await apis.close()).toMatchObject({ ...storedOnce(2), new: 2 });
});

test("requests beyond the waiting limit are refused at once with Retry-After, and accepted events are stored", async () => {
  const apis = await openApis(1);
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  await blocker.query("begin; lock table event_keys in access exclusive mode");
  const sent = numbers(300).map((batch) => apis.sendAll(numbers(100).map((number) => event(`${batch} ${number}`))));
  const first = await Promise.race(sent);
  await blocker.query("commit");
  await blocker.end();
  expect(first).toMatchObject({ status: 429, headers: { "retry-after": "1" }, body: { code: "rate_limited" } });
  const { 200: accepted = 0, 429: refused = 0 } = statusesOf(await Promise.all(sent));
  expect(accepted + refused).toBe(300);
  expect(accepted).toBeGreaterThanOrEqual(200);
  expect(await apis.close()).toMatchObject({ ...storedOnce(accepted * 100), new: accepted * 100 });
});
