import { createPublicKey } from "node:crypto";
import { expect, it, test } from "vitest";
import type { Permissions } from "../../../http/auth.ts";
import { makeTestKey } from "../../../testing/make-test-key.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";
import { webhookEndpointErrors } from "./errors.ts";

const { app, platform, call, organizations } = await startTallystick({ organizations: 4 });
const [, second, third, fourth] = organizations.map(({ key }) => ({ key }));

const create = (webhook_endpoint: object, options = {}) =>
  call("POST", "/webhook_endpoints", { webhook_endpoint }, options);
const notFound = { status: 404, error: "Not Found", code: "webhook_endpoint_not_found" };
const organization = async (options = {}) =>
  (await call("GET", "/organizations", undefined, options)).body.organization;
const setUrl = (webhook_url: string | null, options = {}) =>
  call("PUT", "/organizations", { organization: { webhook_url } }, options);

test("an endpoint has an id, its organization, a secret of its own, receives every type, and signs with HMAC by default", async () => {
  const { status, body } = await create({ webhook_url: "https://hooks.example/one" });
  expect(status).toBe(200);
  expect(body).toEqual({
    webhook_endpoint: {
      svc_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      svc_organization_id: organizations[0]?.id,
      webhook_url: "https://hooks.example/one",
      name: null,
      event_types: null,
      signature_algo: "hmac",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      secret_last4: expect.stringMatching(/^[A-Za-z0-9+/]{3}=$/),
      disabled_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  });
  const { secret } = body.webhook_endpoint;
  const other = await create({ webhook_url: "https://hooks.example/two", signature_algo: "jwt" });
  expect(other.body.webhook_endpoint.signature_algo).toBe("jwt");
  expect(other.body.webhook_endpoint.secret).not.toBe(secret);
});

it.each<[object, object]>([
  [{}, { webhook_url: ["value_is_mandatory"] }],
  [{ webhook_url: null }, { webhook_url: ["value_is_mandatory"] }],
  [{ webhook_url: "ftp://hooks.example" }, { webhook_url: ["url_is_invalid"] }],
  [{ webhook_url: "nowhere" }, { webhook_url: ["url_is_invalid"] }],
  [{ webhook_url: "https://hooks.example", signature_algo: "rot13" }, { signature_algo: ["value_is_invalid"] }],
  [{ webhook_url: "https://hooks.example", event_types: ["invoice.eaten"] }, { event_types: ["unsupported_value"] }],
  [{ webhook_url: "https://hooks.example", event_types: "invoice.created" }, { event_types: ["value_is_invalid"] }],
  [{ webhook_url: "https://hooks.example", name: "n".repeat(256) }, { name: ["value_is_too_long"] }],
  [{ webhook_url: "http://hooks.example" }, { webhook_url: ["https_is_required"] }],
  [{ webhook_url: "http://127.0.0.1:3000" }, { webhook_url: ["https_is_required"] }],
  [{ webhook_url: "https://me:pass@hooks.example" }, { webhook_url: ["credentials_in_url"] }],
  [{ webhook_url: "https://hooks.example:22" }, { webhook_url: ["port_is_not_allowed"] }],
  [{ webhook_url: "https://10.0.0.7" }, { webhook_url: ["address_instead_of_name"] }],
  [{ webhook_url: "https://localhost" }, { webhook_url: ["name_is_not_public"] }],
  [{ webhook_url: "https://hooks.internal" }, { webhook_url: ["name_is_not_public"] }],
])("%j is refused with %j", async (endpoint, details) => {
  const { status, body } = await create(endpoint);
  expect([status, body.error_details]).toEqual([422, details]);
});

test("a URL that nothing would be sent to is refused in changes as well, and the old one stays", async () => {
  const { svc_id } = (await create({ webhook_url: "https://hooks.example/kept" })).body.webhook_endpoint;
  const path = `/webhook_endpoints/${svc_id}`;
  const { status, body } = await call("PUT", path, { webhook_endpoint: { webhook_url: "http://hooks.example/kept" } });
  expect([status, body.error_details]).toEqual([422, { webhook_url: ["https_is_required"] }]);
  expect((await call("GET", path)).body.webhook_endpoint.webhook_url).toBe("https://hooks.example/kept");
  const refused = await setUrl("https://localhost/hooks", fourth);
  expect([refused.status, refused.body.error_details]).toEqual([422, { webhook_url: ["name_is_not_public"] }]);
  expect((await organization(fourth)).webhook_url).toBe("");
});

test("the reference of errors and the description say how to receive webhooks in development, and which types there are", async () => {
  const { schemas } = (await app.inject({ url: "/openapi.json" })).json().components;
  const { webhook_url, event_types } = schemas.WebhookEndpointCreate.properties;
  expect(webhook_url.description).toContain("OUTBOUND_TRUSTED_HOSTS");
  expect(event_types.items).toEqual({ $ref: "#/components/schemas/WebhookTypeOrAll" });
  expect(schemas.WebhookTypeOrAll.enum).toContain("invoice.created");
  expect(webhookEndpointErrors.catalog.https_is_required?.meaning).toContain("OUTBOUND_TRUSTED_HOSTS");
});

it.each<[unknown, unknown]>([
  [
    ["invoice.created", "fee.created", "invoice.created"],
    ["invoice.created", "fee.created"],
  ],
  [[], null],
  [null, null],
  [["*"], null],
  [["invoice.created", "*"], null],
])("the event types %j are shown as %j", async (event_types, shown) => {
  const { svc_id } = (await create({ webhook_url: "https://hooks.example/types", name: "Books", event_types })).body
    .webhook_endpoint;
  const path = `/webhook_endpoints/${svc_id}`;
  expect((await call("GET", path)).body.webhook_endpoint).toMatchObject({ name: "Books", event_types: shown });
  const changed = await call("PUT", path, { webhook_endpoint: { event_types: ["plan.created"], name: null } });
  expect(changed.body.webhook_endpoint).toMatchObject({ name: null, event_types: ["plan.created"] });
  expect((await call("PUT", path, { webhook_endpoint: { event_types } })).body.webhook_endpoint.event_types).toEqual(
    shown,
  );
  await call("DELETE", path);
});

test("a secret is shown when it is created or rotated, and never again", async () => {
  const made = (await create({ webhook_url: "https://hooks.example/secret" })).body.webhook_endpoint;
  const path = `/webhook_endpoints/${made.svc_id}`;
  const hidden = { ...made, secret: null };
  expect(hidden.secret_last4).toBe(made.secret.slice(-4));
  expect((await call("GET", path)).body.webhook_endpoint).toEqual(hidden);
  expect((await call("PUT", path, { webhook_endpoint: {} })).body.webhook_endpoint).toEqual(hidden);
  const { status, body, text } = await call("POST", `${path}/rotate_secret`);
  const rotated = body.webhook_endpoint;
  expect([status, rotated.secret]).toEqual([200, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)]);
  expect(text).not.toContain(made.secret);
  expect(rotated.secret_last4).toBe(rotated.secret.slice(-4));
  const list = await call("GET", "/webhook_endpoints");
  const deleted = await call("DELETE", path);
  for (const answer of [list, deleted])
    for (const secret of [made.secret, rotated.secret]) expect(answer.text).not.toContain(secret);
  expect((await call("POST", `${path}/rotate_secret`)).body).toEqual(notFound);
});

