/** A plan is shown as it was sent, for random valid plans. */
import {
  CHARGE_MODELS,
  type ChargeModel,
  type Members,
  type Metric,
  parsePlan,
  planMembers,
} from "@tallystick/core/catalog";
import { INTERVALS } from "@tallystick/core/time";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const RUNS = 40;
/** With 2, 0, 3 and 4 digits after the point. */
const CURRENCIES = ["EUR", "USD", "JPY", "BHD", "CLF"];
/** A plan that the catalog accepts, to try a charge in. */
const FRAME = {
  name: "plan",
  code: "plan",
  interval: "monthly",
  amount_cents: 0,
  amount_currency: "EUR",
  pay_in_advance: false,
};

const { call } = await startTallystick({ organizations: 1 });

const filters = [{ key: "region", values: ["eu", "us"] }];
const KINDS: readonly { members: object; metric: Metric }[] = [
  {
    members: { aggregation_type: "sum_agg", field_name: "v", filters },
    metric: { code: "metric 0", aggregation: { type: "sum", field: "v", isRecurring: false }, filters },
  },
  {
    members: { aggregation_type: "unique_count_agg", field_name: "v", recurring: true },
    metric: { code: "metric 1", aggregation: { type: "unique_count", field: "v", isRecurring: true }, filters: [] },
  },
  {
    members: { aggregation_type: "max_agg", field_name: "v", filters },
    metric: { code: "metric 2", aggregation: { type: "max", field: "v" }, filters },
  },
];
const metrics = new Map<string, Metric>();
for (const [index, { members, metric }] of KINDS.entries()) {
  const { body } = await call("POST", "/billable_metrics", {
    billable_metric: { name: `Metric ${index}`, code: `metric ${index}`, ...members },
  });
  metrics.set(body.billable_metric.svc_id, metric);
}
for (const code of ["vat", "city"]) await call("POST", "/taxes", { tax: { name: code, code, rate: "10" } });

const digits = (max: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: max });
const amount = fc.oneof(
  digits(40),
  fc.tuple(digits(40), digits(40)).map(([whole, part]) => `${whole}.${part}`),
);
const whole = (min: number) => fc.integer({ min, max: Number.MAX_SAFE_INTEGER });
const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => /^\S+$/.test(text));
const label = fc.option(word);
const taxes = fc.subarray(["vat", "city"]);

/** Contiguous ranges from 0, each with a price. */
const ranges = (price: Record<string, fc.Arbitrary<string>>) =>
  fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 4 }).chain((widths) => {
    const ends = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, width) => sum + width + 1, -1));
    const bounds = [...ends, null].map((to_value, index) => ({
      from_value: index === 0 ? 0 : (ends[index - 1] ?? 0) + 1,
      to_value,
    }));
    return fc.tuple(...bounds.map((range) => fc.record(price).map((prices) => ({ ...range, ...prices }))));
  });
const perUnit = { per_unit_amount: amount, flat_amount: amount };
const maybe = fc.constantFrom("none", "min", "both");

const PRICES: Record<ChargeModel, fc.Arbitrary<object>> = {
  standard: fc.record({ amount }),
  graduated: fc.record({ graduated_ranges: ranges(perUnit) }),
  volume: fc.record({ volume_ranges: ranges(perUnit) }),
  package: fc.record({ amount, free_units: whole(0), package_size: whole(1) }),
  percentage: fc
    .record({ rate: amount, fixed_amount: amount, free_units_per_events: fc.option(whole(1)), limits: maybe, amount })
    .map(({ limits, amount, ...price }) => ({
      ...price,
      ...(limits === "none" ? {} : { per_transaction_min_amount: amount, free_units_per_total_aggregation: amount }),
      ...(limits === "both" ? { per_transaction_max_amount: "9".repeat(40) } : {}),
    })),
  graduated_percentage: fc.record({
    graduated_percentage_ranges: ranges({ rate: amount, flat_amount: amount }),
  }),
};
const properties = (model: ChargeModel) =>
  fc
    .tuple(PRICES[model], fc.option(fc.uniqueArray(word, { maxLength: 3 })))
    .map(([price, grouped_by]) => ({ ...price, ...(grouped_by ? { grouped_by } : {}) }));

