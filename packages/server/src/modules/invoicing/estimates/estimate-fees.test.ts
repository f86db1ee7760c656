import { describe, expect, it, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import {
  type SubscribedCustomer,
  type SubscriptionRequest,
  subscribeCustomer,
} from "../../../testing/subscribed-customer.ts";

const { call, organizations } = await startTallystick();
const [, theirs = { id: "", key: "" }] = organizations;

const COUNT = { aggregation_type: "count_agg" };
const SUM = { aggregation_type: "sum_agg", field_name: "v" };
const UNIQUE = { aggregation_type: "unique_count_agg", field_name: "user" };

type Request = Partial<SubscriptionRequest> & Pick<SubscriptionRequest, "metrics" | "charges">;
const subscribe = (request: Request): Promise<SubscribedCustomer> =>
  subscribeCustomer(call, {
    now: "2024-09-10T12:00:00Z",
    ...request,
    charges: request.charges.map((charge) => ({ pay_in_advance: true, ...charge })),
  });

type Fee = { units: string; amount_cents: number };
/** Units and cents of each fee. */
const fees = ({ status, body, text }: Answer): string[] => {
  expect(status, text).toBe(200);
  return body.fees.map(({ units, amount_cents }: Fee) => `${units}: ${amount_cents}`);
};
const invalid = (field: string, code: string) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: { [field]: [code] },
});

test("the whole fee, without the members that only a stored fee has", async () => {
  await call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", description: "Value added" } });
  await call("POST", "/taxes", { tax: { name: "City", code: "city", rate: "1.25" } });
  const acme = await subscribe({
    metrics: { calls: { ...SUM, filters: [{ key: "region", values: ["eu"] }] } },
    charges: [
      {
        metric: "calls",
        invoiceable: false,
        invoice_display_name: "API calls",
        properties: { amount: "1", grouped_by: ["team"] },
        filters: [
          {
            values: { region: ["eu"] },
            properties: { amount: "0.333", grouped_by: ["team"] },
            invoice_display_name: "In Europe",
          },
        ],
        tax_codes: ["vat", "city"],
      },
    ],
  });
  const [charge] = (await call("GET", `/plans/plan%20${acme.mark}`)).body.plan.charges;
  const subscription = (await call("GET", `/subscriptions/${encodeURIComponent(acme.subscription)}`)).body.subscription;
  const { status, body } = await acme.estimate("calls", { v: "10", region: "eu", team: "a" });
  expect(status).toBe(200);
  const taxIds = body.fees[0].applied_taxes.map(({ svc_tax_id }: { svc_tax_id: string }) => svc_tax_id);
  const nothingYet = { svc_id: null, svc_fee_id: null, amount_currency: "EUR", created_at: null };
  expect(body).toEqual({
    fees: [
      {
        svc_id: null,
        svc_charge_id: charge.svc_id,
        svc_charge_filter_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        svc_invoice_id: null,
        svc_true_up_fee_id: null,
        svc_true_up_parent_fee_id: null,
        svc_subscription_id: subscription.svc_id,
        external_subscription_id: acme.subscription,
        svc_customer_id: subscription.svc_customer_id,
        external_customer_id: acme.customer,
        item: {
          type: "charge",
          code: acme.metricCode("calls"),
          name: "calls",
          invoice_display_name: "API calls",
          filters: { region: ["eu"] },
          filter_invoice_display_name: "In Europe",
          svc_item_id: charge.svc_billable_metric_id,
          item_type: "BillableMetric",
          grouped_by: { team: "a" },
        },
        filter_invoice_display_name: "In Europe",
        pay_in_advance: true,
        invoiceable: false,
        amount_cents: 333,
        amount_currency: "EUR",
        sub_total_excluding_taxes_amount_cents: 333,
        taxes_amount_cents: 71,
        taxes_rate: 21.25,
        total_amount_cents: 404,
        total_amount_currency: "EUR",
        units: "10.0",
        total_aggregated_units: "10.0",
        description: null,
        precise_unit_amount: "0.333",
        events_count: 1,
        payment_status: "pending",
        created_at: null,
        succeeded_at: null,
        failed_at: null,
        refunded_at: null,
        amount_details: {},
        from_date: "2024-09-10T12:00:00Z",
        to_date: "2024-09-30T23:59:59Z",
        event_transaction_id: null,
        applied_taxes: [
          {
            ...nothingYet,
            svc_tax_id: taxIds[0],
            tax_name: "VAT",
            tax_code: "vat",
            tax_rate: 20,
            tax_description: "Value added",
            amount_cents: 67,
          },
          {
            ...nothingYet,
            svc_tax_id: taxIds[1],
            tax_name: "City",
            tax_code: "city",
            tax_rate: 1.25,
            tax_description: null,
            amount_cents: 4,
          },
        ],
      },
    ],
  });
  expect((await call("GET", "/taxes")).body.taxes.map(({ svc_id }: { svc_id: string }) => svc_id).sort()).toEqual(
    taxIds.toSorted(),
  );
});

