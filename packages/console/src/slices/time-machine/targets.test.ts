import { expect, test } from "vitest";
import { instantIn, localIn, targetsOf } from "./targets.ts";

const targets = (now: string, zone: string) => targetsOf(now, zone).map(({ to }) => to);

test("a day and a month end at midnight of the zone, across a change of its clocks", () => {
  expect(targets("2026-03-28T23:30:00Z", "Europe/Amsterdam")).toEqual([
    "2026-03-29T22:00:00Z",
    "2026-03-31T22:00:00Z",
    "2027-03-28T22:30:00Z",
  ]);
});

test("at the end of a day, the end of the next one is meant; the last month leads into another year", () => {
  expect(targets("2026-12-31T00:00:00Z", "UTC").slice(0, 2)).toEqual(["2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z"]);
});

test("a field for a time is read in the zone that it was written in", () => {
  const zone = "America/New_York";
  expect(localIn("2026-01-31T05:00:00Z", zone)).toBe("2026-01-31T00:00");
  expect(instantIn("2026-01-31T00:00", zone)).toBe("2026-01-31T05:00:00Z");
});
