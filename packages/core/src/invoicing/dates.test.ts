import { describe, expect, it, test } from "vitest";
import { minor } from "../money/index.ts";
import { draftDates, finalizedDates, type InvoiceDates, isOverdue, issuedDates, overdueAt } from "./index.ts";

const day = Temporal.PlainDate.from;
const instant = Temporal.Instant.from;
const text = ({ issuingDate, paymentDueDate }: InvoiceDates) => `${issuingDate}, due ${paymentDueDate}`;

describe("a draft of June, billed in Paris as 1 July begins, with 3 days of grace and a term of 30", () => {
  const terms = { billedOn: day("2024-07-01"), graceDays: 3, netPaymentTermDays: 30, timeZone: "Europe/Paris" };

  test("shows the dates it will have, and is finalized as 4 July begins there", () => {
    const dates = draftDates(terms);
    expect(text(dates)).toBe("2024-07-04, due 2024-08-03");
    expect(dates.finalizesAt).toEqual(instant("2024-07-03T22:00:00Z"));
    expect(text(finalizedDates(dates.finalizesAt, terms))).toBe("2024-07-04, due 2024-08-03");
  });

  test("finalized by hand on 2 July it is of that day", () => {
    expect(text(finalizedDates(instant("2024-07-02T10:00:00Z"), terms))).toBe("2024-07-02, due 2024-08-01");
  });

  test("in Los Angeles it is finalized as 4 July begins there, and is of that day", () => {
    const there = { ...terms, timeZone: "America/Los_Angeles" };
    const { finalizesAt } = draftDates(there);
    expect(finalizesAt).toEqual(instant("2024-07-04T07:00:00Z"));
    expect(text(finalizedDates(finalizesAt, there))).toBe("2024-07-04, due 2024-08-03");
    const aMomentBefore = finalizesAt.subtract({ nanoseconds: 1 });
    expect(finalizedDates(aMomentBefore, there).issuingDate).toEqual(day("2024-07-03"));
  });

  test("a changed grace period moves its dates; from 5 days to 2 on the third day it is due at once", () => {
    const now = instant("2024-07-04T10:00:00Z");
    const long = draftDates({ ...terms, graceDays: 5 });
    const short = draftDates({ ...terms, graceDays: 2 });
    expect([long, short].map(text)).toEqual(["2024-07-06, due 2024-08-05", "2024-07-03, due 2024-08-02"]);
    expect(Temporal.Instant.compare(long.finalizesAt, now)).toBe(1);
    expect(Temporal.Instant.compare(short.finalizesAt, now)).toBe(-1);
  });

  test("a changed term moves its due date only", () => {
    expect(text(draftDates({ ...terms, netPaymentTermDays: 0 }))).toBe("2024-07-04, due 2024-07-04");
  });
});

test("by hand on 2 February with a term of 30: due on 3 March of a leap year", () => {
  const terms = { timeZone: "UTC", netPaymentTermDays: 30 };
  expect(text(finalizedDates(instant("2024-02-02T12:00:00Z"), terms))).toBe("2024-02-02, due 2024-03-03");
  expect(text(issuedDates(day("2024-01-01"), 5))).toBe("2024-01-01, due 2024-01-06");
});

describe("overdue", () => {
  const open = {
    status: "finalized",
    isDisputeLost: false,
    paymentDueDate: day("2024-01-06"),
    totalMinor: minor(1000n),
    paidMinor: minor(0n),
    writtenOffMinor: minor(0n),
  } as const;
  const today = day("2024-01-07");

  it.each([
    ["the day before", "2024-01-05", false],
    ["on the due day", "2024-01-06", false],
    ["the day after", "2024-01-07", true],
    ["much later", "2025-01-01", true],
  ])("%s", (_, date, expected) => expect(isOverdue(open, day(date))).toBe(expected));

  it.each([
    ["paid in part", { ...open, paidMinor: minor(999n) }, true],
    ["paid", { ...open, paidMinor: minor(1000n) }, false],
    ["a draft", { ...open, status: "draft" } as const, false],
    ["voided", { ...open, status: "voided" } as const, false],
    ["lost in a dispute", { ...open, isDisputeLost: true }, false],
    ["written off in part", { ...open, writtenOffMinor: minor(999n) }, true],
    ["written off", { ...open, writtenOffMinor: minor(1000n) }, false],
  ])("%s", (_, invoice, expected) => expect(isOverdue(invoice, today)).toBe(expected));

  test("begins with the day after the due day, where the customer is", () => {
    expect(overdueAt(day("2024-01-06"), "UTC")).toEqual(instant("2024-01-07T00:00:00Z"));
    expect(overdueAt(day("2024-01-06"), "Asia/Tokyo")).toEqual(instant("2024-01-06T15:00:00Z"));
  });
});
