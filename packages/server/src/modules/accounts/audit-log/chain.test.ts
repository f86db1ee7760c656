/** The chain of a trail: `verify` finds 100 ways to change it, and nothing in a trail that was left alone. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { trailForgeries } from "../../../testing/trail-forgeries.ts";
import { verify } from "../../../verify/index.ts";
import { HEADS_CHECK } from "../../../verify/signed-heads.ts";

const { platform, call, organizations, drain, startWorker } = await startTallystick();
const [{ id: organizationId } = { id: "" }, { id: otherId } = { id: "" }] = organizations;
const { masterKeys, config } = platform;
const CHECKS = ["activities-are-as-recorded", "activities-are-chained", "activities-do-not-wait", HEADS_CHECK];

const brokenNow = async (): Promise<string[]> =>
  (await verify(config.DATABASE_URL, { only: CHECKS, masterKeys }))
    .filter(({ broken }) => broken > 0)
    .map(({ name }) => name);

/** Whoever owns the database: no trigger, no policy and no right stops it. */
const owner = new pg.Client({ connectionString: config.DATABASE_URL });
afterAll(() => owner.end());

const SEALED = 40;
const WAITING = 5;

async function change(number: number, key?: string): Promise<void> {
  const customer = { external_id: `customer ${number % 7}`, name: `Name ${number}` };
  const { status, text } = await call("POST", "/customers", { customer }, key === undefined ? {} : { key });
  expect(status, text).toBe(200);
}

beforeAll(async () => {
  await owner.connect();
  await owner.query("set session_replication_role = replica");
  for (let number = 0; number < SEALED; number++) await change(number);
  await change(0, organizations[1]?.key);
  await drain();
  for (let number = 0; number < WAITING; number++) await change(number);
  const { rows } = await owner.query(
    "select count(sequence)::int as sealed, count(*)::int as all from activity_seals where organization_id = $1",
    [organizationId],
  );
  expect(rows).toEqual([{ sealed: SEALED, all: SEALED + WAITING }]);
});

const forgeries = trailForgeries({ organizationId, otherId, sealed: SEALED, waiting: WAITING });

test("there are at least 100 forgeries, each another one", () => {
  expect(new Set(forgeries.map(([, statements]) => statements)).size).toBe(forgeries.length);
  expect(forgeries.length).toBeGreaterThanOrEqual(100);
});

describe("verify finds that", () => {
  test.each(forgeries)("%s", async (_, statements) => {
    // Committed, as `npm run verify` sees it, and then taken back from copies of the three tables.
    await owner.query(
      `create table if not exists copy_of_activities as table activities;
       create table if not exists copy_of_activity_seals as table activity_seals;
       create table if not exists copy_of_activity_heads as table activity_heads`,
    );
    try {
      await owner.query(statements);
      expect(await brokenNow()).not.toEqual([]);
    } finally {
      await owner.query(
        `truncate activities, activity_seals, activity_heads;
         insert into activities table copy_of_activities; insert into activity_seals table copy_of_activity_seals;
         insert into activity_heads table copy_of_activity_heads;
         drop table copy_of_activities, copy_of_activity_seals, copy_of_activity_heads`,
      );
    }
  });
});

test("verify finds nothing in a trail that was left alone", async () => {
  expect(await brokenNow()).toEqual([]);
});

test("verify finds nothing while changes are made and sealed, over two workers", async () => {
  const workers = [await startWorker(), await startWorker()];
  try {
    for (let round = 0; round < 5; round++) {
      const changes = Array.from({ length: 12 }, (_, number) => change(number, organizations[number % 2]?.key));
      const [found] = await Promise.all([brokenNow(), ...changes]);
      expect(found).toEqual([]);
    }
    await expect.poll(waitingCount, { timeout: 30_000 }).toBe(0);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  expect(await brokenNow()).toEqual([]);
});

const waitingCount = async (): Promise<number> =>
  (await owner.query("select count(*)::int as count from activity_seals where sequence is null")).rows[0].count;

test("a change that commits after a later one was sealed gets a place after it", async () => {
  await drain();
  const other = await owner.query<{ sequence: string }>(
    `select sequence from activity_heads where organization_id = '${organizationId}'`,
  );
  const early = new pg.Client({ connectionString: config.DATABASE_URL });
  await early.connect();
  await early.query("begin");
  await early.query(EARLY, [organizationId]);
  await change(1);
  await drain();
  await early.query("commit");
  await early.end();
  await drain();
  const { rows } = await owner.query<{ sequence: string }>(
    "select sequence from activity_seals where organization_id = $1 and activity_id = '01900000-0000-7000-8000-00000000000e'",
    [organizationId],
  );
  expect(Number(rows[0]?.sequence)).toBe(Number(other.rows[0]?.sequence) + 2);
  expect(await brokenNow()).toEqual([]);
});

/** With the smallest of all ids. */
const EARLY = `with a as (
    insert into activities (organization_id, id, created_at, actor_kind, actor_id, operation, object_type)
    values ($1, '01900000-0000-7000-8000-00000000000e', now(), 'key', 'early', 'createTax', 'tax') returning *
  )
  insert into activity_seals (organization_id, activity_id, recorded_at, row_digest)
  select organization_id, id, created_at, sha256(convert_to(json_build_array(
    a.organization_id, a.id, (extract(epoch from a.created_at) * 1000000)::bigint, a.actor_kind, a.actor_id, a.address, a.operation,
    a.object_type, a.object_id, a.request_id, encode(a.difference_digest, 'hex'))::text, 'UTF8')) from a`;
