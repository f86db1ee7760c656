import { describe, expect, it, test } from "vitest";
import { newId } from "../../../platform/new-id.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick({ organizations: 3 });
const second = { key: organizations[1]?.key ?? "" };
const third = { key: organizations[2]?.key ?? "" };

type Members = Record<string, unknown>;
const upsert = (customer: Members, options = {}) => call("POST", "/customers", { customer }, options);
const show = async (externalId: string, options = {}) =>
  (await call("GET", `/customers/${encodeURIComponent(externalId)}`, undefined, options)).body.customer;

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DATETIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

test("a customer comes back with every member of the API", async () => {
  const members = {
    external_id: "full",
    name: "Acme",
    firstname: "Ada",
    lastname: "Lovelace",
    customer_type: "company",
    legal_name: "Acme SAS",
    legal_number: "123 456",
    tax_identification_number: "FR123",
    email: "a@example.com, b@example.com",
    phone: "+33 1",
    url: "https://acme.example",
    logo_url: "https://acme.example/logo.png",
    address_line1: "1 rue de la Paix",
    address_line2: null,
    city: "Paris",
    state: "IDF",
    zipcode: "75002",
    currency: "EUR",
    timezone: "Europe/Paris",
    net_payment_term: 30,
    external_salesforce_id: "sf",
    shipping_address: {
      address_line1: "2",
      address_line2: "b",
      city: "Lyon",
      state: "ARA",
      zipcode: "69001",
      country: "FR",
    },
  };
  const { status, body } = await upsert({
    ...members,
    country: "fr",
    metadata: [{ key: "k", value: "v", display_in_invoice: true }],
  });
  expect(status).toBe(200);
  expect(body.customer).toEqual({
    ...members,
    country: "FR",
    svc_id: expect.stringMatching(UUID_V7),
    sequential_id: 1,
    slug: expect.stringMatching(/^COM-[0-9A-F]{4}-001$/),
    test_clock_id: null,
    applicable_timezone: "Europe/Paris",
    created_at: expect.stringMatching(DATETIME),
    updated_at: expect.stringMatching(DATETIME),
    billing_configuration: {
      invoice_grace_period: null,
      payment_provider: null,
      payment_provider_code: null,
      document_locale: null,
      provider_customer_id: null,
      sync: false,
      sync_with_provider: false,
    },
    metadata: [
      {
        svc_id: expect.stringMatching(UUID_V7),
        key: "k",
        value: "v",
        display_in_invoice: true,
        created_at: expect.stringMatching(DATETIME),
      },
    ],
    taxes: [],
  });
  expect(await show("full")).toEqual(body.customer);
});

test("the second POST with an external_id updates the members that it names", async () => {
  const { body } = await upsert({ external_id: "again", name: "A", email: "a@example.com", country: "DE" });
  const changed = await upsert({ external_id: "again", name: "B", country: null });
  expect(changed.body.customer).toMatchObject({
    svc_id: body.customer.svc_id,
    sequential_id: body.customer.sequential_id,
    name: "B",
    email: "a@example.com",
    country: null,
  });
});

it.each<[Members, Record<string, string[]>]>([
  [{}, { external_id: ["value_is_mandatory"] }],
  [{ external_id: "" }, { external_id: ["value_is_mandatory"] }],
  [{ external_id: " \t" }, { external_id: ["value_is_mandatory"] }],
  [{ external_id: null }, { external_id: ["value_is_mandatory"] }],
  [{ external_id: 1 }, { external_id: ["value_is_invalid"] }],
  [{ name: "n".repeat(256) }, { name: ["value_is_too_long"] }],
  [{ customer_type: "robot" }, { customer_type: ["value_is_invalid"] }],
  [{ country: "ZZ" }, { country: ["not_a_valid_country_code"] }],
  [{ currency: "EURO" }, { currency: ["value_is_invalid"] }],
  [{ timezone: "Mars/Olympus" }, { timezone: ["invalid_timezone"] }],
  [{ email: "nobody" }, { email: ["invalid_email_format"] }],
  [{ email: "a@example.com,nobody" }, { email: ["invalid_email_format"] }],
  [{ net_payment_term: -1 }, { net_payment_term: ["value_is_out_of_range"] }],
  [{ net_payment_term: "30" }, { net_payment_term: ["value_is_invalid"] }],
  [{ billing_configuration: { invoice_grace_period: -1 } }, { invoice_grace_period: ["value_is_out_of_range"] }],
  [{ billing_configuration: { document_locale: "xx" } }, { document_locale: ["not_a_valid_language_code"] }],
  [{ billing_configuration: { payment_provider: "piggy" } }, { payment_provider: ["value_is_invalid"] }],
  [{ billing_configuration: { provider_customer_id: "cus_1" } }, { payment_provider: ["value_is_mandatory"] }],
  [{ shipping_address: { country: "ZZ" } }, { country: ["not_a_valid_country_code"] }],
  [
    { metadata: Array.from({ length: 6 }, (_, i) => ({ key: `${i}`, value: "v", display_in_invoice: true })) },
    { metadata: ["invalid_count"] },
  ],
  [{ metadata: [{ key: "k".repeat(21), value: "v", display_in_invoice: true }] }, { key: ["value_is_too_long"] }],
  [{ metadata: [{ key: "k", value: "v".repeat(101), display_in_invoice: true }] }, { value: ["value_is_too_long"] }],
  [{ metadata: [{ key: "k" }] }, { value: ["value_is_mandatory"], display_in_invoice: ["value_is_mandatory"] }],
  [
    { metadata: ["a", "b"].map((value) => ({ key: "same", value, display_in_invoice: true })) },
    { key: ["value_already_exist"] },
  ],
])("%j is refused with %j, and nothing is stored", async (members, details) => {
  const externalId = "external_id" in members || Object.keys(members).length === 0 ? {} : { external_id: newId() };
  const { total_count: before } = (await call("GET", "/customers")).body.meta;
  const { status, body } = await upsert({ ...externalId, ...members });
  expect([status, body.error_details]).toEqual([422, details]);
  expect((await call("GET", "/customers")).body.meta.total_count).toBe(before);
});