describe("an event costs the difference that it makes", () => {
  it("packages of 10 at 100 after 19 units: one more is free, two more open a package; nothing is stored", async () => {
    const acme = await subscribe({
      metrics: { bytes: SUM },
      charges: [
        { metric: "bytes", charge_model: "package", properties: { amount: "100", free_units: 0, package_size: 10 } },
      ],
    });
    await acme.send("bytes", { v: "19" });
    const before = (await acme.usage()).body;
    expect(fees(await acme.estimate("bytes", { v: "1" }))).toEqual(["1.0: 0"]);
    expect(fees(await acme.estimate("bytes", { v: "2" }))).toEqual(["2.0: 10000"]);
    const { body } = await acme.estimate("bytes", { v: "2" });
    expect(body.fees[0].amount_details).toEqual({
      free_units: "0.0",
      paid_units: "21.0",
      per_package_size: 10,
      per_package_unit_amount: "100.0",
    });
    expect((await acme.usage()).body).toEqual(before);
  });

  it("a sum: only the part above the highest total so far is charged", async () => {
    const acme = await subscribe({
      metrics: { bytes: SUM },
      charges: [{ metric: "bytes", properties: { amount: "1" } }],
    });
    await acme.send("bytes", { v: "10" });
    await acme.send("bytes", { v: "-4" });
    expect(fees(await acme.estimate("bytes", { v: "3" }))).toEqual(["0.0: 0"]);
    expect(fees(await acme.estimate("bytes", { v: "8" }))).toEqual(["4.0: 400"]);
    expect(fees(await acme.estimate("bytes", { v: "-8" }))).toEqual(["0.0: 0"]);
  });

  it("a returning seat shows one unit and costs nothing; a seat in use shows none", async () => {
    const acme = await subscribe({
      metrics: { seats: UNIQUE },
      charges: [{ metric: "seats", properties: { amount: "12" } }],
    });
    await acme.send("seats", { user: "A" }, { user: "B" }, { user: "A", operation_type: "remove" });
    expect(fees(await acme.estimate("seats", { user: "A" }))).toEqual(["1.0: 0"]);
    expect(fees(await acme.estimate("seats", { user: "B" }))).toEqual(["0.0: 0"]);
    await acme.send("seats", { user: "C" });
    expect(fees(await acme.estimate("seats", { user: "D" }))).toEqual(["1.0: 1200"]);
    expect(fees(await acme.estimate("seats", { user: "B", operation_type: "remove" }))).toEqual(["0.0: 0"]);
  });

  it("graduated: the first flat amount is paid once", async () => {
    const ranges = [
      { from_value: 0, to_value: 5, per_unit_amount: "0.02", flat_amount: "0.01" },
      { from_value: 6, to_value: null, per_unit_amount: "0.01", flat_amount: "0.01" },
    ];
    const acme = await subscribe({
      metrics: { bytes: SUM },
      charges: [{ metric: "bytes", charge_model: "graduated", properties: { graduated_ranges: ranges } }],
    });
    for (const [v, expected] of [
      ["3", "3.0: 7"],
      ["1", "1.0: 2"],
      ["2", "2.0: 4"],
    ] as const) {
      expect(fees(await acme.estimate("bytes", { v }))).toEqual([expected]);
      await acme.send("bytes", { v });
    }
  });

  it("a percentage between limits: each event alone, and the first accepted event is free", async () => {
    const properties = {
      rate: "1",
      fixed_amount: "0.5",
      free_units_per_events: 1,
      per_transaction_min_amount: "1.75",
      per_transaction_max_amount: "2",
    };
    const acme = await subscribe({
      metrics: { payments: SUM, clicks: COUNT },
      charges: [
        { metric: "payments", charge_model: "percentage", properties },
        { metric: "clicks", charge_model: "percentage", properties },
      ],
    });
    expect(fees(await acme.estimate("payments", { v: "100" }))).toEqual(["100.0: 0"]);
    expect(fees(await acme.estimate("clicks", {}))).toEqual(["1.0: 0"]);
    await acme.send("payments", { v: "100" });
    await acme.send("clicks", {}, {});
    expect(fees(await acme.estimate("payments", { v: "100" }))).toEqual(["100.0: 175"]);
    expect(fees(await acme.estimate("payments", { v: "10000" }))).toEqual(["10000.0: 200"]);
    expect(fees(await acme.estimate("clicks", {}))).toEqual(["1.0: 175"]);
  });

  it("prorated: a seat at 30 a month that comes on 10 September is 21 of 30 days", async () => {
    const acme = await subscribe({
      metrics: { seats: { ...UNIQUE, recurring: true } },
      charges: [{ metric: "seats", prorated: true, properties: { amount: "30" } }],
    });
    expect(fees(await acme.estimate("seats", { user: "A" }))).toEqual(["1.0: 2100"]);
    await acme.send("seats", { user: "A" });
    await acme.advanceTo("2024-10-31T00:00:00Z");
    expect(fees(await acme.estimate("seats", { user: "A" }))).toEqual(["0.0: 0"]);
    expect(fees(await acme.estimate("seats", { user: "B" }))).toEqual(["1.0: 97"]);
  });

  it("by its own filter and group: other usage does not count", async () => {
    const acme = await subscribe({
      metrics: { bytes: { ...SUM, filters: [{ key: "region", values: ["eu", "us"] }] } },
      charges: [
        {
          metric: "bytes",
          charge_model: "package",
          properties: { amount: "1", free_units: 0, package_size: 10, grouped_by: ["team"] },
          filters: [{ values: { region: ["eu"] }, properties: { amount: "5", free_units: 0, package_size: 10 } }],
        },
      ],
    });
    await acme.send("bytes", { v: "9", region: "eu" }, { v: "9", team: "a" });
    expect(fees(await acme.estimate("bytes", { v: "1", region: "eu" }))).toEqual(["1.0: 0"]);
    expect(fees(await acme.estimate("bytes", { v: "2", region: "eu" }))).toEqual(["2.0: 500"]);
    expect(fees(await acme.estimate("bytes", { v: "2", team: "a" }))).toEqual(["2.0: 100"]);
    expect(fees(await acme.estimate("bytes", { v: "1", team: "b" }))).toEqual(["1.0: 100"]);
    expect(fees(await acme.estimate("bytes", { v: "1", team: "b", region: "us" }))).toEqual(["1.0: 100"]);
  });

  it("usage of an earlier period does not count for a metered metric", async () => {
    const acme = await subscribe({
      metrics: { calls: COUNT },
      charges: [
        { metric: "calls", charge_model: "package", properties: { amount: "1", free_units: 2, package_size: 1 } },
      ],
    });
    await acme.send("calls", {}, {});
    expect(fees(await acme.estimate("calls", {}))).toEqual(["1.0: 100"]);
    await acme.advanceTo("2024-10-01T00:00:00Z");
    expect(fees(await acme.estimate("calls", {}))).toEqual(["1.0: 0"]);
  });

  it("every charge in advance on the metric creates a fee, charges in arrears create none", async () => {
    const acme = await subscribe({
      metrics: { calls: COUNT },
      charges: [
        { metric: "calls", properties: { amount: "1" } },
        { metric: "calls", properties: { amount: "2" } },
        { metric: "calls", properties: { amount: "4" }, pay_in_advance: false },
      ],
    });
    expect(fees(await acme.estimate("calls", {}))).toEqual(["1.0: 100", "1.0: 200"]);
  });

  it("an event without the value of a unique count creates no fee", async () => {
    const acme = await subscribe({
      metrics: { seats: UNIQUE },
      charges: [{ metric: "seats", properties: { amount: "12" } }],
    });
    expect(fees(await acme.estimate("seats", {}))).toEqual([]);
  });
});

