import { describe, expect, it, test } from "vitest";
import { minor } from "../money/index.ts";
import { type Lot, lotAfterPayment, takeFromLots, withheldOf } from "./index.ts";

const cents = (amount: number) => minor(BigInt(amount));
const day = (number: number) => Temporal.Instant.from("2024-01-01T00:00:00Z").add({ hours: 24 * number });

describe("spending", () => {
  const lot = (id: string, kind: Lot["kind"], remaining: number, age = 1): Lot => ({
    id,
    kind,
    createdAt: day(age),
    remainingMinor: cents(remaining),
  });
  const taken = (lots: readonly Lot[], amount: number) =>
    takeFromLots(lots, cents(amount)).map(
      ({ lotId, amountMinor, remainingMinor }) => `${lotId} ${amountMinor} leaves ${remainingMinor}`,
    );

  test("takes granted lots before purchased ones, then the oldest, whatever the order given", () => {
    const lots = [
      lot("bought first", "purchased", 1000, 1),
      lot("granted last", "granted", 600, 3),
      lot("granted first", "granted", 500, 2),
      lot("bought last", "purchased", 2000, 4),
    ];
    const expected = ["granted first 500 leaves 0", "granted last 600 leaves 0", "bought first 100 leaves 900"];
    expect(taken(lots, 1200)).toEqual(expected);
    expect(taken(lots.toReversed(), 1200)).toEqual(expected);
    expect(taken(lots, 4100).at(-1)).toBe("bought last 2000 leaves 0");
  });

  test("of one age the smaller id goes first; empty lots give nothing", () => {
    const lots = [lot("b", "granted", 5), lot("a", "granted", 5), lot("empty", "granted", 0, 0)];
    expect(taken(lots, 6)).toEqual(["a 5 leaves 0", "b 1 leaves 4"]);
    expect(taken(lots, 0)).toEqual([]);
  });

  test("never takes more than there is", () => {
    expect(() => taken([lot("a", "granted", 5)], 6)).toThrow(RangeError);
  });
});

describe("the part of a purchase that belongs in its wallet", () => {
  const lot = (remaining: number, withheld: number, writtenOff = 0) => ({
    remainingMinor: cents(remaining),
    withheldMinor: cents(withheld),
    writtenOffMinor: cents(writtenOff),
  });
  it.each([
    ["bought and paid", lot(0, 10_000), true, 10_000n],
    ["bounced after 80.00 were spent", lot(2000, 0), false, 0n],
    ["paid again", lot(0, 2000), true, 2000n],
    ["of which 15.00 are written off", lot(0, 2000, 1500), true, 500n],
    ["of which more is written off than is left", lot(0, 2000, 4000), true, 0n],
    ["written off", lot(0, 10_000, 10_000), true, 0n],
    ["written off in part and not paid", lot(0, 10_000, 4000), false, 0n],
    ["paid but for what is written off, with credits that came back", lot(8000, 2000, 4000), true, 6000n],
  ])("%s", (_, given, isPaid, expected) => expect(lotAfterPayment(given, isPaid)).toBe(expected));

  test("what is still to come of it is what is withheld and not written off", () => {
    expect(withheldOf(lot(0, 5000, 1000))).toBe(4000n);
    expect(withheldOf(lot(0, 500, 1000))).toBe(0n);
  });
});
