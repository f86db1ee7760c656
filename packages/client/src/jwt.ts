/** The signature of endpoints whose `signature_algo` is `jwt`. An entry of its own, because few need it. */
import type { LargeNumbers } from "./exact-json.ts";
import type { WebhookMessage } from "./generated/messages.ts";
import {
  bytesOf,
  encode,
  fromBase64,
  headerOf,
  parse,
  textOf,
  type WebhookBody,
  WebhookError,
  type WebhookHeaders,
} from "./webhook-parts.ts";

export type VerifyJwtOptions = {
  /** What becomes of a whole number beyond 2^53: an error (the default), or a bigint. */
  largeNumbers?: LargeNumbers;
  /** The `PUBLIC_URL` of the service; another issuer is refused. */
  issuer?: string;
  /** The `field_prefix` of the organization. Default `svc`. */
  fieldPrefix?: string;
};

/**
 * Checks the JWT of an endpoint whose `signature_algo` is `jwt`, with the public key of `webhooks.getPublicKey()`. A JWT has no time in
 * it, so remember the `webhook-id` of what you handled, or check with `verifyWebhook`.
 */
export async function verifyWebhookJwt(
  body: WebhookBody,
  headers: WebhookHeaders,
  publicKey: string,
  { issuer, fieldPrefix = "svc", largeNumbers }: VerifyJwtOptions = {},
): Promise<WebhookMessage> {
  const parts = headerOf(headers, `x-${fieldPrefix}-signature`).split(".");
  const [head, claims, signature] = parts.map((part) => fromBase64(part.replaceAll("-", "+").replaceAll("_", "/")));
  if (parts.length !== 3 || !head || !claims || !signature) throw new WebhookError("The signature is no JWT.");
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const signed = encode(`${parts[0]}.${parts[1]}`);
  const key = await crypto.subtle.importKey("spki", derOf(publicKey), algorithm, false, ["verify"]);
  // Whatever algorithm the token names, only this one counts.
  if (!(await crypto.subtle.verify(algorithm.name, key, signature, signed)))
    throw new WebhookError("The signature does not match: another key, or a token that was changed.");
  const { data, sha256, iss } = jsonOf(claims) as { data?: string; sha256?: string; iss?: string };
  const bytes = bytesOf(body);
  const isBody = data === undefined ? sha256 === (await digestOf(bytes)) : data === textOf(bytes);
  if (!isBody) throw new WebhookError("The signature is not of this body.");
  if (issuer !== undefined && iss !== issuer) throw new WebhookError(`The issuer is ${iss}, and not ${issuer}.`);
  return parse(bytes, largeNumbers);
}

function jsonOf(bytes: Uint8Array): object {
  try {
    return Object(JSON.parse(textOf(bytes)));
  } catch {
    throw new WebhookError("The signature is no JWT.");
  }
}

/** A PEM, or the Base64 of one, as the API shows it. */
function derOf(publicKey: string): Uint8Array<ArrayBuffer> {
  const pem = publicKey.includes("-----") ? publicKey : textOf(fromBase64(publicKey) ?? new Uint8Array());
  const der = fromBase64(pem.replaceAll(/-----[^-]+-----|\s/g, ""));
  if (!der?.length) throw new WebhookError("The public key is not one that the API showed.");
  return der;
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
