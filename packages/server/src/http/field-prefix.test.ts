import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, test } from "vitest";
import { runOn } from "../platform/postgres/temporary-database.ts";
import { makeTestKey } from "../testing/make-test-key.ts";
import { startReceiver } from "../testing/start-receiver.ts";
import { startTallystick } from "../testing/start-tallystick.ts";
import { FREE_MEMBERS, renameMembers, renamePath } from "./field-prefix.ts";

const receiver = await startReceiver();
const { platform, app, call, organizations, drain } = await startTallystick({
  settings: { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1" },
});
const [{ id: organizationId } = { id: "" }] = organizations;
const other = { key: organizations[1]?.key ?? "" };

/** A new key, because the settings of a known key are cached for seconds. */
async function keyWith(field_prefix: string): Promise<string> {
  const { status, text } = await call("PUT", "/organizations", { organization: { field_prefix } });
  expect(status, text).toBe(200);
  return (await makeTestKey(platform, organizationId)).token;
}
const key = await keyWith("lago");
const ask = async (...[method, path, body, options = {}]: Parameters<typeof call>) => {
  const answer = await call(method, path, body, { key, ...options });
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

/** The caller's own names look like members. */
const MINE = { svc_id: "mine", lago_id: "mine too", svc_: { svc_id: 1 } };

const { webhook_endpoint: endpoint } = (
  await ask("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url: receiver.url("/hooks") } })
).body;
const { customer } = (
  await ask("POST", "/customers", {
    customer: { external_id: "acme", metadata: [{ key: "svc_id", value: "svc_id", display_in_invoice: true }] },
  })
).body;
const { billable_metric: metric } = (
  await ask("POST", "/billable_metrics", {
    billable_metric: {
      ...{ name: "Calls", code: "calls", aggregation_type: "sum_agg", field_name: "units" },
      filters: [{ key: "svc_region", values: ["svc_eu", "us"] }],
    },
  })
).body;
const PLAN = { name: "P", code: "p", interval: "monthly", amount_cents: 0, amount_currency: "EUR" };
const PRICED = {
  billable_metric_id: metric.lago_id,
  charge_model: "standard",
  properties: { amount: "0.50", grouped_by: ["svc_team"] },
  filters: [{ values: { svc_region: ["svc_eu"] }, properties: { amount: "1" } }],
};
await ask("POST", "/plans", { plan: { ...PLAN, pay_in_advance: false, charges: [PRICED] } });
await ask("POST", "/subscriptions", {
  subscription: { external_customer_id: "acme", plan_code: "p", external_id: "main" },
});

describe("answers", () => {
  test("name their members with the prefix, at every depth", async () => {
    const { body } = await ask("GET", "/subscriptions/main");
    expect(body.subscription).toMatchObject({ lago_id: expect.any(String), lago_customer_id: customer.lago_id });
    expect(body.subscription.plan.charges[0].filters[0]).toHaveProperty("lago_id");
    expect(JSON.stringify(body)).not.toContain('"svc_id"');
  });

  test("leave names and values of the caller as they are", async () => {
    const { plan } = (await ask("GET", "/plans/p")).body;
    expect(plan.charges[0]).toMatchObject({
      properties: { grouped_by: ["svc_team"] },
      filters: [{ values: { svc_region: ["svc_eu"] } }],
    });
    expect(customer.metadata).toEqual([
      {
        lago_id: expect.any(String),
        key: "svc_id",
        value: "svc_id",
        display_in_invoice: true,
        created_at: expect.any(String),
      },
    ]);
    expect(metric.filters).toEqual([{ key: "svc_region", values: ["svc_eu", "us"] }]);
    const { wallet } = (
      await ask("POST", "/wallets", {
        wallet: {
          external_customer_id: "acme",
          rate_amount: "1",
          currency: "EUR",
          metadata: { svc_id: "a", lago_id: "b" },
        },
      })
    ).body;
    expect(wallet).toMatchObject({ lago_id: expect.any(String), metadata: { svc_id: "a", lago_id: "b" } });
  });

  test("show an event with the very bytes of its properties", async () => {
    const properties = '{"svc_id": 1.50, "lago_id":"x","units":"1","svc_region":"us","svc_team":"svc_a"}';
    const raw = `{"event":{"transaction_id":"t1","external_subscription_id":"main","code":"calls","properties":${properties}}}`;
    expect((await ask("POST", "/events", undefined, { raw })).body.event).toHaveProperty("lago_customer_id");
    const shown = async (token: string) => (await call("GET", "/events/t1", undefined, { key: token })).text;
    const [theirs, own] = [await shown(key), await shown(await keyWith("svc"))];
    await keyWith("lago");
    const ofProperties = /"properties":\{.*?\}/;
    expect(theirs.match(ofProperties)?.[0]).toBe(own.match(ofProperties)?.[0]);
    expect(theirs.match(ofProperties)?.[0]).toMatch(/"svc_id": ?1\.50?,/);
  });

  test("name what usage is grouped by as the caller does", async () => {
    const { body } = await ask("GET", "/customers/acme/current_usage?external_subscription_id=main");
    const [usage] = body.customer_usage.charges_usage;
    expect(usage.charge).toHaveProperty("lago_id");
    expect(usage.grouped_usage.map(({ grouped_by }: { grouped_by: object }) => grouped_by)).toEqual([
      { svc_team: "svc_a" },
    ]);
  });

  test("of other organizations keep the names of the API", async () => {
    const { body } = await call("POST", "/customers", { customer: { external_id: "acme" } }, other);
    expect(body.customer).toHaveProperty("svc_id");
    expect(Object.keys(body.customer).filter((name) => name.startsWith("lago_"))).toEqual([]);
  });
});

describe("requests", () => {
  test("name members with the prefix, so that what was read can be sent back", async () => {
    const { body } = await ask("GET", "/customers/acme");
    const { status, text } = await call("POST", "/customers", body, { key });
    expect(status, text).toBe(200);
    // Also where a name is written with an escape.
    const raw = '{"customer":{"external_id":"acme","\\u006cago_id":"x"}}';
    expect((await call("POST", "/customers", undefined, { key, raw })).status).toBe(200);
  });

  test("with the names of the API are refused as unknown, by the name that was sent", async () => {
    const { status, body, help } = await call(
      "POST",
      "/customers",
      {
        customer: {
          external_id: "acme",
          svc_id: "x",
          metadata: [{ key: "k", value: "v", display_in_invoice: true, svc_idd: 1 }],
        },
      },
      { key },
    );
    expect([status, body.error_details]).toEqual([422, { svc_id: ["unknown_member"], svc_idd: ["unknown_member"] }]);
    expect(help.errors.map(({ path }: { path: string }) => path)).toEqual([
      "customer.svc_id",
      "customer.metadata[0].svc_idd",
    ]);
  });

  test("with a misspelled member are refused with the nearest name as the caller knows it", async () => {
    const { help, body } = await call(
      "POST",
      "/customers",
      { customer: { external_id: "acme", lago_idd: 1 } },
      { key },
    );
    expect(body.error_details).toEqual({ lago_idd: ["unknown_member"] });
    expect(help.errors).toEqual([
      {
        path: "customer.lago_idd",
        code: "unknown_member",
        message: 'This operation does not know the member. Did you mean "lago_id"?',
      },
    ]);
    expect(help.message).toMatch(/^customer\.lago_idd: /);
  });

  test("with an unknown parameter are refused by the name that was sent", async () => {
    const { body } = await call("GET", "/customers?lago_id=1&svc_id=2", undefined, { key });
    expect(body.error_details).toEqual({ lago_id: ["unknown_member"], svc_id: ["unknown_member"] });
  });

  test("that are ignored are named in the header as they were sent", async () => {
    const ignoring = async (ignore_unknown_members: boolean) => {
      await call("PUT", "/organizations", { organization: { ignore_unknown_members } });
      return { key: (await makeTestKey(platform, organizationId)).token };
    };
    const body = { customer: { external_id: "acme", lago_other: 1 } };
    const { headers } = await call("POST", "/customers", body, await ignoring(true));
    await ignoring(false);
    expect(headers.warning).toContain("customer.lago_other");
  });
});

test("a repeated request gets the same bytes, and the same refusal", async () => {
  const headers = { "idempotency-key": "once" };
  const body = { customer: { external_id: "once", metadata: [{ key: "a", value: "b", display_in_invoice: false }] } };
  const first = await ask("POST", "/customers", body, { headers });
  expect(first.text).toContain('"lago_id"');
  expect((await ask("POST", "/customers", body, { headers })).text).toBe(first.text);
  const refused = () =>
    call(
      "POST",
      "/customers",
      { customer: { external_id: "x", currency: "nope" } },
      { key, headers: { "idempotency-key": "no" } },
    );
  const [one, two] = [await refused(), await refused()];
  expect([one.status, two.body]).toEqual([422, one.body]);
});

test("an ETag is of the renamed answer, and lets a change through", async () => {
  const { headers } = await ask("GET", "/customers/acme");
  const own = await call("GET", "/customers/acme", undefined, { key: await keyWith("svc") });
  await keyWith("lago");
  expect(headers.etag).not.toBe(own.headers.etag);
  const change = (name: string, etag: unknown) =>
    call("PUT", "/plans/p", { plan: { name } }, { key, headers: { "if-match": String(etag) } });
  const { etag } = (await ask("GET", "/plans/p")).headers;
  expect((await change("Q", etag)).status).toBe(200);
  expect((await change("R", etag)).body.code).toBe("changed_meanwhile");
});

test("a webhook has renamed members and headers, signed as sent, and stays as it was in the database", async () => {
  await ask("POST", "/customers", { customer: { external_id: "told", metadata: [] } });
  await drain();
  const message = receiver.received.find(({ body }) => body.includes('"told"'));
  const { headers = {}, body = "" } = message ?? {};
  expect(JSON.parse(body).customer).toMatchObject({ lago_id: expect.any(String), external_id: "told" });
  expect(body).not.toContain("svc_");
  expect(headers["x-lago-signature"]).toBe(createHmac("sha256", endpoint.secret).update(body).digest("base64"));
  expect(headers).toMatchObject({ "x-lago-signature-algorithm": "hmac", "x-lago-unique-key": headers["webhook-id"] });
  expect(Object.keys(headers).filter((name) => name.startsWith("x-svc-"))).toEqual([]);
  expect(new Webhook(endpoint.secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));

  const [stored] = await runOn(
    platform.config.DATABASE_URL,
    `select payload from outbox where id = '${headers["webhook-id"]}'`,
  );
  expect(stored?.payload.customer).toHaveProperty("svc_id");
  const { webhooks } = (await ask("GET", "/webhooks")).body;
  const logged = webhooks.find(({ unique_key }: { unique_key: string }) => unique_key === headers["webhook-id"]);
  expect(logged.attempts[0].request_headers).toMatchObject({ "X-Lago-Unique-Key": headers["webhook-id"] });
  expect(Object.keys(logged.attempts[0].request_headers)).not.toContain("X-Lago-Signature");
  expect((await ask("GET", `/webhooks/${logged.lago_id}`)).body.webhook.payload).toBe(body);
});

test("removed members have the prefix too", async () => {
  await call("PUT", "/organizations", { organization: { include_deprecated_fields: true } });
  const { token } = await makeTestKey(platform, organizationId);
  const invoice = { external_customer_id: "acme", currency: "EUR", fees: [{ add_on_code: "setup" }] };
  await ask("POST", "/add_ons", { add_on: { name: "S", code: "setup", amount_cents: 5, amount_currency: "EUR" } });
  const { body } = await call("POST", "/invoices", { invoice }, { key: token });
  await call("PUT", "/organizations", { organization: { include_deprecated_fields: false } });
  expect(body.invoice.fees[0]).toHaveProperty("lago_group_id", null);
  expect(body.invoice).toHaveProperty("legacy", false);
});

describe("the description", () => {
  const described = async (token?: string) =>
    app.inject({ url: "/openapi.json", headers: token ? { authorization: `Bearer ${token}` } : {} });

  test("has the names of the key's organization, and another ETag", async () => {
    const [own, theirs] = [await described(), await described(key)];
    expect(theirs.headers.vary).toContain("Authorization");
    expect(theirs.headers.etag).not.toBe(own.headers.etag);
    expect(theirs.json().components.schemas.Customer.required).toContain("lago_id");
    expect(theirs.json().paths["/api/v1/wallets/{lago_id}"].get.parameters).toBeDefined();
    expect(theirs.body).toContain("X-Lago-Signature");
    expect(theirs.body).not.toMatch(/\bsvc_\w|X-Svc/);
    expect(own.body).not.toContain("lago");
  });

  test("has the names of the API for a key that does not work", async () => {
    expect((await described("tsk_nothing")).body).toBe((await described()).body);
  });

  test("has no object with free members that the renaming does not know", async () => {
    const { components, paths, webhooks } = (await described()).json();
    const schemas = Object.entries(components.schemas).filter(([name]) => !name.endsWith("Derivation"));
    const open = [...schemas.map(([, schema]) => schema), paths, webhooks].flatMap((schema) => openMembers(schema));
    // The keys of `error_details` are members that a request named; they are renamed by their paths.
    // A CloudEvent, with its `data`, is not renamed at all.
    const ours = ["error_details", "amount_details", "difference", "data"];
    expect([...new Set(open)].filter((name) => !FREE_MEMBERS.has(name)).sort()).toEqual(ours.sort());
  });
});

type Schema = Record<string, unknown>;

/** The names of members that a schema leaves open, outside of free ones. */
function openMembers(schema: unknown, name?: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => openMembers(one, name));
  if (typeof schema !== "object" || schema === null) return [];
  const { type, properties, example: _, examples: __, ...rest } = schema as Schema;
  const isOpen = [type].flat().includes("object") && (properties === undefined || rest.additionalProperties === true);
  const inside = Object.entries((properties ?? {}) as Schema).flatMap(([member, one]) =>
    FREE_MEMBERS.has(member) && !isList(one) ? [] : openMembers(one, member),
  );
  return [
    ...(isOpen && name ? [name] : []),
    ...inside,
    ...Object.values(rest).flatMap((one) => openMembers(one, name)),
  ];
}
const isList = (schema: unknown): boolean => [(schema as Schema).type].flat().includes("array");

describe("the setting", () => {
  it.each(["", "a", "Lago", "lago_", "toolonger", "l4go", null])("refuses %j", async (field_prefix) => {
    const { status, body } = await call("PUT", "/organizations", { organization: { field_prefix } });
    expect([status, Object.keys(body.error_details)]).toEqual([422, ["field_prefix"]]);
  });

  it.each(["external", "invoice", "plan", "tax", "group", "vat", "created"])(
    "refuses %j, because other members begin with it",
    async (field_prefix) => {
      const { status, body, help } = await call("PUT", "/organizations", { organization: { field_prefix } });
      expect([status, body.error_details]).toEqual([422, { field_prefix: ["value_is_invalid"] }]);
      expect(help.errors[0]).toMatchObject({
        path: "organization.field_prefix",
        message: expect.stringContaining(`"${field_prefix}_"`),
      });
    },
  );

  test("is shown", async () => {
    expect((await ask("GET", "/organizations")).body.organization).toMatchObject({ field_prefix: "lago" });
  });
});

describe("renaming", () => {
  // Not after names that end in a backslash: JSON.parse of Node 26 then reads the name `"a\""` as `a\`.
  const name = fc.oneof(
    fc.string({ unit: "binary" }).filter((one) => !one.endsWith("\\")),
    fc.constantFrom(
      "svc_id",
      "lago_id",
      "svc_",
      "svc_svc_id",
      "lago_svc_x",
      'svc_"',
      "svc_\\x",
      "_svc_id",
      "svcid",
      "__proto__",
      ...FREE_MEMBERS,
    ),
  );
  const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 0 }),
      name,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 5 }),
    ),
  }));
  const prefix = fc.stringMatching(/^[a-z]{2,8}$/).filter((one) => one !== "svc");

  /** The rule once more, on values. */
  function renamedValue(value: unknown, to: string): unknown {
    if (Array.isArray(value)) return value.map((item) => renamedValue(item, to));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key.replace(new RegExp(`^(svc|${to})(?=_)`), (own) => (own === "svc" ? to : "svc")),
        FREE_MEMBERS.has(key) && !Array.isArray(member) ? member : renamedValue(member, to),
      ]),
    );
  }

  test("there and back is the identity, byte for byte, however it is spaced", () => {
    fc.assert(
      fc.property(json, prefix, fc.constantFrom(0, 1, "\t"), (value, to, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(renameMembers(renameMembers(text, to), to)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("changes the members of ours, and nothing that is free", () => {
    fc.assert(
      fc.property(json, prefix, fc.constantFrom(0, 1), (value, to, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(JSON.parse(renameMembers(text, to))).toEqual(renamedValue(JSON.parse(text), to));
      }),
      { numRuns: 500 },
    );
  });

  test("keeps every byte of free members and of values", () => {
    const free = JSON.stringify(MINE);
    const text = `{"a": 1.50e+3, "svc_id" :"svc_id","properties" : ${free}, "metadata":[{"svc_id":1}],"values":${free}}`;
    expect(renameMembers(text, "lago")).toBe(
      `{"a": 1.50e+3, "lago_id" :"svc_id","properties" : ${free}, "metadata":[{"lago_id":1}],"values":${free}}`,
    );
    expect(renameMembers(text, "svc")).toBe(text);
  });

  it.each([
    ["customer.svc_id", "customer.lago_id"],
    ["customer.metadata[0].svc_id", "customer.metadata[0].lago_id"],
    ["plan.charges[1].filters[0].svc_id", "plan.charges[1].filters[0].lago_id"],
    ["plan.charges[1].properties.svc_id", "plan.charges[1].properties.svc_id"],
    ["wallet.metadata.svc_a.svc_b", "wallet.metadata.svc_a.svc_b"],
    ["customer.lago_id", "customer.svc_id"],
  ])("of the path %s gives %s", (path, expected) => {
    expect(renamePath(path, "lago")).toBe(expected);
  });
});
