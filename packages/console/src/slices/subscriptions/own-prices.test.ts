import type { Charge } from "@tallystick/client";
import { expect, test } from "vitest";
import { overridesOf, pricedCharges } from "./own-prices.ts";

const range = (from_value: number, to_value: number | null) => ({
  ...{ from_value, to_value },
  ...{ per_unit_amount: "0.5", flat_amount: "0" },
});
const charge = (svc_id: string, properties: Charge["properties"], filters: Charge["filters"] = []): Charge => ({
  ...{ svc_id, properties, filters, svc_billable_metric_id: "m", billable_metric_code: "calls", taxes: [] },
  ...{ invoice_display_name: null, created_at: "", charge_model: "standard", invoiceable: true, prorated: false },
  ...{ pay_in_advance: false, regroup_paid_fees: null, min_amount_cents: 0 },
});
const CHARGES = [
  charge("a", { amount: "0.01", grouped_by: ["region"] }, [
    { svc_id: "f", invoice_display_name: null, properties: { amount: "0.02" }, values: { region: ["us", "eu"] } },
  ]),
  charge("b", { graduated_ranges: [range(0, 10), range(11, null)] }),
];

test("every number that is a price is named by where it holds", () => {
  expect(pricedCharges(CHARGES).map(({ prices }) => prices.map(({ label, text }) => `${label} ${text}`))).toEqual([
    ["Price per unit 0.01", "us, eu: Price per unit 0.02"],
    ["0 to 10, per unit 0.5", "0 to 10, flat 0", "11 to ∞, per unit 0.5", "11 to ∞, flat 0"],
  ]);
});

test("an override has the whole charge of a new number, and no other charge", () => {
  const prices = pricedCharges(CHARGES);
  const perUnit = prices[1]?.prices[2]?.path ?? "";
  const ofFilter = prices[0]?.prices[1]?.path ?? "";
  expect(overridesOf(CHARGES, { [perUnit]: " 0.4 " })).toEqual([
    {
      id: "b",
      properties: { graduated_ranges: [range(0, 10), { ...range(11, null), per_unit_amount: "0.4" }] },
      filters: [],
    },
  ]);
  expect(overridesOf(CHARGES, { [ofFilter]: "0.03" })).toEqual([
    {
      id: "a",
      properties: { amount: "0.01", grouped_by: ["region"] },
      filters: [{ values: { region: ["us", "eu"] }, properties: { amount: "0.03" }, invoice_display_name: null }],
    },
  ]);
  expect(CHARGES[0]?.filters[0]?.properties.amount).toBe("0.02");
});
