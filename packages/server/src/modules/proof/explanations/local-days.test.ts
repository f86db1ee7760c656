/** Explanations name days in the time zone that the customer was billed in. */
import { expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const { call } = await startTallystick({ organizations: 1 });

const metrics = {
  calls: { aggregation_type: "count_agg" },
  seats: { aggregation_type: "sum_agg", field_name: "v", recurring: true },
  jobs: { aggregation_type: "count_agg" },
};
const charges = [
  { metric: "calls", properties: { amount: "1" } },
  { metric: "seats", pay_in_advance: true, properties: { amount: "2" } },
  { metric: "jobs", pay_in_advance: true, invoiceable: false, properties: { amount: "3" } },
];

/** All explanation texts for a customer in a zone that subscribes for one month. */
async function textsOf(timezone: string, [from, used, to]: readonly [string, string, string]): Promise<string[]> {
  const { subscription, send, advanceTo } = await subscribeCustomer(call, {
    now: from,
    customer: { timezone },
    metrics,
    charges,
    plan: { amount_cents: 1000, minimum_commitment: { amount_cents: 9000 } },
  });
  await advanceTo(used);
  await send("calls", {});
  await send("seats", { v: "1" });
  await send("jobs", {});
  await advanceTo(to);
  const { fees } = (await call("GET", `/fees?external_subscription_id=${encodeURIComponent(subscription)}`)).body;
  const texts: string[] = [];
  for (const { svc_id } of fees)
    texts.push(...(await call("GET", `/fees/${svc_id}/explanation`)).body.explanation.text);
  const ids = new Set(fees.map((fee: { svc_invoice_id: string | null }) => fee.svc_invoice_id));
  for (const id of ids) if (id) texts.push(...(await call("GET", `/invoices/${id}/explanation`)).body.explanation.text);
  return texts.map((text) => text.trim());
}

const textsWith = (texts: readonly string[], part: string) => [
  ...new Set(texts.filter((text) => text.includes(part)).map((text) => text.replace(/^.*?, (?=[A-Z][a-z]+ \d)/, ""))),
];

test("January in Berlin is from Jan 1 to Jan 31, though it begins on December 31 in UTC", async () => {
  const texts = await textsOf("Europe/Berlin", [
    "2023-12-31T23:00:00Z",
    "2024-01-10T00:00:00Z",
    "2024-01-31T23:00:00Z",
  ]);
  expect(texts.filter((text) => text.includes("Dec 31") || text.includes("2023-12-31"))).toEqual([]);
  // The fees are plan, commitment, calls, seats and jobs. The invoice repeats each line with its amount.
  expect(textsWith(texts, "Jan 1, 2024 – Jan 31, 2024")).toContain("Jan 1, 2024 – Jan 31, 2024");
  expect(textsWith(texts, "Feb 1, 2024 – ")).toContain("Feb 1, 2024 – Feb 29, 2024");
  expect(texts).toContain("Number of events, from 2024-01-01T00:00:00+01:00 until before 2024-02-01T00:00:00+01:00");
  expect(texts).toContain("Held at 2024-02-01T00:00:00+01:00, paid in advance for the period that begins then");
});

test("March in Los Angeles is from Mar 1 to Mar 31, through the change to summer time", async () => {
  const texts = await textsOf("America/Los_Angeles", [
    "2024-03-01T08:00:00Z",
    "2024-03-10T20:00:00Z",
    "2024-04-01T07:00:00Z",
  ]);
  expect(texts.filter((text) => text.includes("Feb 29") || /\bApr 1, 2024$/.test(text))).toEqual([]);
  expect(textsWith(texts, "Mar 1, 2024 – Mar 31, 2024")).toContain("Mar 1, 2024 – Mar 31, 2024");
  expect(texts).toContain("Number of events, from 2024-03-01T00:00:00-08:00 until before 2024-04-01T00:00:00-07:00");
});

test("a customer that moves sees the days in the zone that was billed", async () => {
  const { customer, subscription, advanceTo } = await subscribeCustomer(call, {
    now: "2023-12-31T23:00:00Z",
    customer: { timezone: "Europe/Berlin" },
    metrics: {},
    charges: [],
    plan: { amount_cents: 3100 },
  });
  await advanceTo("2024-01-10T00:00:00Z");
  await call("POST", "/customers", { customer: { external_id: customer, timezone: "America/Los_Angeles" } });
  // January ends at midnight in Los Angeles.
  await advanceTo("2024-02-01T08:00:00Z");
  const { fees } = (await call("GET", `/fees?external_subscription_id=${encodeURIComponent(subscription)}`)).body;
  expect(fees).toMatchObject([{ amount_cents: 3100 }]);
  const { text } = (await call("GET", `/fees/${fees[0].svc_id}/explanation`)).body.explanation;
  expect(text[0]).toBe(`${fees[0].item.invoice_display_name}, Jan 1, 2024 – Jan 31, 2024`);
});
