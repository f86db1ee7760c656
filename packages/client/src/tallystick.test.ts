// The client against the real service.

import { expect, expectTypeOf, test } from "vitest";
import {
  ChangedMeanwhileError,
  etagOf,
  InvalidError,
  type Invoice,
  NotAllowedError,
  NotFoundError,
  Tallystick,
  type Tax,
  UnauthenticatedError,
} from "./index.ts";
import { serve } from "./testing/serve.ts";

const service = await serve();
const tally = service.open();

const aTax = (code: string) => ({ code, name: "VAT", rate: "20.5" });

test("records come without their envelope, and have their types", async () => {
  const tax = await tally.taxes.create(aTax("plain"));
  expectTypeOf(tax).toEqualTypeOf<Tax>();
  expect(tax).toMatchObject({ code: "plain", rate: 20.5, name: "VAT" });
  expect(await tally.taxes.get("plain")).toEqual(tax);
  expect(await tally.taxes.update("plain", { name: "Value added tax" })).toMatchObject({ name: "Value added tax" });
  expect((await tally.taxes.delete("plain")).code).toBe("plain");
  await expect(tally.taxes.get("plain")).rejects.toBeInstanceOf(NotFoundError);
});

test("an answer that was lost has no second effect: the repeat gets the first answer", async () => {
  let lost = 0;
  const losing: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (lost++ > 1) return response;
    await response.text();
    throw new TypeError("socket hang up");
  };
  const careful = service.open({ fetch: losing, sleep: async () => undefined });
  const invoiceTax = await careful.taxes.create(aTax("lost"));
  expect(lost).toBe(3);
  const { items } = await tally.taxes.list({ code: "lost" });
  expect(items).toEqual([invoiceTax]);
});

test("an error has the class of its status, the codes of its members and the sentence of the service", async () => {
  const error = await tally.taxes.create({ ...aTax("wrong"), name: "" }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InvalidError);
  const { code, fields, faults, requestId, message, docsUrl } = error as InvalidError;
  expect({ code, fields }).toEqual({ code: "validation_errors", fields: { name: ["value_is_mandatory"] } });
  expect(faults).toMatchObject([{ path: "tax.name", code: "value_is_mandatory" }]);
  expect(message).toMatch(/name/);
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(docsUrl).toContain("#value_is_mandatory");

  const stranger = service.open({ key: "tsk_nobody" });
  await expect(stranger.taxes.list()).rejects.toBeInstanceOf(UnauthenticatedError);
  await expect(tally.taxes.get("no such")).rejects.toMatchObject({ code: "tax_not_found", name: "NotFoundError" });
  expect(() => new Tallystick({ url: service.url, key: "" })).toThrow("key is missing");
});

test("a state that does not allow it is a NotAllowedError", async () => {
  await tally.customers.upsert({ external_id: "states", currency: "EUR" });
  await tally.addOns.create({ code: "setup", name: "Set-up", amount_cents: 100, amount_currency: "EUR" });
  const invoice = await tally.invoices.create({
    external_customer_id: "states",
    currency: "EUR",
    fees: [{ add_on_code: "setup" }],
  });
  await tally.invoices.void(invoice.svc_id);
  await expect(tally.invoices.void(invoice.svc_id)).rejects.toBeInstanceOf(NotAllowedError);
});

test("await gives a page, for await gives every record once, also when some are added meanwhile", async () => {
  for (let number = 0; number < 7; number++) await tally.coupons.create(aCoupon(number));
  const page = await tally.coupons.list({ per_page: 3 });
  expect(page.items).toHaveLength(3);
  expect(page.meta).toMatchObject({ current_page: 1, total_count: 7 });

  const codes: string[] = [];
  for await (const coupon of tally.coupons.list({ per_page: 3 })) {
    if (codes.push(coupon.code) === 2) await tally.coupons.create(aCoupon(99));
  }
  expect(codes).toEqual([6, 5, 4, 3, 2, 1, 0].map((number) => `coupon ${number}`));
});

const aCoupon = (number: number) => ({
  code: `coupon ${number}`,
  name: "Welcome",
  coupon_type: "fixed_amount" as const,
  amount_cents: 100,
  amount_currency: "EUR",
  frequency: "once" as const,
  expiration: "no_expiration" as const,
});

test("a filter takes one value or several", async () => {
  const list = (status: "pending" | "active" | ("pending" | "active")[]) => tally.subscriptions.list({ status });
  expect((await list("pending")).items).toEqual([]);
  expect((await list(["pending", "active"])).meta.total_count).toBe(0);
  expectTypeOf(tally.invoices.list()).resolves.toMatchObjectType<{ items: Invoice[] }>();
});

test("ifMatch takes the record that was read: a change on top of another one is refused", async () => {
  const read = await tally.taxes.create(aTax("etag"));
  const tag = etagOf(await tally.taxes.get("etag"));
  expect(tag).toMatch(/^"/);
  const seen = await tally.taxes.get("etag");
  const changed = await tally.taxes.update("etag", { name: "One" }, { ifMatch: seen });
  await expect(tally.taxes.update("etag", { name: "Two" }, { ifMatch: seen })).rejects.toBeInstanceOf(
    ChangedMeanwhileError,
  );
  await tally.taxes.update("etag", { name: "Two" }, { ifMatch: changed });
  await expect(tally.taxes.update("etag", { name: "Three" }, { ifMatch: tag ?? "" })).rejects.toThrow();
  await expect(tally.taxes.update("etag", {}, { ifMatch: { ...read } })).rejects.toThrow("has no ETag");
});

test("a warning of the service reaches the hook", async () => {
  const warnings: string[] = [];
  const warned = service.open({ onWarning: (text) => warnings.push(text) });
  await warned.customers.upsert({ external_id: "warned", billing_configuration: { document_locale: "ja" } });
  expect(warnings).toEqual([expect.stringContaining("ja")]);
});

test("every operation of the description can be called", async () => {
  const { OPERATIONS } = await import("./generated/operations.ts");
  const missing = Object.values(OPERATIONS).filter(
    ({ resource, method }) => typeof Reflect.get(Reflect.get(tally, resource) ?? {}, method) !== "function",
  );
  expect(missing).toEqual([]);
  expect(Object.keys(OPERATIONS).length).toBeGreaterThan(100);
});