test("a URL is unique in an organization, and free again after the delete", async () => {
  const webhook_url = "https://hooks.example/once";
  const { svc_id } = (await create({ webhook_url })).body.webhook_endpoint;
  expect((await create({ webhook_url })).body.error_details).toEqual({ webhook_url: ["value_already_exist"] });
  expect((await create({ webhook_url }, second)).status).toBe(200);
  expect((await call("DELETE", `/webhook_endpoints/${svc_id}`)).body.webhook_endpoint.svc_id).toBe(svc_id);
  for (const method of ["GET", "DELETE"] as const)
    expect((await call(method, `/webhook_endpoints/${svc_id}`)).body).toMatchObject(notFound);
  expect((await create({ webhook_url })).status).toBe(200);
});

test("a change keeps the id, the secret and the members that it does not name", async () => {
  const requested = { webhook_url: "https://hooks.example/old", name: "Old", event_types: ["invoice.created"] };
  const made = (await create(requested)).body.webhook_endpoint;
  const path = `/webhook_endpoints/${made.svc_id}`;
  const { body } = await call("PUT", path, { webhook_endpoint: { signature_algo: "jwt" } });
  expect(body.webhook_endpoint).toEqual({ ...made, signature_algo: "jwt", secret: null });
  const moved = await call("PUT", path, { webhook_endpoint: { webhook_url: "https://hooks.example/new" } });
  expect(moved.body.webhook_endpoint).toEqual({ ...body.webhook_endpoint, webhook_url: "https://hooks.example/new" });
});

