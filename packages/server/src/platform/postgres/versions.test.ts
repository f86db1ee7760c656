import { expect, test } from "vitest";
import { faultOfPostgres } from "./versions.ts";

test("Postgres 15 to 18 are supported; what is older or newer is refused, with what to do", () => {
  expect([150_000, 150_020, 160_004, 180_004].map(faultOfPostgres)).toEqual(Array(4).fill(undefined));
  expect(faultOfPostgres(140_022)).toBe("Postgres 14 is older than 15: upgrade it");
  expect(faultOfPostgres(190_000)).toMatch(/^Postgres 19 is newer than 18, .*: upgrade Tallystick first$/);
});
