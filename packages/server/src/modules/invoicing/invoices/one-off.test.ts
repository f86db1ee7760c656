import { expect, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call } = await startTallystick({ clock: { now: () => Temporal.Instant.from("2026-03-10T12:00:00Z") } });

await call("POST", "/add_ons", {
  add_on: { name: "Set-up", code: "setup", amount_cents: 2000, amount_currency: "EUR", description: "Two hours" },
});
await call("POST", "/taxes", { tax: { name: "Own", code: "own", rate: "5" } });
await call("POST", "/taxes", { tax: { name: "Customer's", code: "theirs", rate: "20" } });

const makeCustomer = (external_id: string, members: object = {}) =>
  call("POST", "/customers", { customer: { external_id, tax_codes: ["theirs"], ...members } });
const bill = (external_customer_id: string, fees: unknown, members: object = {}) =>
  call("POST", "/invoices", { invoice: { external_customer_id, fees, ...members } });

test("add-ons are billed at once: units at a price, rounded once, taxed by the most specific level", async () => {
  await makeCustomer("plain", { net_payment_term: 10 });
  const { body } = await bill("plain", [
    { add_on_code: "setup", units: "2.5" },
    { add_on_code: "setup", unit_amount_cents: 333, units: 1.5, description: "Agreed", tax_codes: ["own"] },
  ]);
  expect(body.invoice).toMatchObject({
    invoice_type: "one_off",
    status: "finalized",
    issuing_date: "2026-03-10",
    payment_due_date: "2026-03-20",
    currency: "EUR",
    fees_amount_cents: 5500,
    taxes_amount_cents: 1025,
    total_amount_cents: 6525,
    subscriptions: [],
  });
  expect(body.invoice.fees).toMatchObject([
    {
      amount_cents: 5000,
      units: "2.5",
      description: "Two hours",
      taxes_amount_cents: 1000,
      precise_unit_amount: "20.0",
    },
    { amount_cents: 500, units: "1.5", description: "Agreed", taxes_amount_cents: 25, from_date: null },
  ]);
  const fee = (await call("GET", `/fees/${body.invoice.fees[1].svc_id}`)).body.fee;
  expect(fee.applied_taxes).toMatchObject([{ tax_code: "own", amount_cents: 25 }]);
});

test("the currency is the customer's; the first invoice sets it", async () => {
  await makeCustomer("currency");
  expect((await bill("currency", [{ add_on_code: "setup" }])).body.invoice.currency).toBe("EUR");
  const refused = await bill("currency", [{ add_on_code: "setup" }], { currency: "USD" });
  expect(refused.body.error_details).toEqual({ currency: ["currencies_does_not_match"] });
  const change = await makeCustomer("currency", { currency: "USD" });
  expect(change.body.error_details).toEqual({ currency: ["currencies_does_not_match"] });
});

test.each([
  ["nobody", [{ add_on_code: "setup" }], "customer_not_found"],
  ["refused", [], "fees_not_found"],
  ["refused", undefined, "fees_not_found"],
  ["refused", [{ add_on_code: "none" }], "add_on_not_found"],
  ["refused", [{ add_on_code: "setup", tax_codes: ["none"] }], "tax_not_found"],
])("for %s with %j: 404 %s", async (externalId, fees, code) => {
  if (externalId !== "nobody") await makeCustomer(externalId);
  expect((await bill(externalId, fees)).body).toMatchObject({ status: 404, error: "Not Found", code });
});

test("units that are not a decimal of 0 or more are refused", async () => {
  await makeCustomer("units");
  for (const units of ["-1", "many", ""])
    expect((await bill("units", [{ add_on_code: "setup", units }])).body.error_details, units).toEqual({
      units: ["value_is_invalid"],
    });
});

test("the organization's numbers continue after those of its customers", async () => {
  await makeCustomer("numbers");
  const numberOf = async () => (await bill("numbers", [{ add_on_code: "setup" }])).body.invoice.number as string;
  expect(await numberOf()).toMatch(/-001$/);
  const { total_count } = (await call("GET", "/invoices?per_page=1")).body.meta;
  await call("PUT", "/organizations", { organization: { document_numbering: "per_organization" } });
  expect(await numberOf()).toMatch(new RegExp(`-202603-${String(total_count + 1).padStart(3, "0")}$`));
  await call("PUT", "/organizations", { organization: { document_numbering: "per_customer" } });
  expect(await numberOf()).toMatch(/-003$/);
});

test("invoices are found by type, day, payment status and customer name", async () => {
  await makeCustomer("found", { name: "Findable & Sons" });
  const { svc_id } = (await bill("found", [{ add_on_code: "setup" }])).body.invoice;
  const list = async (query: string) =>
    (await call("GET", `/invoices?${query}`)).body.invoices.map((invoice: { svc_id: string }) => invoice.svc_id);
  expect(await list("search_term=Findable")).toEqual([svc_id]);
  expect(await list("external_customer_id=found&invoice_type=one_off&payment_status=pending")).toEqual([svc_id]);
  expect(await list("external_customer_id=found&issuing_date_from=2026-03-11")).toEqual([]);
  expect(await list("external_customer_id=found&status=draft")).toEqual([]);
  const { body } = await call("GET", "/invoices?issuing_date_from=yesterday");
  expect(body.error_details).toEqual({ issuing_date_from: ["invalid_date"] });
});

test("an invoice shows its purchase order number, and when it was voided", async () => {
  await makeCustomer("orders");
  const { invoice } = (await bill("orders", [{ add_on_code: "setup" }], { purchase_order_number: "PO-7" })).body;
  const shown = { purchase_order_number: "PO-7", progressive_billing_credit_amount_cents: 0 };
  expect(invoice).toMatchObject({ ...shown, voided_at: null });
  const voided = (await call("POST", `/invoices/${invoice.svc_id}/void`)).body.invoice;
  expect(voided).toMatchObject({ ...shown, status: "voided", voided_at: "2026-03-10T12:00:00Z" });
  expect((await bill("orders", [{ add_on_code: "setup" }])).body.invoice.purchase_order_number).toBeNull();
});
