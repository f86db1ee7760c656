import { expect, it, test } from "vitest";
import { startTallystick } from "../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick();
const other = organizations[1]?.key ?? "";

const create = (tax: object, options = {}) => call("POST", "/taxes", { tax }, options);
const codes = (details: object) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: details,
});
const notFound = { status: 404, error: "Not Found", code: "tax_not_found" };

test("a rate goes in as text and comes out as a number", async () => {
  const { status, body } = await create({ name: "VAT", code: "vat", rate: "19.5", description: "standard" });
  expect(status).toBe(200);
  expect(body).toEqual({
    tax: {
      svc_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: "VAT",
      code: "vat",
      rate: 19.5,
      description: "standard",
      applied_to_organization: false,
      add_ons_count: 0,
      customers_count: 0,
      plans_count: 0,
      charges_count: 0,
      commitments_count: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  });
  expect((await call("GET", "/taxes/vat")).body).toEqual(body);
});

it.each([
  [{ code: "x", rate: "1" }, { name: ["value_is_mandatory"] }],
  [{ name: "X", rate: "1" }, { code: ["value_is_mandatory"] }],
  [{ name: "X", code: "x" }, { rate: ["value_is_mandatory"] }],
  [{}, { name: ["value_is_mandatory"], code: ["value_is_mandatory"], rate: ["value_is_mandatory"] }],
  [
    { name: " ", code: "", rate: null },
    { name: ["value_is_mandatory"], code: ["value_is_mandatory"], rate: ["value_is_mandatory"] },
  ],
  [{ name: "X", code: "x", rate: "abc" }, { rate: ["value_is_invalid"] }],
  [{ name: "X", code: "x", rate: true }, { rate: ["value_is_invalid"] }],
  [{ name: "X", code: "x", rate: "-1" }, { rate: ["value_is_out_of_range"] }],
  [{ name: "X", code: "x", rate: "1000" }, { rate: ["value_is_out_of_range"] }],
  [{ name: "x".repeat(256), code: "x", rate: "1" }, { name: ["value_is_too_long"] }],
  [
    { name: "X", code: "x", rate: "1", applied_to_organization: "yes" },
    { applied_to_organization: ["value_is_invalid"] },
  ],
])("%j is refused with %j", async (tax, details) => {
  const { status, body } = await create(tax);
  expect(status).toBe(422);
  expect(body).toEqual(codes(details));
  expect((await call("GET", "/taxes/x")).status).toBe(404);
});

test("a code is unique in an organization, and free again after the delete", async () => {
  await create({ name: "A", code: "unique", rate: "1" });
  expect((await create({ name: "B", code: "unique", rate: "2" })).body).toEqual(
    codes({ code: ["value_already_exist"] }),
  );
  expect((await create({ name: "B", code: "unique", rate: "2" }, { key: other })).status).toBe(200);
  expect((await call("DELETE", "/taxes/unique")).body.tax.code).toBe("unique");
  expect((await call("GET", "/taxes/unique")).body).toEqual(notFound);
  expect((await create({ name: "B", code: "unique", rate: "2" })).body.tax.rate).toBe(2);
});

test("an update changes the members that are present, and no others", async () => {
  await create({ name: "Old", code: "change", rate: "5", description: "kept" });
  const { body } = await call("PUT", "/taxes/change", { tax: { rate: "7", unknown_member: 1 } });
  expect(body.tax).toMatchObject({ name: "Old", code: "change", rate: 7, description: "kept" });
  expect((await call("PUT", "/taxes/change", { tax: { code: "changed" } })).body.tax.code).toBe("changed");
  expect((await call("GET", "/taxes/change")).body).toEqual(notFound);
  expect((await call("PUT", "/taxes/changed", { tax: { code: "vat" } })).body).toEqual(
    codes({ code: ["value_already_exist"] }),
  );
});

test("what does not exist answers 404 on every verb", async () => {
  expect((await call("GET", "/taxes/none")).body).toEqual(notFound);
  expect((await call("PUT", "/taxes/none", { tax: { rate: "1" } })).body).toEqual(notFound);
  expect((await call("DELETE", "/taxes/none")).body).toEqual(notFound);
});

test("a code may hold any character, also dots and slashes", async () => {
  const code = "fr.vat/20 % — é";
  await create({ name: "Odd", code, rate: "20" });
  expect((await call("GET", `/taxes/${encodeURIComponent(code)}`)).body.tax.code).toBe(code);
});

test("customers_count counts those with the tax, and for a default also those without any", async () => {
  const { key = "" } = organizations[1] ?? {};
  const as = { key };
  await create({ name: "Own", code: "own", rate: "1" }, as);
  await create({ name: "Default", code: "default", rate: "2", applied_to_organization: true }, as);
  await call("POST", "/customers", { customer: { external_id: "a", tax_codes: ["own"] } }, as);
  await call("POST", "/customers", { customer: { external_id: "b" } }, as);
  await call("POST", "/customers", { customer: { external_id: "c" } }, as);
  const count = async (code: string) => (await call("GET", `/taxes/${code}`, undefined, as)).body.tax.customers_count;
  expect([await count("own"), await count("default")]).toEqual([1, 2]);
  await call("DELETE", "/customers/b", undefined, as);
  expect([await count("own"), await count("default")]).toEqual([1, 1]);
  await call("DELETE", "/taxes/own", undefined, as);
  expect(await count("default")).toBe(2);
});

test("the list is newest first, in pages", async () => {
  const all = (await call("GET", "/taxes")).body;
  const total = all.meta.total_count;
  expect(all.taxes.length).toBe(total);
  const instants = all.taxes.map((tax: { created_at: string }) => tax.created_at);
  expect(instants).toEqual([...instants].sort().reverse());
  const { body } = await call("GET", "/taxes?per_page=1&page=2");
  expect(body.taxes).toEqual(all.taxes.slice(1, 2));
  expect(body.meta).toEqual({ current_page: 2, next_page: 3, prev_page: 1, total_pages: total, total_count: total });
});
