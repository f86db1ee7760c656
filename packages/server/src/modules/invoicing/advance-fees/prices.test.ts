import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type ChargeRequest,
  type MetricRequest,
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";

const { call, drain } = await startTallystick({ organizations: 1 });

const COUNT = { aggregation_type: "count_agg" };
const SUM = { aggregation_type: "sum_agg", field_name: "v" };
const UNIQUE = { aggregation_type: "unique_count_agg", field_name: "user" };

type Request = Partial<SubscriptionRequest> & Pick<SubscriptionRequest, "metrics" | "charges">;
const subscribe = (request: Request): Promise<SubscribedCustomer> =>
  subscribeCustomer(call, {
    now: "2024-09-10T12:00:00Z",
    ...request,
    charges: request.charges.map((charge) => ({ pay_in_advance: true, invoiceable: false, ...charge })),
  });

type Fee = Record<string, unknown> & { units: string; amount_cents: number };
const feesOf = async ({ subscription }: SubscribedCustomer): Promise<Fee[]> =>
  (await call("GET", `/fees?external_subscription_id=${encodeURIComponent(subscription)}&per_page=100`)).body.fees;

/** Members that only a stored fee has. */
const asEstimated = (fee: Fee) => ({
  ...fee,
  svc_id: null,
  svc_invoice_id: null,
  created_at: null,
  event_transaction_id: null,
  payment_status: "pending",
  succeeded_at: null,
  applied_taxes: (fee.applied_taxes as object[]).map((tax) => ({
    ...tax,
    svc_id: null,
    svc_fee_id: null,
    created_at: null,
  })),
});

/** Sends events one by one and expects each fee to equal its estimate. Returns units and cents. */
async function bill(acme: SubscribedCustomer, metric: string, ...events: readonly object[]): Promise<string[]> {
  const made: string[] = [];
  for (const event of events) {
    const known = (await feesOf(acme)).length;
    const estimate = await acme.estimate(metric, event);
    expect(estimate.status, estimate.text).toBe(200);
    await acme.send(metric, { ...event });
    await drain();
    const fees = (await feesOf(acme)).slice(known);
    expect(fees.map(asEstimated)).toEqual(estimate.body.fees);
    made.push(fees.map(({ units, amount_cents }) => `${units}: ${amount_cents}`).join(", "));
  }
  return made;
}

type Row = [
  what: string,
  metric: MetricRequest,
  charge: Omit<ChargeRequest, "metric">,
  events: object[],
  fees: string[],
];

const v = (...values: (string | number)[]) => values.map((value) => ({ v: value }));
const user = (...turns: string[]) =>
  turns.map((turn) => ({ user: turn.slice(1), operation_type: turn.startsWith("-") ? "remove" : "add" }));
const GRADUATED = {
  graduated_ranges: [
    { from_value: 0, to_value: 5, per_unit_amount: "0.02", flat_amount: "0.01" },
    { from_value: 6, to_value: null, per_unit_amount: "0.01", flat_amount: "0.01" },
  ],
};
const RANGES_OF_RATES = {
  graduated_percentage_ranges: [
    { from_value: 0, to_value: 10, rate: "1", flat_amount: "2" },
    { from_value: 11, to_value: null, rate: "2", flat_amount: "3" },
  ],
};

