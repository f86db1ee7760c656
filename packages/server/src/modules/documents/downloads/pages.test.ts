import { expect, test } from "vitest";
import { type Answer, startTallystick } from "../../../testing/start-tallystick.ts";
import { subscribeCustomer } from "../../../testing/subscribed-customer.ts";

const { call } = await startTallystick();

const must = async (answer: Promise<Answer>): Promise<Answer["body"]> => {
  const { status, body, text } = await answer;
  expect(status, text).toBe(200);
  return body;
};
async function pagesOf(id: string): Promise<string[]> {
  const { pages } = await must(call("GET", `/invoices/${id}/pages`));
  const numbers = pages.map(({ number }: { number: number }) => number);
  expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
  return pages.map(({ svg }: { svg: string }) => svg);
}

const request = (customer: Record<string, unknown> = {}) => ({
  now: "2024-01-01T00:00:00Z",
  metrics: {},
  charges: [],
  plan: { amount_cents: 3100 },
  customer,
});

async function billed(customer: Record<string, unknown> = {}) {
  const one = await subscribeCustomer(call, request(customer));
  await one.advanceTo("2024-02-01T12:00:00Z");
  const { invoices } = await must(call("GET", `/invoices?external_customer_id=${encodeURIComponent(one.customer)}`));
  return { ...one, invoice: invoices[0] };
}

/** Everything that could run, load or link. */
const ACTIVE =
  /<(?!\/?(svg|g|path|use|defs|symbol|clipPath|image|rect|linearGradient|stop)\b)[a-z]|\son\w+=|(href|src)="(?!#|data:image\/)/i;

test("a finalized invoice and a draft have their pages as SVG, in which nothing is active", async () => {
  const { invoice } = await billed({ name: "<script>alert(1)</script>", billing_configuration: {} });
  const draft = await billed({ billing_configuration: { invoice_grace_period: 3 }, url: "javascript:alert(1)" });
  expect([invoice.status, draft.invoice.status]).toEqual(["finalized", "draft"]);
  for (const { svc_id } of [invoice, draft.invoice]) {
    const pages = await pagesOf(svc_id);
    expect(pages).toHaveLength(1);
    expect(pages[0]).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]* viewBox="0 0 \d+(\.\d+)? \d+(\.\d+)?"/);
    expect(pages[0]).not.toMatch(ACTIVE);
    expect(pages[0]).not.toContain("alert");
  }
});

test("an invoice with many lines has several pages, each with only its own glyphs", async () => {
  await must(call("POST", "/add_ons", { add_on: { name: "A", code: "a", amount_cents: 1, amount_currency: "EUR" } }));
  await must(call("POST", "/customers", { customer: { external_id: "long" } }));
  const fees = Array.from({ length: 90 }, (_, index) => ({ add_on_code: "a", description: `Line ${index}` }));
  const { invoice } = await must(call("POST", "/invoices", { invoice: { external_customer_id: "long", fees } }));
  const pages = await pagesOf(invoice.svc_id);
  expect(pages.length).toBeGreaterThan(1);
  const boxes = pages.map((page) => /viewBox="0 (\S+) (\S+) (\S+)"/.exec(page)?.slice(1).map(Number) ?? []);
  const [, width = 0, height = 0] = boxes[0] ?? [];
  expect(boxes).toEqual(pages.map((_, index) => [index * height, width, height]));
  for (const page of pages)
    for (const [, id] of page.matchAll(/(?:href="|url\()#([^")]+)/g)) expect(page).toContain(`id="${id}"`);
});

test("the pages of an invoice stay as they were issued; those of a draft follow the customer", async () => {
  const { invoice, customer } = await billed({ name: "Before" });
  const draft = await billed({ name: "Before", billing_configuration: { invoice_grace_period: 3 } });
  const before = [await pagesOf(invoice.svc_id), await pagesOf(draft.invoice.svc_id)];
  for (const external_id of [customer, draft.customer])
    await must(call("POST", "/customers", { customer: { external_id, name: "Quite another name" } }));
  expect(await pagesOf(invoice.svc_id)).toEqual(before[0]);
  expect(await pagesOf(draft.invoice.svc_id)).not.toEqual(before[1]);
});

test("an unknown invoice has no pages", async () => {
  const { status, body } = await call("GET", "/invoices/01890a5d-ac96-774b-bcce-b302099a8057/pages");
  expect([status, body.code]).toEqual([404, "invoice_not_found"]);
});