describe("metadata", () => {
  const pair = (key: string, value: string, more: Members = {}) => ({ key, value, display_in_invoice: false, ...more });
  type Shown = { svc_id: string; key: string; value: string };

  test("a list of metadata replaces the old one: known ids are changed, new ones added, the others deleted", async () => {
    const { body } = await upsert({ external_id: "meta", metadata: [pair("a", "1"), pair("b", "2"), pair("c", "3")] });
    const [a, b] = body.customer.metadata as [Shown, Shown];
    const { metadata } = (
      await upsert({
        external_id: "meta",
        metadata: [pair("a2", "1", { svc_id: a.svc_id }), pair("b", "9", { id: b.svc_id }), pair("d", "4")],
      })
    ).body.customer;
    expect(metadata.map(({ key, value }: Shown) => [key, value])).toEqual(
      expect.arrayContaining([
        ["a2", "1"],
        ["b", "9"],
        ["d", "4"],
      ]),
    );
    expect(metadata).toHaveLength(3);
    expect(metadata.find((one: Shown) => one.key === "a2").svc_id).toBe(a.svc_id);
    expect(metadata.find((one: Shown) => one.key === "b").svc_id).toBe(b.svc_id);
    expect((await upsert({ external_id: "meta", name: "n" })).body.customer.metadata).toEqual(metadata);
    expect((await upsert({ external_id: "meta", metadata: [] })).body.customer.metadata).toEqual([]);
  });

  test("two pairs can swap their keys", async () => {
    const { body } = await upsert({ external_id: "swap", metadata: [pair("x", "1"), pair("y", "2")] });
    const [x, y] = body.customer.metadata as [Shown, Shown];
    const swapped = await upsert({
      external_id: "swap",
      metadata: [pair("y", "1", { svc_id: x.svc_id }), pair("x", "2", { svc_id: y.svc_id })],
    });
    expect(swapped.status).toBe(200);
    expect(swapped.body.customer.metadata.map(({ svc_id, key }: Shown) => [svc_id, key]).sort()).toEqual(
      [
        [x.svc_id, "y"],
        [y.svc_id, "x"],
      ].sort(),
    );
  });

  test("a pair of another customer cannot be taken over by its id", async () => {
    const { body } = await upsert({ external_id: "owner", metadata: [pair("mine", "1")] });
    const [mine] = body.customer.metadata as [Shown];
    const thief = await upsert({ external_id: "thief", metadata: [pair("stolen", "2", { svc_id: mine.svc_id })] });
    expect(thief.body.customer.metadata[0].svc_id).not.toBe(mine.svc_id);
    expect((await show("owner")).metadata).toEqual([expect.objectContaining({ key: "mine", value: "1" })]);
  });
});

describe("taxes", () => {
  test("are its own, or else the defaults of the organization", async () => {
    await call("POST", "/taxes", { tax: { name: "Own", code: "own", rate: "10" } }, second);
    await call(
      "POST",
      "/taxes",
      { tax: { name: "Default", code: "def", rate: "20", applied_to_organization: true } },
      second,
    );
    const codesOf = (customer: { taxes: { code: string }[] }) => customer.taxes.map((tax) => tax.code);
    expect(codesOf((await upsert({ external_id: "t" }, second)).body.customer)).toEqual(["def"]);
    expect(codesOf((await upsert({ external_id: "t", tax_codes: ["own"] }, second)).body.customer)).toEqual(["own"]);
    expect(codesOf((await upsert({ external_id: "t", name: "kept" }, second)).body.customer)).toEqual(["own"]);
    expect(codesOf((await call("GET", "/customers", undefined, second)).body.customers[0])).toEqual(["own"]);
    expect(codesOf((await upsert({ external_id: "t", tax_codes: [] }, second)).body.customer)).toEqual(["def"]);
  });

  test("an unknown code refuses the whole request", async () => {
    const { status, body } = await upsert({ external_id: "untaxed", tax_codes: ["none"] });
    expect([status, body.code]).toEqual([404, "tax_not_found"]);
    expect((await call("GET", "/customers/untaxed")).status).toBe(404);
    expect((await upsert({ external_id: "untaxed", tax_codes: ["own"] })).body.code).toBe("tax_not_found");
  });
});