const TABLE: readonly Row[] = [
  ["a count", COUNT, { properties: { amount: "0.5" } }, [{}, {}], ["1.0: 50", "1.0: 50"]],
  ["a sum: no refund", SUM, { properties: { amount: "1" } }, v(10, -4, 8), ["10.0: 1000", "0.0: 0", "4.0: 400"]],
  ["a sum that begins below zero", SUM, { properties: { amount: "1" } }, v(-5, 3, 4), ["0.0: 0", "0.0: 0", "2.0: 200"]],
  ["exact parts of cents", SUM, { properties: { amount: "0.004" } }, v(1, "1", 1), ["1.0: 0", "1.0: 0", "1.0: 0"]],
  [
    "a unique count: adding again is free",
    UNIQUE,
    { properties: { amount: "12" } },
    user("+A", "-A", "+A", "+B", "+B"),
    ["1.0: 1200", "0.0: 0", "1.0: 0", "1.0: 1200", "0.0: 0"],
  ],
  [
    "graduated: the flat amount of a tier once",
    SUM,
    { charge_model: "graduated", properties: GRADUATED },
    v(3, 1, 2, 5),
    ["3.0: 7", "1.0: 2", "2.0: 4", "5.0: 5"],
  ],
  [
    "packages",
    SUM,
    { charge_model: "package", properties: { amount: "100", free_units: 0, package_size: 10 } },
    v(19, 1, 2, 8, 1),
    ["19.0: 20000", "1.0: 0", "2.0: 10000", "8.0: 0", "1.0: 10000"],
  ],
  [
    "a percentage with minimum and maximum",
    SUM,
    {
      charge_model: "percentage",
      properties: {
        rate: "1",
        fixed_amount: "0.5",
        per_transaction_min_amount: "1.75",
        per_transaction_max_amount: "2",
      },
    },
    v(100, 1000, 10000),
    ["100.0: 175", "1000.0: 200", "10000.0: 200"],
  ],
  [
    "a percentage with free events and units",
    SUM,
    {
      charge_model: "percentage",
      properties: { rate: "1.3", fixed_amount: "2", free_units_per_events: 3, free_units_per_total_aggregation: "250" },
    },
    v(50, 100, 250, 400),
    ["50.0: 0", "100.0: 0", "250.0: 395", "400.0: 720"],
  ],
  [
    "rates by range",
    SUM,
    { charge_model: "graduated_percentage", properties: RANGES_OF_RATES },
    v(10, 1),
    ["10.0: 210", "1.0: 302"],
  ],
  [
    "prorated seats: the rest of the month",
    { ...UNIQUE, recurring: true },
    { prorated: true, properties: { amount: "30" } },
    user("+A", "-A", "+A"),
    ["1.0: 2100", "0.0: 0", "1.0: 0"],
  ],
];

