import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const { call, platform } = await startTallystick();

/** Two seats, renewed in February by a charge that is not invoiced, and a call in arrears. */
const { subscription, customer, metricCode, send, advanceTo } = await subscribeCustomer(call, {
  now: "2024-01-01T00:00:00Z",
  metrics: {
    seats: { aggregation_type: "unique_count_agg", field_name: "user", recurring: true },
    calls: { aggregation_type: "count_agg" },
  },
  charges: [
    { metric: "seats", pay_in_advance: true, invoiceable: false, properties: { amount: "12" } },
    { metric: "calls", min_amount_cents: 500, properties: { amount: "2" } },
  ],
  plan: { amount_cents: 100 },
});
await send("seats", { user: "a" }, { user: "b" });
await send("calls", {});
await advanceTo("2024-02-01T00:00:00Z");

const list = async (query = "") => {
  const { status, body, text } = await call(
    "GET",
    `/fees?external_subscription_id=${encodeURIComponent(subscription)}${query}`,
  );
  expect(status, text).toBe(200);
  return body.fees;
};
/** The fee of the renewal. The fees of the two events are standalone too. */
const alone = async () =>
  (await list()).find(
    (fee: Record<"svc_invoice_id" | "event_transaction_id", string | null>) =>
      fee.svc_invoice_id === null && fee.event_transaction_id === null,
  );

test("a fee of a charge that is not invoiced is standalone", async () => {
  expect(await alone()).toMatchObject({
    item: { type: "charge", code: metricCode("seats") },
    amount_cents: 2400,
    units: "2.0",
    invoiceable: false,
    pay_in_advance: true,
    payment_status: "pending",
    from_date: "2024-02-01T00:00:00Z",
    to_date: "2024-02-29T23:59:59Z",
    external_customer_id: customer,
  });
});

test("a true-up fee and the fee of its charge refer to each other", async () => {
  const fees = await list(`&billable_metric_code=${encodeURIComponent(metricCode("calls"))}`);
  const [used, trueUp] = fees;
  expect(fees).toMatchObject([
    { amount_cents: 200, svc_true_up_fee_id: trueUp.svc_id, svc_true_up_parent_fee_id: null },
    {
      amount_cents: 300,
      svc_charge_id: used.svc_charge_id,
      svc_true_up_fee_id: null,
      svc_true_up_parent_fee_id: used.svc_id,
      total_aggregated_units: null,
      events_count: 0,
    },
  ]);
});

test("fees are found by type, payment status and day", async () => {
  expect(await list("&fee_type=subscription")).toMatchObject([{ amount_cents: 100 }]);
  expect(await list("&payment_status=refunded")).toEqual([]);
  expect(await list("&created_at_from=2024-02-02T00:00:00Z")).toEqual([]);
  expect((await call("GET", "/fees?fee_type=other")).body.error_details).toEqual({ fee_type: ["value_is_invalid"] });
  expect((await call("GET", "/fees?failed_at_to=soon")).body.error_details).toEqual({ failed_at_to: ["invalid_date"] });
});

test("a standalone fee is paid separately: each status has its own instant", async () => {
  const { svc_id } = await alone();
  const pay = async (payment_status: string) =>
    (await call("PUT", `/fees/${svc_id}`, { fee: { payment_status } })).body;
  const at = "2024-02-01T00:00:00Z";
  expect((await pay("succeeded")).fee).toMatchObject({ succeeded_at: at, failed_at: null, refunded_at: null });
  expect((await pay("refunded")).fee).toMatchObject({ succeeded_at: null, failed_at: null, refunded_at: at });
  expect((await pay("lost")).error_details).toEqual({ payment_status: ["value_is_invalid"] });
});

test("a fee on an invoice can be neither paid nor deleted separately", async () => {
  const [{ svc_id }] = await list("&fee_type=subscription");
  const refused = { status: 405, error: "Method Not Allowed", code: "invoiced_fee" };
  expect((await call("PUT", `/fees/${svc_id}`, { fee: { payment_status: "failed" } })).body).toMatchObject(refused);
  expect((await call("DELETE", `/fees/${svc_id}`)).body).toMatchObject(refused);
});

