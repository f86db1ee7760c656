import { expect, it, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick();
const second = { key: organizations[1]?.key ?? "" };
const change = (organization: Record<string, unknown>) => call("PUT", "/organizations", { organization });
const show = async (options = {}) => (await call("GET", "/organizations", undefined, options)).body.organization;

test("a new organization has safe defaults", async () => {
  const { id = "" } = organizations[0] ?? {};
  expect(await show()).toEqual({
    svc_id: id,
    name: "Company 1",
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    default_currency: "USD",
    webhook_url: "",
    webhook_urls: [],
    country: null,
    address_line1: null,
    address_line2: null,
    city: null,
    state: null,
    zipcode: null,
    email: null,
    legal_name: null,
    legal_number: null,
    tax_identification_number: null,
    timezone: "UTC",
    net_payment_term: 0,
    email_settings: [],
    document_numbering: "per_customer",
    document_number_prefix: `COM-${id.slice(-4).toUpperCase()}`,
    include_deprecated_fields: false,
    ignore_unknown_members: false,
    field_prefix: "svc",
    billing_configuration: {
      invoice_footer: null,
      invoice_grace_period: 0,
      document_locale: "en",
      logo_url: null,
      logo_error: null,
    },
    taxes: [],
  });
});

test("every member of the API can be set, read back, and cleared if it may be empty", async () => {
  const expected = {
    webhook_url: "https://hooks.example/in",
    country: "FR",
    address_line1: "1",
    address_line2: "2",
    city: "Paris",
    state: "IDF",
    zipcode: "75002",
    email: "billing@example.com",
    legal_name: "Company SAS",
    legal_number: "42",
    tax_identification_number: "FR42",
    net_payment_term: 14,
    timezone: "Europe/Paris",
    default_currency: "EUR",
    document_numbering: "per_organization",
    email_settings: ["invoice.finalized", "credit_note.created"],
    billing_configuration: { invoice_footer: "Thanks", invoice_grace_period: 3, document_locale: "fr" },
  };
  const { status, body } = await change({
    ...expected,
    document_number_prefix: "acme-01",
    billing_configuration: { ...expected.billing_configuration, vat_rate: 20 },
  });
  expect(status).toBe(200);
  expect(body.organization).toMatchObject({
    ...expected,
    document_number_prefix: "ACME-01",
    webhook_urls: ["https://hooks.example/in"],
  });
  expect(await show()).toEqual(body.organization);
  expect(body.organization.billing_configuration).not.toHaveProperty("vat_rate");
  const cleared = await change({
    webhook_url: null,
    address_line2: null,
    legal_name: null,
    legal_number: null,
    email_settings: [],
  });
  expect(cleared.body.organization).toMatchObject({
    webhook_url: "",
    webhook_urls: [],
    address_line2: null,
    city: "Paris",
    email_settings: [],
  });
  expect((await show(second)).country).toBeNull();
});

it.each<[Record<string, unknown>, Record<string, string[]>]>([
  [{ timezone: "Mars/Olympus" }, { timezone: ["invalid_timezone"] }],
  [{ timezone: null }, { timezone: ["value_is_mandatory"] }],
  [{ document_numbering: "random" }, { document_numbering: ["value_is_invalid"] }],
  [{ document_number_prefix: "THIS-IS-TOO-LONG" }, { document_number_prefix: ["value_is_too_long"] }],
  [{ document_number_prefix: "ßßßßßßßß" }, { document_number_prefix: ["value_is_too_long"] }],
  [{ document_number_prefix: "" }, { document_number_prefix: ["value_is_too_short"] }],
  [{ country: "ZZ" }, { country: ["not_a_valid_country_code"] }],
  [{ default_currency: "ZZZ" }, { default_currency: ["value_is_invalid"] }],
  [{ email: "nobody" }, { email: ["invalid_email_format"] }],
  [{ webhook_url: "ftp://x" }, { webhook_url: ["url_is_invalid"] }],
  [{ webhook_url: "javascript:alert(1)" }, { webhook_url: ["url_is_invalid"] }],
  [{ email_settings: ["nonsense"] }, { email_settings: ["unsupported_value"] }],
  [{ net_payment_term: -1 }, { net_payment_term: ["value_is_out_of_range"] }],
  [{ billing_configuration: { invoice_footer: "x".repeat(601) } }, { invoice_footer: ["value_is_too_long"] }],
  [{ billing_configuration: { invoice_grace_period: -1 } }, { invoice_grace_period: ["value_is_out_of_range"] }],
  [{ billing_configuration: { document_locale: "klingon" } }, { document_locale: ["not_a_valid_language_code"] }],
])("%j is refused with %j and changes nothing", async (members, details) => {
  const before = await show();
  const { status, body } = await change({ city: "Elsewhere", ...members });
  expect([status, body.error_details]).toEqual([422, details]);
  expect(await show()).toEqual(before);
});

test("the organization is shown with its default taxes", async () => {
  await call("POST", "/taxes", { tax: { name: "Other", code: "other", rate: "1" } });
  await call("POST", "/taxes", { tax: { name: "VAT", code: "vat", rate: "20", applied_to_organization: true } });
  expect((await show()).taxes).toEqual([
    expect.objectContaining({ code: "vat", rate: 20, applied_to_organization: true }),
  ]);
});

test("a document number prefix has up to 10 characters, however many bytes they take", async () => {
  const { status, body } = await change({ document_number_prefix: "\u{1F600}".repeat(10) });
  expect(status).toBe(200);
  expect(body.organization.document_number_prefix).toBe("\u{1F600}".repeat(10));
});