describe("a fee equals its estimate right before the event", () => {
  test.each(TABLE)("%s", async (...[, metric, charge, events, fees]) => {
    const acme = await subscribe({ metrics: { m: metric }, charges: [{ metric: "m", ...charge }] });
    expect(await bill(acme, "m", ...events)).toEqual(fees);
  });

  it("filters and groups have their own tiers, and each charge creates a fee", async () => {
    await call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20" } });
    const acme = await subscribe({
      metrics: { m: { ...SUM, filters: [{ key: "region", values: ["us", "eu"] }] } },
      charges: [
        {
          metric: "m",
          charge_model: "package",
          tax_codes: ["vat"],
          properties: { amount: "1", free_units: 0, package_size: 10, grouped_by: ["team"] },
          filters: [
            { values: { region: ["us"] }, properties: { amount: "5", free_units: 0, package_size: 10 } },
            { values: { region: ["eu"] }, properties: { amount: "3", free_units: 0, package_size: 10 } },
          ],
        },
        { metric: "m", properties: { amount: "0.1" } },
      ],
    });
    const events = [
      { v: 1, region: "us" },
      { v: 1, region: "us" },
      { v: 1, region: "eu" },
      { v: 1, team: "a" },
      { v: 1, team: "b" },
      { v: 9, team: "a" },
      { v: 1, team: "" },
      { v: 1 },
    ];
    expect(await bill(acme, "m", ...events)).toEqual([
      "1.0: 500, 1.0: 10",
      "1.0: 0, 1.0: 10",
      "1.0: 300, 1.0: 10",
      "1.0: 100, 1.0: 10",
      "1.0: 100, 1.0: 10",
      "9.0: 0, 9.0: 90",
      "1.0: 100, 1.0: 10",
      "1.0: 0, 1.0: 10",
    ]);
  });

  it("currencies have their own smallest units", async () => {
    for (const [amount_currency, cents] of [
      ["JPY", 1],
      ["KWD", 1235],
    ] as const) {
      const charges = [{ metric: "m", properties: { amount: "1.2345" } }];
      const acme = await subscribe({ metrics: { m: COUNT }, charges, plan: { amount_currency } });
      expect(await bill(acme, "m", {})).toEqual([`1.0: ${cents}`]);
    }
  });

  it("also after a plan edit: a price, a filter, a charge", async () => {
    const metrics = { m: { ...SUM, filters: [{ key: "region", values: ["us"] }] } };
    const acme = await subscribe({
      metrics,
      charges: [{ metric: "m", charge_model: "package", properties: { amount: "1", free_units: 0, package_size: 10 } }],
    });
    const plan = `/plans/plan%20${acme.mark}`;
    const [charge] = (await call("GET", plan)).body.plan.charges;
    const known = { id: charge.svc_id, billable_metric_id: charge.svc_billable_metric_id, charge_model: "package" };
    const properties = { amount: "2", free_units: 0, package_size: 10 };
    const edit = async (charges: object[]) => {
      const { status, text } = await call("PUT", plan, { plan: { charges } });
      expect(status, text).toBe(200);
    };
    expect(await bill(acme, "m", { v: 9, region: "us" })).toEqual(["9.0: 100"]);
    await edit([{ ...known, properties }]);
    expect(await bill(acme, "m", { v: 1 }, { v: 1 })).toEqual(["1.0: 0", "1.0: 200"]);
    // The new filter would have counted the 9 units.
    const filters = [{ values: { region: ["us"] }, properties: { amount: "3", free_units: 0, package_size: 10 } }];
    await edit([{ ...known, properties, filters }]);
    expect(await bill(acme, "m", { v: 1, region: "us" }, { v: 1, region: "us" }, { v: 8 }, { v: 1 })).toEqual([
      "1.0: 0",
      "1.0: 300",
      "8.0: 0",
      "1.0: 200",
    ]);
    const graduated = { ...known, id: undefined, charge_model: "graduated", pay_in_advance: true, invoiceable: false };
    await edit([
      { ...known, properties, filters },
      { ...graduated, properties: GRADUATED },
    ]);
    expect(await bill(acme, "m", { v: 1 })).toEqual(["1.0: 0, 1.0: 1"]);
  });
});

test("for any charge and events, every fee equals its estimate", { timeout: 600_000 }, async () => {
  const priced = fc.constantFrom<Omit<ChargeRequest, "metric">>(
    { properties: { amount: "0.335", grouped_by: ["team"] } },
    { charge_model: "graduated", properties: GRADUATED },
    { charge_model: "package", properties: { amount: "7", free_units: 2, package_size: 3 } },
    { charge_model: "percentage", properties: { rate: "1.3", fixed_amount: "0.2", free_units_per_events: 2 } },
    { charge_model: "percentage", properties: { rate: "3", per_transaction_min_amount: "0.5" } },
  );
  const metric = fc.constantFrom<MetricRequest>(COUNT, SUM, { ...SUM, recurring: true }, UNIQUE, {
    ...UNIQUE,
    recurring: true,
  });
  const event = fc.record(
    {
      v: fc.constantFrom("3", "-2", "0.5", "12", "-20"),
      user: fc.constantFrom("A", "B"),
      operation_type: fc.constantFrom("add", "remove"),
      team: fc.constantFrom("a", "b"),
    },
    { requiredKeys: ["v", "user"] },
  );
  await fc.assert(
    fc.asyncProperty(metric, priced, fc.array(event, { minLength: 1, maxLength: 6 }), async (of, charge, events) => {
      const acme = await subscribe({ metrics: { m: of }, charges: [{ metric: "m", ...charge }] });
      await bill(acme, "m", ...events);
      await acme.advanceTo("2024-10-02T00:00:00Z");
      await bill(acme, "m", ...events.slice(0, 2));
    }),
    { numRuns: 15 },
  );
});
