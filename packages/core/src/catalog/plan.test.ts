import { describe, expect, it, test } from "vitest";
import { minor } from "../money/index.ts";
import { INTERVALS } from "../time/index.ts";
import { type Members, type Metric, parsePlan, planMembers, yearlyAmount } from "./index.ts";
import { faultsIn } from "./testing/faults-in.ts";

const storage: Metric = {
  code: "storage",
  aggregation: { type: "sum", field: "gb", isRecurring: false },
  filters: [],
};
const metrics = new Map([["m1", storage]]);

const PLAN = {
  name: "Scale",
  code: "scale",
  interval: "monthly",
  amount_cents: 5000,
  amount_currency: "EUR",
  pay_in_advance: false,
};

const parse = (members: object) => parsePlan({ ...PLAN, ...members } as Members, metrics);
const faultsOf = (members: object) => faultsIn(parse(members));
const accepted = (members: object) => {
  const parsed = parse(members);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

test("a plan needs no more than a name, a code, an interval, an amount with its currency, and when it is paid", () => {
  const { trialDays, ...plan } = accepted({});
  expect(trialDays.toFixed()).toBe("0");
  expect(plan).toEqual({
    name: "Scale",
    code: "scale",
    invoiceDisplayName: null,
    description: null,
    interval: "monthly",
    amountMinor: 5000n,
    currency: "EUR",
    isPaidInAdvance: false,
    areChargesMonthly: false,
    taxCodes: [],
    charges: [],
    minimumCommitment: null,
  });
});

it.each(INTERVALS)("%s is an interval", (interval) => expect(accepted({ interval }).interval).toBe(interval));

it.each([
  [{ interval: "hourly" }, { interval: ["value_is_invalid"] }],
  [{ interval: null }, { interval: ["value_is_mandatory"] }],
  [{ name: null }, { name: ["value_is_mandatory"] }],
  [{ name: "" }, { name: ["value_is_mandatory"] }],
  [{ code: "  " }, { code: ["value_is_mandatory"] }],
  [{ description: "x".repeat(10_001) }, { description: ["value_is_too_long"] }],
  [{ amount_currency: "ZZZ" }, { amount_currency: ["value_is_invalid"] }],
  [{ amount_currency: "eur" }, { amount_currency: ["value_is_invalid"] }],
  [{ amount_currency: null }, { amount_currency: ["value_is_mandatory"] }],
  [{ pay_in_advance: "true" }, { pay_in_advance: ["value_is_invalid"] }],
  [{ pay_in_advance: null }, { pay_in_advance: ["value_is_mandatory"] }],
  [{ bill_charges_monthly: 1 }, { bill_charges_monthly: ["value_is_invalid"] }],
  [{ charges: {} }, { charges: ["value_is_invalid"] }],
  [{ charges: ["m1"] }, { charges: ["value_is_invalid"] }],
  [{ charges: [{}] }, { billable_metric_id: ["value_is_mandatory"], charge_model: ["value_is_mandatory"] }],
  [{ tax_codes: [1] }, { tax_codes: ["value_is_invalid"] }],
])("%j is refused with %j", (members, faults) => {
  expect(faultsOf(members)).toEqual(faults);
});

test("the faults of each charge are reported with its place", () => {
  const charge = (amount: unknown) => ({ billable_metric_id: "m1", charge_model: "standard", properties: { amount } });
  const parsed = parse({ charges: [charge(5), charge("1"), charge("x")], minimum_commitment: { amount_cents: -1 } });
  expect(parsed.ok ? {} : parsed.error).toEqual({
    "charges[0].properties": ["invalid_amount"],
    "charges[2].properties": ["invalid_amount"],
    "minimum_commitment.amount_cents": ["value_is_out_of_range"],
  });
});

test("all faults are reported at once, of all charges under one name each", () => {
  const charge = { billable_metric_id: "m1", charge_model: "standard", properties: { amount: 5 } };
  expect(
    faultsOf({
      name: "",
      amount_cents: null,
      charges: [charge, { ...charge, charge_model: "package", prorated: true }],
    }),
  ).toEqual({
    name: ["value_is_mandatory"],
    amount_cents: ["value_is_mandatory"],
    properties: ["invalid_amount", "invalid_free_units", "invalid_package_size"],
    prorated: ["invalid_billable_metric_or_charge_model"],
  });
});

describe("amount_cents", () => {
  it.each([
    ["0", 0n],
    ["5000", 5000n],
    ["1.0", 1n],
    ["1e2", 100n],
    ["-0", 0n],
    ["9007199254740991", 9007199254740991n],
  ])("%s is whole cents", (json, amount) => {
    expect(accepted({ amount_cents: JSON.parse(json) }).amountMinor).toBe(amount);
  });

  it.each([
    ["-1", "value_is_out_of_range"],
    ["9007199254740992", "value_is_out_of_range"],
    ["9007199254740993", "value_is_out_of_range"],
    ["1e300", "value_is_out_of_range"],
    ["0.5", "value_is_invalid"],
    ['"5000"', "value_is_invalid"],
    ["true", "value_is_invalid"],
    ["[1]", "value_is_invalid"],
    ["null", "value_is_mandatory"],
  ])("%s is refused: %s", (json, code) => {
    expect(faultsOf({ amount_cents: JSON.parse(json) })).toEqual({ amount_cents: [code] });
  });
});

describe("trial_period", () => {
  it.each([
    [10, "10"],
    [0, "0"],
    [0.1, "0.1"],
    [1.5, "1.5"],
    [1e-7, "0.0000001"],
    [null, "0"],
  ])("%j is exactly %s days", (trial_period, days) => {
    expect(accepted({ trial_period }).trialDays.toFixed()).toBe(days);
  });
  it.each([
    [-1, "value_is_out_of_range"],
    [36_501, "value_is_out_of_range"],
    ["10", "value_is_invalid"],
    [{}, "value_is_invalid"],
  ])("%j is refused: %s", (trial_period, code) => {
    expect(faultsOf({ trial_period })).toEqual({ trial_period: [code] });
  });
});

describe("bill_charges_monthly", () => {
  it.each([
    ["yearly", true, true],
    ["yearly", null, false],
    ["semiannual", true, true],
    ["quarterly", true, null],
    ["monthly", true, null],
    ["weekly", false, null],
  ])("of a %s plan: %j is shown as %j", (interval, bill_charges_monthly, shown) => {
    const plan = accepted({ interval, bill_charges_monthly });
    expect(plan.areChargesMonthly).toBe(shown === true);
    expect(planMembers(plan).bill_charges_monthly).toBe(shown);
  });
});

describe("minimum commitment", () => {
  it("has an amount, a name on invoices and taxes of its own", () => {
    const minimum_commitment = { amount_cents: 1_000_000, invoice_display_name: "Minimum", tax_codes: ["vat"] };
    const plan = accepted({ minimum_commitment });
    expect(plan.minimumCommitment).toEqual({
      amountMinor: 1_000_000n,
      invoiceDisplayName: "Minimum",
      taxCodes: ["vat"],
    });
    expect(planMembers(plan).minimum_commitment).toEqual(minimum_commitment);
  });

  it("may name its taxes as the interface does, by code or as they are shown", () => {
    const minimum_commitment = { amount_cents: 1, taxes: ["vat", { code: "city", rate: 2 }] };
    expect(accepted({ minimum_commitment }).minimumCommitment?.taxCodes).toEqual(["vat", "city"]);
  });

  it.each([null, {}])("%j is none", (minimum_commitment) => {
    expect(accepted({ minimum_commitment }).minimumCommitment).toBeNull();
  });

  it.each([
    [{ amount_cents: 0 }, { amount_cents: ["value_is_out_of_range"] }],
    [{ amount_cents: -1 }, { amount_cents: ["value_is_out_of_range"] }],
    [{ invoice_display_name: "Minimum" }, { amount_cents: ["value_is_mandatory"] }],
    [{ amount_cents: 1, tax_codes: "vat" }, { tax_codes: ["value_is_invalid"] }],
    [5, { minimum_commitment: ["value_is_invalid"] }],
  ])("%j is refused with %j", (minimum_commitment, faults) => {
    expect(faultsOf({ minimum_commitment })).toEqual(faults);
  });
});

describe("yearly amount", () => {
  it.each([
    ["weekly", 5200n],
    ["monthly", 1200n],
    ["quarterly", 400n],
    ["semiannual", 200n],
    ["yearly", 100n],
  ] as const)("100 %s is compared as its sum over a year", (interval, yearly) => {
    expect(yearlyAmount({ interval, amountMinor: minor(100n) })).toBe(yearly);
  });

  it("counts the subscription fee only", () => {
    const charges = [{ billable_metric_id: "m1", charge_model: "standard", properties: { amount: "9" } }];
    expect(yearlyAmount(accepted({ charges, minimum_commitment: { amount_cents: 9 } }))).toBe(60_000n);
  });
});

test.each(["JPY", "KWD", "EUR"])(
  "a price has no currency of its own, and keeps all its digits in %s",
  (amount_currency) => {
    const charge = { billable_metric_id: "m1", charge_model: "standard", properties: { amount: "1.2345" } };
    const [shown] = planMembers(accepted({ amount_currency, charges: [charge] })).charges as Members[];
    expect(shown?.properties).toEqual({ amount: "1.2345" });
  },
);
