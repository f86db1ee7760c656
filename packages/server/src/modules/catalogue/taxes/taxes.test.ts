import { expect, it, test } from "vitest";
import { composeCountedApi } from "../../../testing/count-queries.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { platform, call, organizations } = await startTallystick({ organizations: 5 });
const other = organizations[1]?.key ?? "";
const third = { key: organizations[2]?.key ?? "" };
const fourth = { key: organizations[3]?.key ?? "" };
const fifth = { key: organizations[4]?.key ?? "" };

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
  expect((await call("GET", "/taxes/unique")).body).toMatchObject(notFound);
  expect((await create({ name: "B", code: "unique", rate: "2" })).body.tax.rate).toBe(2);
});

test("an update changes the members that are present, and no others", async () => {
  await create({ name: "Old", code: "change", rate: "5", description: "kept" });
  const { body } = await call("PUT", "/taxes/change", { tax: { rate: "7" } });
  expect(body.tax).toMatchObject({ name: "Old", code: "change", rate: 7, description: "kept" });
  expect((await call("PUT", "/taxes/change", { tax: { code: "changed" } })).body.tax.code).toBe("changed");
  expect((await call("GET", "/taxes/change")).body).toMatchObject(notFound);
  expect((await call("PUT", "/taxes/changed", { tax: { code: "vat" } })).body).toEqual(
    codes({ code: ["value_already_exist"] }),
  );
});

test("what does not exist answers 404 on every verb", async () => {
  expect((await call("GET", "/taxes/none")).body).toMatchObject(notFound);
  expect((await call("PUT", "/taxes/none", { tax: { rate: "1" } })).body).toMatchObject(notFound);
  expect((await call("DELETE", "/taxes/none")).body).toMatchObject(notFound);
});

test("a code may hold any character, also dots and slashes", async () => {
  const code = "fr.vat/20 % — é";
  await create({ name: "Odd", code, rate: "20" });
  expect((await call("GET", `/taxes/${encodeURIComponent(code)}`)).body.tax.code).toBe(code);
});

