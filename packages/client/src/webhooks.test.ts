// Against signatures of standardwebhooks and jose, and against what the service sends.

import { exportSPKI, generateKeyPair, SignJWT } from "jose";
import { Webhook } from "standardwebhooks";
import { expect, expectTypeOf, test } from "vitest";
import { startReceiver } from "../../server/src/testing/start-receiver.ts";
import type { Customer, InvoiceWithFees, WebhookMessage } from "./index.ts";
import { verifyWebhookJwt } from "./jwt.ts";
import { serve } from "./testing/serve.ts";
import { verifyWebhook } from "./webhooks.ts";

const SECRET = `whsec_${btoa("a secret of thirty-two bytes, ok")}`;
const OTHER = `whsec_${btoa("another secret of 32 bytes, yes.")}`;
const BODY = '{"webhook_type":"customer.created","object_type":"customer","customer":{"external_id":"ü"}}';
const AT = 1_800_000_000;

function sign(body = BODY, secret = SECRET, at = AT) {
  const signature = new Webhook(secret).sign("msg_1", { getTime: () => at * 1000 } as never, body);
  return { "webhook-id": "msg_1", "webhook-timestamp": String(at), "webhook-signature": signature };
}
const now = AT * 1000;

test.each([
  ["text", BODY],
  ["bytes", new TextEncoder().encode(BODY)],
  ["a part of a buffer", new TextEncoder().encode(` ${BODY}`).subarray(1)],
])("a signed message as %s is returned, typed by its type", async (_, body) => {
  const message = await verifyWebhook(body, sign(), SECRET, { now });
  if (message.webhook_type === "customer.created") expectTypeOf(message.customer).toEqualTypeOf<Customer>();
  if (message.webhook_type === "invoice.created") expectTypeOf(message.invoice).toEqualTypeOf<InvoiceWithFees>();
  expectTypeOf(message).toEqualTypeOf<WebhookMessage>();
  expect(message).toEqual(JSON.parse(BODY));
});

test("headers may be those of fetch, of Node, or in any case", async () => {
  const headers = sign();
  for (const form of [
    new Headers(headers),
    headers,
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
  ])
    expect(await verifyWebhook(BODY, form, SECRET, { now })).toMatchObject({ object_type: "customer" });
});

test("during a rotation, either secret verifies either signature", async () => {
  const [first, second] = [sign(), sign(BODY, OTHER)];
  const both = { ...first, "webhook-signature": `${second["webhook-signature"]} ${first["webhook-signature"]}` };
  await verifyWebhook(BODY, both, SECRET, { now });
  await verifyWebhook(BODY, both, OTHER, { now });
  await verifyWebhook(BODY, first, [OTHER, SECRET], { now });
});

test.each([
  ["another body", `${BODY} `, sign(), SECRET, "does not match"],
  ["another secret", BODY, sign(), OTHER, "does not match"],
  ["another id", BODY, { ...sign(), "webhook-id": "msg_2" }, SECRET, "does not match"],
  ["another time", BODY, { ...sign(), "webhook-timestamp": String(AT + 1) }, SECRET, "does not match"],
  ["a time that is no number", BODY, { ...sign(), "webhook-timestamp": "1e9" }, SECRET, "no number"],
  ["an old message", BODY, sign(BODY, SECRET, AT - 301), SECRET, "too old"],
  ["a message from the future", BODY, sign(BODY, SECRET, AT + 301), SECRET, "too old"],
  ["no signature", BODY, { ...sign(), "webhook-signature": undefined }, SECRET, "webhook-signature is missing"],
  ["another version", BODY, { ...sign(), "webhook-signature": "v2,AAAA" }, SECRET, "does not match"],
  ["a signature that is no Base64", BODY, { ...sign(), "webhook-signature": "v1,*" }, SECRET, "does not match"],
  ["an empty secret", BODY, sign(), "", "not one that the API showed"],
  ["a parsed body", JSON.parse(BODY), sign(), SECRET, "was parsed already"],
])("%s is refused with a sentence", async (_, ...[body, headers, secret, sentence]) => {
  const check = verifyWebhook(body as string, headers, secret, { now });
  await expect(check).rejects.toMatchObject({ name: "WebhookError", message: expect.stringContaining(sentence) });
});

test("a JWT is checked for its key, its algorithm, its issuer and the body", async () => {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const pem = await exportSPKI(publicKey);
  const token = (claims: object, alg = "RS256") =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg }).setIssuer("https://billing").sign(privateKey);
  const headers = (jwt: string) => ({ "X-Svc-Signature": jwt });
  const good = await token({ data: BODY });
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(BODY))).toString("hex");
  await verifyWebhookJwt(BODY, headers(good), pem, { issuer: "https://billing" });
  await verifyWebhookJwt(BODY, headers(await token({ sha256: digest })), btoa(pem));
  await verifyWebhookJwt(BODY, { "x-lago-signature": good }, pem, { fieldPrefix: "lago" });

  const { publicKey: otherKey } = await generateKeyPair("RS256", { extractable: true });
  const unsigned = `${btoa('{"alg":"none"}')}.${good.split(".")[1]}.`;
  for (const [jwt, body, key, sentence] of [
    [good, `${BODY} `, pem, "not of this body"],
    [good, BODY, await exportSPKI(otherKey), "does not match"],
    [await token({ sha256: "00" }), BODY, pem, "not of this body"],
    [await token({}), BODY, pem, "not of this body"],
    [unsigned, BODY, pem, "does not match"],
    [`${btoa('{"alg":"none"}')}.${good.split(".").slice(1).join(".")}`, BODY, pem, "does not match"],
    ["abc", BODY, pem, "no JWT"],
  ] as const)
    await expect(verifyWebhookJwt(body, headers(jwt), key)).rejects.toThrow(sentence);
  await expect(verifyWebhookJwt(BODY, headers(good), pem, { issuer: "https://other" })).rejects.toThrow("issuer");
});

test("messages of the service pass, with both algorithms, and also after a rotation", async () => {
  const service = await serve();
  const receiver = await startReceiver();
  const tally = service.open();
  const hmac = await tally.webhookEndpoints.create({ webhook_url: receiver.url("/hmac"), signature_algo: "hmac" });
  await tally.webhookEndpoints.create({ webhook_url: receiver.url("/jwt"), signature_algo: "jwt" });
  await tally.customers.upsert({ external_id: "acme" });
  await service.drain();
  const { secret } = await tally.webhookEndpoints.rotateSecret(hmac.svc_id);
  await tally.customers.upsert({ external_id: "acme", name: "Acme" });
  await service.drain();
  const { public_key } = await tally.webhooks.getPublicKey();

  const seen: string[] = [];
  for (const { path, headers, body } of receiver.received) {
    const message =
      path === "/jwt"
        ? await verifyWebhookJwt(body, headers, public_key)
        : await verifyWebhook(body, headers, [hmac.secret ?? "", secret ?? ""]);
    if (message.object_type !== "webhook_endpoint") seen.push(`${path} ${message.webhook_type}`);
    await expect(verifyWebhookJwt(body, { "x-svc-signature": "a.b.c" }, public_key)).rejects.toThrow();
  }
  expect(seen.sort()).toEqual([
    "/hmac customer.created",
    "/hmac customer.updated",
    "/jwt customer.created",
    "/jwt customer.updated",
  ]);
});
