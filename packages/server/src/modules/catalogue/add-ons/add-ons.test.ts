import { expect, it, test } from "vitest";
import { composeCountedApi } from "../../../testing/count-queries.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

let now = Temporal.Instant.from("2026-11-01T12:00:00Z");
const { platform, call, organizations } = await startTallystick({ clock: { now: () => now } });
const other = { key: organizations[1]?.key ?? "" };

const SETUP = { name: "Setup", code: "setup", amount_cents: 2000, amount_currency: "EUR" };
const create = (members: object, options = {}) =>
  call("POST", "/add_ons", { add_on: { ...SETUP, ...members } }, options);
const change = (code: string, add_on: object) => call("PUT", `/add_ons/${code}`, { add_on });
const show = async (code: string) => (await call("GET", `/add_ons/${code}`)).body.add_on;
const codes = (details: object) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: details,
});
const notFound = (code: string) => ({ status: 404, error: "Not Found", code });
const taxCodes = (addOn: { taxes: { code: string }[] }) => addOn.taxes.map(({ code }) => code);

for (const code of ["vat", "city"]) {
  now = now.add({ seconds: 1 });
  await call("POST", "/taxes", { tax: { name: code, code, rate: "20" } });
}
await call("POST", "/taxes", { tax: { name: "Theirs", code: "theirs", rate: "1" } }, other);

test("an add-on comes back with every member of the API", async () => {
  const { status, body } = await create({
    code: "full",
    invoice_display_name: "Set-up",
    description: "one day",
    tax_codes: ["city", "vat", "city"],
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    add_on: {
      svc_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: "Setup",
      invoice_display_name: "Set-up",
      code: "full",
      amount_cents: 2000,
      amount_currency: "EUR",
      description: "one day",
      created_at: "2026-11-01T12:00:02Z",
      taxes: [(await call("GET", "/taxes/vat")).body.tax, (await call("GET", "/taxes/city")).body.tax],
    },
  });
  expect((await call("GET", "/add_ons/full")).body).toEqual(body);
});

test("absent members are null or empty", async () => {
  const { body } = await create({ code: "least", tax_codes: null });
  expect(body.add_on).toMatchObject({ invoice_display_name: null, description: null, taxes: [] });
});

test("the largest amount is stored to the cent", async () => {
  const { body } = await create({ code: "largest", amount_cents: 9_007_199_254_740_991 });
  expect(body.add_on.amount_cents).toBe(9_007_199_254_740_991);
});

it.each([
  [{ name: undefined }, { name: ["value_is_mandatory"] }],
  [{ name: " " }, { name: ["value_is_mandatory"] }],
  [{ name: "x".repeat(256) }, { name: ["value_is_too_long"] }],
  [{ code: "" }, { code: ["value_is_mandatory"] }],
  [{ code: 5 }, { code: ["value_is_invalid"] }],
  [{ amount_cents: undefined }, { amount_cents: ["value_is_mandatory"] }],
  [{ amount_cents: 0 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: -1 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: 9_007_199_254_740_992 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: "2000" }, { amount_cents: ["value_is_invalid"] }],
  [{ amount_cents: 1.5 }, { amount_cents: ["value_is_invalid"] }],
  [{ amount_currency: null }, { amount_currency: ["value_is_mandatory"] }],
  [{ amount_currency: "ZZZ" }, { amount_currency: ["value_is_invalid"] }],
  [{ invoice_display_name: "x".repeat(256) }, { invoice_display_name: ["value_is_too_long"] }],
  [{ description: ["x"] }, { description: ["value_is_invalid"] }],
  [{ tax_codes: "vat" }, { tax_codes: ["value_is_invalid"] }],
  [{ tax_codes: [null] }, { tax_codes: ["value_is_invalid"] }],
  [
    { name: null, code: null, amount_cents: 0, tax_codes: ["unknown"] },
    { name: ["value_is_mandatory"], code: ["value_is_mandatory"], amount_cents: ["value_is_out_of_range"] },
  ],
])("%j is refused with %j, and nothing is made or changed", async (members, details) => {
  const refused = await create({ code: "refused", ...members });
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject(codes(details));
  expect((await call("GET", "/add_ons/refused")).body).toMatchObject(notFound("add_on_not_found"));

  const before = await show("full");
  const wrong = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? null]));
  expect((await change("full", wrong)).body).toEqual(codes(details));
  expect(await show("full")).toEqual(before);
});

it.each(["unknown", "theirs"])("the tax code %s is not found, and nothing is made or changed", async (code) => {
  expect((await create({ code: "untaxed", tax_codes: ["vat", code] })).body).toMatchObject(notFound("tax_not_found"));
  expect((await call("GET", "/add_ons/untaxed")).status).toBe(404);
  const before = await show("full");
  expect((await change("full", { name: "New", tax_codes: [code] })).body).toMatchObject(notFound("tax_not_found"));
  expect(await show("full")).toEqual(before);
});

test("a body without its envelope is refused", async () => {
  expect((await call("POST", "/add_ons", { wrong: SETUP })).body).toMatchObject({
    status: 400,
    error: "BadRequest: param is missing or the value is empty: add_on",
  });
});