test("a paid or refunded fee cannot be deleted", async () => {
  const { svc_id } = await alone();
  const refused = { status: 405, error: "Method Not Allowed", code: "paid_fee" };
  expect((await call("DELETE", `/fees/${svc_id}`)).body).toMatchObject(refused);
  await call("PUT", `/fees/${svc_id}`, { fee: { payment_status: "succeeded" } });
  expect((await call("DELETE", `/fees/${svc_id}`)).body).toMatchObject(refused);
  expect((await call("GET", `/fees/${svc_id}`)).body.fee.payment_status).toBe("succeeded");
});

test("even a direct database write cannot delete a paid fee", async () => {
  const { svc_id } = await alone();
  const { DATABASE_URL: url } = platform.config;
  await expect(runOn(url, `update fees set deleted_at = now() where id = '${svc_id}'`)).rejects.toThrow(
    "fees_paid_stay",
  );
  await expect(runOn(url, `delete from fees where id = '${svc_id}'`)).rejects.toThrow("was paid and is never deleted");
});

test("an unpaid standalone fee can be deleted", async () => {
  const { svc_id } = await alone();
  await call("PUT", `/fees/${svc_id}`, { fee: { payment_status: "failed" } });
  expect((await call("DELETE", `/fees/${svc_id}`)).body.fee.svc_id).toBe(svc_id);
  expect(await alone()).toBeUndefined();
  expect((await call("GET", `/fees/${svc_id}`)).body.code).toBe("fee_not_found");
});

test("a fee shows its charge and filter, the value at the end of its period, and its amount after coupons", async () => {
  const { customer, subscription, mark, send, advanceTo } = await subscribeCustomer(call, {
    now: "2024-04-01T00:00:00Z",
    metrics: {
      storage: {
        aggregation_type: "weighted_sum_agg",
        field_name: "gb",
        weighted_interval: "seconds",
        filters: [{ key: "region", values: ["eu"] }],
      },
    },
    charges: [{ metric: "storage", filters: [{ values: { region: ["eu"] }, properties: { amount: "1.00" } }] }],
    plan: { amount_cents: 100 },
  });
  const off = { code: mark, coupon_type: "fixed_amount", amount_cents: 100, amount_currency: "EUR", frequency: "once" };
  await call("POST", "/coupons", { coupon: { name: "Off", expiration: "no_expiration", ...off } });
  await call("POST", "/applied_coupons", { applied_coupon: { external_customer_id: customer, coupon_code: mark } });
  await send("storage", { gb: 10, region: "eu", timestamp: "2024-04-16T00:00:00Z" });
  await advanceTo("2024-05-01T00:00:00Z");
  const { fees } = (await call("GET", `/fees?external_subscription_id=${encodeURIComponent(subscription)}`)).body;
  const [charge] = (await call("GET", `/plans/plan%20${mark}`)).body.plan.charges;
  const feeOf = (type: string) => fees.find(({ item }: { item: { type: string } }) => item.type === type);
  expect(feeOf("charge")).toMatchObject({
    svc_charge_id: charge.svc_id,
    svc_charge_filter_id: charge.filters[0].svc_id,
    units: "5.0",
    total_aggregated_units: "10.0",
    amount_cents: 500,
    sub_total_excluding_taxes_amount_cents: 417,
  });
  expect(feeOf("subscription")).toMatchObject({
    svc_charge_id: null,
    total_aggregated_units: null,
    amount_cents: 100,
    sub_total_excluding_taxes_amount_cents: 83,
  });
  const [{ svc_id }] = (await call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`)).body
    .invoices;
  const { invoice } = (await call("GET", `/invoices/${svc_id}`)).body;
  expect(
    invoice.fees.map((fee: Record<string, unknown>) => fee.sub_total_excluding_taxes_amount_cents).toSorted(),
  ).toEqual([417, 83]);
});
