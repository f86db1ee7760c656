import { describe, expect, it, test } from "vitest";
import { currency, decimal, fraction, minor } from "../money/index.ts";
import { computeInvoice, feeTaxes, taxesFor } from "./index.ts";

const tax = (code: string, rate: string) => ({ code, name: code.toUpperCase(), rate: decimal(rate) });
const [nearest, near, customer, organization] = [tax("a", "5"), tax("b", "10"), tax("c", "20"), tax("d", "15")];
const others = { customer: [customer], organization: [organization] };
const codes = (taxes: readonly { code: string }[]) => taxes.map(({ code }) => code);

describe("the nearest level that has taxes wins, and levels never add up", () => {
  const subscription = { kind: "subscription", planCode: "p" } as const;
  const charge = { kind: "charge", planCode: "p", metricCode: "m" } as const;
  const commitment = { kind: "commitment", planCode: "p" } as const;

  it.each([
    ["subscription: plan", { ...subscription, planTaxes: [near] }, ["b"]],
    ["subscription: customer", { ...subscription, planTaxes: [] }, ["c"]],
    ["charge: charge", { ...charge, chargeTaxes: [nearest], planTaxes: [near] }, ["a"]],
    ["charge: plan before customer", { ...charge, chargeTaxes: [], planTaxes: [near] }, ["b"]],
    ["charge: customer", { ...charge, chargeTaxes: [], planTaxes: [] }, ["c"]],
    ["commitment: commitment", { ...commitment, commitmentTaxes: [nearest], planTaxes: [near] }, ["a"]],
    ["commitment: plan", { ...commitment, commitmentTaxes: [], planTaxes: [near] }, ["b"]],
    ["add-on: fee", { kind: "add_on", feeTaxes: [nearest], addOnTaxes: [near] } as const, ["a"]],
    ["add-on: add-on", { kind: "add_on", feeTaxes: [], addOnTaxes: [near] } as const, ["b"]],
    ["add-on: customer", { kind: "add_on", feeTaxes: [], addOnTaxes: [] } as const, ["c"]],
    ["purchased credits: never", { kind: "credit" } as const, []],
  ])("%s", (_, item, expected) => expect(codes(taxesFor(item, others))).toEqual(expected));

  test("the organization's taxes are for customers without any, and may be none", () => {
    const item = { ...subscription, planTaxes: [] };
    expect(codes(taxesFor(item, { customer: [], organization: [organization] }))).toEqual(["d"]);
    expect(taxesFor(item, { customer: [], organization: [] })).toEqual([]);
  });

  test("all taxes of the winning level apply", () => {
    expect(codes(taxesFor({ ...subscription, planTaxes: [near, nearest] }, others))).toEqual(["b", "a"]);
  });
});

test("each tax of a fee bears on the same base, and their sum is rounded once", () => {
  const { lines, taxesMinor, taxesRate } = feeTaxes({ base: fraction(1000n).over(3n), taxes: [near, nearest] });
  expect(lines.map(({ tax, amountMinor }) => [tax.code, amountMinor])).toEqual([
    ["b", 33n],
    ["a", 17n],
  ]);
  expect(taxesMinor).toBe(50n);
  expect(taxesRate.toFixed()).toBe("15");
  expect(feeTaxes({ base: fraction(5n), taxes: [] })).toMatchObject({ lines: [], taxesMinor: 0n });
});

describe("the taxes of an invoice", () => {
  const fee = (id: string, cents: number, taxes: readonly ReturnType<typeof tax>[]) => ({
    id,
    label: id,
    amountMinor: minor(BigInt(cents)),
    item: { kind: "add_on", feeTaxes: taxes, addOnTaxes: [] } as const,
  });
  const oneOff = (...fees: ReturnType<typeof fee>[]) =>
    computeInvoice({
      id: "invoice",
      form: { type: "one_off", status: "finalized" },
      currency: currency("EUR"),
      at: Temporal.Instant.from("2024-01-01T00:00:00Z"),
      fees,
      taxes: { customer: [], organization: [] },
      coupons: [],
      creditNotes: [],
      wallets: [],
    });

  test("charge before plan before customer, with the figures of each tax", () => {
    const invoice = oneOff(fee("plan", 3100, [near]), fee("calls", 1000, [nearest]), fee("seats", 2000, [near]));
    expect(invoice.fees.map(({ taxesMinor, totalMinor }) => [taxesMinor, totalMinor])).toEqual([
      [310n, 3410n],
      [50n, 1050n],
      [200n, 2200n],
    ]);
    expect(
      invoice.taxLines.map(({ tax, base, basesCount, amountMinor }) => [
        tax.code,
        base.numerator,
        basesCount,
        amountMinor,
      ]),
    ).toEqual([
      ["a", 1000n, 1, 50n],
      ["b", 5100n, 2, 510n],
    ]);
    expect(invoice.figures.taxesMinor).toBe(560n);
    expect(invoice.figures.totalMinor).toBe(6660n);
    // 5 × 1000/6100 + 10 × 5100/6100
    expect(invoice.taxesRate.toFixed()).toBe("9.18033");
  });

  test("are rounded once, not per fee: three fees of 5 cents at 10 % bear 2 cents, though each shows 1", () => {
    const invoice = oneOff(fee("a", 5, [near]), fee("b", 5, [near]), fee("c", 5, [near]));
    expect(invoice.fees.map(({ taxesMinor }) => taxesMinor)).toEqual([1n, 1n, 1n]);
    expect(invoice.figures).toMatchObject({ feesMinor: 15n, taxesMinor: 2n, totalMinor: 17n });
  });

  test("are rounded once over several taxes too: two of half a cent are one cent, though each line shows 1", () => {
    const invoice = oneOff(fee("x", 5, [near, tax("e", "10")]));
    expect(invoice.taxLines.map(({ amountMinor }) => amountMinor)).toEqual([1n, 1n]);
    expect(invoice.figures.taxesMinor).toBe(1n);
  });

  test("come by code, whatever the order of the fees", () => {
    const fees = [fee("x", 100, [customer]), fee("y", 100, [nearest]), fee("z", 100, [near])];
    expect(oneOff(...fees).taxLines.map(({ tax }) => tax.code)).toEqual(["a", "b", "c"]);
    expect(oneOff(...fees.toReversed()).taxLines.map(({ tax }) => tax.code)).toEqual(["a", "b", "c"]);
  });

  test("one code with two rates is two lines", () => {
    const invoice = oneOff(fee("x", 100, [tax("vat", "19")]), fee("y", 200, [tax("vat", "20")]));
    expect(invoice.taxLines.map(({ tax, amountMinor }) => [tax.rate.toFixed(), amountMinor])).toEqual([
      ["19", 19n],
      ["20", 40n],
    ]);
  });

  test("where nothing is left to weigh, the rate is weighed by the number of fees", () => {
    const invoice = oneOff(fee("x", 0, [near]), fee("y", 0, [near, nearest]), fee("z", 0, []));
    // 10 × 2/3 + 5 × 1/3
    expect(invoice.taxesRate.toFixed()).toBe("8.33333");
    expect(oneOff().taxesRate.toFixed()).toBe("0");
  });
});
