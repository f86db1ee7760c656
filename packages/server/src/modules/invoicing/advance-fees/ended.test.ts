/** Late events of subscriptions that have ended, priced after what was billed of them. */
import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const { platform, call, drain } = await startTallystick();

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const graduated = (firstFive: string) => ({
  graduated_ranges: [
    { from_value: 0, to_value: 5, per_unit_amount: firstFive, flat_amount: "0" },
    { from_value: 6, to_value: null, per_unit_amount: "1", flat_amount: "0" },
  ],
});

test("a late event after a price change is priced after an event that was billed in the second of the end", async () => {
  const { subscription, customer, mark, metricCode, advanceTo } = await subscribeCustomer(call, {
    now: "2024-01-01T00:00:00Z",
    metrics: { jobs: { aggregation_type: "sum_agg", field_name: "n" } },
    charges: [
      {
        ...{ metric: "jobs", charge_model: "graduated", properties: graduated("3") },
        ...{ pay_in_advance: true, invoiceable: false },
      },
    ],
  });
  const price = async (transaction_id: string, n: number, at: string): Promise<number> => {
    const timestamp = Temporal.Instant.from(at).epochMilliseconds / 1000;
    const event = { transaction_id, external_subscription_id: subscription, code: metricCode("jobs") };
    await must(call("POST", "/events", { event: { ...event, timestamp, properties: { n } } }));
    await drain();
    const { fees } = await must(call("GET", `/fees?event_transaction_id=${encodeURIComponent(transaction_id)}`));
    return fees[0].amount_cents;
  };
  const end = "2024-01-10T12:00:00Z";
  await advanceTo(end);
  expect(await price(`${mark} last`, 5, end)).toBe(1500);
  await must(call("DELETE", `/subscriptions/${encodeURIComponent(subscription)}`));
  await advanceTo("2024-01-10T12:00:01Z");
  const next = { external_customer_id: customer, external_id: subscription, plan_code: `plan ${mark}` };
  await must(call("POST", "/subscriptions", { subscription: next }));
  expect(await price(`${mark} of the next`, 2, "2024-01-10T12:00:01Z")).toBe(600);
  const { plan } = await must(call("GET", `/plans/${encodeURIComponent(`plan ${mark}`)}`));
  const [{ svc_id: id, svc_billable_metric_id: billable_metric_id }] = plan.charges;
  const charges = [{ id, billable_metric_id, charge_model: "graduated", properties: graduated("2") }];
  await must(call("PUT", `/plans/${encodeURIComponent(`plan ${mark}`)}`, { plan: { charges } }));
  expect(await price(`${mark} late`, 3, "2024-01-05T12:00:00Z")).toBe(300);
  const broken = (await verify(platform.config.DATABASE_URL)).filter((finding) => finding.broken > 0);
  expect(broken.map(({ name }) => name)).toEqual([]);
});
