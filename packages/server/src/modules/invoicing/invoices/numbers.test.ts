/** Both numbering schemes share one space of numbers: an organization that switches between them never repeats a number. */
import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const { call, drain, platform } = await startTallystick({ organizations: 1 });

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};

const number = (document_numbering: string) =>
  must(call("PUT", "/organizations", { organization: { document_numbering, document_number_prefix: "ORG" } }));

/** Sets the number of the next customer. */
const countCustomersTo = (last: number) =>
  runOn(platform.config.DATABASE_URL, `update counters set value = ${last - 1} where series = 'customers'`);

const numbersOf = async (customer: string): Promise<string[]> =>
  (await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`))).invoices.map(
    (invoice: { number: string }) => invoice.number,
  );

const january = { now: "2024-01-01T00:00:00Z", metrics: {}, charges: [], plan: { amount_cents: 1000 } };

test("customer 202402 is billed although the organization used the same number in February 2024", async () => {
  await number("per_organization");
  const first = await subscribeCustomer(call, january);
  await first.advanceTo("2024-02-01T00:00:00Z");
  expect(await numbersOf(first.customer)).toEqual(["ORG-202402-001"]);
  await number("per_customer");
  await countCustomersTo(202_402);
  const second = await subscribeCustomer(call, january);
  await second.advanceTo("2024-02-01T00:00:00Z");
  await drain();
  expect(await numbersOf(second.customer)).toEqual(["ORG-0202402-001"]);
  const { customer } = await must(call("GET", `/customers/${encodeURIComponent(second.customer)}`));
  expect([customer.sequential_id, customer.slug]).toEqual([202_402, "ORG-0202402"]);
});

test("the organization's series never repeats a number of a customer", async () => {
  await number("per_customer");
  await countCustomersTo(202_404);
  const customer = await subscribeCustomer(call, { ...january, now: "2024-03-01T00:00:00Z" });
  await customer.advanceTo("2024-04-01T00:00:00Z");
  expect(await numbersOf(customer.customer)).toEqual(["ORG-0202404-001"]);
  // Continues from the number above.
  await number("per_organization");
  const other = await subscribeCustomer(call, { ...january, now: "2024-03-01T00:00:00Z" });
  await other.advanceTo("2024-04-01T00:00:00Z");
  expect(await numbersOf(other.customer)).toEqual(["ORG-202404-002"]);
});