test("successive estimates add up to the cost of the events", async () => {
  const acme = await subscribe({
    metrics: { bytes: SUM },
    charges: [
      { metric: "bytes", charge_model: "package", properties: { amount: "7", free_units: 3, package_size: 5 } },
    ],
  });
  let estimated = 0;
  for (const v of ["2.5", "-1", "4", "9", "-3", "3", "0.5", "11"]) {
    estimated += (await acme.estimate("bytes", { v })).body.fees[0].amount_cents;
    await acme.send("bytes", { v });
  }
  expect((await acme.usage()).body.customer_usage.amount_cents).toBe(estimated);
});

test("a number in the body keeps all digits, and a large fee keeps its cents", async () => {
  const acme = await subscribe({
    metrics: { bytes: SUM },
    charges: [{ metric: "bytes", properties: { amount: "1" } }],
  });
  const headers = { "idempotency-key": `long ${acme.mark}` };
  const first = await acme.estimate("bytes", `{"v":90071992547409931.0000000000000000000000001}`, { headers });
  expect(first.text).toContain('"units":"90071992547409931.0000000000000000000000001"');
  expect(first.text).toContain('"amount_cents":9007199254740993100,');
  const again = await acme.estimate("bytes", `{"v":90071992547409931.0000000000000000000000001}`, { headers });
  expect(again.text).toBe(first.text);
});

