import { createPublicKey } from "node:crypto";
import { expect, it, test } from "vitest";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const { call, organizations } = await startTallystick({ organizations: 4 });
const [, second, third, fourth] = organizations.map(({ key }) => ({ key }));

const create = (webhook_endpoint: object, options = {}) =>
  call("POST", "/webhook_endpoints", { webhook_endpoint }, options);
const notFound = { status: 404, error: "Not Found", code: "webhook_endpoint_not_found" };
const organization = async (options = {}) =>
  (await call("GET", "/organizations", undefined, options)).body.organization;
const setUrl = (webhook_url: string | null, options = {}) =>
  call("PUT", "/organizations", { organization: { webhook_url } }, options);

test("an endpoint has an id, its organization, a secret of its own, and signs with JWT unless it is told otherwise", async () => {
  const { status, body } = await create({ webhook_url: "https://hooks.example/one" });
  expect(status).toBe(200);
  expect(body).toEqual({
    webhook_endpoint: {
      svc_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      svc_organization_id: organizations[0]?.id,
      webhook_url: "https://hooks.example/one",
      signature_algo: "jwt",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      disabled_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  });
  const { svc_id, secret } = body.webhook_endpoint;
  expect((await call("GET", `/webhook_endpoints/${svc_id}`)).body).toEqual(body);
  const other = await create({ webhook_url: "https://hooks.example/two", signature_algo: "hmac" });
  expect(other.body.webhook_endpoint.signature_algo).toBe("hmac");
  expect(other.body.webhook_endpoint.secret).not.toBe(secret);
});

it.each<[object, object]>([
  [{}, { webhook_url: ["value_is_mandatory"] }],
  [{ webhook_url: null }, { webhook_url: ["value_is_mandatory"] }],
  [{ webhook_url: "ftp://hooks.example" }, { webhook_url: ["url_is_invalid"] }],
  [{ webhook_url: "nowhere" }, { webhook_url: ["url_is_invalid"] }],
  [{ webhook_url: "https://hooks.example", signature_algo: "rot13" }, { signature_algo: ["value_is_invalid"] }],
])("%j is refused with %j", async (endpoint, details) => {
  const { status, body } = await create(endpoint);
  expect([status, body.error_details]).toEqual([422, details]);
});

test("a URL is told once in an organization, and is free again after the delete", async () => {
  const webhook_url = "https://hooks.example/once";
  const { svc_id } = (await create({ webhook_url })).body.webhook_endpoint;
  expect((await create({ webhook_url })).body.error_details).toEqual({ webhook_url: ["value_already_exist"] });
  expect((await create({ webhook_url }, second)).status).toBe(200);
  expect((await call("DELETE", `/webhook_endpoints/${svc_id}`)).body.webhook_endpoint.svc_id).toBe(svc_id);
  for (const method of ["GET", "DELETE"] as const)
    expect((await call(method, `/webhook_endpoints/${svc_id}`)).body).toEqual(notFound);
  expect((await create({ webhook_url })).status).toBe(200);
});

test("a change keeps the id, the secret and what is not named", async () => {
  const made = (await create({ webhook_url: "https://hooks.example/old" })).body.webhook_endpoint;
  const path = `/webhook_endpoints/${made.svc_id}`;
  const { body } = await call("PUT", path, { webhook_endpoint: { signature_algo: "hmac" } });
  expect(body.webhook_endpoint).toEqual({ ...made, signature_algo: "hmac" });
  const moved = await call("PUT", path, { webhook_endpoint: { webhook_url: "https://hooks.example/new" } });
  expect(moved.body.webhook_endpoint).toEqual({ ...body.webhook_endpoint, webhook_url: "https://hooks.example/new" });
});

test("an endpoint of another organization, and an id that is none, are not found", async () => {
  const { svc_id } = (await create({ webhook_url: "https://hooks.example/mine" })).body.webhook_endpoint;
  const change = { webhook_endpoint: { signature_algo: "hmac" } };
  expect((await call("GET", `/webhook_endpoints/${svc_id}`, undefined, second)).body).toEqual(notFound);
  expect((await call("PUT", `/webhook_endpoints/${svc_id}`, change, second)).body).toEqual(notFound);
  expect((await call("DELETE", "/webhook_endpoints/none")).body).toEqual(notFound);
});

test("an organization has at most ten endpoints, also when they are asked for at once", async () => {
  const requested = Array.from({ length: 14 }, (_, n) => create({ webhook_url: `https://hooks.example/${n}` }, third));
  const answers = await Promise.all(requested);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  const refused = answers.find(({ status }) => status !== 200);
  expect([refused?.status, refused?.body.error_details]).toEqual([422, { base: ["exceeded_limit"] }]);
  const { meta, webhook_endpoints } = (await call("GET", "/webhook_endpoints?per_page=3", undefined, third)).body;
  expect([webhook_endpoints.length, meta.total_count]).toEqual([3, 10]);
});

test("the organization's webhook_url is its first endpoint: made, changed and deleted with it", async () => {
  expect((await setUrl("https://hooks.example/a", fourth)).body.organization.webhook_urls).toEqual([
    "https://hooks.example/a",
  ]);
  const [made] = (await call("GET", "/webhook_endpoints", undefined, fourth)).body.webhook_endpoints;
  expect(made).toMatchObject({ webhook_url: "https://hooks.example/a", signature_algo: "jwt" });
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

test("the public key is an RSA key of the organization's own, the same in both forms and forever", async () => {
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