test("an update changes the members that are present, and no others", async () => {
  await create({ code: "change", description: "kept", invoice_display_name: "Shown", tax_codes: ["vat"] });
  const before = await show("change");
  const { body } = await change("change", { amount_cents: 1, invoice_display_name: null });
  expect(body.add_on).toEqual({ ...before, amount_cents: 1, invoice_display_name: null });
  expect(await show("change")).toEqual(body.add_on);
  expect((await change("change", { amount_currency: "JPY" })).body.add_on.amount_currency).toBe("JPY");
});

test("in an update, tax_codes replaces the whole list, and null leaves it unchanged", async () => {
  await create({ code: "taxed", tax_codes: ["vat"] });
  const after = async (members: object) => taxCodes((await change("taxed", members)).body.add_on);
  expect(await after({ tax_codes: null })).toEqual(["vat"]);
  expect(await after({ tax_codes: ["city"] })).toEqual(["city"]);
  expect(await after({ tax_codes: ["city", "vat"] })).toEqual(["vat", "city"]);
  expect(await after({ name: "New" })).toEqual(["vat", "city"]);
  expect(await after({ tax_codes: [] })).toEqual([]);
});

test("a deleted tax is removed from its add-ons, which can still be changed", async () => {
  await call("POST", "/taxes", { tax: { name: "Old", code: "old", rate: "5" } });
  await create({ code: "with-old", tax_codes: ["old", "vat"] });
  await call("DELETE", "/taxes/old");
  expect(taxCodes(await show("with-old"))).toEqual(["vat"]);
  const { status, body } = await change("with-old", { name: "New" });
  expect(status).toBe(200);
  expect(taxCodes(body.add_on)).toEqual(["vat"]);
});

test("a code is unique in an organization, and free again after the delete", async () => {
  await create({ code: "unique", tax_codes: ["vat"] });
  const before = await show("unique");
  expect((await create({ code: "unique" })).body).toEqual(codes({ code: ["value_already_exist"] }));
  expect((await create({ code: "unique" }, other)).status).toBe(200);
  expect((await change("change", { code: "unique" })).body).toEqual(codes({ code: ["value_already_exist"] }));
  expect((await change("unique", { code: "unique" })).status).toBe(200);

  expect((await call("DELETE", "/add_ons/unique")).body.add_on).toEqual(before);
  expect((await call("GET", "/add_ons/unique")).body).toMatchObject(notFound("add_on_not_found"));
  expect((await create({ code: "unique", amount_cents: 7 })).body.add_on).toMatchObject({ amount_cents: 7, taxes: [] });
  expect((await call("GET", "/add_ons/unique", undefined, other)).body.add_on.amount_cents).toBe(2000);
});

test("what does not exist answers 404 on every verb", async () => {
  const none = notFound("add_on_not_found");
  expect((await call("GET", "/add_ons/none")).body).toEqual(none);
  expect((await change("none", { name: "x" })).body).toEqual(none);
  expect((await change("none", { name: null })).body).toEqual(none);
  expect((await call("DELETE", "/add_ons/none")).body).toEqual(none);
  await call("DELETE", "/add_ons/least");
  expect((await call("DELETE", "/add_ons/least")).body).toEqual(none);
});

test("two simultaneous updates both take effect", async () => {
  await create({ code: "busy" });
  for (let round = 1; round <= 10; round++) {
    const [name, description] = [`name ${round}`, `description ${round}`];
    await Promise.all([change("busy", { name }), change("busy", { description })]);
    expect(await show("busy")).toMatchObject({ name, description });
  }
});

test("the list is newest first, in pages, and shows the same as a single add-on", async () => {
  const made: string[] = [];
  for (const code of ["first", "second", "third"]) {
    now = now.add({ seconds: 1 });
    made.unshift((await create({ code, tax_codes: ["vat"] })).body.add_on.code);
  }
  const all = (await call("GET", "/add_ons")).body;
  const total = all.meta.total_count;
  expect(all.add_ons.length).toBe(total);
  expect(all.add_ons.slice(0, 3).map(({ code }: { code: string }) => code)).toEqual(made);
  expect(all.add_ons[0]).toEqual(await show("third"));
  const { body } = await call("GET", "/add_ons?per_page=1&page=2");
  expect(body.add_ons).toEqual(all.add_ons.slice(1, 2));
  expect(body.meta).toMatchObject({
    current_page: 2,
    next_page: 3,
    prev_page: 1,
    total_pages: total,
    total_count: total,
  });
});

test("a page of many takes no more queries than a page of one", async () => {
  for (let index = 0; index < 30; index++)
    expect(
      (await create({ code: `page ${index}`, tax_codes: index % 2 === 0 ? ["vat"] : ["vat", "city"] })).status,
    ).toBe(200);
  const counted = await composeCountedApi(platform);
  const page = async (size: number) => {
    const { body, queries } = await counted.get(`/add_ons?per_page=${size}`, organizations[0]?.key ?? "");
    return { shown: (body.add_ons as object[]).length, queries };
  };
  const one = await page(1);
  expect(one).toEqual({ shown: 1, queries: expect.any(Number) });
  expect(one.queries).toBeGreaterThan(2);
  expect(await page(30)).toEqual({ shown: 30, queries: one.queries });
  await counted.app.close();
});
