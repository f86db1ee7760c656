/** An advance can be stopped at any moment, also in the middle of a step, and what it did stays done. */
import { beforeEach, describe, expect, test } from "vitest";
import { type DueKind, scheduleDue } from "../../../jobs/due.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { somebodyWaits } from "../../../testing/somebody-waits.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";

let ran: string[] = [];
/** Runs in the middle of the step with this row, before the row does its work. */
let onRow: { subjectId: string; happens: () => Promise<void> } | undefined;

const mark = (kind: string, rank: number): DueKind => ({
  kind,
  rank,
  settles: true,
  run: async (_batch, due) => {
    if (onRow?.subjectId === due.subjectId) await onRow.happens();
    ran.push(`${kind} ${due.dueAt}`);
  },
});

const { call, platform, organizations } = await startTallystick({ dueKinds: [mark("first", 61), mark("second", 62)] });
const organizationId = organizations[0]?.id ?? "";
const { DATABASE_URL: url } = platform.config;

const START = "2024-01-01T00:00:00Z";
const dayOf = (number: number): string =>
  Temporal.Instant.from(START)
    .add({ hours: 24 * number })
    .toString();

beforeEach(() => {
  ran = [];
  onRow = undefined;
});

const cancel = (id: string) => call("POST", `/test_clocks/${id}/cancel`);
const advance = (id: string, now: string, members = {}) =>
  call("POST", `/test_clocks/${id}/advance`, { test_clock: { now, ...members } });

/** A clock with one customer that has these rows. Returns the ids of their subjects. */
async function clockWith(rows: readonly { kind: string; day: number }[]) {
  const { svc_id: id } = (await call("POST", "/test_clocks", { test_clock: { now: START } })).body.test_clock;
  const { body } = await call("POST", "/customers", { customer: { external_id: newId(), test_clock_id: id } });
  const subjects = rows.map(() => newId());
  await inOrganization(platform.db, organizationId, async (tx) => {
    for (const [index, { kind, day }] of rows.entries())
      await scheduleDue(alone(tx), platform.registry, organizationId, {
        kind,
        subjectId: subjects[index] ?? "",
        customer: { id: body.customer.svc_id, testClockId: id },
        dueAt: Temporal.Instant.from(dayOf(day)),
      });
  });
  return { id, subjects };
}

/** A row a day. A step does fifty of them. */
const daily = (count: number) => Array.from({ length: count }, (_, index) => ({ kind: "first", day: index + 1 }));

const rowOf = (id: string) =>
  runOn(url, `select advancing_to, ready_at, attempts, last_error from test_clocks where id = '${id}'`);
const IDLE = { advancing_to: null, ready_at: null, attempts: 0, last_error: null };

/** Cancels while the row does its work, as many times as asked. The step goes on when all of them wait for it. */
function cancelDuring(id: string, subjectId: string, { times = 1, error }: { times?: number; error?: Error } = {}) {
  const answers: Promise<Answer>[] = [];
  onRow = {
    subjectId,
    happens: async () => {
      onRow = undefined;
      for (let count = 0; count < times; count++) answers.push(cancel(id));
      await somebodyWaits(url, times);
      if (error) throw error;
    },
  };
  return answers;
}

