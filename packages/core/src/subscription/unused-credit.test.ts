import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { decimal, fraction, minor } from "../money/index.ts";
import { subscriptionFee, type Terminated, terminate, type UnusedCreditDerivation, unusedCredit } from "./index.ts";
import { at, Life, plan } from "./testing/life.ts";
import { type BilledFee, unusedCreditFrom } from "./unused-credit.ts";

const inAdvance = { isPaidInAdvance: true };

/** A subscription with its only fee, and its end at an instant. */
function ended(start: string, end: string, amount = 5000, terms = {}): { fee: BilledFee; old: Terminated } {
  const life = new Life(start);
  life.subscribe(plan(amount, { ...inAdvance, ...terms }));
  life.advance(end);
  const [line] = life.invoices.at(-1)?.lines ?? [];
  if (!line?.bill.fee || !line.fee) throw new Error("No fee was billed.");
  const fee = { window: line.bill.fee, planAmountMinor: minor(BigInt(amount)), amountMinor: line.fee.amountMinor };
  const { ended: old } = terminate(life.active(), null, at(end));
  return { fee: { ...fee, creditedMinor: decimal("0"), isInvoiceVoided: false }, old };
}

const credited = ({ fee, old }: { fee: BilledFee; old: Terminated }, more: Partial<BilledFee> = {}) =>
  unusedCredit({ ...fee, ...more }, old)?.creditMinor.toFixed();

describe("days that were paid and not used", () => {
  it.each([
    ["2023-02-08T00:00:00Z", "2023-02-08T15:00:00Z", "3571.42857"],
    ["2023-02-01T00:00:00Z", "2023-02-25T12:00:00Z", "535.71428"],
    ["2023-02-01T00:00:00Z", "2023-02-27T23:59:59Z", "178.57142"],
    ["2023-02-01T00:00:00Z", "2023-02-28T00:00:00Z", undefined],
  ])("from %s, ended %s: %s", (start, end, credit) => expect(credited(ended(start, end))).toBe(credit));

  it("count the day of an upgrade", () => {
    const { fee, old } = ended("2023-02-08T00:00:00Z", "2023-02-25T12:00:00Z");
    expect(credited({ fee, old: { ...old, cause: "upgraded" } })).toBe("714.28571");
  });

  it("are credited at the price they were billed at, never above the fee", () => {
    const { fee, old } = ended("2024-01-18T00:00:00Z", "2024-01-18T12:00:00Z", 10_000);
    expect(credited({ fee, old: { ...old, cause: "upgraded" } })).toBe("4516");
    expect(credited({ fee, old }, { planAmountMinor: minor(1000n) })).toBe("419.35483");
  });

  it("are credited once: what was credited of the fee before is taken off", () => {
    const life = ended("2024-01-01T00:00:00Z", "2024-01-15T12:00:00Z", 3100);
    expect(credited(life, { creditedMinor: decimal("1000.5") })).toBe("599.5");
    expect(credited(life, { creditedMinor: decimal("1600") })).toBeUndefined();
    expect(credited(life, { creditedMinor: decimal("3100") })).toBeUndefined();
  });

  it("are nothing of a free fee, of a voided invoice, or of a period that is over", () => {
    const life = ended("2024-01-01T00:00:00Z", "2024-01-15T12:00:00Z", 3100);
    expect(credited(life, { amountMinor: minor(0n) })).toBeUndefined();
    expect(credited(life, { isInvoiceVoided: true })).toBeUndefined();
    const next = { ...life.old, terminatedAt: at("2024-02-01T00:00:00Z") };
    expect(credited({ ...life, old: next })).toBeUndefined();
  });

  it("are counted from the trial's end where the fee was", () => {
    const life = ended("2024-01-01T06:00:00Z", "2024-01-11T08:00:00Z", 3100, { trialDays: decimal("10") });
    expect(life.fee.amountMinor).toBe(2100n);
    expect(credited(life)).toBe("2000");
    expect(credited({ ...life, old: { ...life.old, cause: "upgraded" } })).toBe("2100");
  });

  it("are those of the period, also after a move to another zone", () => {
    const { fee, old } = ended("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z", 3100);
    const moved: Terminated = { ...old, timeZone: "America/New_York" };
    // In New York it is still December.
    expect(credited({ fee, old: moved })).toBe("3000");
    // There the period that ended has an evening left.
    const after: Terminated = { ...moved, cause: "upgraded", terminatedAt: at("2024-02-01T00:00:00Z") };
    expect(credited({ fee, old: after })).toBeUndefined();
  });
});

it("keeps the days, the limit and what was credited before", () => {
  const { fee, old } = ended("2024-01-18T00:00:00Z", "2024-01-18T12:00:00Z", 10_000);
  const upgraded: Terminated = { ...old, cause: "upgraded" };
  expect(unusedCredit({ ...fee, creditedMinor: decimal("16") }, upgraded)?.derivation).toMatchObject({
    planAmountMinor: "10000",
    firstDay: "2024-01-18",
    lastDay: "2024-01-31",
    unusedDays: 14,
    periodDays: 31,
    unusedMinor: "140000/31",
    feeAmountMinor: "4516",
    creditedMinor: "16",
    creditMinor: "4500",
  });
  expect(unusedCredit(fee, old)?.derivation).toMatchObject({
    firstDay: "2024-01-19",
    lastDay: "2024-01-31",
    unusedDays: 13,
    unusedMinor: "130000/31",
    creditedMinor: "0",
    creditMinor: "4193.54838",
  });
});

test("what is used and what is credited make up the fee, to a cent; the credit can be computed again", () => {
  const hours = fc.integer({ min: 0, max: 24 * 29 - 1 });
  fc.assert(
    fc.property(hours, hours, fc.bigInt(0n, 10n ** 9n).map(minor), fc.boolean(), (one, other, amount, isUpgrade) => {
      const month = at("2024-02-01T00:00:00Z");
      const [start, end] = [Math.min(one, other), Math.max(one, other)].map((hour) => month.add({ hours: hour }));
      const { fee, old } = ended(String(start), String(end), Number(amount));
      const credit = unusedCredit(fee, { ...old, cause: isUpgrade ? "upgraded" : "ended" });
      const creditMinor = credit?.creditMinor ?? decimal("0");
      const lastUsed = old.terminatedAt.toZonedDateTimeISO("UTC").toPlainDate();
      const lastDay = isUpgrade ? lastUsed.subtract({ days: 1 }) : lastUsed;
      const used = subscriptionFee(amount, { ...fee.window, lastDay }).amountMinor;
      const difference = fraction(fee.amountMinor).minus(creditMinor).minus(used);
      expect(difference.isAbove(-2n) && difference.isBelow(2n)).toBe(true);
      expect(fraction(creditMinor).isAbove(fee.amountMinor)).toBe(false);
      if (credit === null) return;
      const kept: UnusedCreditDerivation = JSON.parse(JSON.stringify(credit.derivation));
      expect(kept).toEqual(credit.derivation);
      expect(unusedCreditFrom(kept).eq(credit.creditMinor)).toBe(true);
    }),
    { numRuns: 60 },
  );
});