test("customers_count counts customers with the tax, and for a default also those without any", async () => {
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

type Members = Record<string, unknown>;
const COUNTS = ["add_ons", "customers", "plans", "charges", "commitments"] as const;

/** In its own organization: objects that use taxes, and the counts that each tax shows. */
function taxedThings(as: { key: string }) {
  const send = async (method: "POST" | "PUT", path: string, body: object) => {
    const { status, body: answer, text } = await call(method, path, body, as);
    expect(status, text).toBe(200);
    return answer;
  };
  const post = (path: string, body: object) => send("POST", path, body);
  const changePlan = (code: string, plan: Members) => send("PUT", `/plans/${code}`, { plan });
  const remove = (path: string) => call("DELETE", path, undefined, as);
  const makePlan = (code: string, members: Members = {}) =>
    post("/plans", {
      plan: {
        name: "P",
        code,
        interval: "monthly",
        amount_cents: 1,
        amount_currency: "EUR",
        pay_in_advance: false,
        ...members,
      },
    });
  const makeAddOn = (code: string, tax_codes: string[]) =>
    post("/add_ons", { add_on: { name: "A", code, amount_cents: 1, amount_currency: "EUR", tax_codes } });
  const makeCustomer = (external_id: string, tax_codes: string[]) =>
    post("/customers", { customer: { external_id, tax_codes } });
  const makeCharge = async (tax_codes: string[]) => {
    const code = `metric ${crypto.randomUUID()}`;
    const { billable_metric } = await post("/billable_metrics", {
      billable_metric: { name: "M", code, aggregation_type: "count_agg" },
    });
    return {
      billable_metric_id: billable_metric.svc_id,
      charge_model: "standard",
      properties: { amount: "1" },
      tax_codes,
    };
  };
  const inList = async () => {
    const { taxes } = (await call("GET", "/taxes", undefined, as)).body;
    return Object.fromEntries(
      taxes.map((tax: Members) => [tax.code, COUNTS.map((name) => tax[`${name}_count`])]),
    ) as Record<string, number[]>;
  };
  return { remove, makePlan, changePlan, makeAddOn, makeCustomer, makeCharge, inList };
}

test("the counts are of objects that have the tax directly; a default also counts plans and customers without any", async () => {
  const { remove, makePlan, makeAddOn, makeCustomer, makeCharge, inList } = taxedThings(third);
  for (const code of ["own", "more", "unused"]) await create({ name: "T", code, rate: "1" }, third);
  await create({ name: "D", code: "default", rate: "2", applied_to_organization: true }, third);
  expect(await inList()).toEqual({
    own: [0, 0, 0, 0, 0],
    more: [0, 0, 0, 0, 0],
    unused: [0, 0, 0, 0, 0],
    default: [0, 0, 0, 0, 0],
  });

  await makeCustomer("taxed", ["own"]);
  await makeCustomer("untaxed", []);
  await makeAddOn("one", ["own"]);
  await makeAddOn("two", ["own", "more"]);
  await makeAddOn("untaxed", []);
  await makePlan("taxed", {
    tax_codes: ["own", "more"],
    charges: [await makeCharge(["own"]), await makeCharge(["own", "more"]), await makeCharge([])],
    minimum_commitment: { amount_cents: 100, tax_codes: ["own"] },
  });
  await makePlan("within", { charges: [await makeCharge(["more"])] });
  await makePlan("untaxed", { minimum_commitment: { amount_cents: 100 } });
  await makePlan("by default", { tax_codes: ["default"] });
  expect(await inList()).toEqual({
    own: [2, 1, 1, 2, 1],
    more: [1, 0, 1, 2, 0],
    unused: [0, 0, 0, 0, 0],
    default: [0, 1, 3, 0, 0],
  });
  expect((await call("GET", "/taxes/own", undefined, third)).body.tax).toMatchObject({
    add_ons_count: 2,
    customers_count: 1,
    plans_count: 1,
    charges_count: 2,
    commitments_count: 1,
  });

  await remove("/add_ons/two");
  await remove("/plans/untaxed");
  await remove("/customers/taxed");
  expect(await inList()).toMatchObject({ own: [1, 0, 1, 2, 1], more: [0, 0, 1, 2, 0], default: [0, 1, 2, 0, 0] });
  await remove("/plans/taxed");
  expect(await inList()).toMatchObject({ own: [1, 0, 0, 0, 0], more: [0, 0, 0, 1, 0], default: [0, 1, 2, 0, 0] });
});

test("a plan that changes its charges, commitment or taxes is counted as it is now", async () => {
  const { makePlan, changePlan, makeCharge, inList } = taxedThings(fourth);
  for (const code of ["old", "new"]) await create({ name: "T", code, rate: "1" }, fourth);
  const minimum_commitment = { amount_cents: 100, tax_codes: ["old"] };
  await makePlan("p", { tax_codes: ["old"], charges: [await makeCharge(["old"])], minimum_commitment });
  expect(await inList()).toEqual({ old: [0, 0, 1, 1, 1], new: [0, 0, 0, 0, 0] });
  await changePlan("p", { tax_codes: ["new"], charges: [await makeCharge(["new"])], minimum_commitment: {} });
  expect(await inList()).toEqual({ old: [0, 0, 0, 0, 0], new: [0, 0, 1, 1, 0] });
  await create({ name: "D", code: "default", rate: "1", applied_to_organization: true }, fourth);
  expect((await inList()).default).toEqual([0, 0, 0, 0, 0]);
  await changePlan("p", { tax_codes: [] });
  expect((await inList()).default).toEqual([0, 0, 1, 0, 0]);
});

test("a page takes the same number of queries for any number of taxes and uses", async () => {
  const counted = await composeCountedApi(platform);
  const { makePlan, makeAddOn, makeCharge } = taxedThings(fifth);
  const use = async (code: string) => {
    await create({ name: "T", code, rate: "1", applied_to_organization: true }, fifth);
    await makeAddOn(code, [code]);
    await makePlan(code, { tax_codes: [code], charges: [await makeCharge([code])] });
  };
  const listAll = async () => (await counted.get("/taxes", fifth.key)).queries;
  await use("0");
  const ofOne = await listAll();
  for (const code of ["1", "2", "3", "4"]) await use(code);
  expect(await listAll()).toBe(ofOne);
  await counted.app.close();
});

test("a deleted tax is removed from everything, and the response shows its uses", async () => {
  const { key = "" } = organizations[0] ?? {};
  const { remove, makePlan, makeAddOn, makeCustomer, makeCharge, inList } = taxedThings({ key });
  await create({ name: "G", code: "going", rate: "1" });
  await create({ name: "D", code: "staying", rate: "2", applied_to_organization: true });
  await makeCustomer("c", ["going"]);
  await makeAddOn("a", ["going", "staying"]);
  const minimum_commitment = { amount_cents: 100, tax_codes: ["going"] };
  await makePlan("p", { tax_codes: ["going"], charges: [await makeCharge(["going"])], minimum_commitment });
  expect(await inList()).toMatchObject({ going: [1, 1, 1, 1, 1], staying: [1, 0, 0, 0, 0] });

  const { tax } = (await remove("/taxes/going")).body;
  expect(COUNTS.map((name) => tax[`${name}_count`])).toEqual([1, 1, 1, 1, 1]);
  expect((await inList()).staying).toEqual([1, 1, 1, 0, 0]);
  const codesOf = (taxed: { taxes: { code: string }[] }) => taxed.taxes.map(({ code }) => code);
  const { plan } = (await call("GET", "/plans/p")).body;
  expect([plan, plan.charges[0], plan.minimum_commitment].map(codesOf)).toEqual([[], [], []]);
  expect(codesOf((await call("GET", "/add_ons/a")).body.add_on)).toEqual(["staying"]);
  expect(codesOf((await call("GET", "/customers/c")).body.customer)).toEqual(["staying"]);
  await create({ name: "G", code: "going", rate: "1" });
  expect((await inList()).going).toEqual([0, 0, 0, 0, 0]);
});

test("a tax that is deleted while it is applied to an object is applied before, or not found", async () => {
  await create({ name: "D", code: "of races", rate: "1", applied_to_organization: true }, { key: other });
  const { makeCustomer } = taxedThings({ key: other });
  for (const round of Array.from({ length: 8 }, (_, index) => `race-${index}`)) {
    await create({ name: "R", code: round, rate: "1" }, { key: other });
    await makeCustomer(round, []);
    const [deleted, linked] = await Promise.all([
      call("DELETE", `/taxes/${round}`, undefined, { key: other }),
      call("POST", "/customers", { customer: { external_id: round, tax_codes: [round] } }, { key: other }),
    ]);
    expect([deleted.status, linked.status]).toEqual([200, linked.status === 200 ? 200 : 404]);
  }
  const { meta } = (await call("GET", "/customers", undefined, { key: other })).body;
  const { tax } = (await call("GET", "/taxes/of%20races", undefined, { key: other })).body;
  expect(tax.customers_count).toBe(meta.total_count);
});

test("the list is newest first, in pages", async () => {
  const all = (await call("GET", "/taxes")).body;
  const total = all.meta.total_count;
  expect(all.taxes.length).toBe(total);
  const instants = all.taxes.map((tax: { created_at: string }) => tax.created_at);
  expect(instants).toEqual([...instants].sort().reverse());
  const { body } = await call("GET", "/taxes?per_page=1&page=2");
  expect(body.taxes).toEqual(all.taxes.slice(1, 2));
  expect(body.meta).toMatchObject({
    current_page: 2,
    next_page: 3,
    prev_page: 1,
    total_pages: total,
    total_count: total,
  });
});
