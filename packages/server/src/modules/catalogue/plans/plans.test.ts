import { beforeAll, describe, expect, it, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick();
const other = { key: organizations[1]?.key ?? "" };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const notFound = (code: string) => ({ status: 404, error: "Not Found", code });
const refused = (details: object) => ({
  status: 422,
  error: "Unprocessable Entity",
  code: "validation_errors",
  error_details: details,
});

const makeMetric = async (code: string, members: object = {}, options = {}): Promise<string> => {
  const metric = { name: code, code, aggregation_type: "sum_agg", field_name: "gb", ...members };
  const { body } = await call("POST", "/billable_metrics", { billable_metric: metric }, options);
  return body.billable_metric.svc_id;
};
const plan = (code: string, members: object = {}) => ({
  name: "Startup",
  code,
  interval: "monthly",
  amount_cents: 4900,
  amount_currency: "EUR",
  pay_in_advance: true,
  ...members,
});
const create = (members: object, options = {}) => call("POST", "/plans", { plan: members }, options);
const change = (code: string, members: object, options = {}) =>
  call("PUT", `/plans/${code}`, { plan: members }, options);
const show = async (code: string) => (await call("GET", `/plans/${code}`)).body.plan;
const standard = (metricId: string, amount = "1", members: object = {}) => ({
  billable_metric_id: metricId,
  charge_model: "standard",
  properties: { amount },
  ...members,
});
const idsOf = (charges: { svc_id: string }[]): string[] => charges.map(({ svc_id }) => svc_id);

let storage = "";
let seats = "";
beforeAll(async () => {
  storage = await makeMetric("storage", { filters: [{ key: "region", values: ["eu", "us", "asia"] }] });
  seats = await makeMetric("seats", { aggregation_type: "unique_count_agg", recurring: true });
  for (const code of ["vat", "city"]) await call("POST", "/taxes", { tax: { name: code, code, rate: "10" } });
});

const tax = async (code: string) => (await call("GET", `/taxes/${code}`)).body.tax;

test("a plan is shown with every member it was created with", async () => {
  const { status, body } = await create(
    plan("full", {
      invoice_display_name: "On invoices",
      description: "For small teams",
      interval: "yearly",
      trial_period: 7.5,
      bill_charges_monthly: true,
      tax_codes: ["vat"],
      minimum_commitment: { amount_cents: 100_000, invoice_display_name: "Minimum", tax_codes: ["city"] },
      charges: [
        standard(storage, "0.10", {
          invoice_display_name: "Storage",
          min_amount_cents: 500,
          properties: { amount: "0.10", grouped_by: ["workspace"] },
          filters: [
            { values: { region: ["us", "eu"] }, properties: { amount: "2.500" }, invoice_display_name: "West" },
          ],
          tax_codes: ["city", "vat"],
        }),
        {
          billable_metric_id: seats,
          charge_model: "standard",
          pay_in_advance: true,
          invoiceable: false,
          prorated: true,
        },
      ],
    }),
  );
  expect(status).toBe(200);
  const [vat, city] = [await tax("vat"), await tax("city")];
  expect(body).toEqual({
    plan: {
      svc_id: expect.stringMatching(UUID),
      name: "Startup",
      invoice_display_name: "On invoices",
      code: "full",
      interval: "yearly",
      description: "For small teams",
      amount_cents: 4900,
      amount_currency: "EUR",
      trial_period: 7.5,
      pay_in_advance: true,
      bill_charges_monthly: true,
      customers_count: 0,
      active_subscriptions_count: 0,
      draft_invoices_count: 0,
      parent_id: null,
      created_at: expect.stringMatching(INSTANT),
      taxes: [vat],
      minimum_commitment: {
        svc_id: expect.stringMatching(UUID),
        plan_code: "full",
        invoice_display_name: "Minimum",
        amount_cents: 100_000,
        interval: "yearly",
        created_at: expect.stringMatching(INSTANT),
        updated_at: expect.stringMatching(INSTANT),
        taxes: [city],
      },
      charges: [
        {
          svc_id: expect.stringMatching(UUID),
          svc_billable_metric_id: storage,
          billable_metric_code: "storage",
          invoice_display_name: "Storage",
          created_at: expect.stringMatching(INSTANT),
          charge_model: "standard",
          invoiceable: true,
          pay_in_advance: false,
          prorated: false,
          regroup_paid_fees: null,
          min_amount_cents: 500,
          properties: { amount: "0.10", grouped_by: ["workspace"] },
          filters: [
            {
              svc_id: expect.stringMatching(UUID),
              invoice_display_name: "West",
              properties: { amount: "2.500" },
              values: { region: ["us", "eu"] },
            },
          ],
          taxes: [vat, city],
        },
        {
          svc_id: expect.stringMatching(UUID),
          svc_billable_metric_id: seats,
          billable_metric_code: "seats",
          invoice_display_name: null,
          created_at: expect.stringMatching(INSTANT),
          charge_model: "standard",
          invoiceable: false,
          pay_in_advance: true,
          prorated: true,
          regroup_paid_fees: null,
          min_amount_cents: 0,
          properties: { amount: "0" },
          filters: [],
          taxes: [],
        },
      ],
    },
  });
  expect((await call("GET", "/plans/full")).body).toEqual(body);
  expect((await call("GET", "/plans")).body.plans[0]).toEqual(body.plan);
});

test("absent members of a plan are null, empty, zero or absent", async () => {
  const { body } = await create(plan("bare"));
  expect(body.plan).toMatchObject({
    invoice_display_name: null,
    description: null,
    trial_period: 0,
    bill_charges_monthly: null,
    charges: [],
    taxes: [],
  });
  expect(body.plan).not.toHaveProperty("minimum_commitment");
});

test("members of yearly plans are dropped in other plans, and members of the answer or removed ones are ignored", async () => {
  const { body } = await create(
    plan("ignored", {
      bill_charges_monthly: true,
      parent_id: storage,
      charges: [{ ...standard(storage), group_properties: [{ values: {} }], svc_id: storage }],
    }),
  );
  expect(body.plan).toMatchObject({ bill_charges_monthly: null, parent_id: null });
  expect(idsOf(body.plan.charges)).not.toContain(storage);
  expect(body.plan.charges[0]).not.toHaveProperty("group_properties");
});

it.each([
  [{ name: null }, { name: ["value_is_mandatory"] }],
  [{ name: " " }, { name: ["value_is_mandatory"] }],
  [{ name: "x".repeat(256) }, { name: ["value_is_too_long"] }],
  [{ code: "" }, { code: ["value_is_mandatory"] }],
  [{ interval: "hourly" }, { interval: ["value_is_invalid"] }],
  [{ interval: null }, { interval: ["value_is_mandatory"] }],
  [{ amount_cents: null }, { amount_cents: ["value_is_mandatory"] }],
  [{ amount_cents: -1 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: 2 ** 53 }, { amount_cents: ["value_is_out_of_range"] }],
  [{ amount_cents: 1.5 }, { amount_cents: ["value_is_invalid"] }],
  [{ amount_cents: "1" }, { amount_cents: ["value_is_invalid"] }],
  [{ amount_currency: "ZZZ" }, { amount_currency: ["value_is_invalid"] }],
  [{ amount_currency: undefined }, { amount_currency: ["value_is_mandatory"] }],
  [{ pay_in_advance: "true" }, { pay_in_advance: ["value_is_invalid"] }],
  [{ pay_in_advance: null }, { pay_in_advance: ["value_is_mandatory"] }],
  [{ trial_period: -1 }, { trial_period: ["value_is_out_of_range"] }],
  [{ trial_period: "7" }, { trial_period: ["value_is_invalid"] }],
  [{ interval: "yearly", bill_charges_monthly: 1 }, { bill_charges_monthly: ["value_is_invalid"] }],
  [{ minimum_commitment: { amount_cents: 0 } }, { amount_cents: ["value_is_out_of_range"] }],
  [{ minimum_commitment: { invoice_display_name: "x" } }, { amount_cents: ["value_is_mandatory"] }],
  [{ minimum_commitment: 5 }, { minimum_commitment: ["value_is_invalid"] }],
  [{ minimum_commitment: { amount_cents: 1, taxes: "vat" } }, { taxes: ["value_is_invalid"] }],
  [{ minimum_commitment: { amount_cents: 1, tax_codes: ["vat"], taxes: [[]] } }, { taxes: ["value_is_invalid"] }],
  [{ tax_codes: "vat" }, { tax_codes: ["value_is_invalid"] }],
  [{ charges: {} }, { charges: ["value_is_invalid"] }],
  [{ charges: [1] }, { charges: ["value_is_invalid"] }],
  [
    { name: "", interval: "x", charges: [{ billable_metric_id: 7 }] },
    {
      name: ["value_is_mandatory"],
      interval: ["value_is_invalid"],
      billable_metric_id: ["value_is_invalid"],
      charge_model: ["value_is_mandatory"],
    },
  ],
])("a plan with %j is refused with %j, also as a change", async (members, details) => {
  expect((await create(plan("refused", members))).body).toMatchObject(refused(details));
  expect((await call("GET", "/plans/refused")).body).toMatchObject(notFound("plan_not_found"));
  if (Object.values(members).includes(undefined)) return;
  const before = await show("bare");
  expect((await change("bare", members)).body).toMatchObject(refused(details));
  expect(await show("bare")).toEqual(before);
});

describe("references of a plan must exist", () => {
  it.each([["019a8a0e-6f7c-7c3e-9a3d-2f6a4b1c5d60"], ["not a uuid"], ["storage"]])(
    "a metric that is %s is not found",
    async (id) => {
      const charges = [standard(storage), standard(id)];
      expect((await create(plan("lost", { charges }))).body).toMatchObject(notFound("billable_metrics_not_found"));
      expect((await change("bare", { charges })).body).toMatchObject(notFound("billable_metrics_not_found"));
      expect((await call("GET", "/plans/lost")).status).toBe(404);
    },
  );

  const byCode = (code: unknown, members: object = {}) => ({
    ...standard(storage),
    billable_metric_id: undefined,
    billable_metric_code: code,
    ...members,
  });

  it("a charge may name its metric by code instead of id, in a new plan and in a change", async () => {
    const { body } = await create(plan("by code", { charges: [byCode("storage"), byCode("seats")] }));
    const metricsOf = (shown: typeof body.plan) =>
      shown.charges.map((charge: Record<string, string>) => charge.svc_billable_metric_id);
    expect(metricsOf(body.plan)).toEqual([storage, seats]);
    const changed = await change("by%20code", { charges: [byCode("seats"), standard(storage), byCode("storage")] });
    expect(metricsOf(changed.body.plan)).toEqual([seats, storage, storage]);
  });

  it("a charge may name its metric by both, if they agree", async () => {
    const charge = (billable_metric_id: string | null) => [byCode("storage", { billable_metric_id })];
    expect((await create(plan("both", { charges: charge(storage) }))).status).toBe(200);
    expect((await create(plan("both null", { charges: charge(null) }))).status).toBe(200);
    const refusal = refused({ billable_metric_code: ["value_is_invalid"] });
    expect((await create(plan("torn", { charges: charge(seats) }))).body).toEqual(refusal);
  });

  it("a metric with an unknown code, or with that of a deleted or a foreign metric, is not found", async () => {
    await makeMetric("gone by code");
    await call("DELETE", "/billable_metrics/gone%20by%20code");
    await makeMetric("of another", {}, other);
    for (const code of ["Storage", "gone by code", "of another"]) {
      const charges = [byCode("storage"), byCode(code)];
      expect((await create(plan("lost", { charges }))).body).toEqual(notFound("billable_metrics_not_found"));
      expect((await change("bare", { charges })).body).toEqual(notFound("billable_metrics_not_found"));
    }
  });

  it.each([undefined, null, "", 5])("a charge with the code %j and no id has no metric", async (code) => {
    await makeMetric("undefined");
    const charges = [byCode("undefined"), byCode(code)];
    const mandatory = refused({ billable_metric_id: ["value_is_mandatory"] });
    expect((await create(plan("lost", { charges }))).body).toEqual(mandatory);
    await call("DELETE", "/billable_metrics/undefined");
  });

  it("a metric of another organization, or a deleted one, is not found", async () => {
    const theirs = await makeMetric("storage", {}, other);
    const gone = await makeMetric("gone");
    await call("DELETE", "/billable_metrics/gone");
    for (const id of [theirs, gone, storage.toUpperCase()])
      expect((await create(plan("lost", { charges: [standard(id)] }))).body.code).toBe("billable_metrics_not_found");
  });

  it.each([
    [{ tax_codes: ["vat", "no"] }],
    [{ minimum_commitment: { amount_cents: 1, tax_codes: ["no"] } }],
    [{ minimum_commitment: { amount_cents: 1, taxes: ["no"] } }],
  ])("a tax in %j is not found", async (members) => {
    expect((await create(plan("lost", members))).body).toMatchObject(notFound("tax_not_found"));
    expect((await change("bare", members)).body).toMatchObject(notFound("tax_not_found"));
    expect((await show("bare")).taxes).toEqual([]);
  });

  it("a tax of a charge is not found", async () => {
    const charges = [standard(storage, "1", { tax_codes: ["no"] })];
    expect((await create(plan("lost", { charges }))).body).toMatchObject(notFound("tax_not_found"));
  });
});

test("a code is unique in an organization, and free again after the delete", async () => {
  const { body: first } = await create(plan("unique"));
  expect((await create(plan("unique"))).body).toMatchObject(refused({ code: ["value_already_exist"] }));
  expect((await create(plan("unique"), other)).status).toBe(200);
  expect((await call("DELETE", "/plans/unique")).body).toEqual(first);
  expect((await call("GET", "/plans/unique")).body).toMatchObject(notFound("plan_not_found"));
  const { body: second } = await create(plan("unique"));
  expect(second.plan.svc_id).not.toBe(first.plan.svc_id);
});

test("of two plans made at once with one code, one is refused", async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, () => create(plan("at once"))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422, 422]);
});

