import { decimal } from "@tallystick/core/money";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/start-tallystick.ts";
import { systemClock } from "../clock.ts";
import { createDatabase } from "./database.ts";
import { createPool } from "./pool.ts";

const url = await cloneDatabase();
const db = createDatabase(createPool({ url, role: "app", connectionsMax: 2, statementTimeoutMs: 0 }));
afterAll(() => db.destroy());

/** Sends a value through the driver as that type and reads it back. */
async function roundTrip<T>(value: T, type: string): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select ${value}::${sql.raw(type)} as value`.execute(db);
  return rows[0]?.value;
}

test("an instant read back equals the instant written, to the microsecond", async () => {
  const microseconds = fc.bigInt({ min: -2_208_988_800_000_000n, max: 253_402_300_799_999_999n });
  await fc.assert(
    fc.asyncProperty(microseconds, async (micro) => {
      const instant = Temporal.Instant.fromEpochNanoseconds(micro * 1000n);
      expect(String(await roundTrip(instant, "timestamptz"))).toBe(String(instant));
    }),
    { numRuns: 200 },
  );
  const now = systemClock.now();
  expect(String(await roundTrip(now, "timestamptz"))).toBe(String(now));
});

test.each(["9999-12-31T23:59:59.999999Z", "+010000-01-01T00:00:00Z", "+275760-09-13T00:00:00Z"])(
  "the instant %s of a late year is written and read",
  async (text) => {
    expect(String(await roundTrip(Temporal.Instant.from(text), "timestamptz"))).toBe(text);
  },
);

test("a list of instants can be a parameter", async () => {
  const late = Temporal.Instant.from("+010000-01-01T00:00:00Z");
  const { rows } = await sql<{ at: unknown }>`select unnest(${[late, null]}::timestamptz[]) as at`.execute(db);
  expect(rows.map(({ at }) => at && String(at))).toEqual([String(late), null]);
});

test("a decimal keeps every digit", async () => {
  const digits = fc.tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.nat(30));
  await fc.assert(
    fc.asyncProperty(digits, async ([isNegative, whole, scale]) => {
      const value = decimal(`${isNegative ? "-" : ""}${whole}`).times(decimal(`1e-${scale}`));
      const back = await roundTrip(value, "numeric");
      expect((back as typeof value).eq(value)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test.each([0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
  "int8 %s is a bigint, exactly",
  async (value) => {
    expect(await roundTrip(value, "int8")).toBe(value);
  },
);

test("a list of int8 is one of bigints", async () => {
  const values = [0n, 2n ** 53n + 1n, -(2n ** 63n)];
  expect(await roundTrip(values, "int8[]")).toEqual(values);
  expect(await roundTrip([], "int8[]")).toEqual([]);
});

test.each(["2024-02-29", "0001-01-01", "9999-12-31", "+010000-01-01", "+275760-09-13"])(
  "the date %s is a plain date without a zone",
  async (text) => {
    expect(String(await roundTrip(Temporal.PlainDate.from(text), "date"))).toBe(text);
  },
);

test("json keeps its bytes, jsonb is parsed", async () => {
  const bytes = '{"b": 1.10,  "a": "é"}';
  expect(await roundTrip(bytes, "json")).toBe(bytes);
  expect(await roundTrip(bytes, "jsonb")).toEqual({ a: "é", b: 1.1 });
});
