import { CHARGE_MODELS } from "@tallystick/core/catalog";
import { describe, expect, test } from "vitest";
import { differenceOf, factsOf } from "./difference.ts";
import { type DraftCharge, type DraftPlan, EMPTY_PLAN, EMPTY_PRICE, membersOf, newCharge } from "./draft.ts";

const nameOf = (id: string) => (id ? `Metric ${id}` : "");
const differ = (one: DraftPlan, other: DraftPlan) => differenceOf(factsOf(one, nameOf), factsOf(other, nameOf));

const price = {
  ...EMPTY_PRICE,
  ...{ amount: "1", rate: "1", fixedAmount: "1", freeEvents: "1", freeTotal: "1", leastPerEvent: "1" },
  mostPerEvent: "2",
  tiers: [
    { to: "10", each: "1", flat: "1" },
    { to: "", each: "2", flat: "0" },
  ],
};
const planOf = (charge: Partial<DraftCharge>): DraftPlan => ({
  ...EMPTY_PLAN,
  charges: [
    {
      ...newCharge(undefined),
      ...{ key: "charge", metricId: "a", price },
      filters: [{ key: "filter", name: "", values: { region: ["eu"] }, price }],
      ...charge,
    },
  ],
});

/** They are no text that someone types. */
const CHOSEN = ["key", "isStored", "interval", "currency", "model", "timing"];

/** Drafts in which one member, at any depth, is another one. */
function* variants(value: unknown): Generator<unknown> {
  if (typeof value === "boolean") yield !value;
  else if (typeof value === "string")
    yield value === "" || /^\d+$/.test(value) ? `${Number(value || 4) + 3}` : `${value}7`;
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const other of variants(item)) yield value.with(index, other);
    if (value.length > 0) yield value.slice(1);
  } else if (typeof value === "object" && value !== null)
    for (const [name, own] of Object.entries(value).filter(([name]) => !CHOSEN.includes(name)))
      for (const other of variants(own)) yield { ...value, [name]: other };
}

describe("the difference of two plans", () => {
  test.each(CHARGE_MODELS)("with a charge of the model %s says every change that is sent", (model) => {
    const before = planOf({ model });
    const sent = JSON.stringify(membersOf(before));
    const changed = ([...variants(before)] as DraftPlan[]).filter((other) => JSON.stringify(membersOf(other)) !== sent);
    expect(changed.length).toBeGreaterThan(10);
    for (const other of changed) expect(differ(before, other), JSON.stringify(other)).not.toEqual([]);
  });

  test("says the model, the interval and the time of billing", () => {
    const before = planOf({});
    expect(differ(before, planOf({ model: "package" })).map(({ what }) => what)).toContain("Model");
    expect(differ(before, planOf({ timing: "regroup" })).map(({ what }) => what)).toEqual(["Billed"]);
    expect(differ(before, { ...before, interval: "yearly" })).toMatchObject([{ what: "Base fee" }]);
  });

  test("is nothing between a plan and itself", () => {
    expect(differ(planOf({}), planOf({}))).toEqual([]);
  });

  test("shows an amount before and after, with its currency and all its digits", () => {
    const before = planOf({ filters: [] });
    const after = planOf({ filters: [], price: { ...price, amount: "0.00000123" } });
    expect(differ(before, after)).toMatchObject([
      { of: "Metric a", what: "Price of a unit", before: "€1.00", after: "€0.00000123" },
    ]);
  });
});
