import { expect, test } from "vitest";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";
import { verify } from "../../../verify/index.ts";

const { call, organizations, platform } = await startTallystick();

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
const refused = (code: string, status: number, error: string) => ({ status, error, code });
const invalid = (error_details: object) => ({
  ...refused("validation_errors", 422, "Unprocessable Entity"),
  error_details,
});

await must(call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "10", applied_to_organization: true } }));
await must(
  call("POST", "/coupons", {
    coupon: {
      name: "Ten",
      code: "ten",
      coupon_type: "fixed_amount",
      amount_cents: 1000,
      amount_currency: "EUR",
      frequency: "once",
      expiration: "no_expiration",
    },
  }),
);

const subscribe = (plan: object = {}, customer: Record<string, unknown> = {}) =>
  subscribeCustomer(call, {
    now: "2024-02-01T00:00:00Z",
    metrics: {},
    charges: [],
    plan: { amount_cents: 10_000, ...plan },
    customer,
  });
const invoicesOf = async (customer: string) => {
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(customer)}`));
  const shown: Answer["body"][] = [];
  for (const { svc_id } of invoices.toReversed()) shown.push((await must(call("GET", `/invoices/${svc_id}`))).invoice);
  return shown;
};
const notesOf = async (customer: string) =>
  (await must(call("GET", `/credit_notes?external_customer_id=${encodeURIComponent(customer)}`))).credit_notes;
const create = (credit_note: object, options = {}) => call("POST", "/credit_notes", { credit_note }, options);
const items = (fee_id: string, amount_cents: number) => [{ fee_id, amount_cents }];

/** An invoice of 100.00 less a coupon of 10.00, plus 10 %: 99.00. */
async function givenInvoice(customer: Record<string, unknown> = {}) {
  const made = await subscribe({}, customer);
  const applied_coupon = { external_customer_id: made.customer, coupon_code: "ten" };
  await must(call("POST", "/applied_coupons", { applied_coupon }));
  await made.advanceTo("2024-03-01T00:00:00Z");
  const [invoice] = await invoicesOf(made.customer);
  expect(invoice.total_amount_cents).toBe(9900);
  return { ...made, invoice, id: invoice.svc_id as string, fee: invoice.fees[0].svc_id as string };
}

test("a credit of half a fee includes half of its coupons and taxes", async () => {
  const { invoice, id, fee, customer } = await givenInvoice();
  const request = { invoice_id: id, items: items(fee, 5000) };
  const { estimated_credit_note } = await must(call("POST", "/credit_notes/estimate", { credit_note: request }));
  expect(estimated_credit_note).toMatchObject({
    svc_invoice_id: id,
    invoice_number: invoice.number,
    currency: "EUR",
    sub_total_excluding_taxes_amount_cents: 4500,
    taxes_amount_cents: 450,
    taxes_rate: 10,
    max_creditable_amount_cents: 4950,
    max_refundable_amount_cents: 0,
    coupons_adjustment_amount_cents: 500,
    items: [{ svc_fee_id: fee, amount_cents: 5000 }],
    applied_taxes: [{ tax_code: "vat", base_amount_cents: 4500, amount_cents: 450 }],
  });
  const { credit_note } = await must(
    create({ ...request, reason: "duplicated_charge", description: "Twice", credit_amount_cents: 4950 }),
  );
  expect(credit_note).toMatchObject({
    sequential_id: 1,
    number: `${invoice.number}-CN001`,
    svc_invoice_id: id,
    invoice_number: invoice.number,
    issuing_date: "2024-03-01",
    credit_status: "available",
    refund_status: null,
    reason: "duplicated_charge",
    description: "Twice",
    total_amount_cents: 4950,
    credit_amount_cents: 4950,
    refund_amount_cents: 0,
    offset_amount_cents: 0,
    balance_amount_cents: 4950,
    coupons_adjustment_amount_cents: 500,
    sub_total_excluding_taxes_amount_cents: 4500,
    taxes_amount_cents: 450,
    taxes_rate: 10,
    created_at: "2024-03-01T00:00:00Z",
    file_url: null,
    items: [{ amount_cents: 5000, amount_currency: "EUR", fee: { svc_id: fee } }],
    applied_taxes: [{ tax_code: "vat", tax_rate: 10, base_amount_cents: 4500, amount_cents: 450 }],
  });
  expect(await notesOf(customer)).toEqual([credit_note]);
  expect((await must(call("GET", `/credit_notes/${credit_note.svc_id}`))).credit_note).toEqual(credit_note);
  const other = { key: organizations[1]?.key ?? "" };
  expect((await call("GET", "/credit_notes", undefined, other)).body.credit_notes).toEqual([]);
  expect((await create({ ...request, credit_amount_cents: 4950 }, other)).body).toEqual(
    refused("invoice_not_found", 404, "Not Found"),
  );
});

test("creation is published once, with the customer", async () => {
  const { id, fee, customer } = await givenInvoice();
  const { credit_note } = await must(create({ invoice_id: id, credit_amount_cents: 9900, items: items(fee, 10_000) }));
  const [message] = await runOn(
    platform.config.DATABASE_URL,
    `select webhook_type, payload from outbox where object_id = '${credit_note.svc_id}'`,
  );
  expect(message).toMatchObject({
    webhook_type: "credit_note.created",
    payload: { credit_note: { ...credit_note, customer: { external_id: customer } } },
  });
});

test("exceeded limits are reported by field and code", async () => {
  const { id, fee } = await givenInvoice();
  const note = (amount: number, members: object) => create({ invoice_id: id, items: items(fee, amount), ...members });
  expect((await note(10_001, { credit_amount_cents: 9900 })).body).toEqual(
    invalid({ amount_cents: ["higher_than_remaining_fee_amount"] }),
  );
  expect((await note(-1, { credit_amount_cents: 1 })).body).toMatchObject(invalid({ amount_cents: ["invalid_value"] }));
  expect((await note(5000, { refund_amount_cents: 4950 })).body).toEqual(
    invalid({ refund_amount_cents: ["cannot_refund_unpaid_invoice"] }),
  );
  expect((await note(5000, { credit_amount_cents: 5000 })).body).toEqual(
    invalid({ base: ["does_not_match_item_amounts"] }),
  );
  expect((await note(0, {})).body).toMatchObject(invalid({ base: ["total_amount_must_be_positive"] }));
  expect((await note(5000, { credit_amount_cents: 4950, reason: "bored" })).body).toEqual(
    invalid({ reason: ["value_is_invalid"] }),
  );
  expect((await create({ invoice_id: id, items: "all" })).body).toMatchObject(invalid({ items: ["must_be_an_array"] }));
  expect((await create({ invoice_id: id, items: items("junk", 1) })).body).toEqual(
    refused("fee_not_found", 404, "Not Found"),
  );
  expect((await create({ invoice_id: "junk", items: [] })).body).toEqual(
    refused("invoice_not_found", 404, "Not Found"),
  );
});

test("a draft cannot be credited", async () => {
  const { customer, advanceTo } = await subscribe({}, { billing_configuration: { invoice_grace_period: 5 } });
  await advanceTo("2024-03-01T00:00:00Z");
  const [draft] = await invoicesOf(customer);
  const input = { invoice_id: draft.svc_id, credit_amount_cents: 11_000, items: items(draft.fees[0].svc_id, 10_000) };
  expect((await create(input)).body).toMatchObject(refused("invalid_type_or_status", 405, "Method Not Allowed"));
});

test("a paid amount is refunded, and the refund has its own status", async () => {
  const { id, fee } = await givenInvoice();
  await must(call("PUT", `/invoices/${id}`, { invoice: { payment_status: "succeeded" } }));
  const query = { invoice_id: id, refund_amount_cents: 4000, credit_amount_cents: 950, items: items(fee, 5000) };
  const { credit_note } = await must(create(query));
  expect(credit_note).toMatchObject({ refund_status: "pending", refund_amount_cents: 4000, balance_amount_cents: 950 });
  const path = `/credit_notes/${credit_note.svc_id}`;
  const { credit_note: paid } = await must(call("PUT", path, { credit_note: { refund_status: "succeeded" } }));
  expect(paid).toMatchObject({ refund_status: "succeeded" });
  expect((await call("PUT", path, { credit_note: { refund_status: "lost" } })).body).toEqual(
    invalid({ refund_status: ["value_is_invalid"] }),
  );
});

test("the oldest note pays the next invoice until it is used up; a void returns the credit", async () => {
  const { customer, id, fee, invoice, advanceTo } = await givenInvoice();
  for (const amount of [2000, 8000])
    await must(create({ invoice_id: id, credit_amount_cents: amount * 0.99, items: items(fee, amount) }));
  await advanceTo("2024-04-01T00:00:00Z");
  const [, march] = await invoicesOf(customer);
  // The invoice is 110.00: the notes pay 19.80 and 79.20.
  expect(march).toMatchObject({ credit_notes_amount_cents: 9900, total_amount_cents: 1100 });
  const [second, first] = await notesOf(customer);
  expect(march.credits).toMatchObject([
    {
      amount_cents: 1980,
      before_taxes: false,
      item: { svc_item_id: first.svc_id, type: "credit_note", code: first.number, name: invoice.number },
    },
    { amount_cents: 7920, item: { svc_item_id: second.svc_id } },
  ]);
  expect([first, second]).toMatchObject([
    { credit_status: "consumed", balance_amount_cents: 0 },
    { credit_status: "consumed", balance_amount_cents: 0 },
  ]);
  const nothing = refused("no_voidable_amount", 405, "Method Not Allowed");
  expect((await call("PUT", `/credit_notes/${first.svc_id}/void`)).body).toEqual(nothing);
  await must(call("POST", `/invoices/${march.svc_id}/void`));
  expect(await notesOf(customer)).toMatchObject([
    { credit_status: "available", balance_amount_cents: 7920 },
    { credit_status: "available", balance_amount_cents: 1980 },
  ]);
});

test("the remaining balance is voided once, and credit that returns later is void too", async () => {
  const { customer, id, fee, advanceTo } = await givenInvoice();
  await must(create({ invoice_id: id, credit_amount_cents: 9900, items: items(fee, 10_000) }));
  const small = { interval: "monthly", amount_cents: 1000, amount_currency: "EUR", pay_in_advance: true };
  await must(call("POST", "/plans", { plan: { ...small, name: "Small", code: `small ${customer}` } }));
  const subscription = {
    external_customer_id: customer,
    external_id: `small ${customer}`,
    plan_code: `small ${customer}`,
  };
  await must(call("POST", "/subscriptions", { subscription }));
  const [note] = await notesOf(customer);
  expect(note).toMatchObject({ credit_status: "available", balance_amount_cents: 8800 });
  const path = `/credit_notes/${note.svc_id}/void`;
  expect((await must(call("PUT", path))).credit_note).toMatchObject({
    credit_status: "voided",
    balance_amount_cents: 0,
  });
  expect((await call("PUT", path)).body.code).toBe("no_voidable_amount");
  const bought = (await invoicesOf(customer)).find((one) => one.credit_notes_amount_cents === 1100);
  expect(bought).toMatchObject({ total_amount_cents: 0, payment_status: "succeeded" });
  await must(call("PUT", `/invoices/${bought.svc_id}`, { invoice: { payment_status: "failed" } }));
  await must(call("POST", `/invoices/${bought.svc_id}/void`));
  expect(await notesOf(customer)).toMatchObject([{ credit_status: "voided", balance_amount_cents: 0 }]);
  await advanceTo("2024-04-01T00:00:00Z");
  expect((await invoicesOf(customer)).at(-1)).toMatchObject({ credit_notes_amount_cents: 0 });
});

test("an invoice with an active credit note cannot be voided until the note is void", async () => {
  const { id, fee } = await givenInvoice();
  const { credit_note } = await must(create({ invoice_id: id, credit_amount_cents: 99, items: items(fee, 100) }));
  expect((await call("POST", `/invoices/${id}/void`)).body).toMatchObject(
    refused("not_voidable", 405, "Method Not Allowed"),
  );
  await must(call("PUT", `/credit_notes/${credit_note.svc_id}/void`));
  expect((await must(call("POST", `/invoices/${id}/void`))).invoice.status).toBe("voided");
});

const IN_ADVANCE = { amount_cents: 2900, pay_in_advance: true };
const END_OF_FEBRUARY_10TH = "2024-02-10T12:00:00Z";

test("prepaid unused days are credited when the subscription ends", async () => {
  const { customer, subscription, advanceTo } = await subscribe(IN_ADVANCE);
  await advanceTo(END_OF_FEBRUARY_10TH);
  await must(call("DELETE", `/subscriptions/${encodeURIComponent(subscription)}`));
  // 19 of 29 days at 1.00, plus 10 % tax.
  expect(await notesOf(customer)).toMatchObject([
    {
      reason: "order_cancellation",
      sub_total_excluding_taxes_amount_cents: 1900,
      taxes_amount_cents: 190,
      credit_amount_cents: 2090,
      balance_amount_cents: 2090,
      issuing_date: "2024-02-10",
      items: [{ amount_cents: 1900 }],
    },
  ]);
});

test("while the fee is a draft, its credit waits for finalization", async () => {
  const grace = { billing_configuration: { invoice_grace_period: 15 } };
  const { customer, subscription, advanceTo } = await subscribe(IN_ADVANCE, grace);
  await advanceTo(END_OF_FEBRUARY_10TH);
  await must(call("DELETE", `/subscriptions/${encodeURIComponent(subscription)}`));
  expect(await notesOf(customer)).toEqual([]);
  await advanceTo("2024-02-16T00:00:00Z");
  const [fee] = await invoicesOf(customer);
  expect(fee).toMatchObject({ status: "finalized", credit_notes_amount_cents: 0 });
  expect(await notesOf(customer)).toMatchObject([
    { svc_invoice_id: fee.svc_id, credit_amount_cents: 2090, issuing_date: "2024-02-16" },
  ]);
});

test("an upgrade uses the credit of the plan before on its own invoice", async () => {
  const { customer, subscription, advanceTo } = await subscribe(IN_ADVANCE);
  const large = { interval: "monthly", amount_cents: 5800, amount_currency: "EUR", pay_in_advance: true };
  await must(call("POST", "/plans", { plan: { ...large, name: "Large", code: `large ${customer}` } }));
  await advanceTo(END_OF_FEBRUARY_10TH);
  const change = { external_customer_id: customer, external_id: subscription, plan_code: `large ${customer}` };
  await must(call("POST", "/subscriptions", { subscription: change }));
  const [, upgrade] = await invoicesOf(customer);
  // The 10th belongs to the new plan: 20 of 29 days at 2.00 less 20 at 1.00, each with 10 %.
  expect(upgrade).toMatchObject({ fees_amount_cents: 4000, credit_notes_amount_cents: 2200, total_amount_cents: 2200 });
  expect(await notesOf(customer)).toMatchObject([{ reason: "order_change", credit_status: "consumed" }]);
});

test("afterwards every invariant holds", async () => {
  const findings = await verify(platform.config.DATABASE_URL);
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([]);
});