test("what does not exist answers 404 on every verb", async () => {
  expect((await call("GET", "/plans/none")).body).toMatchObject(notFound("plan_not_found"));
  expect((await change("none", { charges: [standard("no")] })).body).toMatchObject(notFound("plan_not_found"));
  expect((await call("DELETE", "/plans/none")).body).toMatchObject(notFound("plan_not_found"));
});

describe("a change", () => {
  const charges = () => [
    standard(storage, "1", {
      filters: [
        { values: { region: ["us"] }, properties: { amount: "2" } },
        { values: { region: ["eu", "asia"] }, properties: { amount: "3" } },
      ],
      tax_codes: ["vat"],
    }),
    standard(seats, "10"),
  ];

  it("changes the members that are present, and no others", async () => {
    const { body } = await create(plan("members", { description: "kept", tax_codes: ["vat"], charges: charges() }));
    const changed = await change("members", { name: "New", amount_cents: 1, tax_codes: null, charges: null });
    expect(changed.body.plan).toEqual({ ...body.plan, name: "New", amount_cents: 1 });
    expect((await change("members", {})).body).toEqual(changed.body);
    expect((await change("members", { description: null, tax_codes: [] })).body.plan).toMatchObject({
      description: null,
      taxes: [],
    });
  });

  it("of the code renames the plan, unless another plan has that code", async () => {
    await create(plan("before", { minimum_commitment: { amount_cents: 1 } }));
    expect((await change("before", { code: "bare" })).body).toMatchObject(refused({ code: ["value_already_exist"] }));
    const { body } = await change("before", { code: "after" });
    expect(body.plan).toMatchObject({ code: "after", minimum_commitment: { plan_code: "after" } });
    expect((await call("GET", "/plans/before")).status).toBe(404);
    expect(await show("after")).toEqual(body.plan);
  });

  it("of charges replaces the whole set: a known id is changed, an unknown one is new, the rest is deleted", async () => {
    const { body } = await create(plan("set", { charges: charges() }));
    const [first, second] = body.plan.charges;
    const changed = await change("set", {
      charges: [{ id: second.svc_id, properties: { amount: "11" } }, standard(storage, "5")],
    });
    expect(changed.body.plan.charges).toEqual([
      { ...second, properties: { amount: "11" } },
      expect.objectContaining({ svc_id: expect.stringMatching(UUID), properties: { amount: "5" } }),
    ]);
    expect(idsOf(changed.body.plan.charges)).not.toContain(first.svc_id);
    expect(await show("set")).toEqual(changed.body.plan);
    expect((await change("set", { charges: [] })).body.plan.charges).toEqual([]);
  });

  it("keeps ids of charges, and an id that a charge had is not used again", async () => {
    const { body } = await create(plan("ids", { charges: charges() }));
    const [first, second] = idsOf(body.plan.charges);
    const swapped = await change("ids", { charges: [{ id: second }, { id: first }] });
    expect(idsOf(swapped.body.plan.charges)).toEqual([second, first]);
    await change("ids", { charges: [{ id: first }] });
    const again = await change("ids", { charges: [{ id: first }, { id: second, ...standard(seats) }] });
    expect(idsOf(again.body.plan.charges)[0]).toBe(first);
    expect(idsOf(again.body.plan.charges)[1]).not.toBe(second);
  });

  it("accepts no charge of another plan, and not the same charge twice", async () => {
    const { body } = await create(plan("thief", { charges: charges() }));
    const theirs = (await show("full")).charges[0].svc_id;
    const taken = await change("thief", { charges: [{ id: theirs, ...standard(storage) }] });
    expect(idsOf(taken.body.plan.charges)).not.toContain(theirs);
    expect(idsOf((await show("full")).charges)).toContain(theirs);
    const own = taken.body.plan.charges[0].svc_id;
    expect(body.plan.charges).toHaveLength(2);
    expect((await change("thief", { charges: [{ id: own }, { id: own }] })).body).toEqual(
      refused({ id: ["value_already_exist"] }),
    );
  });

  it("cannot change the metric of a charge", async () => {
    const { body } = await create(plan("stays", { charges: [standard(storage)] }));
    const [{ svc_id: id }] = body.plan.charges;
    const changed = await change("stays", { charges: [{ id, ...standard(seats, "9") }] });
    expect(changed.body.plan.charges[0]).toMatchObject({
      billable_metric_code: "storage",
      properties: { amount: "9" },
    });
  });

  it("of the model without properties costs nothing", async () => {
    const { body } = await create(plan("model", { charges: [standard(storage, "9")] }));
    const [{ svc_id: id }] = body.plan.charges;
    const changed = await change("model", { charges: [{ id, charge_model: "package" }] });
    expect(changed.body.plan.charges[0]).toMatchObject({
      svc_id: id,
      charge_model: "package",
      properties: { amount: "0", free_units: 0, package_size: 1 },
    });
  });

  it("of filters replaces the whole list, and filters that stay come first", async () => {
    const { body } = await create(plan("filters", { charges: charges() }));
    const [{ svc_id: id }] = body.plan.charges;
    const filters = [
      { values: { region: ["__ALL_FILTER_VALUES__"] }, properties: { amount: "7" } },
      { values: { region: ["asia", "eu"] }, properties: { amount: "4" } },
    ];
    const changed = await change("filters", { charges: [{ id, filters }] });
    const [kept, added] = filters.toReversed();
    expect(changed.body.plan.charges[0].filters).toEqual([
      { svc_id: body.plan.charges[0].filters[1].svc_id, ...kept, invoice_display_name: null },
      { svc_id: expect.stringMatching(UUID), ...added, invoice_display_name: null },
    ]);
    const emptied = await change("filters", { charges: [{ id, filters: [] }] });
    expect(emptied.body.plan.charges[0]).toMatchObject({ svc_id: id, filters: [], taxes: [{ code: "vat" }] });
  });

  it("of taxes changes plan, charges and commitment separately", async () => {
    const minimum_commitment = { amount_cents: 5, tax_codes: ["vat"] };
    const { body } = await create(plan("taxed", { tax_codes: ["vat"], minimum_commitment, charges: charges() }));
    const ids = idsOf(body.plan.charges);
    const codesOf = ({ taxes, charges, minimum_commitment }: typeof body.plan) =>
      [taxes, ...charges.map((charge: typeof body.plan) => charge.taxes), minimum_commitment.taxes].map((list) =>
        list.map(({ code }: { code: string }) => code),
      );
    expect(codesOf(body.plan)).toEqual([["vat"], ["vat"], [], ["vat"]]);
    const changed = await change("taxed", {
      tax_codes: ["city"],
      minimum_commitment: { taxes: [{ code: "city" }, "vat"] },
      charges: [
        { id: ids[0], tax_codes: [] },
        { id: ids[1], tax_codes: ["vat", "city", "vat"] },
      ],
    });
    expect(codesOf(changed.body.plan)).toEqual([["city"], [], ["vat", "city"], ["vat", "city"]]);
    expect(codesOf(await show("taxed"))).toEqual(codesOf(changed.body.plan));
    expect(idsOf(changed.body.plan.charges)).toEqual(ids);
  });

  it("of the commitment keeps absent members; an empty one removes it, and the next one is new", async () => {
    const { body } = await create(
      plan("committed", {
        minimum_commitment: { amount_cents: 5, invoice_display_name: "Minimum", tax_codes: ["vat"] },
      }),
    );
    const first = body.plan.minimum_commitment;
    const changed = await change("committed", { minimum_commitment: { amount_cents: 6 } });
    expect(changed.body.plan.minimum_commitment).toEqual({ ...first, amount_cents: 6, updated_at: expect.any(String) });
    expect((await change("committed", { name: "N" })).body.plan.minimum_commitment).toMatchObject({ amount_cents: 6 });
    expect((await change("committed", { minimum_commitment: {} })).body.plan).not.toHaveProperty("minimum_commitment");
    const again = await change("committed", { minimum_commitment: { amount_cents: 7 } });
    expect(again.body.plan.minimum_commitment).toMatchObject({
      amount_cents: 7,
      invoice_display_name: null,
      taxes: [],
    });
    expect(again.body.plan.minimum_commitment.svc_id).not.toBe(first.svc_id);
  });

  it("made at the same moment as others does not undo them", async () => {
    await create(plan("busy"));
    const changes = [
      { name: "Renamed" },
      { description: "Described" },
      { amount_cents: 77 },
      { trial_period: 3 },
      { invoice_display_name: "Shown" },
      { minimum_commitment: { amount_cents: 9 } },
    ];
    const answers = await Promise.all(changes.map((members) => change("busy", members)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(await show("busy")).toMatchObject(Object.assign({}, ...changes));
  });
});

test("a deleted tax is removed from plans, charges and commitments", async () => {
  await call("POST", "/taxes", { tax: { name: "T", code: "leaving", rate: "1" } });
  const tax_codes = ["leaving"];
  const charges = [standard(storage, "1", { tax_codes })];
  await create(plan("leaves", { tax_codes, charges, minimum_commitment: { amount_cents: 1, tax_codes } }));
  await call("DELETE", "/taxes/leaving");
  const shown = await show("leaves");
  expect([shown.taxes, shown.charges[0].taxes, shown.minimum_commitment.taxes]).toEqual([[], [], []]);
  expect((await change("leaves", { name: "Still there" })).status).toBe(200);
});
