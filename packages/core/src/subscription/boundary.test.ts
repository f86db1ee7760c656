import { expect, it } from "vitest";
import { boundaryAfter, terminate } from "./index.ts";
import { at, Life, plan } from "./testing/life.ts";

/** Subscribed at noon of 15 January 2024 in New York, ended on the 20th. */
function ended(terms: Parameters<typeof plan>[1], billingTime: "calendar" | "anniversary") {
  const life = new Life("2024-01-15T17:00:00Z", "America/New_York");
  life.subscribe(plan(0, terms), { billingTime });
  life.advance("2024-01-20T15:00:00Z");
  return terminate(life.active(), null, life.now).ended;
}

const YEARLY = { interval: "yearly", areChargesMonthly: true } as const;

it.each([
  { name: "the end of the month it ended in", after: "2024-01-25T00:00:00Z", is: "2024-02-01T05:00:00Z" },
  { name: "strictly after the instant", after: "2024-02-01T05:00:00Z", is: "2024-03-01T05:00:00Z" },
  { name: "years later, in summer", after: "2026-06-10T00:00:00Z", is: "2026-07-01T04:00:00Z" },
])("the boundary that a subscription would have had: $name", ({ after, is }) => {
  expect(boundaryAfter(ended({}, "calendar"), at(after)).toString()).toBe(is);
});

it.each([
  { name: "a week", terms: { interval: "weekly" }, after: "2024-02-01T00:00:00Z", is: "2024-02-05T05:00:00Z" },
  { name: "a month of a year", terms: YEARLY, after: "2024-02-20T00:00:00Z", is: "2024-03-15T04:00:00Z" },
] as const)("by its anniversary: $name", ({ terms, after, is }) => {
  expect(boundaryAfter(ended(terms, "anniversary"), at(after)).toString()).toBe(is);
});
