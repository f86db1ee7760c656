import { describe, expect, test } from "vitest";
import { type DraftCharge, type DraftPlan, EMPTY_PLAN, newCharge } from "./draft.ts";
import { mergeDrafts } from "./merge.ts";

const charge = (key: string, change: Partial<DraftCharge> = {}): DraftCharge => ({
  ...newCharge(undefined),
  key,
  isStored: true,
  ...change,
});
const plan = (change: Partial<DraftPlan>): DraftPlan => ({ ...EMPTY_PLAN, ...change });

describe("when two people changed one plan", () => {
  const base = plan({ name: "Pro", amount: "49.00", charges: [charge("one"), charge("two")] });

  test("what only one of them changed is kept, in a charge too", () => {
    const mine = { ...base, charges: [charge("one", { name: "Mine" }), charge("two")] };
    const theirs = { ...base, amount: "59.00", charges: [charge("one", { minimum: "5.00" }), charge("two")] };
    expect(mergeDrafts(base, mine, theirs)).toEqual({
      ...base,
      amount: "59.00",
      charges: [charge("one", { name: "Mine", minimum: "5.00" }), charge("two")],
    });
  });

  test("mine is kept where both changed the same", () => {
    const merged = mergeDrafts(base, { ...base, amount: "1.00" }, { ...base, amount: "2.00", name: "Theirs" });
    expect(merged).toMatchObject({ amount: "1.00", name: "Theirs" });
  });

  test("charges that one of them added or removed are added and removed", () => {
    const mine = { ...base, charges: [charge("two"), charge("new-1", { isStored: false })] };
    const theirs = { ...base, charges: [...base.charges, charge("three")] };
    expect(mergeDrafts(base, mine, theirs).charges.map(({ key }) => key)).toEqual(["two", "three", "new-1"]);
  });

  test("a charge that they removed and I changed comes back as a new one", () => {
    const mine = { ...base, charges: [charge("one", { name: "Mine" }), charge("two")] };
    const merged = mergeDrafts(base, mine, { ...base, charges: [charge("two")] });
    expect(merged.charges).toEqual([charge("two"), charge("one", { name: "Mine", isStored: false })]);
  });

  test("tiers are those of one of them, never a mixture", () => {
    const tiers = (...ends: string[]) =>
      charge("one", {
        price: { ...charge("one").price, tiers: ends.map((to) => ({ to, each: "1", flat: "0" })) },
      });
    const before = plan({ charges: [tiers("10", "")] });
    const merged = mergeDrafts(
      before,
      plan({ charges: [tiers("20", "")] }),
      plan({ charges: [tiers("10", "30", "")] }),
    );
    expect(merged.charges).toEqual([tiers("20", "")]);
  });
});
