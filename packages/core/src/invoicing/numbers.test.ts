import { describe, expect, it, test } from "vitest";
import { creditNoteNumber, customerSlug, defaultPrefix, draftNumber, invoiceNumber } from "./index.ts";

describe("the prefix of an organization that chose none", () => {
  it.each([
    ["Acme Inc", "ACM-1A2B"],
    ["Éclair", "ECL-1A2B"],
    ["A-1 Tools", "A1T-1A2B"],
    ["Ab", "AB-1A2B"],
    ["東京", "ORG-1A2B"],
    ["", "ORG-1A2B"],
  ])("%s: %s", (name, expected) => expect(defaultPrefix(name, "0190e000-0000-7000-8000-000000001a2b")).toBe(expected));
});

test("the second customer of ORG-1 is ORG-1-002, its third invoice ORG-1-002-003, a note on it ORG-1-002-003-CN001", () => {
  expect(customerSlug("ORG-1", 2n)).toBe("ORG-1-002");
  const number = invoiceNumber("ORG-1", { type: "per_customer", customerNumber: 2n, number: 3n });
  expect(number).toBe("ORG-1-002-003");
  expect(creditNoteNumber(number, 1n)).toBe("ORG-1-002-003-CN001");
});

test("numbers grow beyond three digits", () => {
  expect(customerSlug("P", 999n)).toBe("P-999");
  expect(invoiceNumber("P", { type: "per_customer", customerNumber: 1000n, number: 12_345n })).toBe("P-1000-12345");
  expect(creditNoteNumber("P-1", 1000n)).toBe("P-1-CN1000");
});

describe("counted by the organization, the month is that of the finalization in its own zone", () => {
  it.each([
    ["2024-06-15T12:00:00Z", "UTC", "ORG-1-202406-003"],
    ["2024-11-30T23:30:00Z", "UTC", "ORG-1-202411-003"],
    ["2024-11-30T23:30:00Z", "Europe/Paris", "ORG-1-202412-003"],
    ["2024-02-01T02:00:00Z", "America/New_York", "ORG-1-202401-003"],
  ])("%s in %s: %s", (at, timeZone, expected) => {
    const finalizedAt = Temporal.Instant.from(at);
    expect(invoiceNumber("ORG-1", { type: "per_organization", finalizedAt, timeZone, number: 3n })).toBe(expected);
  });
});

test("a draft has no number of its own", () => expect(draftNumber("ORG-1")).toBe("ORG-1-DRAFT"));
