// Subscription fees of whole periods, with their windows to the second, over calendars, anniversaries, leap years and zones.

import { expect, it } from "vitest";
import { type BillingTime, dayOf, type Interval, lastSecond } from "../time/index.ts";
import { currentUsage } from "./index.ts";
import { at, Life, plan } from "./testing/life.ts";

/** Zone, interval, billing time, when it is paid and the amount, as the table below writes them. */
function subscribed(terms: string, start: string): Life {
  const [zone, interval, billingTime, , paid, amount] = terms.split(" ");
  const life = new Life(start, zone);
  life.subscribe(plan(Number(amount), { interval: interval as Interval, isPaidInAdvance: paid === "advance" }), {
    billingTime: billingTime as BillingTime,
  });
  return life;
}

/** Date, amount, first and last second of each fee. */
const shownFees = ({ invoices, timeZone }: Life): string[] =>
  invoices.map((invoice) => {
    const [line] = invoice.lines;
    const window = line?.bill.fee;
    if (!line?.fee || !window) return "no fee";
    return `${dayOf(invoice.at, timeZone)} ${line.fee.amountMinor} ${window.from} ${lastSecond(window.to)}`;
  });

it.each([
  {
    name: "calendar monthly arrears, start mid January (leap February)",
    terms: "UTC monthly calendar in arrears 31000",
    start: "2024-01-20T09:30:00Z",
    until: "2024-04-01T00:00:00Z",
    fees: [
      "2024-02-01 12000 2024-01-20T00:00:00Z 2024-01-31T23:59:59Z",
      "2024-03-01 31000 2024-02-01T00:00:00Z 2024-02-29T23:59:59Z",
      "2024-04-01 31000 2024-03-01T00:00:00Z 2024-03-31T23:59:59Z",
    ],
    usage: "2024-04-01T00:00:00Z 2024-04-30T23:59:59Z",
  },
  {
    name: "calendar monthly arrears, start on the first day at noon",
    terms: "UTC monthly calendar in arrears 31000",
    start: "2023-04-01T12:00:00Z",
    until: "2023-07-01T00:00:00Z",
    fees: [
      "2023-05-01 31000 2023-04-01T00:00:00Z 2023-04-30T23:59:59Z",
      "2023-06-01 31000 2023-05-01T00:00:00Z 2023-05-31T23:59:59Z",
      "2023-07-01 31000 2023-06-01T00:00:00Z 2023-06-30T23:59:59Z",
    ],
    usage: "2023-07-01T00:00:00Z 2023-07-31T23:59:59Z",
  },
  {
    name: "calendar weekly arrears, start on Wednesday",
    terms: "UTC weekly calendar in arrears 1000",
    start: "2024-05-15T10:00:00Z",
    until: "2024-06-03T00:00:00Z",
    fees: [
      "2024-05-20 714 2024-05-15T00:00:00Z 2024-05-19T23:59:59Z",
      "2024-05-27 1000 2024-05-20T00:00:00Z 2024-05-26T23:59:59Z",
      "2024-06-03 1000 2024-05-27T00:00:00Z 2024-06-02T23:59:59Z",
    ],
    usage: "2024-06-03T00:00:00Z 2024-06-09T23:59:59Z",
  },
  {
    name: "calendar weekly in advance, start on Sunday",
    terms: "UTC weekly calendar in advance 1000",
    start: "2024-12-29T10:00:00Z",
    until: "2025-01-06T00:00:00Z",
    fees: [
      "2024-12-29 143 2024-12-29T00:00:00Z 2024-12-29T23:59:59Z",
      "2024-12-30 1000 2024-12-30T00:00:00Z 2025-01-05T23:59:59Z",
      "2025-01-06 1000 2025-01-06T00:00:00Z 2025-01-12T23:59:59Z",
    ],
    usage: "2025-01-06T00:00:00Z 2025-01-12T23:59:59Z",
  },
  {
    name: "calendar quarterly in advance, start 31 December",
    terms: "UTC quarterly calendar in advance 92000",
    start: "2023-12-31T08:00:00Z",
    until: "2024-04-01T00:00:00Z",
    fees: [
      "2023-12-31 1000 2023-12-31T00:00:00Z 2023-12-31T23:59:59Z",
      "2024-01-01 92000 2024-01-01T00:00:00Z 2024-03-31T23:59:59Z",
      "2024-04-01 92000 2024-04-01T00:00:00Z 2024-06-30T23:59:59Z",
    ],
    usage: "2024-04-01T00:00:00Z 2024-06-30T23:59:59Z",
  },
  {
    name: "calendar yearly in advance, common year start 31 December",
    terms: "UTC yearly calendar in advance 365000",
    start: "2023-12-31T00:00:00Z",
    until: "2024-01-01T00:00:00Z",
    fees: [
      "2023-12-31 1000 2023-12-31T00:00:00Z 2023-12-31T23:59:59Z",
      "2024-01-01 365000 2024-01-01T00:00:00Z 2024-12-31T23:59:59Z",
    ],
    usage: "2024-01-01T00:00:00Z 2024-12-31T23:59:59Z",
  },
  {
    name: "anniversary monthly arrears on the 31st, common year",
    terms: "UTC monthly anniversary in arrears 31000",
    start: "2023-01-31T00:00:00Z",
    until: "2023-06-30T00:00:00Z",
    fees: [
      "2023-02-28 31000 2023-01-31T00:00:00Z 2023-02-27T23:59:59Z",
      "2023-03-31 31000 2023-02-28T00:00:00Z 2023-03-30T23:59:59Z",
      "2023-04-30 31000 2023-03-31T00:00:00Z 2023-04-29T23:59:59Z",
      "2023-05-31 31000 2023-04-30T00:00:00Z 2023-05-30T23:59:59Z",
      "2023-06-30 31000 2023-05-31T00:00:00Z 2023-06-29T23:59:59Z",
    ],
    usage: "2023-06-30T00:00:00Z 2023-07-30T23:59:59Z",
  },
  {
    name: "anniversary monthly arrears on the 29th, common February",
    terms: "UTC monthly anniversary in arrears 31000",
    start: "2022-12-29T00:00:00Z",
    until: "2023-04-29T00:00:00Z",
    fees: [
      "2023-01-29 31000 2022-12-29T00:00:00Z 2023-01-28T23:59:59Z",
      "2023-02-28 31000 2023-01-29T00:00:00Z 2023-02-27T23:59:59Z",
      "2023-03-29 31000 2023-02-28T00:00:00Z 2023-03-28T23:59:59Z",
      "2023-04-29 31000 2023-03-29T00:00:00Z 2023-04-28T23:59:59Z",
    ],
    usage: "2023-04-29T00:00:00Z 2023-05-28T23:59:59Z",
  },
  {
    name: "anniversary weekly in advance from Saturday",
    terms: "UTC weekly anniversary in advance 7000",
    start: "2024-02-24T18:00:00Z",
    until: "2024-03-09T00:00:00Z",
    fees: [
      "2024-02-24 7000 2024-02-24T00:00:00Z 2024-03-01T23:59:59Z",
      "2024-03-02 7000 2024-03-02T00:00:00Z 2024-03-08T23:59:59Z",
      "2024-03-09 7000 2024-03-09T00:00:00Z 2024-03-15T23:59:59Z",
    ],
    usage: "2024-03-09T00:00:00Z 2024-03-15T23:59:59Z",
  },
  {
    name: "anniversary weekly arrears across the year end",
    terms: "UTC weekly anniversary in arrears 7000",
    start: "2024-12-26T00:00:00Z",
    until: "2025-01-09T00:00:00Z",
    fees: [
      "2025-01-02 7000 2024-12-26T00:00:00Z 2025-01-01T23:59:59Z",
      "2025-01-09 7000 2025-01-02T00:00:00Z 2025-01-08T23:59:59Z",
    ],
    usage: "2025-01-09T00:00:00Z 2025-01-15T23:59:59Z",
  },
  {
    name: "anniversary quarterly in advance on 31 August",
    terms: "UTC quarterly anniversary in advance 91000",
    start: "2022-08-31T00:00:00Z",
    until: "2023-05-31T00:00:00Z",
    fees: [
      "2022-08-31 91000 2022-08-31T00:00:00Z 2022-11-29T23:59:59Z",
      "2022-11-30 91000 2022-11-30T00:00:00Z 2023-02-27T23:59:59Z",
      "2023-02-28 91000 2023-02-28T00:00:00Z 2023-05-30T23:59:59Z",
      "2023-05-31 91000 2023-05-31T00:00:00Z 2023-08-30T23:59:59Z",
    ],
    usage: "2023-05-31T00:00:00Z 2023-08-30T23:59:59Z",
  },
  {
    name: "anniversary yearly arrears with 29 February inside",
    terms: "UTC yearly anniversary in arrears 365000",
    start: "2023-06-29T00:00:00Z",
    until: "2025-06-29T00:00:00Z",
    fees: [
      "2024-06-29 365000 2023-06-29T00:00:00Z 2024-06-28T23:59:59Z",
      "2025-06-29 365000 2024-06-29T00:00:00Z 2025-06-28T23:59:59Z",
    ],
    usage: "2025-06-29T00:00:00Z 2026-06-28T23:59:59Z",
  },
  {
    name: "New York calendar monthly, spring change",
    terms: "America/New_York monthly calendar in arrears 31000",
    start: "2024-02-10T12:00:00Z",
    until: "2024-05-01T04:00:00Z",
    fees: [
      "2024-03-01 21379 2024-02-10T05:00:00Z 2024-03-01T04:59:59Z",
      "2024-04-01 31000 2024-03-01T05:00:00Z 2024-04-01T03:59:59Z",
      "2024-05-01 31000 2024-04-01T04:00:00Z 2024-05-01T03:59:59Z",
    ],
    usage: "2024-05-01T04:00:00Z 2024-06-01T03:59:59Z",
  },
  {
    name: "New York weekly across the 23 hour day",
    terms: "America/New_York weekly calendar in arrears 7000",
    start: "2024-03-07T12:00:00Z",
    until: "2024-03-18T04:00:00Z",
    fees: [
      "2024-03-11 4000 2024-03-07T05:00:00Z 2024-03-11T03:59:59Z",
      "2024-03-18 7000 2024-03-11T04:00:00Z 2024-03-18T03:59:59Z",
    ],
    usage: "2024-03-18T04:00:00Z 2024-03-25T03:59:59Z",
  },
  {
    name: "Kolkata calendar monthly, UTC date is still the day before",
    terms: "Asia/Kolkata monthly calendar in arrears 31000",
    start: "2024-01-31T20:00:00Z",
    until: "2024-04-30T18:30:00Z",
    fees: [
      "2024-03-01 31000 2024-01-31T18:30:00Z 2024-02-29T18:29:59Z",
      "2024-04-01 31000 2024-02-29T18:30:00Z 2024-03-31T18:29:59Z",
      "2024-05-01 31000 2024-03-31T18:30:00Z 2024-04-30T18:29:59Z",
    ],
    usage: "2024-04-30T18:30:00Z 2024-05-31T18:29:59Z",
  },
  {
    name: "Auckland calendar monthly, summer time ends in April",
    terms: "Pacific/Auckland monthly calendar in arrears 31000",
    start: "2024-03-31T11:30:00Z",
    until: "2024-05-31T12:00:00Z",
    fees: [
      "2024-05-01 31000 2024-03-31T11:00:00Z 2024-04-30T11:59:59Z",
      "2024-06-01 31000 2024-04-30T12:00:00Z 2024-05-31T11:59:59Z",
    ],
    usage: "2024-05-31T12:00:00Z 2024-06-30T11:59:59Z",
  },
  {
    name: "Auckland weekly in advance across 29 September",
    terms: "Pacific/Auckland weekly calendar in advance 7000",
    start: "2024-09-25T00:00:00Z",
    until: "2024-10-06T11:00:00Z",
    fees: [
      "2024-09-25 5000 2024-09-24T12:00:00Z 2024-09-29T10:59:59Z",
      "2024-09-30 7000 2024-09-29T11:00:00Z 2024-10-06T10:59:59Z",
      "2024-10-07 7000 2024-10-06T11:00:00Z 2024-10-13T10:59:59Z",
    ],
    usage: "2024-10-06T11:00:00Z 2024-10-13T10:59:59Z",
  },
  {
    name: "Havana anniversary on a day without midnight (10 March)",
    terms: "America/Havana monthly anniversary in arrears 31000",
    start: "2024-02-10T17:00:00Z",
    until: "2024-04-10T04:00:00Z",
    fees: [
      "2024-03-10 31000 2024-02-10T05:00:00Z 2024-03-10T04:59:59Z",
      "2024-04-10 31000 2024-03-10T05:00:00Z 2024-04-10T03:59:59Z",
    ],
    usage: "2024-04-10T04:00:00Z 2024-05-10T03:59:59Z",
  },
  {
    name: "Cairo calendar monthly, clocks go back at the month's end",
    terms: "Africa/Cairo monthly calendar in arrears 31000",
    start: "2024-09-30T22:30:00Z",
    until: "2024-11-30T22:00:00Z",
    fees: [
      "2024-11-01 31000 2024-09-30T21:00:00Z 2024-10-31T21:59:59Z",
      "2024-12-01 31000 2024-10-31T22:00:00Z 2024-11-30T21:59:59Z",
    ],
    usage: "2024-11-30T22:00:00Z 2024-12-31T21:59:59Z",
  },
  {
    name: "Tokyo calendar monthly in advance",
    terms: "Asia/Tokyo monthly calendar in advance 31000",
    start: "2024-02-29T15:00:00Z",
    until: "2024-03-31T15:00:00Z",
    fees: [
      "2024-03-01 31000 2024-02-29T15:00:00Z 2024-03-31T14:59:59Z",
      "2024-04-01 31000 2024-03-31T15:00:00Z 2024-04-30T14:59:59Z",
    ],
    usage: "2024-03-31T15:00:00Z 2024-04-30T14:59:59Z",
  },
  {
    name: "Kiritimati (UTC+14) calendar monthly arrears",
    terms: "Pacific/Kiritimati monthly calendar in arrears 31000",
    start: "2024-01-31T10:00:00Z",
    until: "2024-03-31T10:00:00Z",
    fees: [
      "2024-03-01 31000 2024-01-31T10:00:00Z 2024-02-29T09:59:59Z",
      "2024-04-01 31000 2024-02-29T10:00:00Z 2024-03-31T09:59:59Z",
    ],
    usage: "2024-03-31T10:00:00Z 2024-04-30T09:59:59Z",
  },
])("$name", ({ terms, start, until, fees, usage }) => {
  const life = subscribed(terms, start);
  expect(shownFees(life.advance(at(until).subtract({ seconds: 1 })))).toEqual(fees.slice(0, -1));
  expect(shownFees(life.advance(until))).toEqual(fees);
  const { window, issuingOn } = currentUsage(life.active(), at(until));
  expect(`${window.from} ${lastSecond(window.to)}`).toBe(usage);
  expect(issuingOn).toEqual(dayOf(window.to, life.timeZone));
});