test("an endpoint of another organization, and an invalid id, are not found", async () => {
  const { svc_id } = (await create({ webhook_url: "https://hooks.example/mine" })).body.webhook_endpoint;
  const change = { webhook_endpoint: { signature_algo: "hmac" } };
  expect((await call("GET", `/webhook_endpoints/${svc_id}`, undefined, second)).body).toMatchObject(notFound);
  expect((await call("PUT", `/webhook_endpoints/${svc_id}`, change, second)).body).toMatchObject(notFound);
  expect((await call("POST", `/webhook_endpoints/${svc_id}/rotate_secret`, undefined, second)).body).toMatchObject(
    notFound,
  );
  expect((await call("DELETE", "/webhook_endpoints/none")).body).toMatchObject(notFound);
});

test("an organization has at most ten endpoints, even if they are created at once", async () => {
  const requested = Array.from({ length: 14 }, (_, n) => create({ webhook_url: `https://hooks.example/${n}` }, third));
  const answers = await Promise.all(requested);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = answers.find(({ status }) => status !== 200);
  expect([refused?.status, refused?.body.error_details]).toMatchObject([422, { base: ["exceeded_limit"] }]);
  const { meta, webhook_endpoints } = (await call("GET", "/webhook_endpoints?per_page=3", undefined, third)).body;
  expect([webhook_endpoints.length, meta.total_count]).toEqual([3, 10]);
});

test("the organization's webhook_url is its first endpoint: created, changed and deleted with it", async () => {
  expect((await setUrl("https://hooks.example/a", fourth)).body.organization.webhook_urls).toEqual([
    "https://hooks.example/a",
  ]);
  const [made] = (await call("GET", "/webhook_endpoints", undefined, fourth)).body.webhook_endpoints;
  expect(made).toMatchObject({ webhook_url: "https://hooks.example/a", signature_algo: "hmac" });
  await create({ webhook_url: "https://hooks.example/b" }, fourth);
  await setUrl("https://hooks.example/c", fourth);
  expect(await organization(fourth)).toMatchObject({
    webhook_url: "https://hooks.example/c",
    webhook_urls: ["https://hooks.example/c", "https://hooks.example/b"],
  });
  const changed = await call("GET", `/webhook_endpoints/${made.svc_id}`, undefined, fourth);
  expect(changed.body.webhook_endpoint).toEqual({ ...made, webhook_url: "https://hooks.example/c" });
  expect((await setUrl("https://hooks.example/b", fourth)).body.error_details).toEqual({
    webhook_url: ["value_already_exist"],
  });
  await setUrl(null, fourth);
  expect((await organization(fourth)).webhook_urls).toEqual(["https://hooks.example/b"]);
});

test("a changed webhook_url of the organization needs webhook_endpoint:write as well; the same URL does not", async () => {
  const { id } = organizations[1] ?? { id: "" };
  const keyWith = async (permissions: Permissions) => ({
    key: (await makeTestKey(platform, id, { permissions })).token,
  });
  const lacking = await keyWith({ organization: ["read", "write"], webhook_endpoint: ["read"] });
  const allowed = await keyWith({ organization: ["write"], webhook_endpoint: ["write"] });
  const code = "write_action_not_allowed_for_webhook_endpoint";
  const { webhook_url: before } = await organization(lacking);
  const refused = await setUrl("https://hooks.example/taken-over", lacking);
  expect([refused.status, refused.body.code]).toEqual([403, code]);
  expect((await setUrl(null, lacking)).body.code).toBe(code);
  expect((await organization(lacking)).webhook_url).toBe(before);
  expect((await setUrl("https://hooks.example/own", allowed)).status).toBe(200);
  const same = { organization: { name: "Renamed", webhook_url: "https://hooks.example/own" } };
  expect((await call("PUT", "/organizations", same, lacking)).body.organization.name).toBe("Renamed");
});

test("the public key is an RSA key of the organization's own, the same in both forms, and never changes", async () => {
  const read = async (options = {}) => (await call("GET", "/webhooks/json_public_key", undefined, options)).body;
  const [first, again, other] = [await read(), await read(), await read(second)];
  const key = createPublicKey(Buffer.from(first.webhook.public_key, "base64").toString());
  expect([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength]).toEqual(["rsa", 2048]);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  const plain = await call("GET", "/webhooks/public_key");
  expect([plain.headers["content-type"], plain.text]).toEqual([
    expect.stringContaining("text/plain"),
    first.webhook.public_key,
  ]);
});
