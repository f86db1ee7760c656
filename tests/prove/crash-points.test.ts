// The short form of the campaign: a few points of every stage, and of each one death.

import { expect, test } from "vitest";
import { runCrashPoints } from "../../prove/crash-points/campaign.ts";
import { effectOf } from "../../prove/crash-points/effects.ts";
import { compare, drawPicture } from "../../prove/crash-points/picture.ts";
import { CONTROL, LONG, shortFormOf } from "./short-form.ts";

const run = shortFormOf(runCrashPoints, { count: 8, roundsPerPoint: 1, isShort: true });

const brokenOf = (broken: Readonly<Record<string, number>>) =>
  Object.entries(broken).filter(([, count]) => count !== 0);

test("a death at a point of each stage leaves what an undisturbed run leaves", LONG, async () => {
  const { broken, figures, said } = await run({});
  expect({ broken: brokenOf(broken), said: brokenOf(broken).length > 0 ? said : [] }).toEqual({ broken: [], said: [] });
  expect(figures).toMatchObject({ effects: 8, rounds: 8 });
  const stages = Object.entries(figures).filter(([name]) => name.endsWith("Effects"));
  expect(stages.filter(([, count]) => count === 0)).toEqual([]);
});

test("the same harness finds what is left undone when it is marked as done and committed first", CONTROL, async () => {
  const { broken } = await run({ count: 3, seed: 1, isNaive: true });
  expect(broken.statesDiffer).toBeGreaterThan(0);
});

const id = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

/** Two invoices, and a fee on one of them. */
const billsWith = (first: number, second: number, feeOn: number) =>
  drawPicture([
    { table: "invoices", text: `{"id": "${id(first)}", "total": 100}` },
    { table: "invoices", text: `{"id": "${id(second)}", "total": 200}` },
    { table: "fees", text: `{"id": "${id(9)}", "invoice_id": "${id(feeOn)}"}` },
  ]);

test("other ids in the same places are no difference; the same rows in another place are one", () => {
  expect(compare(billsWith(1, 2, 1), billsWith(5, 3, 5))).toEqual([]);
  expect(compare(billsWith(1, 2, 1), billsWith(1, 2, 2)).length).toBeGreaterThan(0);
});

test("effects are named by what they write; what only reads, or only locks, has none", () => {
  expect(effectOf('insert into "invoices" ("id") values ($1)')).toEqual({ verb: "insert", on: "invoices" });
  expect(effectOf('insert into "keys" ("a") values ($1) on conflict do update set "a" = $1')?.on).toBe("keys");
  expect(effectOf("with turn as (update webhook_endpoints set a = 1) update webhook_deliveries set b = 2")?.on).toBe(
    "webhook_endpoints and webhook_deliveries",
  );
  expect(effectOf("select graphile_worker.enqueue_job($1)")).toEqual({ verb: "call", on: "enqueue_job" });
  for (const lock of ["for update", "for no key update of endpoint skip locked", "for update skip locked"])
    expect(effectOf(`select id from customers where id = $1 ${lock}`)).toBeUndefined();
});