describe("payment provider", () => {
  const configure = async (billing_configuration: Members) =>
    (await upsert({ external_id: "payer", billing_configuration })).body.customer.billing_configuration;

  test("its members are shown as stored; an unknown provider in an update means none", async () => {
    expect(await configure({ payment_provider: "stripe", provider_customer_id: "cus_1", sync: true })).toMatchObject({
      payment_provider: "stripe",
      provider_customer_id: "cus_1",
      sync: true,
      sync_with_provider: false,
      provider_payment_methods: ["card"],
    });
    expect(await configure({ provider_payment_methods: ["card", "sepa_debit"] })).toMatchObject({
      provider_payment_methods: ["card", "sepa_debit"],
    });
    expect(await configure({ payment_provider: "gocardless" })).not.toHaveProperty("provider_payment_methods");
    const without = await configure({ payment_provider: "piggy", provider_customer_id: null });
    expect(without).toEqual({
      invoice_grace_period: null,
      payment_provider: null,
      payment_provider_code: null,
      document_locale: null,
      provider_customer_id: null,
      sync: true,
      sync_with_provider: false,
    });
  });

  test("a provider that is not connected is named in a warning, whatever its code is made of", async () => {
    const connect = async (billing_configuration: Members) =>
      (await upsert({ external_id: "unconnected", billing_configuration })).headers.warning;
    expect(await connect({ payment_provider: "adyen" })).toBe(
      '299 - "payment_provider adyen is not connected: nothing is charged"',
    );
    expect(await connect({ payment_provider_code: 'a "b"\\\n€' })).toBe(
      '299 - "payment_provider adyen (a \\"b\\"\\\\??) is not connected: nothing is charged"',
    );
    expect(await connect({ payment_provider: null })).toBeUndefined();
  });
});

test("a document language without words is accepted with a warning", async () => {
  const speak = async (document_locale: string | null) => {
    const { status, headers } = await upsert({ external_id: "speaker", billing_configuration: { document_locale } });
    return [status, headers.warning];
  };
  for (const locale of ["ja", "pt-BR", "zh-TW"])
    expect(await speak(locale)).toEqual([
      200,
      `299 - "document_locale ${locale} has no words yet: documents are drawn in English"`,
    ]);
  for (const locale of ["fr", null]) expect(await speak(locale)).toEqual([200, undefined]);
});

test("the organization's time zone applies if the customer has none", async () => {
  await call("PUT", "/organizations", { organization: { timezone: "America/New_York" } }, second);
  expect((await upsert({ external_id: "zone" }, second)).body.customer).toMatchObject({
    timezone: null,
    applicable_timezone: "America/New_York",
  });
  const own = await upsert({ external_id: "zone", timezone: "Asia/Tokyo" }, second);
  expect(own.body.customer.applicable_timezone).toBe("Asia/Tokyo");
});

test("a deleted customer is gone, and its external_id can be used for a new one", async () => {
  const { svc_id, sequential_id } = (await upsert({ external_id: "gone" })).body.customer;
  expect((await call("DELETE", "/customers/gone")).body.customer.svc_id).toBe(svc_id);
  expect((await call("GET", "/customers/gone")).body).toMatchObject({
    status: 404,
    error: "Not Found",
    code: "customer_not_found",
  });
  expect((await call("DELETE", "/customers/gone")).status).toBe(404);
  const next = (await upsert({ external_id: "gone" })).body.customer;
  expect(next.svc_id).not.toBe(svc_id);
  expect(next.sequential_id).toBeGreaterThan(sequential_id);
});

test("64 simultaneous creations make one customer, and numbers have no gaps", async () => {
  const same = await Promise.all(Array.from({ length: 32 }, () => upsert({ external_id: "race" }, third)));
  const different = await Promise.all(
    Array.from({ length: 32 }, (_, index) => upsert({ external_id: `race-${index}` }, third)),
  );
  expect(new Set([...same, ...different].map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(same.map(({ body }) => body.customer.svc_id)).size).toBe(1);
  const { customers } = (await call("GET", "/customers", undefined, third)).body;
  const numbers = customers
    .map((customer: { sequential_id: number }) => customer.sequential_id)
    .sort((a: number, b: number) => a - b);
  expect(numbers).toEqual(Array.from({ length: 33 }, (_, index) => index + 1));
});

test("ids that look alike but differ in bytes are different customers", async () => {
  const [composed, decomposed] = ["é", "e\u0301"];
  await upsert({ external_id: composed, name: "composed" });
  await upsert({ external_id: decomposed, name: "decomposed" });
  expect([(await show(composed)).name, (await show(decomposed)).name]).toEqual(["composed", "decomposed"]);
});