describe("an advance that is canceled during a step", () => {
  test("ends with that step; what was done stays, and a later advance does the rest, each row once", async () => {
    const { id, subjects } = await clockWith(daily(120));
    const answers = cancelDuring(id, subjects[10] ?? "");
    const advanced = await advance(id, dayOf(200));
    expect(advanced.body.test_clock).toMatchObject({ status: "ready", now: dayOf(50), advancing_to: null });
    expect((await answers[0])?.body).toEqual(advanced.body);
    expect(ran).toEqual(daily(50).map(({ day }) => `first ${dayOf(day)}`));
    expect(await rowOf(id)).toMatchObject([IDLE]);
    expect((await advance(id, dayOf(200))).body.test_clock).toMatchObject({ status: "ready", now: dayOf(200) });
    expect(ran).toEqual(daily(120).map(({ day }) => `first ${dayOf(day)}`));
  });

  test("stops after an instant that is completely done, though the step ended between two rows of it", async () => {
    const rows = [...daily(49), { kind: "first", day: 50 }, { kind: "second", day: 50 }, { kind: "second", day: 51 }];
    const { id, subjects } = await clockWith(rows);
    const answers = cancelDuring(id, subjects[0] ?? "");
    await advance(id, dayOf(60));
    expect((await answers[0])?.body.test_clock).toMatchObject({ status: "ready", now: dayOf(50) });
    expect(ran.slice(-2)).toEqual([`first ${dayOf(50)}`, `second ${dayOf(50)}`]);
  });

  test("twice at once: both answers say where it stopped", async () => {
    const { id, subjects } = await clockWith(daily(60));
    const answers = cancelDuring(id, subjects[0] ?? "", { times: 2 });
    await advance(id, dayOf(60));
    const [first, second] = await Promise.all(answers);
    expect(first?.body.test_clock).toMatchObject({ status: "ready", now: dayOf(50) });
    expect([second?.status, second?.body]).toEqual([200, first?.body]);
  });

  test("that is its last one has ended: the clock shows its target", async () => {
    const { id, subjects } = await clockWith(daily(3));
    const answers = cancelDuring(id, subjects[2] ?? "");
    const advanced = await advance(id, dayOf(5));
    expect(advanced.body.test_clock).toMatchObject({ status: "ready", now: dayOf(5) });
    expect((await answers[0])?.body).toEqual(advanced.body);
  });

  test("that fails leaves no trace of the failure: its rows wait for the next advance as before", async () => {
    const { id, subjects } = await clockWith(daily(2));
    const answers = cancelDuring(id, subjects[0] ?? "", { error: new Error("out of paper") });
    const { body } = await advance(id, dayOf(5));
    expect(body.test_clock).toMatchObject({ status: "ready", now: START });
    expect((await answers[0])?.body).toEqual(body);
    expect(await rowOf(id)).toMatchObject([IDLE]);
    expect((await advance(id, dayOf(5))).body.test_clock.now).toBe(dayOf(5));
    expect(ran).toHaveLength(2);
  });

  test("of a row that fails alone neither parks the row nor counts the attempt", async () => {
    const { id, subjects } = await clockWith(daily(1));
    // As after a failure: a step has one row.
    await runOn(url, `update test_clocks set attempts = 1 where id = '${id}'`);
    const answers: Promise<Answer>[] = [];
    onRow = {
      subjectId: subjects[0] ?? "",
      happens: async () => {
        if (answers.length > 0) return;
        // The first attempt is of a step of many rows, the second one of the row alone.
        onRow = {
          subjectId: subjects[0] ?? "",
          happens: async () => {
            onRow = undefined;
            answers.push(cancel(id));
            await somebodyWaits(url);
            throw new Error("out of paper");
          },
        };
        throw new Error("out of paper");
      },
    };
    await advance(id, dayOf(5));
    expect((await answers[0])?.body.test_clock).toMatchObject({ status: "ready", now: START });
    const rows = await runOn(url, `select attempts, parked_at from due_instants where subject_id = '${subjects[0]}'`);
    expect(rows).toMatchObject([{ attempts: 0, parked_at: null }]);
  });
});

describe("a target more than 25 years ahead", () => {
  const clockAt = async (now: string) => (await call("POST", "/test_clocks", { test_clock: { now } })).body.test_clock;

  test.each([
    ["2024-01-01T00:00:00Z", "2049-01-01T00:00:00Z", "2049-01-01T00:00:00.000001Z"],
    ["2024-02-29T12:00:00Z", "2049-02-28T12:00:00Z", "2049-02-28T12:00:01Z"],
    ["2024-01-01T00:00:00Z", "2049-01-01T00:00:00Z", "9999-12-31T23:59:59Z"],
  ])("needs to be confirmed: from %s it may go to %s, but not to %s", async (from, allowed, refused) => {
    const { svc_id: id } = await clockAt(from);
    for (const members of [{}, { confirm: false }]) {
      const { status, body, text } = await advance(id, refused, members);
      expect([status, body.error_details]).toEqual([422, { now: ["needs_confirmation"] }]);
      expect(JSON.parse(text).message).toContain("`confirm: true`");
    }
    expect((await call("GET", `/test_clocks/${id}`)).body.test_clock.now).toBe(from);
    expect((await advance(id, refused, { confirm: true })).status).toBe(200);
    const { svc_id: other } = await clockAt(from);
    expect((await advance(other, allowed)).body.test_clock).toMatchObject({ status: "ready", now: allowed });
  });

  test.each(["yes", 1, null])("is not confirmed by %j", async (confirm) => {
    const { svc_id: id } = await clockAt("2024-01-01T00:00:00Z");
    const { status, body } = await advance(id, "2060-01-01T00:00:00Z", { confirm });
    expect([status, Object.keys(body.error_details)]).toEqual([422, ["confirm"]]);
  });
});
