/** For every route under /api/v1 a request that succeeds: the tests that try every route are built from these. */
import type { Call } from "./start-tallystick.ts";

export type Sample = {
  /** The resource whose right the route needs. */
  permission: string;
  /** Makes the record that the path names; returns the path parameters. `mark` keeps it apart from others. */
  given?: (call: Call, mark: string) => Promise<Record<string, string>>;
  /** With every nested object and list that the route takes, so that each member inside can be reached. */
  body?: (mark: string) => object;
};

const aTax = (mark: string) => ({ tax: { name: "VAT", code: `tax ${mark}`, rate: "20" } });
const aCustomer = (mark: string) => ({
  customer: {
    external_id: `customer ${mark}`,
    name: "Customer",
    shipping_address: { city: "Paris" },
    billing_configuration: { payment_provider: "stripe", provider_payment_methods: ["card"] },
    metadata: [{ key: "key", value: "value", display_in_invoice: true }],
    tax_codes: [],
  },
});
const aTestClock = (mark: string) => ({ test_clock: { name: `clock ${mark}`, now: "2026-01-31T00:00:00Z" } });

/** A record made by POST, named by one of its members. */
const madeBy =
  (path: string, body: (mark: string) => object, parameter: string) =>
  async (call: Call, mark: string): Promise<Record<string, string>> => {
    const { status, body: answer, text } = await call("POST", path, body(mark));
    if (status !== 200) throw new Error(`POST ${path} refused its sample: ${text}`);
    const [record] = Object.values(answer) as Record<string, string>[];
    return { [parameter]: record?.[parameter] ?? "" };
  };

const givenTax = madeBy("/taxes", aTax, "code");
const givenCustomer = madeBy("/customers", aCustomer, "external_id");
const givenTestClock = madeBy("/test_clocks", aTestClock, "svc_id");

export const SAMPLES: Readonly<Record<string, Sample>> = {
  "GET /organizations": { permission: "organization" },
  "PUT /organizations": {
    permission: "organization",
    body: () => ({
      organization: {
        name: "Company",
        email_settings: ["invoice.finalized"],
        billing_configuration: { invoice_grace_period: 3 },
      },
    }),
  },

  "POST /taxes": { permission: "tax", body: aTax },
  "GET /taxes": { permission: "tax" },
  "GET /taxes/:code": { permission: "tax", given: givenTax },
  "PUT /taxes/:code": { permission: "tax", given: givenTax, body: () => ({ tax: { name: "Value added tax" } }) },
  "DELETE /taxes/:code": { permission: "tax", given: givenTax },

  "POST /customers": { permission: "customer", body: aCustomer },
  "GET /customers": { permission: "customer" },
  "GET /customers/:external_id": { permission: "customer", given: givenCustomer },
  "DELETE /customers/:external_id": { permission: "customer", given: givenCustomer },

  "POST /test_clocks": { permission: "test_clock", body: aTestClock },
  "GET /test_clocks": { permission: "test_clock" },
  "GET /test_clocks/:svc_id": { permission: "test_clock", given: givenTestClock },
  "POST /test_clocks/:svc_id/advance": {
    permission: "test_clock",
    given: givenTestClock,
    body: () => ({ test_clock: { now: "2026-02-28T00:00:00Z" } }),
  },
  "DELETE /test_clocks/:svc_id": { permission: "test_clock", given: givenTestClock },
};

/** `/taxes/:code` with its parameters filled in. */
export const toPath = (pattern: string, parameters: Record<string, string>): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