const charge = fc.constantFrom(...CHARGE_MODELS).chain((charge_model) =>
  fc
    .record(
      {
        billable_metric_id: fc.constantFrom(...metrics.keys()),
        charge_model: fc.constant(charge_model),
        invoice_display_name: label,
        pay_in_advance: fc.boolean(),
        invoiceable: fc.boolean(),
        prorated: fc.boolean(),
        regroup_paid_fees: fc.constantFrom("invoice", null),
        min_amount_cents: fc.oneof(fc.constant(0), whole(0)),
        properties: properties(charge_model),
        filters: fc.array(
          fc.record({
            values: fc.constantFrom(
              { region: ["us"] },
              { region: ["us", "eu"] },
              { region: ["__ALL_FILTER_VALUES__"] },
            ),
            properties: properties(charge_model),
            invoice_display_name: label,
          }),
          { maxLength: 2 },
        ),
        tax_codes: taxes,
      },
      { requiredKeys: ["billable_metric_id", "charge_model"] },
    )
    .filter((members) => parsePlan({ ...FRAME, charges: [members] }, metrics).ok),
);

const plan = fc.record(
  {
    name: word,
    invoice_display_name: label,
    description: label,
    interval: fc.constantFrom(...INTERVALS),
    amount_cents: whole(0),
    amount_currency: fc.constantFrom(...CURRENCIES),
    pay_in_advance: fc.boolean(),
    trial_period: fc.oneof(fc.nat(36_500), fc.double({ min: 0, max: 36_500, noNaN: true })),
    bill_charges_monthly: fc.option(fc.boolean()),
    tax_codes: taxes,
    minimum_commitment: fc.option(fc.record({ amount_cents: whole(1), invoice_display_name: label, tax_codes: taxes })),
    charges: fc.array(charge, { maxLength: 4 }),
  },
  { requiredKeys: ["name", "interval", "amount_cents", "amount_currency", "pay_in_advance"] },
);

type Shown = Record<string, unknown> & { taxes: { code: string }[] };

/** A request that creates the plan that is shown. */
function toRequest(shown: Shown & { charges: Shown[]; minimum_commitment?: Shown }): Members {
  const codes = ({ taxes }: Shown) => taxes.map(({ code }) => code);
  const { charges, minimum_commitment: commitment } = shown;
  return {
    ...shown,
    tax_codes: codes(shown),
    charges: charges.map((one) => ({ ...one, billable_metric_id: one.svc_billable_metric_id, tax_codes: codes(one) })),
    minimum_commitment: commitment && { ...commitment, tax_codes: codes(commitment) },
  };
}

/** The plan as core reads it, in one form. Taxes have no order. */
function understood(members: Members): string {
  const parsed = parsePlan(members, metrics);
  if (!parsed.ok) expect.fail(JSON.stringify(parsed.error));
  const sortCodes = (name: string, value: unknown) =>
    name === "tax_codes" && Array.isArray(value) ? value.toSorted() : value;
  return JSON.stringify(planMembers(parsed.value), sortCodes);
}

test("a random valid plan is shown as it was sent, and updating it with itself changes nothing", async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(plan, async (members) => {
      const code = `plan ${number++}`;
      const path = `/plans/${encodeURIComponent(code)}`;
      const made = await call("POST", "/plans", { plan: { ...members, code } });
      expect(made.status, made.text).toBe(200);
      expect(understood(toRequest(made.body.plan))).toBe(understood({ ...members, code }));
      expect((await call("GET", path)).body).toEqual(made.body);
      expect((await call("PUT", path, { plan: {} })).text).toBe(made.text);
      const charges = made.body.plan.charges.map(({ svc_id: id }: { svc_id: string }, index: number) => ({
        ...members.charges?.[index],
        id,
      }));
      expect((await call("PUT", path, { plan: { ...members, charges } })).text).toBe(made.text);
    }),
    { numRuns: RUNS },
  );
});
