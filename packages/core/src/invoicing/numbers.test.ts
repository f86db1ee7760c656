import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { creditNoteNumber, customerSlug, defaultPrefix, draftNumber, invoiceNumber } from "./index.ts";

describe("the default prefix of an organization", () => {
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

test.each([
  [202_406n, "ORG-0202406-003"],
  [999_912n, "ORG-0999912-003"],
  [1_000_001n, "ORG-01000001-003"],
  [202_400n, "ORG-202400-003"],
  [202_413n, "ORG-202413-003"],
  [99_912n, "ORG-99912-003"],
])("customer %s is not written like a month: %s", (customerNumber, expected) => {
  expect(invoiceNumber("ORG", { type: "per_customer", customerNumber, number: 3n })).toBe(expected);
});

test("two invoices have one number only if prefix, scheme and counters are the same", () => {
  const prefix = fc.constantFrom("ORG", "ORG-001", "ORG-202406", "ORG-0202406", "202406", "-", "A-CN001");
  const number = fc.constantFrom(1n, 2n, 12n, 999n, 1000n, 202_406n);
  const customerNumber = fc.oneof(number, fc.bigInt({ min: 190_001n, max: 1_000_012n }));
  const finalizedAt = fc
    .tuple(fc.constantFrom("1900", "2024", "9999"), fc.constantFrom("01", "06", "12"))
    .map(([year, month]) => Temporal.Instant.from(`${year}-${month}-15T00:00:00Z`));
  const perCustomer = fc.record({ type: fc.constant("per_customer" as const), customerNumber, number });
  const perOrganization = fc.record({
    type: fc.constant("per_organization" as const),
    finalizedAt,
    timeZone: fc.constant("UTC"),
    number,
  });
  type Numbered = { prefix: string; numbering: Parameters<typeof invoiceNumber>[1] };
  const one: fc.Arbitrary<Numbered> = fc.record({ prefix, numbering: fc.oneof(perCustomer, perOrganization) });
  const textOf = ({ prefix, numbering }: Numbered) => invoiceNumber(prefix, numbering);
  fc.assert(
    fc.property(one, one, (first, second) => {
      if (textOf(first) === textOf(second)) expect(first).toEqual(second);
    }),
    { numRuns: 2000 },
  );
  // And where a customer has the number of a month.
  fc.assert(
    fc.property(perOrganization, number, (counted, other) => {
      const { year, month } = counted.finalizedAt.toZonedDateTimeISO("UTC");
      const alike = { type: "per_customer", customerNumber: BigInt(year * 100 + month), number: other } as const;
      expect(invoiceNumber("ORG", alike)).not.toBe(invoiceNumber("ORG", counted));
    }),
  );
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