test("with an Idempotency-Key the first answer is repeated, also a refusal", async () => {
  const acme = await subscribe({
    metrics: { bytes: SUM },
    charges: [
      { metric: "bytes", charge_model: "package", properties: { amount: "1", free_units: 0, package_size: 10 } },
    ],
  });
  const [fine, bad] = [`fine ${acme.mark}`, `bad ${acme.mark}`].map((key) => ({ headers: { "idempotency-key": key } }));
  expect(fees(await acme.estimate("bytes", { v: "8" }, fine))).toEqual(["8.0: 100"]);
  await acme.send("bytes", { v: "8" });
  expect(fees(await acme.estimate("bytes", { v: "8" }, fine))).toEqual(["8.0: 100"]);
  expect(fees(await acme.estimate("bytes", { v: "2" }))).toEqual(["2.0: 0"]);
  expect((await acme.estimate("bytes", { v: "9" }, fine)).body).toEqual(
    invalid("idempotency_key", "value_already_exist"),
  );
  const refused = await acme.estimate("bytes", { v: "x" }, bad);
  expect((await acme.estimate("bytes", { v: "x" }, bad)).body).toMatchObject(refused.body);
});

describe("errors of estimates", () => {
  const input = {
    metrics: { bytes: SUM, calls: COUNT, peak: { aggregation_type: "max_agg", field_name: "v" } },
    charges: [
      { metric: "bytes", properties: { amount: "1" } },
      { metric: "calls", properties: { amount: "1" }, pay_in_advance: false },
    ],
  };
  const ask = (event: object, key?: string) =>
    call("POST", "/events/estimate_fees", { event }, key === undefined ? {} : { key });

  it("404 without an active subscription: none, of another organization, or ended", async () => {
    const acme = await subscribe(input);
    const unknown = { status: 404, error: "Not Found", code: "subscription_not_found" };
    const event = { external_subscription_id: acme.subscription, code: acme.metricCode("bytes"), properties: { v: 1 } };
    expect((await ask(event)).status).toBe(200);
    expect((await ask({ ...event, external_subscription_id: "none" })).body).toEqual(unknown);
    expect((await ask(event, theirs.key)).body).toEqual(unknown);
    await acme.advanceTo("2024-09-20T00:00:00Z");
    await call("DELETE", `/subscriptions/${encodeURIComponent(acme.subscription)}`);
    expect((await ask(event)).body).toEqual(unknown);
  });

  it("an unknown code is 404", async () => {
    const acme = await subscribe(input);
    expect((await ask({ external_subscription_id: acme.subscription, code: "none" })).body).toMatchObject({
      status: 404,
      error: "Not Found",
      code: "billable_metric_not_found",
    });
  });

  it("a metric without a charge in advance is 422 on the code", async () => {
    const acme = await subscribe(input);
    const refused = invalid("code", "does_not_match_an_instant_charge");
    expect((await acme.estimate("calls", {})).body).toMatchObject(refused);
    expect((await acme.estimate("peak", { v: "1" })).body).toMatchObject(refused);
  });

  it("a value that is not a number is 422 on the properties", async () => {
    const acme = await subscribe(input);
    const refused = invalid("properties", "value_is_not_valid_number");
    for (const properties of [{}, { v: null }, { v: "1e3" }, { v: "12,5" }, { v: true }, { v: [1] }, { w: 1 }])
      expect((await acme.estimate("bytes", properties)).body).toMatchObject(refused);
    expect((await acme.estimate("peak", { v: "much" })).body).toMatchObject(refused);
    expect((await acme.estimate("bytes", "null")).body).toMatchObject(refused);
  });

  it("missing members and members that are not text are named", async () => {
    expect((await ask({})).body.error_details).toEqual({
      external_subscription_id: ["value_is_mandatory"],
      code: ["value_is_mandatory"],
    });
    expect((await ask({ external_subscription_id: 1, code: "\u0000", properties: [] })).body.error_details).toEqual({
      external_subscription_id: ["value_is_invalid"],
      properties: ["value_is_invalid"],
    });
    expect((await call("POST", "/events/estimate_fees", {})).status).toBe(400);
  });

  it("properties that cannot be stored are refused as for an event", async () => {
    const acme = await subscribe(input);
    expect((await acme.estimate("bytes", `{"v":"\\u0000"}`)).body).toMatchObject(
      invalid("properties", "value_is_invalid"),
    );
    expect((await acme.estimate("bytes", `{"v":"\\ud800"}`)).body).toMatchObject(
      invalid("properties", "value_is_invalid"),
    );
    expect((await acme.estimate("bytes", `{"v":1e4000}`)).body).toMatchObject(
      invalid("properties", "value_is_out_of_range"),
    );
    expect((await acme.estimate("bytes", `{"v":1,"w":${"[".repeat(40)}${"]".repeat(40)}}`)).status).toBe(400);
  });
});
